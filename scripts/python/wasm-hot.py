# SPDX-License-Identifier: GPL-2.0-only
# Hot wasm functions, with the tier that their code is of.
#
# Reads samples of any event, as perf script gives them, with the names that
# perf knows: those of a perf map, or of a capture that went through
#   perf inject --jit -i perf.data -o perf.jit.data
# Writes a table for each event: share of its periods, samples, runtime, tier,
# function, and a last line for all that is not wasm.
#
#   perf script -i perf.jit.data -s wasm-hot.py [-- COMM]
#
# COMM keeps to tasks of that name. (`perf wasm report` needs no perf inject,
# and knows the opcodes besides.)

import collections
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wasm_names  # noqa: E402

only_comm = sys.argv[1] if len(sys.argv) > 1 else None


class Event:
    def __init__(self):
        self.period = 0
        self.samples = 0
        self.functions = collections.defaultdict(lambda: [0, 0])


events = collections.defaultdict(Event)


# perf calls this for each sample that is of no tracepoint.
def process_event(sample):
    if only_comm and sample["comm"] != only_comm:
        return
    event = events[sample["ev_name"]]
    period = sample["sample"]["period"]
    event.period += period
    event.samples += 1
    key = wasm_names.wasm_function(sample.get("symbol"), sample.get("dso"))
    if key:
        count = event.functions[key]
        count[0] += period
        count[1] += 1


# The same for tracepoints, which are no samples of where time goes.
def trace_unhandled(event_name, context, fields, *more):
    pass


def print_event(name, event):
    print(f"# {name}: {event.samples} samples")
    print(f"{'share':>7}  {'samples':>8}  {'runtime':14}  {'tier':11}  function")
    rest, rest_samples = event.period, event.samples
    rows = sorted(event.functions.items(), key=lambda row: (-row[1][0], row[0]))
    for (runtime, tier, function), (period, samples) in rows:
        rest -= period
        rest_samples -= samples
        share = 100 * period / event.period if event.period else 0
        print(f"{share:6.2f}%  {samples:8}  {runtime:14}  {tier:11}  {function}")
    share = 100 * rest / event.period if event.period else 0
    print(f"{share:6.2f}%  {rest_samples:8}  {'':14}  {'':11}  (not wasm)")
    print()


# perf calls this when all samples are read.
def trace_end():
    if not events:
        print("# no samples")
    for name, event in events.items():
        print_event(name, event)
