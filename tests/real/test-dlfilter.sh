#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# perf script --dlfilter perf-wasm.so prints what `perf wasm report` prints, and
# nothing else: of a file, behind perf's own filters, and from a pipe.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/door-capture.bash
. tests/real/door-capture.bash

# filter OUTPUT ARG...: perf script with our filter; its status.
filter()
{
	local out=$1
	shift
	perf "--exec-path=$doors" script --dlfilter perf-wasm.so "$@" >"$out" 2>"$tmp/err"
}

# report OUTPUT ARG...
report()
{
	local out=$1
	shift
	perf-wasm report "$@" >"$out" || bad=1
}

# JSON without what is for compare, the figures by block of time: the dlfilter's
# samples of one address are summed up, and have no time of their own.
unblocked()
{
	python3 - "$1" <<-'P'
		import json, sys
		def less(x):
		    if isinstance(x, dict):
		        return {k: less(v) for k, v in x.items() if k not in
		                ("blocks", "whole_blocks", "time", "waits")}
		    return [less(v) for v in x] if isinstance(x, list) else x
		r = less(json.load(open(sys.argv[1])))
		json.dump(r, open(sys.argv[1], "w"), indent=1)
	P
}

# alike WHAT: $tmp/filter and $tmp/report.
alike()
{
	cmp -s "$tmp/filter" "$tmp/report" && [ -s "$tmp/filter" ] && return
	echo "$1: the dlfilter and perf wasm report differ"
	diff "$tmp/report" "$tmp/filter" | head -n 20
	cat "$tmp/err"
	bad=1
}

[ "$sched" ] || echo "no tracepoints here: without context switches"
cap=$tmp/cap
capture "$cap" "cpu-clock/freq=2000/${sched:+,$sched}" -g

# --- a file -----------------------------------------------------------------
filter "$tmp/filter" -i "$cap/perf.data" || bad=1
report "$tmp/report" -i "$cap/perf.data"
alike "the tables"

filter "$tmp/filter" --dlarg format=json --dlarg children --dlarg limit=0 -i "$cap/perf.data" || bad=1
report "$tmp/report" --format=json --children --limit 0 -i "$cap/perf.data"
unblocked "$tmp/filter"
unblocked "$tmp/report"
alike "JSON with callers"
same "the hottest function" hot "$(json "$tmp/filter" 'hottest()')"
[ -z "$sched" ] || same "switches are seen" True \
	"$(json "$tmp/filter" 'any(x["event"] == "off-cpu" and x["samples"] for x in rows("events"))')"

for arg in wasm-only task=host-wasmtime "module=hot.wasm"; do
	filter "$tmp/filter" --dlarg "$arg" --dlarg "wasm=$cap/hot.wasm" -i "$cap/perf.data" || bad=1
	report "$tmp/report" "--$arg" --wasm "$cap/hot.wasm" -i "$cap/perf.data"
	alike "$arg"
done

filter "$tmp/said" --dlarg "output=$tmp/filter" --dlarg format=json -i "$cap/perf.data" || bad=1
report "$tmp/report" --format=json -i "$cap/perf.data"
unblocked "$tmp/filter"
unblocked "$tmp/report"
alike "output=FILE"
same "with output=FILE perf prints" "" "$(cat "$tmp/said")"

# --- perf's own filters ---------------------------------------------------------
filter "$tmp/filter" --dlarg format=json -c nobody -i "$cap/perf.data" || bad=1
same "samples of nobody" 0 "$(json "$tmp/filter" 'sum(x["samples"] for x in rows("functions"))')"
filter "$tmp/filter" --dlarg format=json -c host-wasmtime -i "$cap/perf.data" || bad=1
same "of the host" hot "$(json "$tmp/filter" 'hottest()')"

