#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# perf wasm record --bpf: the figures that the kernel keeps are those of a
# recording of every switch of the same load; nothing is lost; the file does not
# grow with the number of switches; one recorder that is killed leaves a file
# that can be read; where BPF is refused perf records instead.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash
health=$(perf-wasm doctor --format=json | grep -o '"check":"bpf".*')
[ -n "$health" ] || { echo "doctor does not look for BPF"; exit 1; }

# --- refused -------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 777 .
	setpriv --bounding-set=-bpf,-perfmon,-sys_admin "$(command -v perf-wasm)" \
		record --bpf -o refused -- true >out 2>&1
	grep -q 'CAP_BPF.*perf records the scheduler' out || fail "refused: $(cat out)"
	[ -e refused/perf.data ] || fail "perf did not record: $(ls refused)"
	[ ! -e refused/sched.series ] || fail "refused, but there is a series"
fi

case $health in
*'"status":"ok"'*) ;;
*) echo "the rest is skipped: $health"; exit "$bad" ;;
esac

cat >load <<'SH'
#!/bin/sh
for i in 1 2 3; do perf bench sched pipe -l "$1" >/dev/null & done
wait
sleep 0.1 # one that was waited for may be on its last steps still
SH
chmod +x load

# --- beside perf -------------------------------------------------------------------
# Both programs look at the clock at each event, one after the other. What comes
# between them, an interrupt or a host that takes the CPU away, is in the one's
# figures before and in the other's after: so one of three goes must agree. Some
# hosts keep switches from perf without a record that says so: such a go does
# not count, and what its missing switches leave open is allowed for.
cat >compare.py <<'PY'
import json, re, sys

kernel, events = (json.load(open(f"{n}.json")) for n in ("kernel", "events"))
if events["overview"].get("lost_events", 0):
    sys.exit(f"perf lost {events['overview']['lost_events']} events")

missing = int((re.match(r"\d+", events["overview"].get("broken", "")) or ["0"])[0])
if missing > 20:
    print(f"perf's recording lacks {missing} switches")
    sys.exit(3)
nobodys = 400e3 * missing # ns, a few turns of the load each

def tasks(report):
    return {r["tid"]: r for r in report["tasks"]["tasks"]["rows"] if r["task"] == "sched-pipe"}

def total(of, column):
    return sum(t.get(column) or 0 for t in of.values())

k, e = tasks(kernel), tasks(events)
wrong = []
if len(k) != 6 or k.keys() != e.keys():
    sys.exit(f"tasks differ: {sorted(k)} {sorted(e)}")
for tid in k:
    # only of its first and its last moment may one see more
    for column in ("switches", "preemptions", "migrations"):
        a, b = (x[tid].get(column) or 0 for x in (k, e))
        if abs(a - b) > 1 + missing:
            wrong.append(f"{tid} {column}: {a} in the kernel, {b} by events")
for column in ("run", "waking", "preempted", "sleeping"):
    a, b = total(k, column), total(e, column)
    # two looks at the clock are that far apart, and a stay is a microsecond
    room = {"run": 0, "preempted": total(e, "preemptions")}.get(column, total(e, "switches"))
    if abs(a - b) > 0.01 * max(a, b) + 50 * room + nobodys:
        wrong.append(f"{column}: {a} ns in the kernel, {b} ns by events")
if kernel["kernel"]["missed"]:
    wrong.append(f"{kernel['kernel']['missed']} events missed")
sys.exit("\n".join(wrong) or 0)
PY

agrees()
{
	perf-wasm record -q --bpf --no-samples -a -o kernel -- \
		perf record -q -k mono -m 4096 -a -o events.data -e sched:sched_switch \
		-e sched:sched_wakeup -e sched:sched_wakeup_new -e sched:sched_migrate_task \
		-- ./load 20000 >out 2>&1 || fail "record: $(cat out)"
	perf-wasm sched --format=json kernel >kernel.json || fail "sched kernel fails"
	perf-wasm sched --format=json events.data >events.json || fail "sched events.data fails"
	python3 compare.py 2>differs >lacks
}
differed=0 agreed=
for _ in {1..10}; do
	agrees && agreed=1 && break
	[ -s lacks ] || differed=$((differed + 1))
	[ "$differed" -lt 3 ] || { fail "$(cat differs)"; break; }
