#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# wasm2c with clang: a hunt on it, with gcc as oracle.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/runtime-hunt.bash
. tests/real/runtime-hunt.bash
command -v clang >/dev/null || { echo "clang is not installed" && exit 77; }
shows_code wasm2c?cc=clang wasm2c?cc=gcc
exit "$bad"