# --- a pipe -------------------------------------------------------------------------
# No record tells of the jitdump then: it must lie where perf runs. The host
# answers on standard output, which is perf's pipe, so it goes elsewhere.
(cd "$cap" && printf 'run\tid=1\tmodule=%s%s\tjitdump_dir=%s\n' "$cap/hot.wasm" "$bounds" "$cap" |
	perf record -q -k mono -F 2000 -e cpu-clock -o - -- sh -c 'exec "$@" >&2' sh \
		"$PW_BUILD/libexec/perf-wasm/host-wasmtime" "$wasmtime" 2>/dev/null |
	perf "--exec-path=$doors" script --dlfilter perf-wasm.so --dlarg format=json -i - \
		>"$tmp/filter" 2>"$tmp/err") || bad=1
same "the hottest from a pipe" hot "$(json "$tmp/filter" 'hottest()')"
same "and what is missing" True "$(json "$tmp/filter" '"dlfilter" in r')"

# --- an address that means another function later --------------------------------------
# Two programs with the same layout; the first becomes the second.
for i in first second; do
	gcc -O1 -no-pie -DNAME=$i -o "$tmp/$i" -xc - <<-'C'
		#include <time.h>
		#include <unistd.h>
		volatile unsigned long x;
		__attribute__((noinline)) void NAME(void)
		{
			for (long i = 0; i < 200000000; i++)
				x += i;
		}
		int main(int n, char **argv)
		{
			NAME();
			return n > 1 ? execv(argv[1], argv + 1) : 0;
		}
	C
done
perf record -q -F 2000 -e cpu-clock -o "$tmp/exec.data" "$tmp/first" "$tmp/second" || bad=1
filter "$tmp/filter" -i "$tmp/exec.data" || bad=1
report "$tmp/report" -i "$tmp/exec.data"
alike "a program that becomes another"
for i in first second; do
	grep -q "[3-9][0-9]\..* $i " "$tmp/filter" || { echo "$i has no share of its own"; bad=1; }
done

# --- captures of other machines --------------------------------------------------------
# As far as this perf reads them. Which files are missed for names depends on
# the order of looking them up; an idle task without pid, on the order of events.
tables()
{
	sed -e '/ is not here: its functions/d' -e '/^(and [0-9]* more)$/d' -e '/^Tasks$/,/^$/d' "$1"
}
corpus=$(realpath "${PERF_WASM_CORPUS:-$PWD/../shared/corpus}/perfdata" 2>/dev/null)
n=0
if [ "$corpus" ] && [ -d "$corpus" ]; then
	while IFS= read -r f; do
		filter "$tmp/filter" -f -i "$f" || continue
		# perf makes events up from a processor's trace
		grep -q 'instruction trace' "$tmp/err" && continue
		perf-wasm report -i "$f" >"$tmp/report" 2>/dev/null
		n=$((n + 1))
		cmp -s <(tables "$tmp/filter") <(tables "$tmp/report") || {
			echo "$f:"
			diff <(tables "$tmp/report") <(tables "$tmp/filter") | head -n 10
			bad=1
		}
	done < <(find "$corpus" -type f -size -20M -exec grep -laE '^(PERFILE2|2ELIFREP)' {} + | sort)
	echo "$n captures of the corpus"
	[ $n -ge 30 ] || { echo "expected 30 or more"; bad=1; }
else
	echo "without the corpus of captures"
fi

# --- arguments -------------------------------------------------------------------------
for arg in nonsense format=xml output limit=many wasm-only=1 sort=colour; do
	filter "$tmp/filter" --dlarg "$arg" -i "$cap/perf.data" && echo "--dlarg $arg is accepted" && bad=1
	grep -q "^perf-wasm.so: .*${arg%%=*}" "$tmp/err" || { echo "no word of $arg:"; cat "$tmp/err"; bad=1; }
done
perf "--exec-path=$doors" script --list-dlfilters | grep -q 'perf-wasm.so  *perf-wasm: ' ||
	{ echo "perf script does not list it"; bad=1; }

# --- what it shows ---------------------------------------------------------------------
same "exported names" "filter_description filter_event filter_event_early perf_dlfilter_fns start stop" \
	"$(nm -D --defined-only "$doors/dlfilters/perf-wasm.so" | awk '{ print $3 }' | sort | xargs)"
exit $bad
