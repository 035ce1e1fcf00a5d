#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The hot lines of a C and a Rust module are those that their loops have: on
# Wasmtime by its address map, on node, whose V8 tells of no lines, by mutants,
# for code of both of its compilers.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash
cache=${XDG_CACHE_HOME:-$HOME/.cache}/perf-wasm/runtimes
cp "$root"/tests/data/lines/hot-*.wasm . || exit 1

# Of each: the lines of the loop (its head and what counts in it), and of the
# work that is inlined there.
c_lines='{"/src/hot.c:19", "/src/hot.c:20", "/src/hot.c:11"}'
rust_lines='{"/src/hot.rs:9", "/src/hot.rs:10", "/src/hot.rs:11", "/src/hot.rs:19"}'

# in_loop WHAT LINES WORK: of the samples with a line of the module nearly all
# are in these lines, and the work is among the two hottest.
in_loop()
{
	local lines=$2
	local all='[l for l in r["source_lines"]["rows"] if l["source_line"].startswith("/src/")]'
	holds report.json "sum(l[\"samples\"] for l in $all if l[\"source_line\"] in $lines) >= 0.95 * sum(l[\"samples\"] for l in $all) > 0"
	holds report.json "\"$3\" in [l[\"source_line\"] for l in (${all})][:2]"
	holds report.json '1 - r["wasm_offsets"]["none"] >= 0.95'
	echo "$1: $(value report.json "', '.join('%s %d' % (l['source_line'], l['samples']) for l in (${all})[:4])")"
}

need wasmtime@50.0.1
for m in c rust; do
	mkdir "$m"
	printf 'run\tid=1\tmodule=%s\tinvoke=_start\tjitdump_dir=%s\tartifact=%s\n' \
		"$tmp/hot-$m.wasm" "$tmp/$m" "$tmp/$m/hot.cwasm" |
		perf record -q -k mono -e cpu-clock -F 5000 -o "$m/perf.data" -- \
			"$PW_BUILD/libexec/perf-wasm/host-wasmtime" \
			"$cache/wasmtime@50.0.1/libwasmtime.so" >"$m/out" 2>&1
	report --wasm "hot-$m.wasm" --wasm "$m/hot.cwasm" "$m/perf.data"
	if [ $m = c ]; then
		in_loop "C on Wasmtime" "$c_lines" /src/hot.c:11
	else
		in_loop "Rust on Wasmtime" "$rust_lines" /src/hot.rs:19
	fi
done

if ! command -v node >/dev/null; then
	echo "no node: its part is left out"
	exit $bad
fi
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs';

const { instance } = await WebAssembly.instantiate(
	readFileSync(process.argv[2]), {});
instance.exports._start();
JS
for tier in "" --no-liftoff; do
	for m in c rust; do
		# shellcheck disable=SC2086 # no flag is no argument
		perf-wasm record -F 5000 -o node.data -- \
			node $tier run.mjs hot-$m.wasm >/dev/null 2>err ||
			fail "record: $(cat err)"
		report --runtime v8 --provenance node.data
		if [ $m = c ]; then
			in_loop "C on node $tier" "$c_lines" /src/hot.c:11
		else
			in_loop "Rust on node $tier" "$rust_lines" /src/hot.rs:19
		fi
		rm -rf node.data
	done
done
exit $bad
