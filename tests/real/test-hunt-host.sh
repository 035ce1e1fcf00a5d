#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A hunt whose cause is outside generated code: by calls into the host it ends
# with what was recorded, by an instruction that calls the runtime it goes on
# and shows both. What cannot be recorded is said.
# run: first
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
command -v perf >/dev/null || { echo "perf is not installed" && exit 77; }
command -v wat2wasm >/dev/null || { echo "wabt is not installed" && exit 77; }
need wasmtime@19.0.0 wasmtime@41.0.0 wasmtime@50.0.1

# shorter NAME TURNS: that case with fewer turns, as $tmp/NAME.wasm.
shorter()
{
	sed -E "s/(global \\\$N i32 \\(i32.const) [0-9]+/\\1 $2/" \
		"tests/cases/$1.wat" >"$tmp/$1.wat"
	wat2wasm --enable-all "$tmp/$1.wat" -o "$tmp/$1.wasm" || bad=1
}

# check WHAT EXPRESSION: of python over the report, must be true.
check()
{
	[ "$(json "$2")" = True ] && return
	echo "$1: $2 is $(json "$2")"
	bad=1
}

counted='[c for c in r["triage"].get("system_calls", {}).get("rows", [])]'

# least SIDE: of the 12000 writes, how many must be counted at the least: all,
# but when the recorder had no processor in time and the report says so.
least()
{
	if [ "$(json "'events were lost' in r['triage'].get('$1', '')")" = True ]; then
		echo 6000
	else
		echo 12000
	fi
}

# writes ORACLE CALL: many futex calls for each write, none on the oracle.
writes()
{
	local what="7973 against $1"
	mkdir -p "$tmp/out"
	hunt "$tmp/7973-$1" --suspect wasmtime@50.0.1 --oracle "$1" \
		--mount "$tmp/out::." --writable "$tmp/7973.slow.wasm" || return
	echo "$what: $(json 'r["triage"]["calls"]')"
	check "$what" "'calls into the host' in r['verdict']"
	check "$what" "r['triage']['where'] == 'calls into the host'"
	check "$what" "f['host_function'].split('.')[-1] in $dear"
	check "$what" "' futex for each pwrite64' in r['triage']['calls']"
	check "$what" "[c for c in $counted if c['call'] == 'futex'][0]['suspect_n'] > 3 * $(least remark)"
	check "$what" "[c for c in $counted if c['call'] == 'pwrite64'][0]['suspect_n'] >= $(least remark)"
	check "$what" "not [c for c in $counted if c['call'] == 'futex' and c['oracle_n'] > 1200]"
	check "$what" "[c for c in $counted if c['call'] == '$2'][0]['oracle_n'] in range($(least oracle_remark), 12100)"
	# what is in the journal is not recorded again
	grep -c . "$tmp/7973-$1/journal" >"$tmp/lines"
	hunt "$tmp/7973-$1" --suspect wasmtime@50.0.1 --oracle "$1" \
		--mount "$tmp/out::." --writable "$tmp/7973.slow.wasm" || return
	[ "$(grep -c . "$tmp/7973-$1/journal")" = "$(cat "$tmp/lines")" ] ||
		{ echo "$what: recorded again" && bad=1; }
	check "$what" "f['host_function'].split('.')[-1] in $dear"
}

# Both take the lock whose futex calls are counted above; by the clock now the
# one and now the other is the dearer.
dear="('fd_write', 'fd_seek')"
shorter 7973.slow 12000
writes wasmtime@19.0.0 writev
if command -v node >/dev/null; then
	writes v8 write
fi

# Where perf may not count system calls, the times stand and it is said.
if TRACEFS_PATH=$tmp/none DEBUGFS_PATH=$tmp/none \
	hunt "$tmp/uncounted" --suspect wasmtime@50.0.1 \
	--oracle wasmtime@19.0.0 --mount "$tmp/out::." --writable \
	"$tmp/7973.slow.wasm"; then
	check uncounted "r['triage']['where'] == 'calls into the host'"
	check uncounted "f['host_function'].split('.')[-1] in $dear"
	check uncounted "'were not counted: ' in r['triage']['remark']"
	check uncounted "'/sys/kernel/tracing' in r['triage']['oracle_remark']"
	check uncounted "'system_calls' not in r['triage'] and 'calls' not in r['triage']"
	check uncounted "[t for t in r['triage']['time']['rows'] if t['kind'] == 'kernel'][0]['oracle_ms'] >= 0"
