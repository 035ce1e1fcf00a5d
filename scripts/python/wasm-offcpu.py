# SPDX-License-Identifier: GPL-2.0-only
# Time that tasks of wasm runtimes spent off the CPU, why, and in which wasm
# function they were.
#
# Reads sched:sched_switch and, where recorded, sched:sched_wakeup, with call
# chains if the function is to be told (perf record -g), and names as in
# wasm-hot.py. Record with -a: that a task is back on a CPU is an event of the
# task before it.
# Writes a line for each task and function: how often it was switched out, and
# milliseconds of each reason: asleep (waited for an event), blocked (for the
# disk or a lock of the kernel), woken (waited for a CPU after a wake-up),
# preempted (could have gone on).
#
#   perf script -i perf.data -s wasm-offcpu.py [-- COMM]

import collections
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wasm_names  # noqa: E402

REASONS = ("asleep", "blocked", "woken", "preempted")
only_comm = sys.argv[1] if len(sys.argv) > 1 else None

away = {}   # tid -> (when it left, reason, key)
woken = {}  # tid -> when, while it is away
table = collections.defaultdict(lambda: dict.fromkeys(REASONS, 0) | {"n": 0})


def reason_of(state):
    if state & 2:
        return "blocked"
    return "asleep" if state & 0xff else "preempted"


def innermost_wasm(callchain):
    for frame in callchain:
        symbol = frame.get("sym", {}).get("name")
        function = wasm_names.wasm_function(symbol, frame.get("dso"))
        if function:
            return function[2]
    return "-"


def is_wanted(comm):
    return comm == only_comm if only_comm else wasm_names.is_runtime_task(comm)


def comes_back(tid, now):
    left = away.pop(tid, None)
    at = woken.pop(tid, None)
    if not left:
        return
    since, reason, key = left
    row = table[key]
    row["n"] += 1
    if at is not None and reason != "preempted":
        row["woken"] += now - at
        now = at
    row[reason] += now - since


def sched__sched_switch(event_name, context, cpu, secs, nsecs, pid, comm, callchain,
                        prev_comm, prev_pid, prev_prio, prev_state,
                        next_comm, next_pid, next_prio, *more):
    now = secs * 1000000000 + nsecs
    comes_back(next_pid, now)
    if prev_pid and is_wanted(prev_comm):
        key = (prev_comm, prev_pid, innermost_wasm(callchain))
        away[prev_pid] = (now, reason_of(prev_state), key)
        woken.pop(prev_pid, None)


def sched__sched_wakeup(event_name, context, cpu, secs, nsecs, pid, comm, callchain,
                        woken_comm, woken_pid, *more):
    if woken_pid in away:
        woken.setdefault(woken_pid, secs * 1000000000 + nsecs)


# Samples of other events do not matter here.
def process_event(sample):
    pass


def trace_unhandled(event_name, context, fields, *more):
    pass


def trace_end():
    print(f"{'task':16} {'tid':>7}  {'times':>7}" +
          "".join(f"  {r + ' ms':>12}" for r in REASONS) + "  wasm function")
    rows = sorted(table.items(), key=lambda row: -sum(row[1][r] for r in REASONS))
    for (comm, tid, function), row in rows:
        print(f"{comm:16} {tid:7}  {row['n']:7}" +
              "".join(f"  {row[r] / 1e6:12.3f}" for r in REASONS) + f"  {function}")
    if not rows:
        print("# no such task was switched out and in again")
