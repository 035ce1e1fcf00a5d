# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the tests of perf's doors: a capture of wasm code that perf made
# of our host for Wasmtime, with its jitdump. Knows nothing of the doors.
# shellcheck shell=bash
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
command -v wat2wasm >/dev/null || { echo "wabt is not installed"; exit 77; }
perf record -q -e cpu-clock -o /dev/null true >/dev/null 2>&1 ||
	{ echo "perf may not record here"; exit 77; }
[ -z "${COLUMNS:-}" ] || unset COLUMNS
cache=${XDG_CACHE_HOME:-$HOME/.cache}/perf-wasm/runtimes
wasmtime=$cache/wasmtime@50.0.1/libwasmtime.so
[ -e "$wasmtime" ] || said=$("$PW_BUILD/bin/perf-wasm" runtimes add wasmtime@50.0.1 2>&1) ||
	{ echo "wasmtime@50.0.1: ${said##*$'\n'}"; exit 77; }
# shellcheck source=tests/real/host-talk.bash
. tests/real/host-talk.bash
# shellcheck disable=SC2034 # used by those who source it
doors=$PW_BUILD/lib/perf-wasm

# Events of tracepoints, or nothing where this machine has none for us.
sched=sched:sched_switch,sched:sched_wakeup
can_trace()
{
	perf record -q -e "$1" -o /dev/null true >/dev/null 2>&1
}
can_trace $sched || mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
can_trace $sched || sched=

# A loop of a known length in a named function that writes to new memory, too.
cat >"$tmp/hot.wat" <<'W'
(module
  (memory 256)
  (func $hot (export "_start") (local $n i32) (local $x i32)
    (local.set $n (i32.const 150000000))
    (loop $next
      (local.set $x (i32.rotl (i32.add (i32.mul (local.get $x)
        (i32.const 0x9e3779b1)) (local.get $n)) (i32.const 13)))
      (br_if $next (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
    (local.set $n (i32.const 0xff0000))
    (loop $store
      (i32.store (local.get $n) (local.get $x))
      (br_if $store (local.tee $n (i32.sub (local.get $n) (i32.const 0x1000)))))))
W

# capture DIR EVENTS [OPTION...]: perf.data and jit-PID.dump in DIR, of the
# call of one host.
capture()
{
	local dir=$1 events=$2
	shift 2
	mkdir -p "$dir" && wat2wasm --debug-names -o "$dir/hot.wasm" "$tmp/hot.wat" || exit 2
	start perf record -q -k mono -c 1 -e "$events" -o "$dir/perf.data" "$@" -- \
		"$PW_BUILD/libexec/perf-wasm/host-wasmtime" "$wasmtime"
	ask "module=$dir/hot.wasm$bounds" "jitdump_dir=$dir"
	same "outcome of the captured call" ok "$(field outcome)"
	stop
	[ -s "$dir/perf.data" ] || { echo "no capture: $(cat "$tmp/stderr")"; exit 1; }
}

# json FILE EXPRESSION: a python expression over the report `r`, printed.
json()
{
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
def rows(t):
    return r.get(t, {}).get("rows", [])
def hottest():
    return max(rows("functions"), key=lambda x: x["share"] or 0)["function"]
print(eval(sys.argv[2]))' "$1" "$2"
}
