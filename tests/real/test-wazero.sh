#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# wazero writes a perf map of basic blocks, in which trampolines of the host
# lie at false addresses, over functions: report has the names and shares that
# the map gives without them, and the functions of the module by index.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
# shellcheck source=tests/real/engines.bash
. tests/real/engines.bash
engine wazero
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash
trap 'rm -rf "$tmp" ${map:+"$map"}' EXIT

# run MODULE: captured in $tmp; $map is the process's.
run()
{
	[ -z "${map:-}" ] || rm -f "$map"
	perf record -q -k mono -e cpu-clock -F 4000 -o perf.data -- \
		"$engine" run "$1" >out 2>&1 </dev/null ||
		{ fail "wazero:" "$(cat out)" && exit 1; }
	map=/tmp/perf-$(perf script -i perf.data -F pid 2>/dev/null |
		awk 'NR == 1 { print $1 }').map
	[ -s "$map" ] || { fail "wazero wrote no perf map" && exit 1; }
}

run hot.wasm
python3 - "$map" <<'PY' || fail "no trampoline lies over a function now: this test shows less than it says"
import sys
lines = [l.split(" ", 2) for l in open(sys.argv[1])]
spans = [(int(a, 16), int(a, 16) + int(n, 16), s) for a, n, s in lines]
over = [(f, t) for f in spans if f[2].startswith("[")
        for t in spans if t[2].startswith("trampoline:")
        and t[0] < f[1] and f[0] < t[1]]
sys.exit(not over)
PY
report --sort symbol perf.data
perf script -i perf.data --ns -F time,ip >samples 2>/dev/null
python3 "$root/tests/real/engine-shares.py" samples "$map" report.json trampoline: ||
	fail "wazero's map and the report differ"
report --wasm hot.wasm perf.data
holds report.json 'fn("heavy", kind="wasm", module="hot.wasm") > fn("work", module="hot.wasm") > 0.02'

# Without names it takes the index, to which the imports are added.
wat2wasm hot.wat -o bare.wasm
run bare.wasm
report --wasm bare.wasm perf.data
holds report.json 'fn("f2", kind="wasm", module="bare.wasm") > fn("f1", module="bare.wasm") > 0.02'
exit $bad
