#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""system-check.py TOTALS FOLDER LOAD DISK: the recorder's figures against what a
load says of itself, and against /proc, which was copied before and after the
recording (FOLDER/outer-*) and before and after the load in it (FOLDER/inner-*):
what grew in the recording is at most what grew around it, at least what grew
within. That holds whatever else the machine does meanwhile."""
import os
import sys

totals_file, folder, load_file, disk = sys.argv[1:]
faults = []
checked = {}


def fault(text):
    faults.append(text)


figures = {}
for line in open(totals_file, encoding="utf-8", errors="replace"):
    family, name, instance, *values = line.rstrip("\n").split("\t")
    figures[family, name, instance] = [float(v) for v in values]


def total(family, name, instance=""):
    return figures[family, name, instance][0]


def text(when, path):
    try:
        return open(os.path.join(folder, when, path.replace("/", ":"))).read()
    except FileNotFoundError:
        return ""


# --- /proc, parsed by other means than the recorder's ----------------------------

def cpus(t):
    names = "user nice system idle iowait irq softirq steal guest guest_nice".split()
    for line in t.splitlines():
        word, *numbers = line.split()
        if not word.startswith("cpu"):
            continue
        v = dict(zip(names, map(int, numbers)))
        v["user"] -= v.get("guest", 0)
        v["nice"] -= v.get("guest_nice", 0)
        for name in names:
            # the kernel's idle and iowait of a CPU may go back a little
            if name not in ("idle", "iowait"):
                yield "cpu", name, "all" if word == "cpu" else word, v[name] * 1e7


def kernel(t):
    names = {"ctxt": "switches", "processes": "forks", "intr": "interrupts", "softirq": "softirqs"}
    for line in t.splitlines():
        word, number = line.split()[:2]
        if word in names:
            yield "kernel", names[word], "", int(number)


def softirqs(t):
    heads, *lines = t.splitlines()
    for line in lines:
        name, *numbers = line.split()
        for head, number in zip(heads.split(), numbers):
            yield "softirqs", name[:-1], head.lower(), int(number)


def interrupts(t):
    heads, *lines = t.splitlines()
    heads = heads.split()
    for line in lines:
        name, *words = line.split()
        name = name[:-1]
        if len(words) < len(heads):
            continue
        if name.isdigit():
            name += " " + words[-1]
        for head, number in zip(heads, words):
            yield "interrupts", name, head.lower(), int(number)


def vmstat(t):
    for line in t.splitlines():
        name, number = line.split()
        if not name.startswith("nr_") and name != "workingset_nodes":
            yield "vmstat", name, "", int(number)


def netstat(t):
    lines = t.splitlines()
    levels = ("Forwarding", "DefaultTTL", "ReasmTimeout", "RtoAlgorithm", "RtoMin", "RtoMax", "MaxConn", "CurrEstab")
    for names, values in zip(lines[::2], lines[1::2]):
        protocol, *names = names.split()
        for name, value in zip(names, values.split()[1:]):
            if name not in levels:
                yield "netstat", protocol + name, "", int(value)


def net(t):
    for line in t.splitlines()[2:]:
        name, rest = line.split(":")
        v = rest.split()
        for i, figure in ((0, "rx_bytes"), (1, "rx_packets"), (8, "tx_bytes"), (9, "tx_packets"), (3, "rx_drops")):
            yield "net", figure, name.strip(), int(v[i])


def softnet(t):
    for n, line in enumerate(t.splitlines()):
        v = [int(x, 16) for x in line.split()]
        cpu = v[12] if len(v) > 12 else n
        yield "softnet", "processed", f"cpu{cpu}", v[0]
        yield "softnet", "time_squeeze", f"cpu{cpu}", v[2]


def disks(t):
    for line in t.splitlines():
        v = line.split()
        if not any(int(x) for x in v[3:]):
            continue
        for i, figure, unit in ((3, "reads", 1), (5, "read_bytes", 512), (6, "read_time", 1e6), (7, "writes", 1),
                                (9, "write_bytes", 512), (12, "io_time", 1e6)):
            yield "disk", figure, v[2], int(v[i]) * unit


def psi(what):
    def parse(t):
        for line in t.splitlines():
            yield "psi", line.split()[0], what, int(line.split("total=")[1]) * 1000
    return parse


def numastat(t):
    for line in t.splitlines():
        name, number = line.split()
        yield "numa", name, "node0", int(number)


def schedstat(t):
    for line in t.splitlines():
        if line.startswith("cpu"):
            name, *v = line.split()
            for i, figure in ((6, "run"), (7, "wait"), (8, "slices")):
                yield "schedstat", figure, name, int(v[i])


SOURCES = (
    ("proc/stat", cpus), ("proc/stat", kernel), ("proc/softirqs", softirqs), ("proc/interrupts", interrupts),
    ("proc/vmstat", vmstat), ("proc/net/netstat", netstat), ("proc/net/snmp", netstat), ("proc/net/dev", net),
    ("proc/net/softnet_stat", softnet), ("proc/diskstats", disks), ("proc/pressure/cpu", psi("cpu")),
    ("proc/pressure/io", psi("io")), ("proc/pressure/memory", psi("memory")),
    ("sys/devices/system/node/node0/numastat", numastat), ("proc/schedstat", schedstat),
)


def read(when, path, parse):
    return {key: value for *key, value in parse(text(when, path)) for key in [tuple(key)]}


for path, parse in SOURCES:
    at = {when: read(when, path, parse)
          for when in ("outer-before", "inner-before", "inner-after", "outer-after") if text(when, path)}
    if len(at) < 4:
        continue
    for key, first in at["outer-before"].items():
        values = [at[when].get(key) for when in ("inner-before", "inner-after", "outer-after")]
        if None in values:
            continue
        inner = values[1] - values[0]
        outer = values[2] - first
        if key not in figures:
            # an interrupt line and CPU without a count has no figure
            if inner:
                fault(f"{key}: grew by {inner} but is not recorded")
            continue
        checked[key[0]] = checked.get(key[0], 0) + 1
        slack = 1e-9 * outer
        if not inner - slack <= total(*key) <= outer + slack:
            fault(f"{key}: recorded {total(*key)}, /proc says {inner} to {outer}")

# --- the load's own numbers ---------------------------------------------------------

own = dict(line.split() for line in open(load_file) if len(line.split()) == 2)
own = {name: int(value) for name, value in own.items()}
me = f"{own['pid']} system-load"
thread = f"{own['pid']}/{own['pid']} system-load"


def near(what, figure, want, more, less=0.0):
    checked[figure[0]] = checked.get(figure[0], 0) + 1
    value = figures.get(figure, [0.0])[0]
    print(f"{what}: {value:.0f} recorded, {want:.0f} by the load")
    slack = 1e-9 * want  # sums of binary fractions
    if not want - less - slack <= value <= want + more + slack:
        fault(f"{what}: recorded {value}, the load says {want} (+{more} -{less})")


# A tick of the clock is 10 ms; what the load does after it told (a line is
# printed, it sleeps) is little.
tick = 10e6
near("user time", ("process", "user", me), own["user_us"] * 1e3, 3 * tick, 3 * tick)
near("system time", ("process", "system", me), own["system_us"] * 1e3, 3 * tick, 3 * tick)
near("time of the thread", ("thread", "run", thread), own["thread_ns"], 0.01 * own["thread_ns"] + 5e6)
near("slices of the thread", ("thread", "slices", thread), own["switches_of_thread"], 50, 50)
near("faults", ("process", "minor_faults", me), own["minor_faults"], 50)
near("bytes written", ("process_io", "write_bytes", me), own["disk_bytes"], 0.02 * own["disk_bytes"])
near("bytes read", ("process_io", "read_bytes", me), own["disk_bytes"], 0.02 * own["disk_bytes"])


def at_least(what, family, name, instance, want):
    checked[family] = checked.get(family, 0) + 1
    value = total(family, name, instance)
    print(f"{what}: {value:.0f} recorded of all, {want:.0f} of them by the load")
    if value < want * (1 - 1e-9):
        fault(f"{what}: recorded {value} of the whole machine, the load alone did {want}")


at_least("page faults", "vmstat", "pgfault", "", own["pages"])
at_least("context switches", "kernel", "switches", "", own["switches"])
at_least("processes", "kernel", "forks", "", own["forks"])
at_least("loopback", "net", "rx_bytes", "lo", own["net_bytes"])
at_least("octets", "netstat", "IpExt:InOctets", "", own["net_bytes"])
pinned = f"cpu{own['pinned']}"
busy = total("cpu", "user", pinned) + total("cpu", "nice", pinned)
if busy < own["burnt_ns"] - 3 * tick:
    fault(f"{pinned}: recorded {busy} ns of programs, the pinned load alone took {own['burnt_ns']}")
if disk:
    at_least("written to disk", "disk", "write_bytes", disk, own["disk_bytes"])
    at_least("read from disk", "disk", "read_bytes", disk, own["disk_bytes"])
resident = figures["process", "resident", me][2]
if not own["pages"] * 4096 <= resident <= own["pages"] * 4096 + (8 << 20):
    fault(f"resident: {resident} recorded, {own['pages']} pages were touched")
if figures["thread", "cpu", thread][3] != own["pinned"]:
    fault(f"the thread is said to be on CPU {figures['thread', 'cpu', thread][3]}, it is pinned to {own['pinned']}")

for family in ("cpu", "kernel", "softirqs", "interrupts", "vmstat", "netstat", "net", "softnet"):
    if not checked.get(family):
        fault(f"no figure of {family} was compared")
print("compared:", ", ".join(f"{n} of {family}" for family, n in sorted(checked.items())))
for line in faults:
    print(line)
sys.exit(bool(faults))
