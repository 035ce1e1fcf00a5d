#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The host for Wasmtime gives every outcome its name, and does on every release
# that is fetched here what it does on the others.
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v wat2wasm >/dev/null || { echo "wabt is not installed" && exit 77; }

cache=${XDG_CACHE_HOME:-$HOME/.cache}/perf-wasm/runtimes
# fetched VERSION: 0 when it is here, after a try to fetch it.
fetched()
{
	[ -e "$cache/wasmtime@$1/libwasmtime.so" ] && return
	"$PW_BUILD/bin/perf-wasm" runtimes add "wasmtime@$1" >/dev/null 2>"$said"
}
said=$(mktemp) || exit 2
for v in 13.0.0 50.0.1; do
	fetched $v || { echo "wasmtime@$v: $(tail -1 "$said")" && exit 77; }
done
rm -f "$said"
# shellcheck source=tests/real/host-talk.bash
. tests/real/host-talk.bash

host=$PW_BUILD/libexec/perf-wasm/host-wasmtime
# begin VERSION [OPTION...]
begin()
{
	local v=$1
	shift
	start "$host" "$cache/wasmtime@$v/libwasmtime.so" "$@"
}

# --- two releases in full ---------------------------------------------------
for v in 13.0.0 50.0.1; do
	begin $v
	case $greeting in *version=${v%%.*}*) ;; *) echo "$greeting" && bad=1 ;; esac
	common_outcomes
	common_counts
	expect ok simd
	expect trap traps invoke=deep
	case $(field message) in *stack*) ;; *) echo "no word of the stack: $answer" && bad=1 ;; esac
	expect trap traps invoke=divide
	same "message of a trap" "integer divide by zero" "$(field message)"
	expect link imports
	case $(field message) in *bench.start,*bench.f64*) ;; *) echo "$answer" && bad=1 ;; esac
	shootout base64 ctype fib2 matrix nestedloop random sieve switch
	stop
done

# --- every release alike -----------------------------------------------------
n=0
first=
for lib in "$cache"/wasmtime@*/libwasmtime.so; do
	v=${lib%/*} v=${v##*@}
	begin "$v" "version=$v"
	same "greeting of $v" "ready"$'\t'"version=$v" "$greeting"
	rm -rf "$tmp/jit" && mkdir "$tmp/jit"
	expect ok work digest=1 "artifact=$tmp/work.elf" "samples=$tmp/samples" \
		sample_period_ns=500000 "jitdump_dir=$tmp/jit"
	first=${first:-$(field digest)}
	same "digest of $v" "$first" "$(field digest)"
	same "artifact of $v" $'\177ELF' "$(head -c 4 "$tmp/work.elf")"
	same "jitdump of $v" DTiJ "$(head -c 4 "$tmp"/jit/jit-*.dump)"
	same "samples of $v" "3 of 4 or more" "$(awk 'NR > 1 { n++; hits += ($1 != "-") }
		END { print (n >= 5 && hits >= 0.75 * n ? "3 of 4 or more" : hits "/" n) }' "$tmp/samples")"
	stop
	n=$((n + 1))
done
echo "$n releases"

# --- options -------------------------------------------------------------------
begin 50.0.1 opt=none
expect ok work "artifact=$tmp/none.elf"
stop
cmp -s "$tmp/none.elf" "$tmp/work.elf" && echo "opt=none changes nothing" && bad=1
for o in opt=much gc=maybe nonsense=1 nonsense; do
	case $("$host" "$cache/wasmtime@50.0.1/libwasmtime.so" $o </dev/null 2>/dev/null) in
	failed*message=*) ;;
	*) echo "the option $o is accepted" && bad=1 ;;
	esac
done
case $("$host" /etc/passwd </dev/null 2>/dev/null) in
failed*message=*passwd*) ;;
*) echo "a library that is none is accepted" && bad=1 ;;
esac
exit $bad
