#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The host for V8 gives every outcome its name and runs real programs.
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v node >/dev/null || { echo "node is not installed" && exit 77; }
command -v wat2wasm >/dev/null || { echo "wabt is not installed" && exit 77; }
# shellcheck source=tests/real/host-talk.bash
. tests/real/host-talk.bash

v8=$PW_BUILD/libexec/perf-wasm/host-v8.mjs
start node "$v8"
case $greeting in *version=[0-9]*v8=[0-9]*) ;; *) echo "$greeting" && bad=1 ;; esac
common_outcomes
common_counts
expect ok simd
mkdir "$tmp/dumps"
expect ok work "jitdump_dir=$tmp/dumps"
grep -qs 'wasm-function\[0\]-0-turbofan' "$tmp/dumps/"jit-*.dump ||
	{ echo "the code of work.wat is in no jitdump" && bad=1; }
# Its code, with the import's wrapper left to whoever reads it; again, and with
# a run; and none of what was compiled before.
for i in 1 2; do
	expect ok work compile_only=1 "artifact=$tmp/work.$i"
	expect ok hello compile_only=1 "artifact=$tmp/hello.$i"
done
expect ok work digest=1 "artifact=$tmp/work.3"
for i in 1 2 3; do
	same "functions in code $i of work.wat" "$(tr '\0' '\n' <"$tmp/work.1" |
		grep -ac -- '-turbofan$')" "$(tr '\0' '\n' <"$tmp/work.$i" |
		grep -ac -- '-turbofan$')"
	grep -aqs 'wasm-function\[0\]-0-turbofan' "$tmp/work.$i" ||
		{ echo "code $i of work.wat lacks a function" && bad=1; }
done
shootout base64 ctype fib2 matrix nestedloop random sieve switch
stop

for o in opt=none tier=liftoff opt=default inline=1; do
	start node "$v8" "$o"
	expect ok hello compile_only=1 "artifact=$tmp/hello.code"
	expect ok hello
	stop
done
for o in opt=much flags=--no-such-flag; do
	case $(node "$v8" $o </dev/null 2>/dev/null) in
	failed*message=*) ;;
	*) echo "accepted: $o" && bad=1 ;;
	esac
done
exit $bad
