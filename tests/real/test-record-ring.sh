#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# perf wasm record --ring keeps the last TIME on a constant part of the disk;
# SIGUSR2 and triggers write captures while it goes on; what a killed one leaves
# can be read.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/system-lib.bash
. tests/real/system-lib.bash

# Ten packets through the loopback of this network of our own.
cat >net.py <<'PY'
import fcntl, socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[1] == "up":  # SIOCSIFFLAGS, IFF_UP
    fcntl.ioctl(s, 0x8914, struct.pack("16sH14s", b"lo", 1, b""))
else:
    for _ in range(10):
        s.sendto(b"x" * 100, ("127.0.0.1", 9))
PY

# span FILE: seconds from the first to the last readout.
span()
{
	"$tmp/series-print" "$1" | awk '/^[0-9]/ { if (!n++) a = $1; b = $1 }
		END { printf "%.3f\n", (b - a) / 1e9 }'
}

# pieces: how many there are, from the oldest to the newest.
pieces()
{
	find "$1/ring" -name '*.series' 2>/dev/null | wc -l
}

# until N FILE: it is there, at last.
appears()
{
	for _ in $(seq 400); do
		[ ! -e "$1" ] || return 0
		sleep 0.05
	done
	fail "$1 does not appear: $(cat err)"
	return 1
}

# The newest piece of a ring has this number or a later one, at last: a piece is
# not there for long.
turns()
{
	local newest
	for _ in $(seq 800); do
		newest=$(find "$1/ring" -name '*.series' -printf '%f\n' 2>/dev/null |
			sed 's/\.series$//' | sort -n | tail -n 1)
		[ "${newest:-0}" -lt "$2" ] || return 0
		sleep 0.025
	done
	fail "the ring $1 does not turn"
	return 1
}

# --- of what is not there, which is told after a while -----------------------------------
perf-wasm record --system --ring 10m --interval 500ms --period 17s -o absent \
	--trigger 'net.rx_bytes[nosuch] > 1K' --trigger 'cpu.busy > 200%' 2>absent.err &
absent=$!

# --- the last second -----------------------------------------------------------------
perf-wasm record --system --ring 1s --interval 10ms -o ring 2>err &
recorder=$!
turns ring 20
most=$(pieces ring)
before=$(awk '/^VmHWM:/ { print $2 }' /proc/$recorder/status)
full=$(du -sk ring | cut -f 1)
kill -USR2 $recorder
appears ring.1/system.series
turns ring 60
[ "$most" -le 11 ] || fail "the ring has $most pieces"
[ "$(pieces ring)" -le 11 ] || fail "the ring has $(pieces ring) pieces"
now=$(du -sk ring | cut -f 1)
[ "$now" -le $((2 * full)) ] || fail "the ring grew from $full to $now KiB"
resident=$(awk '/^VmHWM:/ { print $2 }' /proc/$recorder/status)
[ "$resident" -le $((before + 512)) ] || fail "the recorder grew from $before to $resident KiB"
kill -INT $recorder
wait $recorder || fail "a ring that was interrupted is a failure: $(cat err)"
says err 'SIGUSR2: what the ring held is in ring.1'
for dir in ring ring.1; do
	case $(readouts $dir/system.series) in
	*' whole') ;;
	*) fail "$dir: $(readouts $dir/system.series)" ;;
	esac
	[ ! -e $dir/ring ] || fail "$dir keeps its pieces: $(ls $dir)"
	# a second, an eighth of it, and what came late
	awk -v s="$(span $dir/system.series)" 'BEGIN { exit !(s > 0.9 && s < 4) }' ||
		fail "$dir spans $(span $dir/system.series) s"
done
grep -qx 'written	SIGUSR2' ring.1/facts || fail "facts: $(cat ring.1/facts)"

# --- Ctrl-C while a capture is written ----------------------------------------------------
# It is for all that a terminal runs; at a writer when one is seen.
cat >ctrl-c.py <<'PY'
import os, signal, subprocess, sys, time
p = subprocess.Popen(sys.argv[1:], start_new_session=True)
while p.poll() is None and not os.path.exists("ended/ring/3.series"):
    time.sleep(0.05)
program = os.readlink(f"/proc/{p.pid}/exe")
known = set(os.listdir("/proc"))
os.kill(p.pid, signal.SIGUSR2)
end = time.time() + 10
while time.time() < end:
    for pid in set(filter(str.isdigit, os.listdir("/proc"))) - known:
        try:
            with open(f"/proc/{pid}/stat") as stat:
                parent = int(stat.read().rsplit(")", 1)[1].split()[1])
            if parent == p.pid and os.readlink(f"/proc/{pid}/exe") == program:
                end = 0
        except OSError:
            pass
    if os.path.exists("ended.1/system.series"):
        end = 0
