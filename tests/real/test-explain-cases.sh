#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The machine code of known slow modules, compiled by the releases that have
# the fault and compared with what differs in one instruction or with a release
# without it, is called what the list of cases says. Nothing is timed.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
command -v gcc >/dev/null || { echo "gcc is not installed" && exit 77; }
need wasmtime@13.0.0 wasmtime@14.0.0 wasmtime@21.0.0 wasmtime@22.0.0
need wasmtime@28.0.0 wasmtime@32.0.0 wasmtime@34.0.0 wasmtime@45.0.0 wasmtime@50.0.1

rooms=()
libs=()
for room in plugin/explain plugin/code plugin/jit wasm/module wasm/base; do
	rooms+=("$PW_BUILD/$room/room.a")
	while read -r kind names; do
		# shellcheck disable=SC2086 # a list of names
		case $kind in
		pkg-y) mapfile -t -O ${#libs[@]} libs < <(pkg-config --libs $names | tr -s ' ' '\n') ;;
		*) mapfile -t -O ${#libs[@]} libs < <(tr -s ' ' '\n' <<<"$names") ;;
		esac
	done < <(sed -n 's/^\(pkg-y\|ldlibs-y\) += /\1 /p' "$room/Build")
done
gcc -D_GNU_SOURCE -O1 -Iinclude -o "$tmp/pair" tests/real/explain-pair.c \
	"${rooms[@]}" "${libs[@]}" -lm || exit 2

# image MODULE VERSION: its machine code, in $tmp/MODULE-VERSION.elf.
image()
{
	local elf=$tmp/$1-$2.elf
	[ -e "$elf" ] || printf 'run\tid=1\tmodule=%s\tcompile_only=1\tartifact=%s\tcpu_limit_ns=60000000000\twall_limit_ns=120000000000\tmemory_limit_bytes=1000000000\n' \
		"$cases/$1.wasm" "$elf" | "$PW_BUILD/libexec/perf-wasm/host-wasmtime" \
		"${XDG_CACHE_HOME:-$HOME/.cache}/perf-wasm/runtimes/wasmtime@$2/libwasmtime.so" >"$tmp/said" 2>&1
	[ -e "$elf" ] || { echo "$1 on $2: $(tail -n 1 "$tmp/said")"; exit 1; }
}

# is CASE VERSION PATTERN FUNCTION [FAST-MODULE FAST-VERSION]: the pattern is
# the first, and the fast code alone does not show it.
is()
{
	local fast=${5:-$1.fast} version=${6:-$2} out
	image "$1.slow" "$2"
	image "$fast" "$version"
	out=$("$tmp/pair" "$cases/$1.slow.wasm" "$tmp/$1.slow-$2.elf" "$tmp/$fast-$version.elf" "$4") || bad=1
	echo "$1 on $2: ${out%%$'\n'*}"
	[ "$(awk '{ print $2; exit }' <<<"$out")" = "$3" ] || {
		printf '%s on %s: expected %s first:\n%s\n' "$1" "$2" "$3" "$out"
		bad=1
	}
	out=$("$tmp/pair" "$cases/$1.slow.wasm" "$tmp/$fast-$version.elf" "$tmp/$1.slow-$2.elf" "$4")
	! grep -q " $3 " <<<"$out" || {
		echo "$fast on $version: shows $3 too"
		bad=1
	}
}

is 7085-fill 13.0.0 false_dependence 1 7085-fill.slow 50.0.1
is 7731-fill 14.0.0 false_dependence 1 7731-fill.slow 50.0.1
is 7246-sqrt 14.0.0 invariant_work 0 7246-sqrt.slow 50.0.1
is 8571 32.0.0 dead_division 0
is 9590 28.0.0 spill_vector 1
is 13258 45.0.0 library_call 0 13258.slow 50.0.1
is 8706 22.0.0 spill_integer 0
is 6287 34.0.0 constant_division 0 6287.slow 50.0.1
is 8573 21.0.0 placement 1
exit "$bad"
