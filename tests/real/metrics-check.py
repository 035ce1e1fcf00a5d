#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""metrics-check.py OPENMETRICS CSV JSON: three exports of one capture are read
by the parsers of others and tell the same."""
import csv
import json
import math
import sys

try:
    from prometheus_client import samples
    from prometheus_client.openmetrics.parser import \
        text_string_to_metric_families
except ImportError:
    print("python3-prometheus-client is not installed")
    sys.exit(77)

# 0.16 compares the nanoseconds of different seconds
samples.Timestamp.__gt__ = \
    lambda self, other: (self.sec, self.nsec) > (other.sec, other.nsec)


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + 1e-9


def check(what, ok):
    if not ok:
        print("wrong:", what)
        sys.exit(1)


with open(sys.argv[1], encoding="utf-8") as f:
    families = {m.name: m for m in text_string_to_metric_families(f.read())}
with open(sys.argv[2], encoding="utf-8", newline="") as f:
    rows = list(csv.DictReader(f))
with open(sys.argv[3], encoding="utf-8") as f:
    whole = json.load(f)

figures = {(m["family"], m["metric"], m["instance"]): m
           for m in whole["metrics"]}
check("figures have a name each", len(figures) == len(whole["metrics"]))
check("there are hundreds", len(figures) > 300)

# a counter in OpenMetrics ends with its growth
for kind in ("user", "idle"):
    name = f"perfwasm_cpu_{kind}_seconds"
    m = families[name]
    check("type and unit", m.type == "counter" and m.unit == "seconds")
    check("help", m.documentation)
    of = [s for s in m.samples if s.labels.get("of") == "all"]
    check("it only grows", all(a.value <= b.value for a, b in zip(of, of[1:])))
    check(name, near(of[-1].value, figures["cpu", kind, "all"]["total"]))
    # of the last bin in which it was read, that may begin after it was; what
    # stays as it is (idle, of a busy machine) is told once, at the end
    span = whole["span"]
    known = [i + 1 for i, b in enumerate(figures["cpu", kind, "all"].get(
        "bins", [])) if b is not None]
    end = min(known[-1] * span["bin"] if known else math.inf, span["seconds"])
    # and the machine may have stood still between the last readings
    check("read to the end", span["seconds"] - end < span["bin"] + 1)
    check("time since 1970",
          abs(float(of[-1].timestamp) - span["start"] - end) < 1e-3)

# a line of CSV is a bin of JSON
lines = [float(r["value"]) for r in rows
         if (r["family"], r["metric"], r["instance"]) == ("cpu", "user", "all")]
bins = [b for b in figures["cpu", "user", "all"]["bins"] if b is not None]
check("csv", len(lines) == len(bins) and all(map(near, lines, bins)))
level = families["perfwasm_meminfo_used_bytes"]
check("gauge", level.type == "gauge" and level.unit == "bytes")
levels = [b for b in figures["meminfo", "used", ""]["bins"] if b is not None]
check("a level", near(level.samples[0].value, levels[0]))
check("hostile names", any("<b>bu&sy" in s.labels["of"] for s in
                           families["perfwasm_process_user_seconds"].samples))
check("sources", any(s["source"] == "stat" and s["reads"]
                     for s in whole["sources"]))
