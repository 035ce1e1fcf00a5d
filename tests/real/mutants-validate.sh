#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/real/mutants-validate.sh: mutants of real programs and of the
# specification's modules pass Wasmtime's validator. PERF_WASM_MUTANTS says
# how many a module; 2000 is the figure of the notes and takes minutes.
set -u
test=$PW_BUILD/tests/unit/wasm/mutate/test-corpus
[ -x "$test" ] || { echo "$test is not built: make unit" && exit 77; }
log=$(PERF_WASM_MUTANTS=${PERF_WASM_MUTANTS:-300} "$test" 2>&1)
status=$?
printf '%s\n' "$log"
if [ $status = 0 ] && grep -q '^\[  SKIPPED \]' <<<"$log"; then
	grep -m 1 -E '^no (corpus|libwasmtime)' <<<"$log"
	exit 77
fi
exit $status
