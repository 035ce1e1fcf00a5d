#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A hunt killed at ten seeded moments, each time gone on with by the same
# command, finds what an undisturbed one finds and does nothing twice.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
need wasmtime@32.0.0 wasmtime@50.0.1
args=(--suspect wasmtime@32.0.0 --oracle wasmtime@50.0.1 --run-ms 20 --budget 150 "$cases/8571.slow.wasm")
finding="(f['func_idx'], f['insn_idx'], f['offset'], f['mutation'], f['witness'], sorted(code))"

hunt "$tmp/whole" "${args[@]}" || exit 1
expected=$(json "$finding")
units=$(wc -l <"$tmp/whole/journal")

# lines: units of work that the killed hunt has done.
lines()
{
	[ -f "$tmp/cut/journal" ] && wc -l <"$tmp/cut/journal" || echo 0
}

# The moments: when so many units are done, and a part of the next one.
RANDOM=7
kills=0
for goal in $(for _ in 1 2 3 4 5 6 7 8 9 10; do echo $((1 + RANDOM * (units - 20) / 32768)); done | sort -n); do
	"$pw" hunt --dir "$tmp/cut" "${args[@]}" >/dev/null 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null && [ "$(lines)" -lt "$goal" ]; do
		sleep 0.01
	done
	sleep 0.00$((RANDOM % 9 + 1))
	kill -9 $pid 2>/dev/null && kills=$((kills + 1))
	wait $pid 2>/dev/null
done
[ $kills -eq 10 ] || { echo "only $kills kills hit a hunt at work" && bad=1; }
hunt "$tmp/cut" "${args[@]}" || exit 1
found=$(json "$finding")
[ "$found" = "$expected" ] || {
	printf 'undisturbed: %s\nkilled:      %s\n' "$expected" "$found"
	bad=1
}
twice=$(cut -f1,2 "$tmp/cut/journal" | sort | uniq -d)
[ -z "$twice" ] || { echo "done twice: $twice" && bad=1; }
echo "$kills kills, $units units of work, $(wc -l <"$tmp/cut/journal") in the killed hunt: $found"
# A finished hunt has nothing left to do.
before=$(cat "$tmp/cut/journal")
hunt "$tmp/cut" "${args[@]}" || exit 1
[ "$before" = "$(cat "$tmp/cut/journal")" ] || { echo "a finished hunt does more" && bad=1; }
[ "$(json "$finding")" = "$expected" ] || { echo "and finds something else" && bad=1; }
exit "$bad"
