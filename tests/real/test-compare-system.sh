#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# run: first
# run: waits
# Of single captures of the whole machine (metrics, profile, scheduler) each
# planted change is named in the first three lines: a timer of half the
# frequency, a writer to the disk, a thread that thrashes caches, a slow
# instruction in a module. That nothing differs where nothing was changed takes a
# quiet machine: tests/aa-pairs.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash
gcc -O1 "$root/tests/real/compare-system-load.c" -o load || exit 1
seconds=18

# first_in_line COMMAND...: before what else runs on the machine, where we may:
# nice counts among a session's own tasks only.
first_in_line()
{
	setsid bash -c 'echo -15 2>/dev/null >/proc/self/autogroup
		exec nice -n -15 "$@" 2>/dev/null' - "$@"
}

# record DIR LOAD...: LOADs are words with + for spaces; all run meanwhile.
record()
{
	local to=$1 load words pids=()
	shift
	for load; do
		IFS=+ read -ra words <<<"$load"
		first_in_line ./load "${words[@]}" &
		pids+=($!)
	done
	sleep 0.3
	perf-wasm record -q -a --system --period ${seconds}s --interval 500ms \
		--dir "$to" >out 2>&1 || fail "$to is not recorded:" "$(cat out)"
	[ ${#pids[@]} = 0 ] || kill -9 "${pids[@]}" 2>/dev/null
	wait "${pids[@]}" 2>/dev/null
}

# sentences OLD NEW [OPTION...]: what changed, a line a group, into the file
# sentences; no group is of the recorder.
sentences()
{
	perf-wasm compare "$@" --format json -o out.json ||
		fail "compare $* failed"
	value out.json '"\n".join(s for k, s in r.get("changes", {}).items() if k.startswith("group_"))' >sentences
	grep -E '^[0-9]+\. (perf|perf-wasm|system-recorder) \(' sentences &&
		fail "what the recorder costs is called a change ($*)"
}

# named NAME: in the first three.
named()
{
	echo "$1:"
	head -n 3 sentences
	head -n 3 sentences | grep -qE "$1" ||
		fail "$1 is not among the first three:" "$(cat sentences)"
}

record base ticker+1000
record slower ticker+500
record writing ticker+1000 "scribe+$PWD/scribbled"
record again ticker+1000
record thrashing ticker+1000 thrash

sentences base slower
named '^[0-9]+\. ticker \('
sentences again writing
named '^[0-9]+\. scribe \('
sentences again thrashing
named '^[0-9]+\. (thrash \(|thrash_loop,)'
# --- a slow instruction in a module -------------------------------------------------
module()
{
	mkdir -p "$1"
	sed "s/OPERATOR/f64.$1/" >"$1/app.wat" <<'EOW'
(module
  (func $other (param $n i32) (param $x i32) (result i32)
    (loop $next
      (local.set $x (i32.rotl (i32.add (i32.mul (local.get $x)
        (i32.const 0x9e3779b1)) (local.get $n)) (i32.const 13)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $x))
  (func $heavy (param $n i32) (param $x f64) (result f64)
    (loop $next
      (local.set $x (f64.add (OPERATOR (local.get $x) (f64.const 1.001))
        (f64.convert_i32_s (local.get $n))))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.get $x))
  (memory (export "memory") 1)
  (func (export "_start") (local $turn i32)
    (local.set $turn (i32.const 1500))
    (loop $again
      (f64.store (i32.const 0) (call $heavy (i32.const 200000) (f64.const 1)))
      (i32.store (i32.const 8) (call $other (i32.const 200000) (i32.const 7)))
      (br_if $again (local.tee $turn (i32.sub (local.get $turn) (i32.const 1)))))))
EOW
	wat2wasm --debug-names "$1/app.wat" -o "$1/app.wasm" || exit 1
	first_in_line perf-wasm record -q --system --interval 500ms --dir "w$1" \
		--runtime wasmtime@50.0.1 "$1/app.wasm" >out 2>&1 ||
		fail "$1 is not recorded:" "$(cat out)"
}
if out=$(perf-wasm runtimes add wasmtime@50.0.1 2>&1); then
	module mul
	module div
	sentences wmul wdiv
	named '^[0-9]+\. heavy, f64\.div \('
else
	echo "wasmtime cannot be fetched, a module was not tried: ${out##*$'\n'}"
fi
exit "$bad"
