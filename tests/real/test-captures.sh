#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Captures that the installed perf records here, in every way in which it
# records: each is read as perf itself reads it, record by record and sample by
# sample; one whose recorder was killed is read to its end.
set -u
cd "$(dirname "$0")/../.." || exit 2
counts=$PW_BUILD/tests/unit/plugin/capture/test-capture-counts
samples=$PW_BUILD/tests/unit/plugin/capture/test-capture-samples
for t in "$counts" "$samples"; do
	[ -x "$t" ] || { echo "$t is not built: make unit" && exit 77; }
done
command -v perf >/dev/null || { echo "no perf" && exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/all" "$tmp/lines"

# shellcheck disable=SC2016 # the inner shell expands it
work=(sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; cat /dev/null')
perf record -q -o "$tmp/try" -e cpu-clock true 2>"$tmp/log" || {
	echo "perf can't record here: $(head -n 1 "$tmp/log")"
	exit 77
}

# record FOLDER NAME OPTION...: a way that this perf lacks is left out.
record()
{
	local out=$tmp/$1/perf.data.$2
	perf record -q -o "$out" "${@:3}" -- "${work[@]}" >"$tmp/log" 2>&1 || {
		echo "left out: $2: $(head -n 1 "$tmp/log")"
		rm -rf "$out"
	}
}

record lines clock -F 3000 -e cpu-clock
record lines chains -F 3000 -e cpu-clock -g
record lines mono -F 3000 -e cpu-clock -g -k mono
record lines everywhere -a -F 500 -e cpu-clock -g
record lines several -F 1000 -e cpu-clock,page-faults,context-switches
record lines tracepoints -a -e sched:sched_switch,sched:sched_wakeup,cpu-clock
record lines compressed -z -F 3000 -e cpu-clock -g
record all stacks -F 1000 -e cpu-clock --call-graph dwarf
record all registers -F 1000 -e cpu-clock --user-regs=ip,sp --intr-regs=ip
record all switches -a --switch-events -e cpu-clock
record all places -e page-faults -c 1 -d --data-page-size --code-page-size
record all spaces -F 1000 -e cpu-clock --namespaces --all-cgroups
record all weights -F 1000 -e cpu-clock -W
record all counters -F 1000 -e '{cpu-clock,task-clock}'
record lines groups -F 1000 -e '{cpu-clock,page-faults}:S'
record all overwritten -F 1000 -e cpu-clock --overwrite
record all switched -F 3000 -e cpu-clock -g --switch-output=50K --switch-max-files=2
record all threads -F 1000 -e cpu-clock --per-thread -s -T
record lines parted -a --threads -F 2000 -e cpu-clock -g
record all parted-packed -z -a --threads -F 2000 -e cpu-clock
perf record -q -o - -F 3000 -e cpu-clock -g -- "${work[@]}" \
	>"$tmp/lines/perf.data.pipe" 2>/dev/null
perf record -q -o - -e sched:sched_switch -a -- "${work[@]}" \
	>"$tmp/all/perf.data.pipe-traced" 2>/dev/null ||
	rm -f "$tmp/all/perf.data.pipe-traced"

perf inject -b -i "$tmp/lines/perf.data.chains" \
	-o "$tmp/lines/perf.data.injected" 2>"$tmp/log" || {
	echo "left out: injected: $(head -n 1 "$tmp/log")"
	rm -f "$tmp/lines/perf.data.injected"
}

# Killed, with whatever had been written by then.
perf record -q -o "$tmp/all/perf.data.killed" -m 1 -F 5000 -e cpu-clock -a -- \
	sleep 30 2>/dev/null &
recorder=$!
for ((i = 0; i < 100; i++)); do
	sleep 0.1
	[ "$(stat -c %s "$tmp/all/perf.data.killed" 2>/dev/null || echo 0)" -lt 300000 ] || break
done
kill -KILL $recorder
wait $recorder 2>/dev/null
pkill -KILL -P $recorder 2>/dev/null

n=$(find "$tmp/all" "$tmp/lines" -type f | wc -l)
echo "$n captures"
[ "$n" -ge 12 ] || exit 1
bad=0
for folder in all lines; do
	PERF_WASM_CAPTURES=$tmp/$folder "$counts" || bad=1
done
PERF_WASM_CAPTURES=$tmp/lines "$samples" || bad=1
if [ -d "$tmp/lines/perf.data.parted" ]; then
	theirs=$(perf script -i "$tmp/lines/perf.data.parted" -F time 2>/dev/null | grep -c .)
	perf-wasm report "$tmp/lines/perf.data.parted" >"$tmp/report" 2>&1
	grep -Eq "^cpu-clock +$theirs " <(tr -d , <"$tmp/report") || {
		echo "the report of a folder does not count $theirs samples"
		head -n 20 "$tmp/report"
		bad=1
	}
fi
exit $bad
