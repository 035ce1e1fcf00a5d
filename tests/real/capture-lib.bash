# SPDX-License-Identifier: GPL-2.0-only
# What the tests of captures share: a temporary folder, a module whose hot
# function is known, ways to skip, and JSON reports read by python.
# shellcheck shell=bash
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 # shared with the tests

skip()
{
	echo "$1"
	exit 77
}

command -v perf >/dev/null || skip "perf is not installed"
command -v wat2wasm >/dev/null || skip "wabt is not installed"
perf record -q -e cpu-clock:u -o /dev/null true >/dev/null 2>&1 ||
	skip "perf may not sample here"
# Dumps of runtimes go to the folder they run in.
cd "$tmp" || exit 1

fail()
{
	printf '%s\n' "$@"
	# shellcheck disable=SC2034 # the tests end with it
	bad=1
}

# need RUNTIME: fetched, or the test is skipped.
need()
{
	local out
	out=$(perf-wasm runtimes add "$1" 2>&1) ||
		skip "$1 cannot be fetched: ${out##*$'\n'}"
}

# Three of four iterations are heavy's. An import comes first, so that the
# index of a function with imports counted differs from that without.
cat >hot.wat <<'EOW'
(module
  (import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))
  (memory (export "memory") 1)
  (func $work (param $n i32) (param $x i32) (result i32)
    (loop $next
      (local.set $x (i32.rotl (i32.add (i32.mul (local.get $x)
        (i32.const 0x9e3779b1)) (local.get $n)) (i32.const 13)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $x))
  (func $heavy (param $n i32) (param $x f64) (result f64)
    (loop $next
      (local.set $x (f64.add (f64.mul (local.get $x) (f64.const 0.999))
        (f64.convert_i32_s (local.get $n))))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $x))
  (func (export "_start")
    (f64.store (i32.const 0) (call $heavy (i32.const 60000000) (f64.const 1)))
    (i32.store (i32.const 8) (call $work (i32.const 20000000) (i32.const 7)))
    (drop (call $yield))))
EOW
wat2wasm --debug-names hot.wat -o hot.wasm || exit 1
cat >hot.mjs <<'EOW'
import { readFileSync } from 'node:fs';
const { instance } = await WebAssembly.instantiate(
	readFileSync(process.argv[2]),
	{ wasi_snapshot_preview1: { sched_yield: () => 0 } });
instance.exports._start();
EOW

# value FILE EXPRESSION: a python expression over the JSON `r` of a file.
# fn(NAME) is the share of a function in it.
value()
{
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
def fn(name, **more):
    return sum(f["share"] for f in r["functions"]["rows"]
               if f["function"] == name and
               all(f[k] == v for k, v in more.items()))
print(eval(sys.argv[2]))' "$1" "$2"
}

# holds FILE EXPRESSION
holds()
{
	local found
	found=$(value "$1" "$2") && [ "$found" = True ] && return
	fail "$1: $2: $found"
	value "$1" '[(f["function"], f["share"], f["kind"]) for f in r["functions"]["rows"]][:8]'
}

# report CAPTURE [OPTION...]: its JSON in report.json
report()
{
	perf-wasm report --format=json --limit 0 -o report.json "$@" ||
		fail "report $* failed"
}