os.killpg(p.pid, signal.SIGINT)
p.wait()
PY
python3 ctrl-c.py perf-wasm record --system --ring 10s --interval 10ms -o ended/ 2>err
says err 'SIGUSR2: what the ring held is in ended.1'
for dir in ended ended.1; do
	case $(readouts $dir/system.series) in
	*' whole') ;;
	*) fail "$dir: $(readouts $dir/system.series)" ;;
	esac
	[ ! -e $dir/ring ] || fail "$dir keeps its pieces: $(ls $dir)"
done
perf-wasm record -q --system --ring 1s --period 100ms -o ended/ 2>err || fail "$(cat err)"
[ -e ended.old/system.series ] || fail "ended/ is not ended: $(ls -d ended*)"

# --- a full disk: what is there can be read ---------------------------------------------------
if unshare -rm true 2>/dev/null; then
	cat >small.sh <<-'SH'
		mount -t tmpfs -o size=1m none small && cd small || exit 1
		perf-wasm record --system --ring 10s --interval 10ms -o d 2>../err &
		until [ -e d/ring/2.series ] || ! kill -0 $!; do sleep 0.05; done
		dd if=/dev/zero of=fill bs=4k 2>/dev/null
		kill -USR2 $! # may have ended
		wait $! && echo 'a full disk is no failure'
		[ ! -e d/system.series ] || echo 'a part of it is taken for the whole'
		perf-wasm system d >told 2>&1 || cat told
	SH
	mkdir small
	unshare -rm sh small.sh >told 2>/dev/null || fail "no small disk"
	[ ! -s told ] || fail "$(cat told)" "$(cat err)"
	says err 'they stay in d/ring'
fi

# --- triggers ---------------------------------------------------------------------------
if unshare -rn true 2>/dev/null; then
	cat >in-net <<-'SH'
		python3 net.py up
		perf-wasm record --system --ring 10m --interval 50ms -o quiet \
			--trigger 'net.tx_packets[lo] > 1' --trigger 'net.tx_bytes[lo] < 0' 2>err &
		echo $! >recorder
		wait $!
	SH
	cat >burst.sh <<-'SH'
		# enters the network of the recorder
		nsenter --preserve-credentials -U -n -t "$(cat recorder)" python3 net.py send
	SH
	unshare -rn sh in-net &
	outer=$!
	appears quiet/ring/1.series
	grows quiet/ring/1.series 3
	[ ! -e quiet.1 ] || fail "nothing happened, and a capture was written: $(cat err)"
	sh burst.sh || fail "no packets were sent"
	appears quiet.1/system.series
	grows quiet/ring/1.series 5
	n=$(find . -maxdepth 1 -name 'quiet.*' | wc -l)
	[ "$n" -le 2 ] || fail "one burst wrote $n captures"
	sh burst.sh
	appears "quiet.$((n + 1))/system.series"
	kill -INT "$(cat recorder)"
	wait $outer || fail "quiet fails: $(cat err)"
	grep -q '^written	net.tx_packets\[lo\] > 1$' quiet.1/facts || fail "facts: $(cat quiet.1/facts)"
	grep -q 'tx_bytes' quiet.*/facts && fail "what never holds fired"
fi

# --- for how long ---------------------------------------------------------------------------
for time in 1h 20ms; do
	perf-wasm record -q --system --ring 10m --interval 10ms --trigger 'tasks.processes > 0' \
		--trigger-for $time -o "for-$time" 2>err &
	recorder=$!
	grows "for-$time/ring/1.series" 8
	[ $time = 1h ] || appears for-20ms.1/system.series
	kill $recorder
	wait $recorder || fail "for $time: $(cat err)"
done
[ ! -e for-1h.1 ] || fail "an hour has not passed: $(cat for-1h.1/facts)"

# --- killed ----------------------------------------------------------------------------------
perf-wasm record -q --system --ring 1s --interval 10ms -o killed 2>err &
recorder=$!
turns killed 12
kill -9 $recorder
wait $recorder 2>/dev/null
[ ! -e killed/system.series ] || fail "there is a whole capture already"
perf-wasm compare --format=json killed killed >json 2>err || fail "what a killed ring left: $(cat err)"
python3 - <<'PY' || bad=1
import json, sys
for side in json.load(open("json"))["sides"]["rows"]:
    if not 0.9e9 < side["span"] < 4e9:
        sys.exit(f"what a killed ring left spans {side['span']} ns")
PY

# --- what is not there, at last ---------------------------------------------------------
wait $absent || fail "absent fails: $(cat absent.err)"
says absent.err 'net.rx_bytes[nosuch] > 1K: there is no such figure yet'
[ "$(grep -c 'no such figure' absent.err)" = 1 ] || fail "more are not there: $(cat absent.err)"

exit "$bad"
