#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Hunts of known slow modules with the newest Wasmtime as oracle; one more, of
# 7085, is in test-hunt-less-work.
# run: first
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-cases.bash
. tests/real/hunt-cases.bash
need wasmtime@14.0.0 wasmtime@17.0.1 wasmtime@32.0.0 wasmtime@50.0.1

finds 8571 wasmtime@32.0.0 wasmtime@50.0.1 any div 12 dead_division
finds 7246-sqrt wasmtime@14.0.0 wasmtime@50.0.1 any vsqrtsd 8 invariant_work
finds 7731-fill wasmtime@17.0.1 wasmtime@50.0.1 any vcvtss2sd 8 false_dependence
exit "$bad"
