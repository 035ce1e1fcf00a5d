#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The pages of a report and of a hunt, as a browser and a reader with scripts
# off see them: a capture with call chains and switches, a known slow case.
set -u
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/real/page-lib.bash
. tests/real/page-lib.bash

# need RUNTIME...: fetched, or the test is skipped.
need()
{
	local r
	for r; do
		perf-wasm runtimes add "$r" >"$tmp/add" 2>&1 ||
			{ echo "$r cannot be fetched: $(tail -n 1 "$tmp/add")" && exit 77; }
	done
}
need wasmtime@13.0.0 wasmtime@50.0.1
slow=$PW_BUILD/tests/cases/7085.slow.wasm
[ -s "$slow" ] || { echo "the cases are not built: make golden" && exit 77; }

perf-wasm hunt -q --dir "$tmp/hunt" --html "$tmp/hunt.html" --budget 60 \
	--suspect wasmtime@13.0.0 --oracle wasmtime@50.0.1 "$slow" >"$tmp/hunt.txt" || exit 1
check_html "$tmp/hunt.html" 'suspect is slower' 'Mutants, best first' 'Machine code on the suspect' || exit 1
check_page "$tmp/hunt.html" || exit 1

if ! perf record -q -e cpu-clock:u -o /dev/null true >/dev/null 2>&1; then
	echo "perf may not sample here"
	exit 77
fi
perf-wasm record -q -o "$tmp/capture" -g --sched --runtime wasmtime@50.0.1 "$slow" >"$tmp/out" 2>&1 ||
	perf-wasm record -q -o "$tmp/capture" -g --runtime wasmtime@50.0.1 "$slow" >"$tmp/out" 2>&1 ||
	{ cat "$tmp/out" && exit 1; }
perf-wasm report "$tmp/capture" >"$tmp/plain.txt" || exit 1
perf-wasm report "$tmp/capture" --html "$tmp/report.html" >"$tmp/report.txt" || exit 1
diff "$tmp/plain.txt" "$tmp/report.txt" || { echo "the page changes the text" && exit 1; }
check_html "$tmp/report.html" 'Overview' 'Call chains' 'samples in every' 'Hot code' 'f64.add' || exit 1
check_page "$tmp/report.html" || exit 1
size=$(($(stat -c %s "$tmp/report.html") - $(stat -c %s "$PW_BUILD/share/perf-wasm/page.html")))
echo "the report is $size bytes beside the library"
[ "$size" -lt 1500000 ] || exit 1
