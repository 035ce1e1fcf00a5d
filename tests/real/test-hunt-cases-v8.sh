#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Hunts of known slow modules with V8 as oracle.
# run: first
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-cases.bash
. tests/real/hunt-cases.bash
command -v node >/dev/null || { echo "node is not installed" && exit 77; }
need wasmtime@17.0.1 wasmtime@32.0.0

finds 8571 wasmtime@32.0.0 v8 any div 12 dead_division
finds 7731-fill wasmtime@17.0.1 v8 any vcvtss2sd 8 false_dependence
exit "$bad"
