#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# WasmEdge out of another Debian: a hunt on what LLVM made.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/runtime-hunt.bash
. tests/real/runtime-hunt.bash
need wasmedge
shows_code wasmedge wasmedge?optimize=0
exit "$bad"
