#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# perf wasm record --system: while a command runs, for a time, until a signal;
# its recorder is one small process; killed at any moment it leaves what it has
# read; a full disk is told and what was written before can be read; it does not
# outlive the one that started it.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/system-lib.bash
. tests/real/system-lib.bash
record="perf-wasm record -q --system --no-samples"

# --- its ends ----------------------------------------------------------------------
$record -o command -- sh -c 'echo out; exit 7' >out 2>err
[ $? = 7 ] || fail "the command's exit status is lost: $(cat err)"
[ "$(cat out)" = out ] || fail "the command's output is lost"
[ ! -s err ] || fail "a quiet record says: $(cat err)"
case $(readouts command/system.series) in
*' whole') ;;
*) fail "command: $(readouts command/system.series)" ;;
esac
grep -qx 'status	7' command/facts || fail "facts: $(cat command/facts)"
$record --skip-sources pmu,slab,pmu --period 50ms -o fewer 2>err || fail "skipped: $(cat err)"
$record --sources stat,pmu --period 50ms -o few 2>err || fail "chosen: $(cat err)"
[ "$(size few/system.series)" -lt "$(size fewer/system.series)" ] || fail "--sources reads all"
[ ! -e command/perf.data ] || fail "--no-samples took samples"

$record -o signal -- sh -c 'kill -TERM $$'
[ $? = 143 ] || fail "a command that was ended by a signal is not told so"

PATH=$PW_BUILD/bin $record --interval 10ms --period 300ms -o period 2>err ||
	fail "without perf: $(cat err)"
case $(readouts period/system.series) in
[2-9]*' whole' | 1?*' whole') ;;
*) fail "period: $(readouts period/system.series)" ;;
esac
PATH=$PW_BUILD/bin perf-wasm record -a --system --no-sched --period 100ms -o wide 2>err ||
	fail "-a without perf: $(cat err)"
says err 'no samples are taken'
$record --period 100ms -o long -- sleep 1000 ||
	fail "a command that --period ended makes a failure"

sleep 1000 &
target=$!
$record -p $target --interval 10ms -o process &
recorder=$!
grows process/system.series 3
kill $target
wait $target 2>/dev/null
wait $recorder || fail "it fails when its process ends"

$record --interval 10ms -o interrupted &
recorder=$!
grows interrupted/system.series 3
kill -INT $recorder
wait $recorder || fail "SIGINT makes a failure"
case $(readouts interrupted/system.series) in
*' whole') ;;
*) fail "interrupted: $(readouts interrupted/system.series)" ;;
esac

# --- one small process ---------------------------------------------------------------
$record --interval 10ms -o small &
recorder=$!
grows small/system.series 10
[ -z "$(pgrep -P $recorder)" ] || fail "it has children: $(pgrep -lP $recorder)"
resident=$(awk '/^VmHWM:/ { print $2 }' /proc/$recorder/status)
[ "$resident" -le 8192 ] || fail "$resident KiB are resident"
kill $recorder
wait $recorder

# --- killed ----------------------------------------------------------------------------
for i in $(seq 20); do
	rm -rf killed killed.old
	$record --interval 10ms -o killed &
	recorder=$!
	seen=$((RANDOM % 8 + 1))
	grows killed/system.series $seen
	# and at any moment of the next intervals
	sleep "0.0$((RANDOM % 30 + 10))"
	kill -9 $recorder
	wait $recorder 2>/dev/null
	found=$(readouts killed/system.series)
	case $found in
	# what a file is comes first, and is no readout
	*' cut') [ "${found% cut}" -ge $((seen - 1)) ] || fail "killed, $i: $found, seen $seen" ;;
	*) fail "killed, $i: $found" ;;
	esac
done

# --- nowhere to write ---------------------------------------------------------------------
full()
{
	says err 'cannot write'
	says err 'perf wasm'
	local found
	found=$(readouts "$1/system.series")
	case $found in
	*' cut' | *' whole') [ "${found%% *}" -ge 1 ] || fail "$1: $found" ;;
	*) fail "$1: $found" ;;
	esac
}
(
	ulimit -f 48
	exec $record --interval 10ms --period 120s -o limited
) 2>err
[ $? = 1 ] || fail "a file that may not grow is no failure"
full limited
# a command goes on
cat >waits <<'SH'
#!/bin/sh
until grep -q 'cannot write' err; do sleep 0.05; done
echo ended >&3
SH
chmod +x waits
(
	ulimit -f 48
	exec $record --interval 10ms -o limited -- ./waits
) 3>out 2>err
[ $? = 1 ] || fail "what is missing at the command's end is no failure: $(cat err)"
[ "$(cat out)" = ended ] || fail "the command was ended: $(cat err)"

mkdir disk
if unshare -rm true 2>/dev/null; then
	unshare -rm sh -c "mount -t tmpfs -o size=128k none disk &&
		{ $record --interval 10ms --period 120s -o disk/full; echo \$? >status
		cp -r disk/full full; }" 2>err
	[ "$(cat status)" = 1 ] || fail "a full disk is no failure: $(cat err)"
	says err 'No space left'
	full full
fi

# --- beside perf ------------------------------------------------------------------------------
if command -v perf >/dev/null && perf record -q -e cpu-clock:u -o /dev/null true >/dev/null 2>&1; then
	perf-wasm record -q --system --no-sched -a --interval 10ms --period 500ms -o wide 2>err ||
		fail "with samples: $(cat err)"
	[ -s wide/perf.data ] || fail "no samples: $(ls wide)"
	case $(readouts wide/system.series) in
	*' whole') ;;
	*) fail "wide: $(readouts wide/system.series)" ;;
	esac

	# the one that drives it dies, and with it all that records
	perf-wasm record -q -a --system --interval 10ms -o orphan 2>err &
	parent=$!
	grows orphan/system.series 3
	mapfile -t children < <(pgrep -P $parent)
	[ ${#children[@]} = 2 ] || fail "it has ${#children[@]} children: $(pgrep -lP $parent)"
	kill -9 $parent
	wait $parent 2>/dev/null
	for child in "${children[@]}"; do
		ended "$child" || fail "$child outlives who started it"
	done
	case $(readouts orphan/system.series) in
	*' whole') ;;
	*) fail "orphan: $(readouts orphan/system.series)" ;;
	esac

	# the recorder dies, and then the command ends
	perf-wasm record --system --interval 10ms -o alone -- \
		sh -c 'until [ -e dead ]; do sleep 0.05; done' 2>err &
	parent=$!
	grows alone/system.series 3
	kill -9 "$(pgrep -P $parent -f system-recorder)"
	echo >dead
	wait $parent
	[ $? = 1 ] || fail "a recorder that died is no failure"
	says err 'ended by signal 9'
	grep -q '^note	the recorder.*signal 9' alone/facts || fail "facts: $(cat alone/facts)"
fi

exit "$bad"
