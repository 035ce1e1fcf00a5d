# SPDX-License-Identifier: GPL-2.0-only
# What perf wasm sched says of a capture, held against what is known of it:
#   sched-check.py load LINES REPORT SCRIPT NEW   of sched-load; NEW gets the
#       names of the tasks that could be held against it
#   sched-check.py perf LATENCY TIMEHIST SCRIPT REPORT LATENCY_JSON  of perf sched
# Prints what differs.
import json
import re
import sys

bad = []


def near(what, have, want, share, least):
    if abs(have - want) > max(share * abs(want), least):
        bad.append(f'{what}: {have} ours, {want} known')


def tasks(path):
    return {r['tid']: r for r in json.load(open(path))['tasks']['tasks']['rows']}


def switches(script):
    """What a capture's switches say: tids that were preempted with a letter that
    perf sched latency does not know; those at a switch that is missing (some
    hosts hide tasks of their own); tids of tasks at their end, with how often."""
    preempted, gaps, ended, on = set(), set(), {}, {}
    for line in open(script, errors='replace'):
        m = re.search(r'\[(\d+)\].*prev_pid=(\d+) .*prev_state=(\S+) ==> .*next_pid=(\d+)', line)
        if not m:
            continue
        cpu, tid, state, to = m[1], int(m[2]), m[3], int(m[4])
        if state == 'R+':
            preempted.add(tid)
        if int(re.search(r'\s(-?\d+)\s+\[', line)[1]) != tid:
            ended[tid] = ended.get(tid, 0) + 1
        if on.get(cpu, tid) != tid:
            gaps |= {tid, on[cpu]}
        on[cpu] = to
    return preempted, gaps, ended


def load(lines, report, script, new):
    rows, pairs = tasks(report), json.load(open(report))['pairs']
    tids, gaps, names = {}, switches(script)[1], []
    for line in open(lines):
        name, *numbers = line.split()
        tid, cpu, wall, voluntary, involuntary, own = map(int, numbers)
        tids[name] = tid
        if tid in gaps:
            continue
        names.append(name)
        r = rows.get(tid)
        if not r:
            bad.append(f'{name}: not in the report')
            continue
        off = {k: r[k] or 0 for k in ('preempted', 'waking', 'sleeping', 'blocked', 'other')}
        # interrupts and the thread's beginning and end are seen differently
        near(f'{name}: time on the CPU', r['run'], cpu, 0.03, 3e6)
        near(f'{name}: time in all', r['run'] + sum(off.values()), wall, 0.02, 5e6)
        near(f'{name}: preemptions', r['preemptions'], involuntary, 0.01, 2)
        near(f'{name}: switches', r['switches'], voluntary + involuntary, 0.01, 3)
        # of its own it knows its sleeps; between them it may be kept from the CPU
        away = sum(off.values())
        if name.startswith('burn'):
            near(f'{name}: kept from the CPU', off['preempted'] + off['waking'], wall - cpu, 0.04, 6e6)
        if name == 'sleeper':
            near('sleeper: off the CPU', away, min(max(away, own), wall - cpu), 0.03, 6e6)
            if off['sleeping'] < 40 * 5e6:
                bad.append(f'sleeper: slept {off["sleeping"]} ns, 40 times 5 ms is more')
        if name == 'writer':
            away -= off['preempted']
            near('writer: off the CPU', away, min(max(away, own), wall - cpu), 0.25, 1e7)
            print(f'# the writer was blocked for {off["blocked"] / 1e6:.1f} ms of {own / 1e6:.1f}')
    woken = {(p['tid'], p['by_tid']): p['times'] for p in pairs['woken']['rows']}
    for a, b in (('ping', 'pong'), ('pong', 'ping')):
        if woken.get((tids.get(a), tids.get(b)), 0) < 500 and {a, b} <= set(names):
            bad.append(f'{a} was hardly ever woken by {b}: {woken.get((tids.get(a), tids.get(b)))}')
    with open(new, 'w') as f:
        f.writelines(name + '\n' for name in names)


def perf(latency, timehist, script, report, latency_json):
    # perf gives the time since the switch before one that is missing to whoever
    # leaves next, we to nobody. A task at its end has no tid any more in its last
    # switches, which timehist then gives to another.
    preempted, gaps, ended = switches(script)
    rows, n = tasks(report), 0
    for line in open(timehist, errors='replace'):
        m = re.search(r'\[(\d+)(?:/\d+)?\]\s+-?\d+\s+(\d+)\s+([\d.]+)\s+[\d.]+\s+[\d.]+', line)
        if not m:
            continue
        r = rows.get(int(m[1]))
        if not r:
            bad.append(f'timehist: {line.strip()}: not in the report')
            continue
        if int(m[1]) in gaps:
            continue
        is_ended = ended.get(int(m[1]), 0)
        near(f'timehist: {m[1]}: times', r['left'] + r['preemptions'] - is_ended, int(m[2]), 0, 0)
        ms = (r['run'] - r['edge']) / 1e6
        near(f'timehist: {m[1]}: ms', ms, max(ms, float(m[3])) if is_ended else float(m[3]), 0, 0.002)
        n += 1
    if n < 5:
        bad.append(f'perf sched timehist -s has {n} tasks that can be compared')
    ours, n = {}, 0
    for r in json.load(open(latency_json))['tasks']['rows']:
        ours[int(r['task'].rsplit(':', 1)[1])] = r
    for line in open(latency, errors='replace'):
        m = re.search(r':(\d+)\s+\|\s+([\d.]+) ms \|\s+(\d+) \| avg:\s*([\d.]+) ms \| max:\s*([\d.]+) ms', line)
        if not m or int(m[1]) in preempted | gaps:
            continue
        r = ours.get(int(m[1]))
        if not r:
            bad.append(f'latency: {line.strip()}: ours has none')
            continue
        near(f'latency: {m[1]}: switches', r['switches'], int(m[3]), 0, 0)
        if int(m[1]) not in ended:
            near(f'latency: {m[1]}: runtime', r['runtime'] / 1e6, float(m[2]), 0, 0.002)
        near(f'latency: {m[1]}: average delay', r['avg_delay'] / 1e6, float(m[4]), 0, 0.002)
        near(f'latency: {m[1]}: longest delay', r['max_delay'] / 1e6, float(m[5]), 0, 0.002)
        n += 1
    if n < 5:
        bad.append(f'perf sched latency has {n} tasks that can be compared')


{'load': load, 'perf': perf}[sys.argv[1]](*sys.argv[2:])
for line in bad:
    print(line)
sys.exit(1 if bad else 0)
