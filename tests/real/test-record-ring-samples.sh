#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# perf wasm record -a --system --ring keeps samples and the scheduler's figures of
# the last TIME, too: a program that was busy before is not in a capture, one that
# was within is; a killed one leaves pieces that can be read.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/system-lib.bash
. tests/real/system-lib.bash

skip()
{
	echo "$1"
	exit 77
}

perf record -q -a -e cpu-clock -o /dev/null true >/dev/null 2>&1 ||
	skip "perf may not sample all programs here"

# A load that is known by its name, and maps a dump as a runtime does.
cat >load.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char name[64];
	double s = atof(argv[1]);
	int fd = -1;

	if (argc > 2) {
		snprintf(name, sizeof(name), "jit-%d.dump", (int)getpid());
		fd = open(name, O_RDWR | O_CREAT, 0644);
		if (ftruncate(fd, 4096) ||
		    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
			    MAP_FAILED)
			return 1;
	}
	do {
		if (argc > 2)
			usleep(20000);
		for (volatile int i = 0; i < 10000000; i++)
			;
	} while (argc > 2 || (double)clock() / CLOCKS_PER_SEC < s);
	return 0;
}
C
gcc -O1 -o load load.c || exit 2
for name in pw-early pw-within pw-stays; do cp load $name; done

# newest DIR: the number of the newest piece that perf has ended; the names that
# perf gives them are longer.
newest()
{
	find "$1/ring" -name 'perf.data.*' -printf '%f\n' 2>/dev/null |
		sed -n 's/^perf\.data\.\([0-9]\{1,9\}\)$/\1/p' | sort -n | tail -n 1
}

# turns DIR N: it is N or later, at last.
turns()
{
	local n
	for _ in $(seq 1200); do
		n=$(newest "$1")
		[ "${n:-0}" -lt "$2" ] || return 0
		sleep 0.05
	done
	fail "the ring $1 does not turn to $2"
	return 1
}

# written FILE TEXT: a message that something is, at last.
written()
{
	for _ in $(seq 600); do
		! grep -qF -- "$2" "$1" || return 0
		sleep 0.05
	done
	fail "expected '$2' among:" "$(cat "$1")"
	return 1
}

# has COMMAND CAPTURE NAME, lacks COMMAND CAPTURE NAME
has()
{
	perf-wasm "$1" "$2" >told 2>&1 || fail "$1 $2: $(tail -n 3 told)"
	grep -qw -- "$3" told || fail "$1 $2 knows nothing of $3"
}
lacks()
{
	perf-wasm "$1" "$2" >told 2>&1 || fail "$1 $2: $(tail -n 3 told)"
	! grep -qw -- "$3" told || fail "$1 $2 tells of $3:" "$(grep -w -- "$3" told)"
}

# --- the last two seconds -------------------------------------------------------------
./pw-stays 0.1 and-maps-a-dump &
stays=$!
echo "1000 10 made_later" >"/tmp/perf-$stays.map"
perf-wasm record -a --system --ring 2s --interval 100ms -o ring 2>err &
recorder=$!
turns ring 1
./pw-early 0.4
# more pieces than the ring holds
turns ring $(($(newest ring) + 14))
./pw-within 0.4
kill -USR2 $recorder
written err 'SIGUSR2: what the ring held is in ring.1'
sched=sched
[ -e ring.1/sched.series ] || sched=report # BPF is not allowed here
for command in report $sched; do
	has "$command" ring.1 pw-within
	lacks "$command" ring.1 pw-early
done
# perf writes no times into pieces
of_time()
{
	perf-wasm report --format json --time "$1" ring.1 |
		/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["events"]["rows"][0]["samples"])'
}
all=$(of_time 0%-100%) early=$(of_time 0%-50%) late=$(of_time 50%-100%)
if [ "$early" -eq 0 ] || [ "$late" -eq 0 ] || [ $((early + late)) -ne "$all" ]; then
	fail "--time: $early and $late of $all samples"
fi
has system ring.1 cpu
perf-wasm compare ring.1 ring.1 >told 2>&1 || fail "compare: $(tail -n 3 told)"
perf-wasm export --to folded -o folded ring.1 2>told || fail "export: $(cat told)"
grep -q '^pw-within' folded || fail "pw-within is not in: $(cut -d ';' -f 1 folded | sort | uniq -c)"
grep -qx 'written	SIGUSR2' ring.1/facts || fail "facts: $(cat ring.1/facts)"
[ ! -e ring.1/ring ] || fail "ring.1 keeps pieces: $(ls ring.1/ring)"
# mapped before its first piece began
[ -e "ring.1/jit-$stays.dump" ] || fail "the dump is not in ring.1: $(ls ring.1)"
[ -e "ring.1/perf-$stays.map" ] || fail "the map is not in ring.1: $(ls ring.1)"
[ -s ring.1/kallsyms ] || fail "no kallsyms in ring.1"
n=0
for piece in ring.1/perf.data.*; do
	n=$((n + 1))
	perf report --stdio -i "$piece" >told 2>&1 || fail "perf reads no $piece: $(head -n 3 told)"
	cat told >>all
