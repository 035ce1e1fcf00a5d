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
shootout base64 ctype fib2 matrix nestedloop random sieve switch
stop

for o in opt=none opt=default inline=0; do
	start node "$v8" "$o"
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
