# SPDX-License-Identifier: GPL-2.0-only
# Hunts every case of cases.txt and judges what was found by expected.txt.
"""evaluate.py BUILD [PART...]: runs parts of the evaluation, prints a table
each. Parts: cases (the default), seeds, none, large. ONLY= keeps to the items
whose name contains it; SEEDS= and TIMES= say how often (10, 20). What the
hunts leave is in BUILD/evaluate/PART/. Knows no hunt's insides, only the JSON
of its report. Exits 1 when a part misses its goal."""
import os
import re
import shutil
import subprocess
import sys
import time

from report import Report, fetch

HERE = os.path.dirname(os.path.abspath(__file__))
ONLY = os.environ.get("ONLY", "")


def rows_of(name):
    for line in open(os.path.join(HERE, name)):
        words = line.split()
        if words and not words[0].startswith("#"):
            yield words


class Expected:
    def __init__(self):
        self.by = {r[0]: (r[1], r[2]) for r in rows_of("expected.txt")}

    def __getitem__(self, case):
        how, regex = self.by[case]
        return how, re.compile(regex)


class Run:
    """One command of perf-wasm: its report and wall seconds."""

    def __init__(self, build, out, args):
        os.makedirs(out, exist_ok=True)
        path = os.path.join(out, "report.json")
        start = time.monotonic()
        done = subprocess.run(
            [os.path.join(build, "bin/perf-wasm"), args[0], "--format=json",
             "-o", path] + args[1:],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.wall = time.monotonic() - start
        self.fault = done.stderr.strip() if done.returncode else ""
        self.report = Report(path) if not self.fault else None


class Evaluation:
    def __init__(self, build):
        self.build = build
        self.expected = Expected()

    def module(self, name):
        return os.path.join(self.build, "tests/cases", name + ".wasm")

    def out(self, *parts):
        path = os.path.join(self.build, "evaluate", *parts)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def hunt(self, out, module, suspect, oracles, options=()):
        for spec in [suspect] + oracles:
            why = fetch(self.build, spec)
            if why:
                raise RuntimeError(why)
        box = os.path.join(out, "mounted")
        os.makedirs(box)
        args = ["hunt", "--dir", os.path.join(out, "hunt"),
                "--suspect", suspect]
        args += ["--oracle=" + o for o in oracles]
        args += [o.replace("{dir}", box) for o in options]
        return Run(self.build, out, args + [module])


# --- part: cases ---------------------------------------------------------------

# What a hunt of a reduced case may cost, in unscaled runs of its original.
RUNS_MAX = 30
CASES_HEAD = ("case       suspect   oracle    gap    slow instruction      "
              "  rank insns  made/compiled/run  runs  CPU s     s  result")


def judge(how, regex, report):
    """(located, words)"""
    if how in ("told", "place"):
        return ((True, "told") if report.says(regex)
                else (False, "not told: " + report.verdict()))
    if report.no_gap():
        return False, "no gap"
    rank = report.rank_of(regex)
    if not rank:
        return False, ("isolated other instructions" if report.findings
                       else "no finding")
    return True, "located"


def short(spec):
    return spec.replace("wasmtime@", "wt").replace(".0.0", "").replace(".0.", ".")


def case_line(words, run, how, regex):
    case, suspect, oracles = words[0], words[1], words[2]
    head = "%-10s %-9s %-9s" % (case, short(suspect), short(oracles))
    r = run.report
    if not r:
        print("%s failed: %s" % (head, run.fault))
        return False
    located, said = judge(how, regex, r)
    rank, at = r.rank_of(regex) or ("-", "-")
    print("%s %5.2f  %-22s %4s %5s  %6s/%5s/%4s %5s %6.1f %5.1f  %s%s" % (
        head, r.gap(), r.slow()[:22], rank,
        len(r.code(0)) if r.findings else "-", r.cost("candidates"),
        r.cost("compiled"), r.cost("raced"), r.cost("original_runs"),
        r.cpu_s(), run.wall, said, " (place %s)" % at if at != "-" else ""))
    return located


def code_alone(ev, words, regex):
    """Where the processor has no gap: the two releases' hot code."""
    case, suspect, oracle = words[:3]
    run = Run(ev.build, ev.out("cases", case),
              ["bisect", "--dir", ev.out("cases", case, "bisect"),
               "--runtime", suspect.split("@")[0], "--code-only",
               "--from", suspect.split("@")[1],
               "--to", oracle.split("@")[1], ev.module(case + ".slow")])
    head = "%-10s %-9s %-9s" % (case, short(suspect), short(oracle))
    if not run.report:
        print("%s failed: %s" % (head, run.fault))
        return False
    found = run.report.change_with(regex)
    print("%s     -  %-22s %4s %5s  %s" % (
        head, found[2][:22] if found else "-", found[1] if found else "-",
        found[0] if found else "-",
        "by machine code alone: no gap on this processor" if found
        else "not in the machine code that changed"))
    return bool(found)


def part_cases(ev):
    n = located = dearest = 0
    print(CASES_HEAD)
    for words in rows_of("cases.txt"):
        case = words[0]
        if ONLY not in case:
            continue
        how, regex = ev.expected[case]
        if how == "none":
            print("%-10s the releases that have it are not to be had" % case)
            continue
        n += 1
        if how == "code":
            located += code_alone(ev, words, regex)
        else:
            run = ev.hunt(ev.out("cases", case), ev.module(case + ".slow"),
                          words[1], words[2].split(","), words[3:])
            if how == "place" and run.report and run.report.no_gap():
                print("%-10s has no gap on this processor" % case)
                n -= 1
                continue
            located += case_line(words, run, how, regex)
            dearest = max(dearest, run.report.runs() if run.report else 0)
        sys.stdout.flush()
    print("the dearest hunt took %.0f runs of its original (at most %d)" %
          (dearest, RUNS_MAX))
    print("%d of %d located" % (located, n))
    return located == n and dearest <= RUNS_MAX


# --- part: seeds ---------------------------------------------------------------


def part_seeds(ev):
    """The first finding of hunts that differ in their seed."""
    times = int(os.environ.get("SEEDS", "10"))
    good = True
    print("case       hunts that agree on the first finding")
    for words in rows_of("cases.txt"):
        case = words[0]
        if ONLY not in case or ev.expected[case][0] != "hunt":
            continue
        seen = {}
        for seed in range(1, times + 1):
            run = ev.hunt(ev.out("seeds", case, str(seed)),
                          ev.module(case + ".slow"), words[1],
                          words[2].split(","),
                          words[3:] + ["--seed=%d" % seed])
            key = run.report.first() if run.report else run.fault
            seen[key] = seen.get(key, 0) + 1
        best = max(seen.items(), key=lambda i: i[1])
        good &= best[1] * 10 >= times * 9
        print("%-10s %2d of %d: %s" % (case, best[1], times, best[0]))
        for key, count in seen.items():
            if key != best[0]:
                print("%-10s %2d: %s" % ("", count, key))
        sys.stdout.flush()
    return good


# --- part: none ----------------------------------------------------------------


def part_none(ev):
    """No finding where there is none."""
    times = int(os.environ.get("TIMES", "20"))
    good = True
    print("module         suspect   oracle    no gap")
    for name, suspect, oracle in rows_of("none.txt"):
        if ONLY not in name:
            continue
        count = 0
        for i in range(times):
            run = ev.hunt(ev.out("none", name + "-" + suspect, str(i)),
                          ev.module(name), suspect, [oracle],
                          ["--seed=%d" % (i + 1)])
            count += bool(run.report and run.report.no_gap())
        good &= count == times
        print("%-14s %-9s %-9s %d of %d" % (
            name, short(suspect), short(oracle), count, times))
        sys.stdout.flush()
    return good


# --- part: large ---------------------------------------------------------------


def program(path):
    """bz2 of wasm/sightglass/bz2/benchmark.wasm."""
    folder, name = os.path.split(path)
    name = os.path.splitext(name)[0]
    return os.path.basename(folder) if name == "benchmark" else name


def gist(report):
    """The first words of the verdict; what is accused, if anything is."""
    words = report.verdict().split(":")[0].split(",")[0]
    return words if report.slow() == "-" else "%s: %s" % (words, report.slow())


def part_large(ev):
    """Programs as they are, on an old release against the newest."""
    corpus = os.environ.get("PERF_WASM_CORPUS", os.path.join(
        HERE, "../../../shared/corpus"))
    if not os.path.isdir(corpus):
        print("skipped: %s is missing (PERF_WASM_CORPUS)" % corpus)
        return True
    good = True
    print("program                   bytes suspect   oracle    gap    "
          "CPU s     s  slow instruction")
    for path, suspect, oracle, *options in rows_of("large.txt"):
        if ONLY not in path:
            continue
        module = os.path.join(corpus, path)
        name = program(path)
        out = ev.out("large", "%s-%s" % (name, suspect))
        run = ev.hunt(out, module, suspect, [oracle],
                      ["--mount=%s::." % os.path.dirname(module)] + options)
        r = run.report
        good &= bool(r) and run.wall < 600
        print("%-22s %8d %-9s %-9s %s" % (
            name, os.path.getsize(module), short(suspect), short(oracle),
            run.fault if not r else "%.2f %6.1f %5.1f  %s" % (
                r.gap(), r.cpu_s(), run.wall, gist(r))))
        sys.stdout.flush()
    return good


PARTS = {"cases": part_cases, "seeds": part_seeds, "none": part_none,
         "large": part_large}


def main():
    build = os.path.abspath(sys.argv[1])
    ev = Evaluation(build)
    good = True
    for name in sys.argv[2:] or ["cases"]:
        good &= PARTS[name](ev)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
