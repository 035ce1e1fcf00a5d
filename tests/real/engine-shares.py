# SPDX-License-Identifier: GPL-2.0-only
# Compares a report's shares of generated code with what a runtime's own dump
# or map says of the samples.
"""engine-shares.py SAMPLES CODE REPORT [PASS_OVER]: SAMPLES is what `perf
script --ns -F time,ip` wrote, CODE a jitdump or a perf map, REPORT our report
as JSON, by symbol. Of code that overlaps, what was loaded last before the
sample or stands last in the map is what was hit; lines of a map that match
PASS_OVER lie. Prints the shares of both; exit status 1 when one differs by
more than 0.5 %, or when no sample was in such code."""
import json
import re
import struct
import sys

LIMIT = 0.005


def of_dump(data):
    """[(time, start, end, name)] of the LOAD records of a jitdump."""
    at, found = struct.unpack_from("=I", data, 8)[0], []
    while at + 16 <= len(data):
        kind, size, time = struct.unpack_from("=IIQ", data, at)
        if kind == 0:
            addr, length = struct.unpack_from("=QQ", data, at + 32)
            name = data[at + 56:data.index(b"\0", at + 56)].decode()
            found.append((time, addr, addr + length, name))
        at += size
    return found


def of_map(data, pass_over):
    found = []
    for line in data.decode().splitlines():
        start, size, name = line.split(" ", 2)
        if not pass_over or not re.match(pass_over, name):
            found.append((0, int(start, 16), int(start, 16) + int(size, 16),
                          name))
    return found


def main():
    samples, code, report = sys.argv[1:4]
    data = open(code, "rb").read()
    codes = (of_dump(data) if data[:4] in (b"DTiJ", b"JiTD")
             else of_map(data, sys.argv[4] if len(sys.argv) > 4 else None))
    theirs, n = {}, 0
    for line in open(samples):
        time, ip = line.split()[:2]
        seconds, ns = time.rstrip(":").split(".")
        now, addr = int(seconds) * 10**9 + int(ns), int(ip, 16)
        n += 1
        hit = [c[3] for c in codes if c[1] <= addr < c[2] and c[0] <= now]
        if hit:
            theirs[hit[-1]] = theirs.get(hit[-1], 0) + 1
    known = {c[3] for c in codes}
    ours = {row["symbol"]: row["share"]
            for row in json.load(open(report))["functions"]["rows"]
            if row["symbol"] in known}
    bad = not theirs
    for name in sorted(set(theirs) | set(ours)):
        a, b = theirs.get(name, 0) / n, ours.get(name, 0)
        bad |= abs(a - b) > LIMIT
        if max(a, b) >= 0.01 or abs(a - b) > LIMIT:
            print("%6.2f %% %6.2f %%  %s" % (100 * a, 100 * b, name))
    print("%d samples, %d in generated code" % (n, sum(theirs.values())))
    sys.exit(bad)


main()
