#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The page of a machine's metrics in a browser, with a process that is named
# like markup, and their exports as others read them.
set -u
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/real/page-lib.bash
. tests/real/page-lib.bash

cp "$(command -v bash)" "$tmp/<b>bu&sy" || exit 1
# shellcheck disable=SC2016 # for the other bash
perf-wasm record -q --system --no-samples --interval 250ms -o "$tmp/cap" -- \
	"$tmp/<b>bu&sy" -c 'while [ $SECONDS -lt 6 ]; do :; done' >"$tmp/out" 2>&1 ||
	{ cat "$tmp/out" && exit 1; }

perf-wasm system "$tmp/cap" --html "$tmp/system.html" >"$tmp/text" || exit 1
grep -q '^<b>bu&sy ' "$tmp/text" || { echo "the busy process is not in the text" && exit 1; }
check_html "$tmp/system.html" 'Processes' '<b>bu&sy' 'Unchanged' 'CPU time, all CPUs together' || exit 1
check_page "$tmp/system.html" open || exit 1
# one without processes and without tables of thousands is tried as a whole
perf-wasm system "$tmp/cap" --family cpu --family psi --html "$tmp/cpu.html" >/dev/null || exit 1
check_page "$tmp/cpu.html" || exit 1

perf-wasm export --to openmetrics -o "$tmp/om" "$tmp/cap" || exit 1
perf-wasm export --to csv -o "$tmp/csv" "$tmp/cap" || exit 1
perf-wasm export --to json -o "$tmp/json" "$tmp/cap" || exit 1
/usr/bin/python3 tests/real/metrics-check.py "$tmp/om" "$tmp/csv" "$tmp/json"
