#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Hunts of known slow modules with wasm2c as oracle.
# run: first
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-cases.bash
. tests/real/hunt-cases.bash
command -v wasm2c >/dev/null || { echo "wasm2c is not installed" && exit 77; }
need wasmtime@13.0.0 wasmtime@14.0.0

finds 7085 wasmtime@13.0.0 wasm2c f64.convert_i32_s vcvtsi2sd 8 false_dependence
finds 7246-sqrt wasmtime@14.0.0 wasm2c any vsqrtsd 8 invariant_work
exit "$bad"
