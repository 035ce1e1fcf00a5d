#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Captures of the same differ in nothing, and a planted change is among the
# first three lines: a busy thread more, a timer of half the frequency, a slower
# loop of a module. Three or four runs a side, taken in turn, so that what else runs on
# the machine strikes both.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash
gcc -O1 -pthread "$root/tests/real/compare-load.c" -o load || exit 1

# record FILE COMMAND...
record()
{
	local to=$1
	shift
	perf record -q -k mono -e cpu-clock -F 997 -o "$to" -- "$@" >/dev/null 2>&1 ||
		fail "perf record of $* failed"
}

# same LIST LIST: nothing differs.
same()
{
	perf-wasm compare "$@" --format json -o out.json || fail "compare failed"
	n=$(value out.json 'r["different"]')
	judged=$(value out.json 'r["judged"]')
	[ "$n" = 0 ] || fail "of the same $n differ ($*):" \
		"$(value out.json 'r["differences"]["rows"]')"
	[ "$judged" -gt 0 ] || fail "nothing was judged"
	echo "the same: $judged judged, $n differ"
}

# first NAME COMMAND...: NAME is in the first three rows.
first()
{
	local name=$1
	shift
	"$@" --format json -o out.json || fail "$* failed"
	value out.json '[w["what"] + ": " + w["of"] + " " + w["difference"] + " " + w["verdict"] for w in r.get("differences", {"rows": []})["rows"][:3]]'
	[ "$(value out.json "any('$name' in w['what'] for w in r.get('differences', {'rows': []})['rows'][:3])")" = True ] ||
		fail "$name is not among the first three:" "$(tail -c 3000 out.json)"
}

# --- the same, and one busy thread more -------------------------------------------
for i in 1 2 3 4; do
	record "a$i.data" ./load 1 1000 2 0
	record "b$i.data" ./load 1 1000 2 0
	record "c$i.data" ./load 1 1000 2 1
done
same a1.data,a2.data,a3.data,a4.data b1.data,b2.data,b3.data,b4.data
same a1.data,b2.data,a3.data,b4.data b1.data,a2.data,b3.data,a4.data
same a1.data,a2.data,b3.data,b4.data b1.data,b2.data,a3.data,a4.data
same b1.data,a2.data,a3.data,b4.data a1.data,b2.data,b3.data,a4.data
same --per whole a1.data,a2.data,a3.data,a4.data b1.data,b2.data,b3.data,b4.data
# by shares: how much of the machine is left to a busy thread, others decide
first extra perf-wasm compare --per whole \
	a1.data,a2.data,a3.data,a4.data c1.data,c2.data,c3.data,c4.data
# saved reports say the same
for i in a1 a2 a3 a4 c1 c2 c3 c4; do
	perf-wasm report --format json --limit 0 -o "$i.json" "$i.data" || bad=1
done
cp out.json captures.json
first extra perf-wasm compare --per whole \
	a1.json,a2.json,a3.json,a4.json c1.json,c2.json,c3.json,c4.json
python3 - <<'EOP' || fail "saved reports give another result"
import json
a, b = (json.load(open(f)) for f in ("captures.json", "out.json"))
rows = [[(w["what"], w["from"], w["to"], w["verdict"]) for w in r["differences"]["rows"]] for r in (a, b)]
assert rows[0] == rows[1], rows
EOP

# --- half of a timer's frequency -----------------------------------------------------
if perf record -q -a -e sched:sched_switch -o /dev/null true >/dev/null 2>&1; then
	for i in 1 2 3; do
		for side in "s 1000" "t 2000"; do
			read -r to tick <<<"$side"
			perf record -q -a -k mono -e sched:sched_switch,sched:sched_waking \
				-o "$to$i.data" -- ./load 1.2 "$tick" 1 0 >/dev/null 2>&1 ||
				fail "perf record of switches failed"
		done
	done
	first ticker perf-wasm sched s1.data,s2.data,s3.data t1.data,t2.data,t3.data
else
	echo "switches of the whole machine cannot be recorded here: not tried"
fi

# --- a slower loop ---------------------------------------------------------------------
if command -v node >/dev/null; then
	mkdir old new
	cp hot.wasm old/hot.wasm
	sed 's/60000000/240000000/' hot.wat >new/hot.wat
	wat2wasm --debug-names new/hot.wat -o new/hot.wasm || exit 1
	for i in 1 2 3 4; do
		for side in old new; do
			perf-wasm record --dir "$side$i" -- node hot.mjs "$side/hot.wasm" \
				>/dev/null 2>err || fail "$(cat err)"
		done
	done
	first heavy perf-wasm compare --per whole old1,old2,old3,old4 new1,new2,new3,new4
else
	echo "node is not installed: a module was not tried"
fi
exit "$bad"
