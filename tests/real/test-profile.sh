#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Samples are where perf puts them: shares of functions equal those of perf
# inject --jit and perf report within 0.5 %, on Wasmtime of two ages and on
# node; and what perf does not know: the function that Wasmtime 13 leaves out
# of its jitdump, and the wasm instruction of a sample.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash
cache=${XDG_CACHE_HOME:-$HOME/.cache}/perf-wasm/runtimes

# equal DIR [LEFT_OUT]: ours of DIR/perf.data against perf's.
equal()
{
	local dir=$1
	perf inject --jit -i "$dir/perf.data" -o "$dir/jit.data" >/dev/null 2>&1 ||
		fail "$dir: perf inject failed"
	perf report --stdio --no-children -g none -w 0 -t '|' -i "$dir/jit.data" \
		-F period,comm,dso,sym >"$dir/perf.txt" 2>/dev/null
	report --sort task,symbol "$dir/perf.data"
	python3 "$root/tests/real/profile-equal.py" "$dir/perf.txt" report.json \
		"${2-}" >"$dir/equal" || fail "$dir: perf and we differ" "$(cat "$dir/equal")"
	echo "$dir: $(head -1 "$dir/equal")"
}

# wasmtime VERSION: a capture of the host in a folder of that name.
wasmtime()
{
	need "wasmtime@$1"
	mkdir -p "$1"
	printf 'run\tid=1\tmodule=%s\tinvoke=_start\tjitdump_dir=%s\tartifact=%s\n' \
		"$tmp/hot.wasm" "$tmp/$1" "$tmp/$1/hot.cwasm" |
		perf record -q -k mono -e cpu-clock -F 4000 -g -o "$1/perf.data" -- \
			"$PW_BUILD/libexec/perf-wasm/host-wasmtime" \
			"$cache/wasmtime@$1/libwasmtime.so" >"$1/out" 2>"$1/err"
	grep -q outcome=ok "$1/out" || fail "wasmtime@$1:" "$(cat "$1/out" "$1/err")"
}

# joined VERSION: with what the runtime tells of the module, and mutants where it
# tells nothing, all that matters is known.
joined()
{
	report --wasm hot.wasm --runtime "wasmtime@$1" --provenance "$1/perf.data"
	holds report.json 'fn("heavy", kind="wasm", module="hot.wasm") > fn("work", kind="wasm") > 0.02'
	holds report.json '1 - r["wasm_offsets"]["none"] >= 0.95'
	holds report.json 'bool({"f64.mul", "f64.add", "f64.convert_i32_s"} & {o["opcode"] for o in r["wasm_opcodes"]["rows"][:3]})'
	echo "$1: $(value report.json '"a wasm offset for %.1f %%, inferred %.1f %%" % (100 - 100 * r["wasm_offsets"]["none"], 100 * r["wasm_offsets"].get("inferred", 0))')"
}

wasmtime 13.0.0
equal 13.0.0
joined 13.0.0
wasmtime 50.0.1
equal 50.0.1
joined 50.0.1

if command -v node >/dev/null; then
	mkdir node
	(cd node && perf record -q -k mono -e cpu-clock -F 4000 -g -o perf.data -- \
		node --perf-prof --no-warnings ../hot.mjs ../hot.wasm >out 2>&1) ||
		fail "node:" "$(cat node/out)"
	equal node
	report --wasm hot.wasm node/perf.data
	holds report.json 'fn("heavy", kind="wasm", module="hot.wasm") > 0.1'
else
	echo "no node: its part is left out"
fi

if command -v jsc >/dev/null; then
	mkdir jsc
	python3 -c 'import sys
b = open("hot.wasm", "rb").read()
print("new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([%s])),"
      "{wasi_snapshot_preview1: {sched_yield: () => 0}}).exports._start()"
      % ",".join(map(str, b)))' >jsc/hot.js
	perf record -q -k mono -e cpu-clock -F 4000 -g -o jsc/perf.data -- \
		jsc --useJITDump=1 --jitDumpDirectory="$tmp/jsc" jsc/hot.js >jsc/out 2>&1 ||
		fail "jsc:" "$(cat jsc/out)"
	equal jsc
	report --wasm hot.wasm jsc/perf.data
	holds report.json 'fn("heavy", tier="optimized", module="hot.wasm") > 0.1'
else
	echo "no jsc: its part is left out"
fi

# --- through a pipe -----------------------------------------------------------------
(cd node 2>/dev/null; perf record -q -k mono -e cpu-clock -F 4000 -o - -- \
	node --perf-prof ../hot.mjs ../hot.wasm 2>/dev/null |
	perf-wasm report --format=json --wasm ../hot.wasm -o ../report.json -i -) ||
	fail "a pipe cannot be read"
holds report.json 'fn("heavy", kind="wasm") > 0.1'
exit $bad
