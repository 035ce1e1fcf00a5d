#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads DIR/report.json and DIR/out.* and says what does not fit.

Checks what the readers of the forms rely on: columns of one length, indexes
that exist, times in order, sums equal to the report's.
"""
import json
import os
import sys

bad = []


def want(ok, what):
    if not ok:
        bad.append(what)


def read(name, mode="r"):
    with open(os.path.join(sys.argv[1], name), mode) as f:
        return f.read()


report = json.loads(read("report.json"))
events = {e["event"]: e for e in report["events"]["rows"]}
off = events.pop("off-cpu")
name, main = next(iter(events.items()))
functions = {}
for row in report["functions"]["rows"]:
    functions[row["function"]] = functions.get(row["function"], 0) + row["samples"]


# --- folded ------------------------------------------------------------------
def folded(name):
    stacks = {}
    for line in read(name).splitlines():
        stack, number = line.rsplit(" ", 1)
        # two functions of one name (strchr of libc and of the loader)
        stacks[stack] = stacks.get(stack, 0) + int(number)
    return stacks


stacks = folded("out.folded")
want(sum(stacks.values()) == main["samples"], "folded: samples are not the report's")
want(sum(folded("period.folded").values()) == main["period"], "folded: periods")
want(sum(folded("off.folded").values()) == off["period"], "folded: time off the CPU")
for function in "heavy", "work":
    leaves = sum(n for s, n in stacks.items() if s.split(";")[-1] == function)
    want(leaves == functions[function], f"folded: {function} has {leaves} samples, "
         f"not {functions[function]}")

# --- speedscope -----------------------------------------------------------------
scope = json.loads(read("out.speedscope"))
frames = scope["shared"]["frames"]
want(scope["$schema"] == "https://www.speedscope.app/file-format-schema.json", "speedscope: schema")
want({p["name"] for p in scope["profiles"]} == {name, "off-cpu"}, "speedscope: profiles")
want(scope["profiles"][scope["activeProfileIndex"]]["name"] == name, "speedscope: active one")
for p in scope["profiles"]:
    want(p["type"] == "sampled", "speedscope: type")
    want(len(p["samples"]) == len(p["weights"]), "speedscope: weights")
    want(all(0 <= f < len(frames) for s in p["samples"] for f in s), "speedscope: frames")
    want(p["startValue"] == 0 and p["endValue"] == sum(p["weights"]), "speedscope: end")
    want(p["unit"] in ("none", "nanoseconds"), "speedscope: unit")
    total = off["period"] if p["name"] == "off-cpu" else \
        main["period"] if p["unit"] == "nanoseconds" else main["samples"]
    want(sum(p["weights"]) == total, f"speedscope: sum of {p['name']}")

# --- Firefox ----------------------------------------------------------------------
fox = json.loads(read("out.firefox"))
shared = fox["shared"]


def columns(table, what):
    n = table["length"]
    for key, column in table.items():
        if isinstance(column, list):
            want(len(column) == n, f"firefox: {what}.{key} has {len(column)} of {n}")
    return n


def indexes(column, n, what):
    want(all(i is None or 0 <= i < n for i in column), f"firefox: {what}")


n_strings = len(shared["stringArray"])
n_stacks = columns(shared["stackTable"], "stackTable")
n_frames = columns(shared["frameTable"], "frameTable")
n_funcs = columns(shared["funcTable"], "funcTable")
n_resources = columns(shared["resourceTable"], "resourceTable")
columns(shared["nativeSymbols"], "nativeSymbols")
columns(shared["sources"], "sources")
indexes(shared["stackTable"]["frame"], n_frames, "stack's frame")
want(all(p is None or p < i for i, p in enumerate(shared["stackTable"]["prefix"])),
     "firefox: a stack before its prefix")
indexes(shared["frameTable"]["func"], n_funcs, "frame's func")
indexes(shared["funcTable"]["name"], n_strings, "func's name")
indexes(shared["funcTable"]["resource"], n_resources, "func's resource")
indexes(shared["resourceTable"]["name"], n_strings, "resource's name")
categories = fox["meta"]["categories"]
want(categories[0]["name"] == "Other" and categories[0]["color"] == "grey", "firefox: Other")
for category, sub in zip(shared["frameTable"]["category"], shared["frameTable"]["subcategory"]):
    want(sub < len(categories[category]["subcategories"]), "firefox: subcategory")
want(fox["meta"]["preprocessedProfileVersion"] == 60, "firefox: version")
want(fox["meta"]["startTime"] > 1.6e12, "firefox: start time")
kinds = {}
n_samples = n_off = 0
for t in fox["threads"]:
    n_samples += columns(t["samples"], "samples")
    columns(t["markers"], "markers")
    indexes(t["samples"]["stack"], n_stacks, "sample's stack")
    want(t["samples"]["time"] == sorted(t["samples"]["time"]), "firefox: order of time")
    indexes(t["markers"]["name"], n_strings, "marker's name")
    want(all(a <= b for a, b in zip(t["markers"]["startTime"], t["markers"]["endTime"])),
         "firefox: a marker that ends before it begins")
    n_off += t["markers"]["length"]
    want(isinstance(t["pid"], str) and isinstance(t["tid"], int), "firefox: pid, tid")
    for s in t["samples"]["stack"]:
        if s is None:
            continue
        f = shared["stackTable"]["frame"][s]
        func = shared["stringArray"][shared["funcTable"]["name"][shared["frameTable"]["func"][f]]]
        if func == "heavy":
            kinds[func] = kinds.get(func, 0) + 1
            want(categories[shared["frameTable"]["category"][f]]["name"] == "wasm",
                 "firefox: category of heavy")
want(n_samples == main["samples"], "firefox: samples")
want(n_off == off["samples"], "firefox: markers of time off the CPU")
want(kinds.get("heavy") == functions["heavy"], "firefox: samples of heavy")
want(any(s["name"] == "OffCpu" for s in fox["meta"]["markerSchema"]), "firefox: marker schema")


# --- protobuf ------------------------------------------------------------------------
def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def fields(data):
    """Number -> values: int, or bytes."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        else:
            want(key & 7 == 0, "protobuf: wire type")
        want(at <= len(data), "protobuf: cut")
        found.setdefault(key >> 3, []).append(value)
    return found


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


