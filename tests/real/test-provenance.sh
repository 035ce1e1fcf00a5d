#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Provenance agrees with Wasmtime's own map for 90 % of the samples of five of
# eight modules, and 80 % of the others: three of our cases, and five of the
# corpus where it is there; and with JavaScriptCore's listing for 90 % of the
# samples of each of five.
# run: first
set -u
cd "$(dirname "$0")/../.." || exit 2
pw=$PW_BUILD/bin/perf-wasm
check=$PW_BUILD/tests/unit/plugin/provenance/test-agreement
[ -x "$check" ] || { echo "make unit-build has not made test-agreement"; exit 77; }
out=$("$pw" runtimes add wasmtime@50.0.1 2>&1) || {
	echo "wasmtime@50.0.1 cannot be fetched: ${out##*$'\n'}"
	exit 77
}

modules=
for case in 7085 8571 7246-sqrt; do
	modules="$modules $PW_BUILD/tests/cases/$case.slow.wasm"
done
shootout=${PERF_WASM_CORPUS:-../shared/corpus}/wasm/sightglass/shootout
for name in fib2 sieve base64 heapsort ctype; do
	file=$shootout/shootout-$name.wasm
	if [ -e "$file" ]; then
		modules="$modules $file"
	else
		echo "left out, not there: $file"
	fi
done
PERF_WASM_PROVENANCE=$modules "$check" || exit 1

if command -v jsc >/dev/null; then
	modules="tests/data/lines/hot-c.wasm tests/data/lines/hot-rust.wasm"
	for case in 7085 8571 7246-sqrt; do
		modules="$modules $PW_BUILD/tests/cases/$case.slow.wasm"
	done
	PERF_WASM_PROVENANCE_JSC=$modules "$check-jsc" || exit 1
else
	echo "left out, not installed: jsc"
fi
