#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# perf wasm record drives the real perf: with a runtime of ours, with a
# command whose runtime it knows, and with one that it does not; what it keeps
# is enough for perf wasm report.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash
guests=$root/tests/data/guests
cache=${XDG_CACHE_HOME:-$HOME/.cache}/perf-wasm/runtimes
need wasmtime@50.0.1

# has DIR NAME...: these files are in a capture.
has()
{
	local dir=$1 name
	shift
	for name; do
		compgen -G "$dir/$name" >/dev/null ||
			fail "$dir lacks $name: $(ls "$dir")"
	done
}

# says FILE TEXT: one of the messages holds it.
says()
{
	grep -qF -- "$2" "$1" || fail "expected '$2' among:" "$(cat "$1")"
}

# --- a runtime of ours -----------------------------------------------------------
perf-wasm record --runtime wasmtime@50.0.1 hot.wasm 2>err || fail "$(cat err)"
has perf-wasm.data perf.data facts hot.wasm hot.wasm.elf 'jit-*.dump'
compgen -G 'jit-*' >/dev/null && fail "a jitdump lies outside of the capture"
cmp hot.wasm perf-wasm.data/hot.wasm || bad=1
report perf-wasm.data
holds report.json '0.4 < fn("heavy", kind="wasm", module="hot.wasm") < 0.95'
holds report.json '0.02 < fn("work") < fn("heavy")'
holds report.json 'r["wasm_opcodes"]["rows"][0]["opcode"].startswith("f64.")'
holds report.json 'any(t["wasm"] for t in r["tasks"]["rows"])'
report --wasm-only --sort module perf-wasm.data
holds report.json '[f["module"] for f in r["functions"]["rows"]] == ["hot.wasm"]'
report --task no-such-task perf-wasm.data
holds report.json 'not r["functions"]["rows"]'
report --time 0,1 perf-wasm.data
holds report.json 'not r["functions"]["rows"]'
report --time 0%-50% perf-wasm.data
holds report.json '0 < r["events"]["rows"][0]["left_out"]'

# --- a module of another folder, with sightglass's marks -----------------------------
mkdir marks
printf '(module (import "bench" "start" (func)) (func (export "_start") call 0))' |
	wat2wasm - -o marks/marked.wasm || fail "wat2wasm failed"
perf-wasm record --dir marked --runtime wasmtime@50.0.1 marks/marked.wasm \
	>/dev/null 2>err || fail "$(cat err)"
grep -q 'did not run' err && fail "$(cat err)"

# --- what the capture lacks, made anew --------------------------------------------
rm perf-wasm.data/hot.wasm.elf
report perf-wasm.data
holds report.json 'r["wasm_opcodes"]["rows"][0]["opcode"].startswith("(")'
report --runtime wasmtime@50.0.1 --provenance perf-wasm.data
holds report.json 'r["wasm_opcodes"]["rows"][0]["opcode"].startswith("f64.")'

perf-wasm annotate --runtime wasmtime@50.0.1 heavy >listing || bad=1
grep -q 'f64\.convert' listing || fail "no wasm beside the machine code:" "$(cat listing)"
perf-wasm annotate --runtime wasmtime@50.0.1 f2 | cmp - listing || fail "f2 is not heavy"
perf-wasm annotate haevy 2>err && bad=1
grep -q "; did you mean 'heavy'?" err || fail "no near function:" "$(cat err)"

perf-wasm record -q --sched --runtime wasmtime@50.0.1 hot.wasm || bad=1
has perf-wasm.data.old perf.data
report perf-wasm.data
holds report.json 'bool(r["off_cpu"]["rows"])'

# --- beside a recording of the whole machine --------------------------------------------
# That one sees our jitdump, too, and may not take it away: neither that of a
# stranger, nor out of the capture of a recording that it started.
if perf record -q -a -e cpu-clock:u -o /dev/null true >/dev/null 2>&1; then
	# the command of a recording begins when all is recorded
	perf-wasm record -q -a --dir all -- sh -c \
		'echo >begun; while [ ! -e over ]; do sleep 0.1; done' 2>err &
	wide=$!
	until [ -e begun ] || ! kill -0 $wide; do
		sleep 0.1
	done
	mkdir stranger
	printf 'run\tid=1\tmodule=%s\tinvoke=_start\tjitdump_dir=%s\n' \
		"$tmp/hot.wasm" "$tmp/stranger" |
		perf record -q -k mono -e cpu-clock -o stranger/perf.data -- \
			"$PW_BUILD/libexec/perf-wasm/host-wasmtime" \
			"$cache/wasmtime@50.0.1/libwasmtime.so" >/dev/null 2>err ||
		fail "$(cat err)"
	echo >over
	wait $wide || fail "$(cat err)"
	perf-wasm record -q -a --dir outer -- \
		perf-wasm record -q --dir inner --runtime wasmtime@50.0.1 hot.wasm || bad=1
	for pair in all:stranger outer:inner; do
		has "${pair%:*}" 'jit-*.dump'
		has "${pair#*:}" 'jit-*.dump'
		for dir in "${pair%:*}" "${pair#*:}"; do
			report --wasm hot.wasm "$dir/perf.data"
			holds report.json 'fn("heavy", kind="wasm") > 0'
		done
	done
