#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The plugin for libtraceevent in the real perf: a context switch has the text
# of its fields, and of tasks of runtimes the role and the wasm function that
# they were last seen in.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/door-capture.bash
. tests/real/door-capture.bash
[ "$sched" ] || { echo "perf may not record tracepoints here (tracefs?)"; exit 77; }
faults=exceptions:page_fault_user
can_trace $faults || { faults=; echo "no page_fault_user here: without functions"; }

cap=$tmp/cap
capture "$cap" "$sched${faults:+,$faults}"
script()
{
	perf script -F comm,tid,time,event,trace -i "$cap/perf.data" 2>"$tmp/err"
}

HOME=$tmp/home script >"$tmp/plain"
TRACEEVENT_PLUGIN_DIR=$doors/plugins PERF_WASM_DIR=$cap HOME=$tmp/home script >"$tmp/named"
mkdir -p "$tmp/home/.local/lib/traceevent/plugins"
ln -s "$doors/plugins/perf-wasm-traceevent.so" "$tmp/home/.local/lib/traceevent/plugins/"
PERF_WASM_DIR=$cap HOME=$tmp/home script >"$tmp/at-home"
cmp "$tmp/named" "$tmp/at-home" || bad=1

# --- the fields ---------------------------------------------------------------
# Ours without the braces, perf's own in our order.
grep sched_switch "$tmp/named" | sed -E 's/ \{wasm[^}]*\}//g' >"$tmp/ours"
grep sched_switch "$tmp/plain" | sed -E 's/prev_comm=(.*) prev_pid=([0-9]+) prev_prio=([0-9]+) prev_state=(.*) ==> next_comm=(.*) next_pid=([0-9]+) next_prio=([0-9]+)/\1:\2 [\3] \4 ==> \5:\6 [\7]/' >"$tmp/theirs"
[ -s "$tmp/ours" ] || { echo "no switches"; bad=1; }
diff "$tmp/theirs" "$tmp/ours" | head -n 10
cmp -s "$tmp/theirs" "$tmp/ours" || bad=1
grep -vE 'sched_switch|page_fault' "$tmp/named" >"$tmp/ours"
grep -vE 'sched_switch|page_fault' "$tmp/plain" | cmp - "$tmp/ours" || bad=1

# --- what is added -------------------------------------------------------------
grep -q '{wasm' "$tmp/plain" && echo "perf prints braces without the plugin" && bad=1
grep -q 'host-wasmtime:[0-9]* \[[0-9]*\] [A-Z+]* {wasm Wasmtime' "$tmp/named" ||
	{ echo "no role of the host"; bad=1; }
grep -E 'sched_switch.*(swapper|rcu)[^ ]*:[0-9]+ \[[0-9]+\][^=]*\{wasm' "$tmp/named" &&
	echo "a task of no runtime has a role" && bad=1
if [ "$faults" ]; then
	grep -q 'page_fault_user: address=0x[0-9a-f]* ip=0x[0-9a-f]* error_code=0x[0-9a-f]* {wasm hot}$' "$tmp/named" ||
		{ echo "no fault of the hot function"; grep page_fault "$tmp/named" | tail -n 5; bad=1; }
	tid=$(awk '/\{wasm hot\}$/ { print $2; exit }' "$tmp/named")
	awk -v tid="$tid" '/\{wasm hot\}$/ { seen = 1; next }
		seen && /sched_switch/ && $0 ~ ":" tid " " { n++
			bad += $0 !~ ":" tid " [^{]*[{]wasm Wasmtime main, hot[}]" }
		END { print n + 0, "switches of the hot task after it was seen"; exit bad > 0 }' \
		"$tmp/named" || bad=1
fi

# --- the libtraceevent of the system, which trace-cmd has ------------------------
# shellcheck disable=SC2046 # flags are words
gcc -o "$tmp/host" tests/real/traceevent-host.c $(pkg-config --cflags --libs libtraceevent) || bad=1
mkdir "$tmp/only" && ln -s "$doors/plugins/perf-wasm-traceevent.so" "$tmp/only/"
same "through the system's libtraceevent" \
	"wasmtime:7 [120] D+ {wasm Wasmtime} ==> kworker/u8:0-eve:8 [100]" \
	"$(HOME=$tmp/nowhere TRACEEVENT_PLUGIN_DIR=$tmp/only "$tmp/host")"

# --- what it shows ----------------------------------------------------------------
same "exported names" "tep_plugin_loader tep_plugin_unloader" \
	"$(nm -D --defined-only "$doors/plugins/perf-wasm-traceevent.so" | awk '{ print $3 }' | sort | xargs)"
exit $bad
