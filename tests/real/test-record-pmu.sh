#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# perf wasm record --system says what it counts, with and without a PMU; the
# kernel's software events agree with what /proc tells around the recording and
# around the load in it; a user's metrics are counted, and what is wrong in the
# file is told.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/system-lib.bash
. tests/real/system-lib.bash
record="perf-wasm record --system --no-samples --no-sched"

# A load of many page faults and switches.
cat >load <<'EOF'
cat /proc/vmstat /proc/stat >begun
for i in 1 2 3; do head -c 200M /dev/zero | tail -c 1 >/dev/null; done
i=0
while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done
cat /proc/vmstat /proc/stat >ended
EOF

cat >own.conf <<'EOF'
[event all_faults]
code = software/page-faults/
[metric faults]
formula = all_faults / seconds
better = less
about = Page faults a second of a CPU.
[metric never]
formula = all_faults / (minor_faults - minor_faults)
[metric elsewhere]
formula = other / all_faults
[event other]
code = no_such_pmu/event=1/
EOF

cat /proc/vmstat /proc/stat >before
$record --pmu-config own.conf --interval 50ms -o cap -- sh load >out 2>err ||
	fail "it fails: $(cat err)"
cat /proc/vmstat /proc/stat >after
[ "$(grep -cE '(hardware counters of .* metrics?,|no hardware counters here \()' err)" = 1 ] ||
	fail "what is counted is not told in one line: $(cat err)"

# total FAMILY METRIC: its growth, of all instances.
total()
{
	perf-wasm system cap --metric "$1.$2" --format json |
		grep -o '"total":[0-9.]*' | cut -d: -f2 |
		awk '{ s += $1 } END { printf "%d\n", s }'
}

# grown NAME FROM TO: by two of those copies.
grown()
{
	awk -v name="$1" '$1 == name { n = $2 - n } END { print n }' "$2" "$3"
}

# alike WHAT EVENTS NAME: many, at least what /proc counted meanwhile in the load
# (a fifth less, as some faults of the kernel's own are no events), and not more
# than around the recording. The machine may do what it likes between.
alike()
{
	local within around
	within=$(grown "$3" begun ended) around=$(grown "$3" before after)
	awk -v n="$2" -v within="$within" -v around="$around" \
		'BEGIN { exit !(within > 1000 && n > within * 0.8 && n < around * 1.05) }' ||
		fail "$1: the events say $2, /proc says $within in the load, $around around it"
}

if grep -q 'no software events' err; then
	echo "the kernel counts no software events here: $(cat err)"
	exit 77
fi
alike "page faults" \
	$(($(total software minor_faults) + $(total software major_faults))) pgfault
alike "context switches" "$(total software context_switches)" ctxt

# --- the user's own ----------------------------------------------------------------
perf-wasm system cap --metric pmu.faults >text || fail "metric faults is not there"
grep -q 'Page faults a second of a CPU.' text || fail "$(cat text)"
grep -qE '^faults +all ' text || fail "no figure of all CPUs: $(cat text)"
! perf-wasm system cap --metric pmu.never 2>/dev/null | grep -q '^never' ||
	fail "what is divided by zero is a number"
perf-wasm system cap --metric pmu.elsewhere >text 2>&1
! grep -q '^elsewhere' text || fail "an event of a PMU that is not here: $(cat text)"

# wrong LINE TEXT WANTED: a file that is refused before anything is recorded
wrong()
{
	printf '%b' "$1" >wrong.conf
	$record --period 100ms --pmu-config wrong.conf -o refused >out 2>err &&
		fail "a wrong file is taken: $1"
	grep -qF "$2" err || fail "wanted \"$2\", it said: $(cat err)"
	[ ! -e refused/system.series ] || fail "it recorded all the same: $1"
}
wrong '[metric m]\nformula = context_switchs / time\n' 'did you mean "context_switches"?'
wrong '[metric m]\nformula = (context_switches / time\n' 'line 2'
wrong '[event e]\ncode = software/cpu-clok/\n[metric m]\nformula = e / time\n' 'did you mean "cpu-clock"?'
wrong '{ "events": 3 }' 'line 1'

# --- the list -------------------------------------------------------------------------
$record --pmu-config help >text || fail "--pmu-config help fails"
grep -qF 'ipc = instructions / cycles' text || fail "help lists no metrics: $(cat text)"
[ $bad = 0 ] && echo "software events are those of /proc; $(head -n 1 text)"
exit $bad
