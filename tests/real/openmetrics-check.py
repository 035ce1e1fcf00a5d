#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads OpenMetrics text by prometheus_client's strict parser and prints a line
a sample that was asked for: openmetrics-check.py FILE [NAME...]"""
import sys

from prometheus_client import samples
from prometheus_client.openmetrics.parser import text_string_to_metric_families

# 0.16 compares the nanoseconds of different seconds
samples.Timestamp.__gt__ = \
    lambda self, other: (self.sec, self.nsec) > (other.sec, other.nsec)

families = list(text_string_to_metric_families(open(sys.argv[1]).read()))
print("families", len(families), "samples", sum(len(f.samples) for f in families))
for f in families:
    if f.name in sys.argv[2:]:
        print(f.name, f.type, f.unit or "-", f.documentation)
        for s in f.samples:
            print(s.name, s.labels, s.value, s.timestamp)
