#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the tests of host programs: speaks the line protocol with one
# and compares outcomes. Knows no runtime.

# shellcheck disable=SC2034 # used by those who source it
guests=$(dirname "${BASH_SOURCE[0]}")/../data/guests
tmp=$(mktemp -d) || exit 2
trap '[ -z "$host_pid" ] || kill "$host_pid" 2>/dev/null; rm -rf "$tmp"' EXIT
host_pid=
bad=0
n_asked=0
# What a host program has when it ends is the system's to take back.
export ASAN_OPTIONS=detect_leaks=0
bounds=$'\tcpu_limit_ns=20000000000\twall_limit_ns=60000000000\tmemory_limit_bytes=1000000000'

# A test that lost its host must fail, not wait for it.
trap '' PIPE

# start COMMAND...: leaves the greeting in $greeting.
start()
{
	host_command=("$@")
	rm -f "$tmp/to" "$tmp/from"
	mkfifo "$tmp/to" "$tmp/from" || exit 2
	"$@" <"$tmp/to" >"$tmp/from" 2>"$tmp/stderr" &
	host_pid=$!
	exec 8>"$tmp/to" 9<"$tmp/from"
	greeting=
	IFS= read -r -t 120 greeting <&9
	case $greeting in ready*) return 0 ;; esac
	echo "no greeting but: $greeting"
	cat "$tmp/stderr"
	exit 1
}

stop()
{
	exec 8>&- 9<&-
	{ wait "$host_pid"; } 2>/dev/null # bash would tell of signals
	host_pid=
}

# talk LINE: its answer. A host may die; its caller starts another.
talk()
{
	answer=
	printf '%s\n' "$1" >&8
	IFS= read -r -t 120 answer <&9 && return
	stop
	start "${host_command[@]}"
	printf '%s\n' "$1" >&8
	IFS= read -r -t 120 answer <&9
}

# ask [FIELD...]: sends a run request, leaves the answer in $answer.
ask()
{
	local f line
	n_asked=$((n_asked + 1))
	line="run"$'\t'"id=$n_asked"
	for f; do line+=$'\t'$f; done
	talk "$line" 2>/dev/null
	case $answer in
	"done"$'\t'"id=$n_asked"$'\t'*) return ;;
	esac
	echo "asked: $line"
	echo "expected an answer to $n_asked, found: $answer"
	exit 1
}

# field NAME: of the last answer, percent-decoded.
field()
{
	local v=$'\t'$answer
	case $v in *$'\t'"$1="*) ;; *) return ;; esac
	v=${v#*$'\t'"$1="} v=${v%%$'\t'*}
	v=${v//\\/\\\\}
	printf '%b' "${v//%/\\x}"
}

# wat NAME: its module.
wat()
{
	[ -e "$tmp/$1.wasm" ] ||
		wat2wasm --debug-names -o "$tmp/$1.wasm" "$guests/$1.wat" || exit 2
	printf '%s/%s.wasm' "$tmp" "$1"
}

# expect OUTCOME MODULE [FIELD...]: limits are generous unless given.
expect()
{
	local want=$1 module=$2
	shift 2
	case $module in /*) ;; *) module=$(wat "$module") ;; esac
	case " $*" in
	*_limit_*) ask "module=$module" "$@" ;;
	*) ask "module=$module${bounds}" "$@" ;;
	esac
	[ "$(field outcome)" = "$want" ] && return
	echo "$module $*: expected $want, found: $answer"
	bad=1
}

# same WHAT WANT FOUND
same()
{
	[ "$2" = "$3" ] && return
	printf '%s: expected\n%s\nfound\n%s\n' "$1" "$2" "$3"
	bad=1
}

digest_of()
{
	expect ok state digest=1 "invoke=$1"
	field digest
}

# What every host must do; what it must do otherwise is its own test's.
common_outcomes()
{
	local none
	printf 'input\n' >"$tmp/in"
	expect ok hello "stdin=$tmp/in" "stdout=$tmp/out" arg=tab%09ulated digest=1
	same "output" $'hello\ninput\ntab\tulated' "$(tr -d '\0' <"$tmp/out")"
	expect ok hello "stdout=$tmp/out"
	same "output without input" hello "$(cat "$tmp/out")"
	expect ok hello
	expect ok work
	same "work takes time" 1 $(($(field cpu_ns) > 1000000))
	expect cpu-limit endless cpu_limit_ns=50000000 wall_limit_ns=30000000000
	same "a killed call has its CPU time" 1 $(($(field cpu_ns) >= 50000000))
	expect wall-limit endless wall_limit_ns=200000000
	expect ok sleeper compile_only=1 # which may take longer than that
	expect wall-limit sleeper wall_limit_ns=200000000 cpu_limit_ns=10000000000
	expect ok hello
	for f in divide bounds unreachable indirect deep; do
		expect trap traps "invoke=$f"
	done
	expect link traps invoke=absent
	expect exit exits
	same "exit code" 7 "$(field exit_code)"
	expect ok exits invoke=well
	expect output-limit flood "stdout=$tmp/flood" output_limit_bytes=1000000 \
		cpu_limit_ns=10000000000 wall_limit_ns=30000000000
	expect memory-limit eater memory_limit_bytes=100000000 \
		cpu_limit_ns=10000000000 wall_limit_ns=30000000000
	expect link imports
	expect link imports empty_imports=bench.start,bench.f64
	expect ok imports empty_imports='*'
	expect ok imports 'empty_imports=bench.start,bench.f64,odd%20"*/%20name.i64'
	expect ok names
	expect ok names compile_only=1
	printf '\0asm\1\0\0\0\1\4\1\140\0\0\3\2\1\0\12\5\1\3\0\152\13' >"$tmp/invalid.wasm"
	expect refused "$tmp/invalid.wasm"
	printf 'no module at all' >"$tmp/text.wasm"
	expect refused "$tmp/text.wasm"
	case $(field message) in
	[[:punct:]]* | '') echo "a refusal's reason: $(field message)" && bad=1 ;;
	esac
	printf '\0asm\15\0\1\0' >"$tmp/component.wasm"
	expect unsupported "$tmp/component.wasm"
	none=$(digest_of nothing)
	same "a digest again" "$none" "$(digest_of nothing)"
	for f in stores counts returns; do
		[ "$(digest_of $f)" != "$none" ] ||
			{ echo "the digest does not see state.wat $f" && bad=1; }
	done
}

# Counters are told, after a trap too, and nothing but counters.
common_counts()
{
	expect ok counters "counts=$tmp/counts" clean_registers=1
	same "counters" $'pw:count 1f 7\npw:count 2f 18446744073709551615' "$(cat "$tmp/counts")"
	expect trap counters invoke=trap "counts=$tmp/counts"
	same "counters after a trap" $'pw:count 1f 3\npw:count 2f 0' "$(cat "$tmp/counts")"
}

# Real programs with output that is known: $PERF_WASM_CORPUS/wasm/sightglass.
shootout()
{
	local dir=${PERF_WASM_CORPUS:-$PWD/../shared/corpus}/wasm/sightglass/shootout
	local m name n=0
	[ -d "$dir" ] || { echo "without the corpus: no programs of sightglass" && return; }
	for name in "$@"; do
		m=$dir/shootout-$name
		expect ok "$m.wasm" "stdout=$tmp/out" "dir=$dir::." \
			empty_imports=bench.start,bench.end
		same "output of $name" "$(cat "$m.stdout.expected")" "$(cat "$tmp/out")"
		n=$((n + 1))
	done
	echo "$n programs of sightglass"
}
