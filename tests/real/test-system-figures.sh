#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Under a known load (CPU, memory, disk, loopback, switches, processes) each
# family's figures are those of the load's own numbers and of /proc beside it.
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v gcc >/dev/null || { echo "gcc is not installed" && exit 77; }
# shellcheck source=tests/real/system-lib.bash
. tests/real/system-lib.bash
cd - >/dev/null || exit 2
gcc -O1 -D_GNU_SOURCE tests/real/system-load.c -o "$tmp/system-load" || exit 1
rooms=
for room in system pmu metrics report series; do
	rooms="$rooms $PW_BUILD/plugin/$room/room.a"
done
# shellcheck disable=SC2086 # a list of our own names
gcc -O1 -Iinclude tests/real/system-totals.c -o "$tmp/system-totals" \
	$rooms "$PW_BUILD/wasm/stats/room.a" "$PW_BUILD/wasm/base/room.a" \
	-lzstd -lxxhash -lz -ljansson -lsmartcols -lRmath -lmuparser -lpfm -linih -lm ||
	exit 1
check=$PWD/tests/real/system-check.py
cd "$tmp" || exit 1

# copy FOLDER: /proc as it is now, by the names that the load gives its copies.
copy()
{
	local file
	mkdir "$1"
	for file in /proc/{stat,softirqs,interrupts,vmstat,diskstats,schedstat} \
		/proc/net/{netstat,snmp,dev,softnet_stat} \
		/proc/pressure/{cpu,io,memory} \
		/sys/devices/system/node/node0/numastat; do
		[ ! -r "$file" ] || cat "$file" >"$1/$(tr / : <<<"${file#/}")" 2>/dev/null
	done
}

# The whole disk that this folder lies on, if it is one.
disk=$(df --output=source . | tail -n 1)
disk=${disk#/dev/}
grep -qw -- "$disk" /proc/diskstats || disk=

mkfifo hold
copy outer-before
mkdir inner-before inner-after
perf-wasm record -q --system --no-samples --task system-load \
	--interval 100ms -o capture 2>err &
recorder=$!
grows capture/system.series 2 || { cat err; exit 1; }
./system-load here inner-before inner-after <hold >told 2>&1 &
load=$!
exec 7>hold
for _ in $(seq 1200); do
	! grep -q '^done$' told || break
	kill -0 $load 2>/dev/null || break
	sleep 0.1
done
if ! grep -q '^done$' told; then
	cat told
	kill -INT $recorder
	grep -q 'Invalid argument' told || exit 1
	echo "the temporary folder's file system has no direct reads and writes"
	exit 77
fi
# what it did last is in a reading of its own
grows capture/system.series 2
kill -INT $recorder
wait $recorder || fail "the recorder: $(cat err)"
copy outer-after
exec 7>&-
wait $load
./system-totals capture >totals || exit 1
python3 "$check" totals . told "$disk" || bad=1
exit $bad
