#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# bun writes jit-TID-PID.dump, which perf inject passes over: report has the
# names and shares that the dump gives, and the functions of the module by
# index.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
# shellcheck source=tests/real/engines.bash
. tests/real/engines.bash
engine bun
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash

# A worker of JavaScriptCore's writes the dump; what it has not written when the
# process ends is lost, about one time in twenty here. So the script lets it.
echo 'await new Promise((done) => setTimeout(done, 200));' >>hot.mjs

# run DIR MODULE
run()
{
	mkdir "$1"
	BUN_JSC_useJITDump=1 BUN_JSC_jitDumpDirectory=$tmp/$1 \
		perf record -q -k mono -e cpu-clock -F 4000 -o "$1/perf.data" -- \
		"$engine" hot.mjs "$2" >"$1/out" 2>&1 </dev/null ||
		{ fail "bun:" "$(cat "$1/out")" && exit 1; }
}

run named hot.wasm
ls named/jit-*-*.dump >/dev/null 2>&1 || fail "bun wrote no jit-TID-PID.dump" "$(ls named)"
report --sort symbol named/perf.data
perf script -i named/perf.data --ns -F time,ip >samples 2>/dev/null
python3 "$root/tests/real/engine-shares.py" samples named/jit-*.dump report.json ||
	fail "bun's dump and the report differ"
report --wasm hot.wasm named/perf.data
holds report.json 'fn("heavy", tier="optimized", module="hot.wasm") > fn("work", module="hot.wasm") > 0.02'

# Without names it takes the index, with imports counted.
wat2wasm hot.wat -o bare.wasm
run bare bare.wasm
report --wasm bare.wasm bare/perf.data
holds report.json 'fn("f2", tier="optimized", module="bare.wasm") > fn("f1", module="bare.wasm") > 0.02'
exit $bad