else
	echo "the whole machine may not be recorded here: a part is left out"
fi

# Dumps that are removed, as tests do, are told in one note.
for n in 1 3; do
	perf-wasm record --dir gone -- python3 -c 'import mmap, os, sys
for i in range(int(sys.argv[1])):
    name = f"jit-{i}.dump"
    with open(name, "wb+") as f:
        f.write(bytes(4096))
        f.flush()
        mmap.mmap(f.fileno(), 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)
    os.remove(name)' $n >/dev/null 2>err
	[ "$(grep -c 'not there any more' err)" = 1 ] ||
		fail "$n dumps that are gone:" "$(cat err)"
done
says err '3 jitdumps ('

# --- the guest's output and exit status ---------------------------------------------
wat2wasm "$guests/exits.wat" -o exits.wasm
wat2wasm "$guests/hello.wat" -o hello.wasm
perf-wasm record -q --runtime wasmtime@50.0.1 exits.wasm --dir x
[ $? = 7 ] || fail "the guest's exit status is lost"
for how in file pipe; do
	if [ $how = pipe ]; then
		perf-wasm record -q --dir x --runtime wasmtime@50.0.1 hello.wasm | cat >out
	else
		perf-wasm record -q --dir x --runtime wasmtime@50.0.1 hello.wasm >out
	fi
	[ "$(cat out)" = hello ] || fail "output to a $how: $(cat out)"
done

# A part of the kernel's symbols would be taken for all of them.
if [ -s x/kallsyms ]; then
	(trap '' XFSZ && ulimit -f 2000 &&
		perf-wasm record --dir cut --runtime wasmtime@50.0.1 hello.wasm) >out 2>err
	says err "symbols were not copied (File too large)"
	[ ! -e cut/kallsyms ] || fail "a part of the kernel's symbols was kept"
fi

# --- commands ------------------------------------------------------------------------
perf-wasm record --dir x -- sh -c 'exit 7' 2>err
[ $? = 7 ] || fail "the command's exit status is lost"
says err "no jitdump flag is known for 'sh'"
perf-wasm record --dir x -- ./no-such-command 2>err && fail "it cannot be run"
perf-wasm record --dir x -e no-such-event true 2>err && fail "it cannot be recorded"
says err "perf record wrote nothing"

# Golden tests show the flags of all runtimes; this one shows that they arrive.
printf '#!/bin/sh\necho "$@"\n' >wasmtime
chmod +x wasmtime
got=$(perf-wasm record --dir x -- ./wasmtime run a.wasm b 2>err)
[ "$got" = 'run --profile=jitdump a.wasm b' ] || fail "the runtime got: $got"
says err "added for the machine code of ./wasmtime: --profile=jitdump"

# --- Ctrl-C --------------------------------------------------------------------------
# In a session of its own, as a shell's foreground job: not ignored.
python3 - <<'EOP' || fail "Ctrl-C: see above"
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
p = subprocess.Popen(["perf-wasm", "record", "--dir", "ctrl", "--", "sleep", "60"],
                     start_new_session=True, stderr=subprocess.PIPE, text=True)
while not os.path.exists("ctrl/perf.data") or not os.path.getsize("ctrl/perf.data"):
    time.sleep(0.05)
time.sleep(0.5)
os.killpg(p.pid, signal.SIGINT)
err = p.communicate()[1]
if p.returncode >= 0 or "the capture is in ctrl" not in err:
    print(p.returncode, err)
    sys.exit(1)
EOP
has ctrl perf.data facts
report ctrl

# --- a perf map, and a module that is not named -----------------------------------------
cat >mapped <<'EOS'
#!/bin/sh
echo "1000 10 made-up" >/tmp/perf-$$.map
echo $$ >pid
EOS
chmod +x mapped
perf-wasm record -q --dir map --module hot.wasm -- ./mapped
has map "perf-$(cat pid).map" hot.wasm
rm -f "/tmp/perf-$(cat pid).map"

# --- a user without rights ------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && chmod 711 "$tmp" && mkdir nobody && chmod 777 nobody &&
	as_nobody="setpriv --reuid 65534 --regid 65534 --clear-groups" &&
	(cd nobody && $as_nobody perf-wasm version >/dev/null 2>&1) &&
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
	(cd nobody && $as_nobody perf-wasm record --sched -- sh -c 'ls / >/dev/null') 2>err ||
		fail "$(cat err)"
	says err "the kernel is not sampled"
	says err "switches are recorded without their reason"
	has nobody/perf-wasm.data perf.data facts
fi
exit $bad