done
grep -qw pw-within all || fail "perf finds pw-within in no piece"
# a busy machine makes fewer
if [ $n -lt 3 ] || [ $n -gt 13 ]; then fail "ring.1 has $n pieces"; fi
n=$(find ring/ring -name 'perf.data.*' | wc -l)
[ "$n" -le 13 ] || fail "the ring has $n pieces"

# --- many captures, and the end ---------------------------------------------------------
for i in $(seq 2 100); do
	kill -USR2 $recorder
	written err "SIGUSR2: what the ring held is in ring.$i" || break
done
for i in 2 100; do
	[ ring.$i/kallsyms -ef ring.1/kallsyms ] || fail "ring.$i has a kallsyms of its own"
	[ -e "ring.$i/jit-$stays.dump" ] || fail "the dump is not in ring.$i: $(ls ring.$i)"
	has report ring.$i pw-stays
done
kill -USR2 $recorder
written err '100 captures were written'
kill -INT $recorder
wait $recorder
[ ! -e ring.101 ] || fail "there is one capture more than there may be"
has report ring pw-stays
[ ! -e ring/ring ] || fail "ring keeps pieces: $(ls ring/ring)"
[ -e ring.100 ] || fail "$(ls)"
kill $stays
[ -e "ring/jit-$stays.dump" ] || fail "the dump is not in ring: $(ls ring)"
rm -f "/tmp/perf-$stays.map"

# --- what is asked for just before the end -----------------------------------------------
perf-wasm record -q -a --no-samples --bpf --system --ring 2s --interval 100ms -o last 2>err &
recorder=$!
for _ in $(seq 400); do
	[ ! -e last/ring/3.series ] || break
	sleep 0.05
done
kill -USR2 $recorder
kill -INT $recorder
wait $recorder
[ -e last.1/system.series ] || fail "what was asked for just before the end is not there"
[ ! -e last.1/ring ] || fail "last.1 keeps pieces: $(ls last.1/ring)"

# --- perf's own events of the scheduler: each of them, and samples 99 times a second -----
perf-wasm record -q -a --sched --system --ring 4s --interval 100ms -o events 2>err &
recorder=$!
turns events 2
for _ in $(seq 300); do sleep 0.001; done
kill -USR2 $recorder
for _ in $(seq 400); do
	[ ! -e events.1/kallsyms ] || break
	sleep 0.05
done
kill -INT $recorder
wait $recorder
if grep -q 'sched:sched_switch' events.1/facts; then
	for piece in events.1/perf.data.*; do
		perf evlist -F -i "$piece" >told 2>&1
		grep -q '^sched:sched_switch: sample_period=1$' told || fail "not each switch is in $piece: $(cat told)"
		grep -q ': sample_freq=99$' told || fail "$piece is not of 99 samples a second: $(cat told)"
	done
	has sched events.1 sleep
fi

# --- perf is killed: what it wrote last is there -------------------------------------------
perf-wasm record -q -a --system --ring 60s --interval 100ms -o left 2>err &
recorder=$!
turns left 1
last=$(newest left)
perf=$(pgrep -P $recorder -f 'perf record')
kill -9 "$perf"
wait $recorder 2>/dev/null
perf-wasm report left >told 2>&1 || fail "report left: $(tail -n 3 told)"
[ -s "left/perf.data.$((last + 1))" ] || fail "behind piece $last there is nothing: $(ls left)"
[ ! -e left/ring ] || fail "left keeps pieces: $(ls left/ring)"

# --- killed ----------------------------------------------------------------------------------
perf-wasm record -q -a --system --ring 4s --interval 100ms -o killed -- \
	sh -c './pw-within 0.4; echo $$ >shell; exec sleep 1000' 2>err &
recorder=$!
for _ in $(seq 400); do
	[ ! -s shell ] || break
	sleep 0.05
done
turns killed $(($(newest killed) + 2))
perf=$(pgrep -P $recorder -f 'perf record')
kill -9 $recorder
wait $recorder 2>/dev/null
ended "$perf" || fail "perf goes on without us"
kill "$(cat shell)" || fail "the command has ended with us"
for command in report $sched; do
	has "$command" killed pw-within
done

exit "$bad"
