#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# perf wasm sched of a load that measured itself, and beside perf's own sched
# commands on the same file.
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
bad=0

can_trace()
{
	perf record -q -a -e sched:sched_switch -o /dev/null true >/dev/null 2>&1
}
can_trace || mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
can_trace || { echo "perf may not record tracepoints of all CPUs here (tracefs?)"; exit 77; }

gcc -O1 -D_GNU_SOURCE -pthread -o "$tmp/load" tests/real/sched-load.c || exit 1

# recorded OUTPUT EVENTS: all CPUs while the load runs, nothing lost; a busy
# machine gets larger buffers.
recorded()
{
	local pages
	for pages in 512 2048 8192; do
		perf record -q -a -m $pages -e "$2" -o "$1" -- "$tmp/load" "$tmp/out" >"$tmp/lines" 2>"$tmp/err" ||
			{ cat "$tmp/err"; exit 1; }
		perf-wasm sched "$1" --format json --limit 0 >"$tmp/report" || exit 1
		grep -q '"lost_events"' "$tmp/report" || return 0
	done
	echo "events are lost even with large buffers"
	exit 77
}

# Some hosts hide tasks of their own: where one left a CPU no event tells who came.
# So each of the load's tasks is held against what it knows of itself in a
# recording where no switch of its is missing. What tracing itself takes is counted
# here and there differently, so where thousands of switches of others come between
# it is recorded again, three times.
# --- what the load knows ---------------------------------------------------------
: >"$tmp/names"
misses=0
for go in {1..12}; do
	recorded "$tmp/load.data" sched:sched_switch,sched:sched_waking,sched:sched_migrate_task
	perf script -i "$tmp/load.data" 2>/dev/null | grep sched_switch >"$tmp/script"
	python3 tests/real/sched-check.py load "$tmp/lines" "$tmp/report" "$tmp/script" "$tmp/new" || {
		cat "$tmp/lines"
		misses=$((misses + 1))
		[ $misses -lt 4 ] && continue
		bad=1
		break
	}
	sort -u "$tmp/names" "$tmp/new" -o "$tmp/names"
	[ "$(wc -l <"$tmp/names")" -lt "$(wc -l <"$tmp/lines")" ] || break
done
missing=$(comm -13 "$tmp/names" <(cut -d' ' -f1 "$tmp/lines" | sort))
if [ -n "$missing" ] && [ "$bad" = 0 ]; then
	echo "in $go recordings switches are missing of ${missing//$'\n'/, }"
	[ "$(wc -l <"$tmp/names")" -ge 3 ] || bad=1
fi

# A pipe says the same as the file.
perf-wasm sched - --format json --limit 0 <"$tmp/load.data" | cmp -s - "$tmp/report" ||
	{ echo "from standard input the report is another"; bad=1; }
# Every time on a CPU is a line, and every switch.
n=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["overview"]["switches"])' "$tmp/report")
[ "$(perf-wasm sched "$tmp/load.data" --view map | wc -l)" = "$n" ] ||
	{ echo "--view map: expected $n lines, a line for each switch"; bad=1; }
perf-wasm sched "$tmp/load.data" --view timehist --task ping >"$tmp/out" || bad=1
[ "$(wc -l <"$tmp/out")" -gt 100 ] || { echo "--view timehist has few lines"; bad=1; }
# these two share a CPU; ping and pong may have one each
perf-wasm sched "$tmp/load.data" --successors-of burn-a | grep -q burn-b ||
	{ echo "burn-b never ran after burn-a"; bad=1; }
printf 'p[io]ng,talker\n' >"$tmp/roles"
perf-wasm sched "$tmp/load.data" --map "$tmp/roles" --task '^talker$' | grep -q '^talker *2 ' ||
	{ echo "--map: there is no role of two tasks"; bad=1; }

# --- beside perf sched -----------------------------------------------------------------
# What a hidden task did to its neighbours perf tells otherwise; of three recordings
# one is to be the same in everything.
for go in 1 2 3; do
	recorded "$tmp/perf.data" sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_stat_runtime,sched:sched_migrate_task
	perf sched -i "$tmp/perf.data" latency -p >"$tmp/latency" 2>/dev/null
	perf sched -i "$tmp/perf.data" timehist -s >"$tmp/timehist" 2>/dev/null
	perf script -i "$tmp/perf.data" 2>/dev/null | grep sched_switch >"$tmp/script"
	perf-wasm sched "$tmp/perf.data" --view latency --append-tid --format json >"$tmp/latency.json" || bad=1
	python3 tests/real/sched-check.py perf "$tmp/latency" "$tmp/timehist" "$tmp/script" "$tmp/report" "$tmp/latency.json" && break
	[ "$go" = 3 ] && bad=1
done
exit "$bad"
