#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Wasmer 1.1, both compilers: a hunt on each.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/runtime-hunt.bash
. tests/real/runtime-hunt.bash
need wasmer@1.1.0
shows_code wasmer wasm2c
shows_code wasmer?compiler=singlepass wasm2c
exit "$bad"