pprof = fields(read("out.pprof", "rb"))
strings = [s.decode() for s in pprof[6]]
types = [strings[fields(t)[1][0]] for t in pprof[1]]
want(strings[0] == "", "pprof: string 0")
want(types == [name + ".samples", name, "off-cpu.switches", "off-cpu"], f"pprof: {types}")
want(strings[pprof[14][0]] == name, "pprof: default sample type")
ids = {fields(x)[1][0] for x in pprof[4]}
mappings = {fields(x)[1][0] for x in pprof[3]}
want(all(fields(x)[2][0] in mappings for x in pprof[4]), "pprof: mapping of a location")
names = {fields(f)[1][0]: strings[fields(f)[2][0]] for f in pprof[5]}
func_of = {fields(x)[1][0]: names[fields(fields(x)[4][0])[1][0]] for x in pprof[4]}
sums, heavy = [0] * 4, 0
for s in pprof[2]:
    s = fields(s)
    locations, values = packed(s.get(1, [b""])[0]), packed(s[2][0])
    want(len(values) == 4 and all(i in ids for i in locations), "pprof: a sample")
    sums = [a + b for a, b in zip(sums, values)]
    if locations and func_of[locations[0]] == "heavy":
        heavy += values[0]
want(sums == [main["samples"], main["period"], off["samples"], off["period"]], f"pprof: {sums}")
want(heavy == functions["heavy"], "pprof: samples of heavy")

trace = fields(read("out.perfetto", "rb"))
stacks_seen, tracks, n_samples, depth, off_ns = None, set(), 0, {}, 0
for i, packet in enumerate(trace[1]):
    p = fields(packet)
    want(p[10] == [1] and p[13] == [2 if i else 1], "perfetto: sequence")
    if 12 in p:
        interned = fields(p[12][0])
        texts = {fields(x)[1][0]: fields(x)[2][0].decode() for x in interned[5]}
        frame_ids = {fields(x)[1][0]: fields(x) for x in interned[6]}
        maps = {fields(x)[1][0] for x in interned[19]}
        stacks_seen = {fields(x)[1][0]: fields(x)[2] for x in interned[7]}
        want(all(f[2][0] in texts and f[3][0] in maps for f in frame_ids.values()),
             "perfetto: a frame")
        want(all(f in frame_ids for s in stacks_seen.values() for f in s), "perfetto: a stack")
    if 60 in p:
        d = fields(p[60][0])
        want(5 not in d or d[5][0] in tracks, "perfetto: a track before its parent")
        tracks.add(d[1][0])
    if 11 in p:
        e = fields(p[11][0])
        want(e[11][0] in tracks, "perfetto: a track")
        if e[9] == [1]:
            want(e[11][0] not in depth, "perfetto: slices overlap")
            depth[e[11][0]] = p[8][0]
        else:
            off_ns += p[8][0] - depth.pop(e[11][0])
    if 66 in p:
        n_samples += 1
        want(fields(p[66][0]).get(4, [None])[0] in stacks_seen, "perfetto: a sample's stack")
want(n_samples == main["samples"], "perfetto: samples")
want(not depth and off_ns == off["period"], "perfetto: time off the CPU")

for line in dict.fromkeys(bad):
    print(line)
sys.exit(bool(bad))