fi

# An instruction that is a call into the runtime: named first, mutants follow.
shorter 13258.slow 800000
if hunt "$tmp/13258" --suspect wasmtime@41.0.0 --oracle wasmtime@50.0.1 \
	--budget 60 "$tmp/13258.slow.wasm"; then
	echo "13258: $(json "r['verdict']")"
	check 13258 "code == ['call wasmtime_builtin_table_init']"
	check 13258 "f['slow'].endswith(' table.init 0')"
	check 13258 "f['runtime_function'].endswith('::table_init')"
	check 13258 "f['outside'] > 0.75"
	check 13258 "r['triage']['where'].endswith('single instructions')"
	check 13258 "len(r['findings']) > 1"
fi

# Nothing outside: the finding is the machine instruction, as ever.
shorter 8571.slow 8000000
if hunt "$tmp/8571" --suspect wasmtime@32.0.0 --oracle wasmtime@50.0.1 \
	--budget 100 "$tmp/8571.slow.wasm"; then
	check 8571 "r['triage']['where'] == 'generated code'"
	check 8571 "any(c.split()[0] == 'div' for c in code)"
	check 8571 "'runtime_calls' not in r"
fi

# It waits. Only Wasmtime's monotonic clock begins with the guest, so only
# there the guest sleeps.
cat >"$tmp/waits.wat" <<'END'
(module
  (import "wasi_snapshot_preview1" "clock_time_get"
    (func $time (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff"
    (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (global $x (mut i32) (i32.const 1))
  (func (export "_start")
    (local $n i32) (local $k i32) (local $x i32)
    (drop (call $time (i32.const 1) (i64.const 1) (i32.const 256)))
    (i32.store (i32.const 16) (i32.const 1)) ;; of the monotonic clock
    (i64.store (i32.const 24) (i64.const 1000000)) ;; in 1 ms
    (loop $turn
      (local.set $k (i32.const 100000))
      (loop $work
        (local.set $x (i32.mul (local.get $x) (i32.const 1664525)))
        (br_if $work (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
      (if (i64.lt_u (i64.load (i32.const 256)) (i64.const 20000000000))
        (then (drop (call $poll (i32.const 0) (i32.const 64) (i32.const 1)
          (i32.const 192)))))
      (br_if $turn (i32.lt_u (local.tee $n
        (i32.add (local.get $n) (i32.const 1))) (i32.const 100))))
    (global.set $x (local.get $x))))
END
wat2wasm "$tmp/waits.wat" -o "$tmp/waits.wasm" || bad=1
if command -v node >/dev/null &&
	hunt "$tmp/waits" --suspect wasmtime@50.0.1 --oracle v8 --min-gap 1.6 \
		"$tmp/waits.wasm"; then
	echo "waits: $(json "r['verdict']"), $(json "r['slower']['value']") of CPU time, $(json "r['triage']['wall_ratio']") of wall time"
	check waits "r['triage']['where'] == 'calls into the host'"
	check waits "not r['verdict'].startswith('No gap')"
	check waits "r['triage']['wall_ratio'] > 1.6"
	check waits "sum(c['suspect_wait_ms'] for c in $counted) > 50"
	check waits "[t['suspect_ms'] for t in r['triage']['time']['rows'] if t['kind'] == 'waiting'][0] > 50"
fi

# Without perf the hunt goes on and says what it could not see.
mkdir "$tmp/bin"
for tool in bwrap node wasm2c cc; do
	ln -s "$(command -v "$tool")" "$tmp/bin/$tool" 2>/dev/null
done
path=$PATH PATH=$tmp/bin
"$pw" hunt --format=json --dir "$tmp/no-perf" -o "$tmp/report.json" \
	--suspect wasmtime@32.0.0 --oracle wasmtime@50.0.1 --budget 30 \
	"$tmp/8571.slow.wasm" 2>"$tmp/err" ||
	{ bad=1 && read -r line <"$tmp/err" && echo "without perf: $line"; }
PATH=$path
check "without perf" "'perf is not on PATH' in r['triage_lacks']"
check "without perf" "'triage' not in r and len(r['findings']) > 0"
exit "$bad"
