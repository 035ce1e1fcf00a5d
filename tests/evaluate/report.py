# SPDX-License-Identifier: GPL-2.0-only
# What the evaluation reads of a report, and how it gets a runtime.
"""The JSON of `perf wasm hunt` and `perf wasm bisect`, by the questions that
evaluate.py asks. Knows the keys of the reports, no case."""
import json
import os
import subprocess


def fetch(build, spec):
    """None, or why the runtime cannot be had."""
    if "@" not in spec:
        return None
    name = spec.split("?")[0]
    done = subprocess.run(
        [os.path.join(build, "bin/perf-wasm"), "runtimes", "add", name],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return done.stderr.strip() if done.returncode else None


class Report:
    def __init__(self, path):
        self.all = json.load(open(path))
        self.findings = self.all.get("findings", [])

    def verdict(self):
        return self.all.get("verdict", "")

    def no_gap(self):
        return self.verdict().startswith("No gap")

    def gap(self):
        return (self.all.get("slower") or {}).get("value") or 0

    def cost(self, key):
        value = self.all.get("cost", {}).get(key, "-")
        return "%.0f" % value if isinstance(value, float) else value

    def runs(self):
        """Cost in runs of the original."""
        return self.all.get("cost", {}).get("original_runs", 0)

    def cpu_s(self):
        """CPU seconds of all guests."""
        return self.all.get("cost", {}).get("guest_ns", 0) / 1e9

    def code(self, i):
        """The machine instructions that finding i isolates."""
        table = self.findings[i].get("machine_code") or {}
        return [row["insn"] for row in table.get("rows", [])]

    def rank_of(self, regex):
        """(finding, place in it) of the first match, from 1; or None."""
        for i in range(len(self.findings)):
            for k, insn in enumerate(self.code(i)):
                if regex.search(insn):
                    return i + 1, k + 1
        return None

    def slow(self):
        if not self.findings:
            return "-"
        f = self.findings[0]
        code = self.code(0)
        return (code[0] if code else f.get("instruction")) or "-"

    def first(self):
        """What the first finding names; equal for hunts that agree."""
        if not self.findings:
            return self.verdict()
        return "%s; %s" % (self.findings[0].get("slow"), self.slow())

    def says(self, regex):
        """Whether any string of the report matches."""
        return any(regex.search(s) for s in strings(self.all))

    def change_with(self, regex):
        """(instructions, rank, text) of the first change of machine code
        whose slow side has a match; or None."""
        for change in self.all.get("changes", []):
            rows = (change.get("machine_code") or {}).get("rows", [])
            for k, row in enumerate(rows):
                if regex.search(row["insn"]):
                    return len(rows), k + 1, row["insn"]
        return None


def strings(value):
    if isinstance(value, dict):
        for v in value.values():
            yield from strings(v)
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)
    elif isinstance(value, str):
        yield value
