#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The scripts for perf script, from an installed tree: perf lists them, records for
# them and runs them, and their figures are those of perf's own output.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/door-capture.bash
. tests/real/door-capture.bash
make --no-print-directory O="$PW_BUILD" install DESTDIR="$tmp" PREFIX=/stage >/dev/null || exit 1
export PERF_EXEC_PATH=$tmp/stage/lib/perf-wasm

# without LANGUAGE: whether this perf was built without it.
without()
{
	perf version --build-options 2>/dev/null | grep -qi "$1: *\[ *off"
}

# --- python -------------------------------------------------------------------
cap=$tmp/cap
capture "$cap" cpu-clock/freq=2000/
perf inject --jit -i "$cap/perf.data" -o "$cap/jit.data" || bad=1
if without libpython; then
	echo "this perf has no python"
	for f in scripts/python/*.py; do
		python3 -m py_compile "$f" || bad=1
	done
else
	perf script -l 2>&1 | grep -q 'wasm-hot \[comm\] .*hot wasm functions' ||
		{ echo "perf script does not list wasm-hot"; bad=1; }
	perf script report wasm-hot -i "$cap/jit.data" >"$tmp/hot" 2>"$tmp/err" || bad=1
	want=$(perf script -i "$cap/jit.data" -F ip,sym,dso 2>/dev/null | grep -c ' hot (.*/jitted-')
	same "samples of the hot function" "$want" "$(awk '$NF == "hot" { print $2 }' "$tmp/hot")"
	[ "$want" -gt 0 ] || { echo "no sample of it at all"; bad=1; }
	same "all samples" "$(perf script -i "$cap/jit.data" -F ip 2>/dev/null | grep -c .)" \
		"$(awk '$1 ~ /%$/ { n += $2 } END { print n }' "$tmp/hot")"
	perf script report wasm-hot nobody -i "$cap/jit.data" >"$tmp/none" 2>"$tmp/err" || bad=1
	same "samples of nobody" "# no samples" "$(cat "$tmp/none")"
	perf script -i "$cap/jit.data" -s scripts/python/wasm-hot.py 2>/dev/null | cmp - "$tmp/hot" || bad=1
fi

# --- what the names say ------------------------------------------------------------
same "names" "('Wasmtime', '', 'f3 add')
('V8', 'baseline', 'f84')
('V8', 'optimized', 'f7 fib')
None
('JavaScriptCore', 'optimized', '12')
('WAMR', 'optimized', 'f5')
('wazero', '', 'f2 main')
None
('', '', 'fib')
None" "$(PYTHONPATH=scripts/python python3 -c '
from wasm_names import wasm_function as f
for symbol, dso in [("wasm[0]::function[3]::add", ""),
        ("JS:wasm-function[84]-84-liftoff", ""), ("JS:fib-7-turbofan", ""),
        ("JS:*loop main.js:3", "perf-12.map"),
        ("JSC-WasmOMG: 7.wasm-function[12]", ""), ("[app]#aot_func#5", ""),
        ("[2/0]main:::::L3", ""), ("main", "/usr/bin/app"),
        ("fib", "/tmp/jitted-12-3.so"), (None, None)]:
    print(f(symbol, dso))' | sed 's/^$/None/')"
rm -rf scripts/python/__pycache__

# The same from perf's own text of the events.
# shellcheck disable=SC2016 # awk expands it
fields='function field(name,    v) {
	v = $0
	if (!sub(".*[ :]" name "=", "", v)) return ""
	sub(/ [a-z_]+=.*| ==>.*/, "", v)
	return v
}'
returns()
{
	awk "$fields"' /sched_switch:/ {
		if (field("next_pid") in away) { n++; delete away[field("next_pid")] }
		if (field("prev_comm") == "host-wasmtime") away[field("prev_pid")] = 1
	} END { print n + 0 }' "$tmp/plain"
}
wakeups()
{
	awk "$fields"' /sched_wakeup:/ && field("comm") == "host-wasmtime" { woken[field("pid")] = 1 }
	/sched_switch:/ && field("next_pid") in woken { n++; delete woken[field("next_pid")] }
	END { print n + 0 }' "$tmp/plain"
}

# --- tracepoints, of all tasks ---------------------------------------------------
if [ "$sched" ]; then
	# shellcheck disable=SC2016 # the inner shell expands them
	(cd "$tmp" && perf script record wasm-offcpu -o "$tmp/all.data" -- \
		sh -c 'printf "run\tid=1\tmodule=$1$2\n" | "$3" "$4"' sh "$cap/hot.wasm" "$bounds" \
		"$PW_BUILD/libexec/perf-wasm/host-wasmtime" "$wasmtime") >"$tmp/err" 2>&1 || { cat "$tmp/err"; bad=1; }
	perf script -i "$tmp/all.data" -F event,trace 2>/dev/null >"$tmp/plain"
	if ! without libpython; then
		perf script report wasm-offcpu host-wasmtime -i "$tmp/all.data" >"$tmp/off" 2>"$tmp/err" || bad=1
		awk 'NR > 1 && $1 == "host-wasmtime" && $3 > 0 && $4 + $5 + $6 + $7 > 0 { n++ }
			END { exit !n }' "$tmp/off" || { echo "no time off the CPU:"; cat "$tmp/off" "$tmp/err"; bad=1; }
		same "returns to a CPU" "$(returns)" "$(awk 'NR > 1 { n += $3 } END { print n }' "$tmp/off")"
	fi
	if without libperl; then
		echo "this perf has no perl"
	else
		perf script report wasm-wakers host-wasmtime -i "$tmp/all.data" >"$tmp/wakers" 2>"$tmp/err" || bad=1
		same "wake-ups" "$(wakeups)" "$(awk 'NR > 1 { n += $(NF - 2) } END { print n }' "$tmp/wakers")"
		[ "$(wakeups)" -gt 0 ] || { echo "nobody woke the host"; bad=1; }
		perf script -l 2>&1 | grep -q 'wasm-wakers \[comm\]' || { echo "wasm-wakers is not listed"; bad=1; }
	fi
else
	echo "no tracepoints here: wasm-offcpu and wasm-wakers did not run"
fi
! command -v perl >/dev/null || perl -c scripts/perl/wasm-wakers.pl || bad=1
exit $bad