done
[ ! -e kernel/perf.data ] || fail "--no-samples took samples"

# --- its size --------------------------------------------------------------------------
for n in 5000 40000; do
	perf-wasm record -q --bpf --no-samples --interval 100 -o "size-$n" -- \
		perf bench sched pipe -l $n >/dev/null 2>&1 || fail "record $n fails"
done
few=$(stat -c %s size-5000/sched.series)
many=$(stat -c %s size-40000/sched.series)
[ "$many" -lt $((2 * few)) ] ||
	fail "8 times the switches take $many bytes, not $few"

# --- one command, with samples; and its pages ---------------------------------------------
perf-wasm record -q --bpf --interval 0.05 -o one -- perf bench sched pipe -l 20000 \
	>/dev/null 2>err || fail "$(cat err)"
perf-wasm sched --format=json one >one.json || fail "sched one fails"
python3 - <<'PY' || bad=1
import json, sys

r = json.load(open("one.json"))
names = {t["task"] for t in r["tasks"]["tasks"]["rows"]}
wrong = []
if names != {"sched-pipe"}:
    wrong.append(f"tasks of others: {names}")
for section in ("latencies", "core_map", "time_line", "heat", "pairs"):
    if section not in r:
        wrong.append(f"no section {section}")
print("\n".join(wrong))
sys.exit(bool(wrong))
PY
perf-wasm report --format=json one >/dev/null || fail "report of one fails"

# --- where Wasm waited ---------------------------------------------------------------------
need wasmtime@50.0.1
taskset -c 0 sh -c 'while :; do :; done' &
pid=$!
taskset -c 0 perf-wasm record -q --bpf -g -o wasm --runtime wasmtime@50.0.1 hot.wasm \
	>/dev/null 2>err || fail "$(cat err)"
kill $pid
wait $pid 2>/dev/null
for command in report sched; do
	perf-wasm $command --format=json wasm >$command.json || fail "$command of wasm fails"
done
python3 - <<'PY' || bad=1
import json, os, sys

rows = json.load(open("report.json"))["off_cpu"]["rows"]
heavy = [r for r in rows if r["function"] == "heavy" and r["kind"] == "wasm"]
if not heavy or not heavy[0]["preempted"]:
    print(open("err").read(), os.listdir("wasm"), json.load(open("report.json"))["functions"]["rows"][:5])
    sys.exit(f"nothing preempted heavy: {rows[:5]}")
left = json.load(open("sched.json"))["left"]["functions"]["rows"]
if not any(r["function"] == "heavy" for r in left):
    sys.exit(f"heavy was not left: {left[:5]}")
PY

# Until a few readouts are written.
grows()
{
	local first size
	for _ in $(seq 400); do
		size=$(stat -c %s "$1/sched.series" 2>/dev/null || echo 0)
		[ "${first:=$size}" != 0 ] || first=
		[ "$size" -gt $((${first:-$size} + 200)) ] && return
		sleep 0.05
	done
	fail "$1 does not grow"
}

# --- killed --------------------------------------------------------------------------------
perf-wasm record -q --bpf --no-samples -a --interval 0.05 -o killed 2>/dev/null &
pid=$!
grows killed
kill -9 $pid
wait $pid 2>/dev/null
perf-wasm sched --format=json killed >killed.json || fail "sched killed fails"
grep -q '"was_cut"' killed.json || fail "it is not told that the recorder was killed"

# --- a process that runs ---------------------------------------------------------------------
# A group of its own: the other half goes on for ever when one is killed.
setsid perf bench sched pipe -l 100000000 >/dev/null 2>&1 &
pid=$!
trap 'kill -- -$pid 2>/dev/null; rm -rf "$tmp"' EXIT
sleep 0.2
perf-wasm record -q --bpf --no-samples -p $pid --interval 0.05 -o process &
recorder=$!
grows process
kill -INT $recorder
wait $recorder
perf-wasm sched --format=json process >process.json || fail "sched process fails"
kill -- -$pid
wait $pid 2>/dev/null
trap 'rm -rf "$tmp"' EXIT
grep -q '"task":"sched-pipe"' process.json || fail "-p saw nothing: $(head -c 600 process.json)"

[ -n "$agreed" ] || [ "$bad" != 0 ] ||
	{ echo "beside perf nothing could be compared: $(cat lacks)"; exit 77; }
exit "$bad"
