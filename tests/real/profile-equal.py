# SPDX-License-Identifier: GPL-2.0-only
# Compares a report of perf with one of ours, function by function.
"""profile-equal.py PERF OURS [LEFT_OUT]: reads what `perf report -F
period,comm,dso,sym -t '|'` wrote and our report as JSON, by task and function,
and compares each function's share. A function that LEFT_OUT names may be
[unknown] to perf. Prints the largest differences; exit status 1 when one is
above 0.5 %."""
import json
import re
import sys

LIMIT = 0.005


def of_perf(path):
    sums = {}
    for line in open(path, errors="replace"):
        cells = [c.strip() for c in line.split("|")]
        if line.startswith("#") or len(cells) < 4:
            continue
        name = re.sub(r"^\[.\] ", "", "|".join(cells[3:])).strip()
        if re.fullmatch(r"(0x)?[0-9a-f]{8,16}", name):
            name = "[unknown]"
        name = re.sub(r"@(?!plt).*", "", name)
        key = cells[1], name
        sums[key] = sums.get(key, 0) + int(cells[0])
    return sums


def of_ours(path):
    sums = {}
    for row in json.load(open(path))["functions"]["rows"]:
        key = row["task"], row["symbol"]
        sums[key] = sums.get(key, 0) + row["period"]
    return sums


def main():
    perf, ours = of_perf(sys.argv[1]), of_ours(sys.argv[2])
    left_out = sys.argv[3] if len(sys.argv) > 3 else None
    for (task, name), period in list(ours.items()):
        if name == left_out and (task, name) not in perf:
            ours[task, "[unknown]"] = ours.get((task, "[unknown]"), 0) + period
            del ours[task, name]
    whole = sum(perf.values())
    if not whole or whole != sum(ours.values()):
        print("sums differ: perf", whole, "ours", sum(ours.values()))
        return 1
    worst = sorted(((abs(perf.get(k, 0) - ours.get(k, 0)) / whole, k)
                    for k in set(perf) | set(ours)), reverse=True)
    for share, key in worst[:3]:
        print("%.3f %% %s: perf %d, ours %d" % (
            100 * share, " ".join(key), perf.get(key, 0), ours.get(key, 0)))
    return int(worst[0][0] > LIMIT)


sys.exit(main())
