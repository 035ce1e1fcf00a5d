#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Hunts of known slow modules with the newest Wasmtime as oracle.
# run: first
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-cases.bash
. tests/real/hunt-cases.bash
need wasmtime@13.0.0 wasmtime@14.0.0 wasmtime@17.0.1 wasmtime@32.0.0 wasmtime@50.0.1

finds 7085 wasmtime@13.0.0 wasmtime@50.0.1 f64.convert_i32_s vcvtsi2sd 8 false_dependence
finds 8571 wasmtime@32.0.0 wasmtime@50.0.1 any div 12 dead_division
finds 7246-sqrt wasmtime@14.0.0 wasmtime@50.0.1 any vsqrtsd 8 invariant_work
finds 7731-fill wasmtime@17.0.1 wasmtime@50.0.1 any vcvtss2sd 8 false_dependence
exit "$bad"
