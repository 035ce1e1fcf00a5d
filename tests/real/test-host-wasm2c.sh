#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The host for wasm2c gives every outcome its name, runs real programs, keeps
# what it compiled and names functions by their index.
set -u
cd "$(dirname "$0")/../.." || exit 2
for tool in wasm2c wat2wasm cc nm; do
	command -v $tool >/dev/null || { echo "$tool is not installed" && exit 77; }
done
# shellcheck source=tests/real/host-talk.bash
. tests/real/host-talk.bash

w2c=$PW_BUILD/libexec/perf-wasm/host-wasm2c
export XDG_CACHE_HOME=$tmp/cache
start "$w2c"
case $greeting in *version=[0-9]*+*) ;; *) echo "$greeting" && bad=1 ;; esac
common_outcomes
common_counts
expect unsupported simd
case $(field message) in *simd*) ;; *) echo "$answer" && bad=1 ;; esac
shootout base64 ctype fib2 matrix nestedloop random sieve switch

# symbols FILE: the wasm functions in it, by index.
symbols()
{
	nm "$1" | sed -n 's/.* w2c_f\([0-9]*\)\(\.part\..*\)\{0,1\}$/\1/p' | sort -nu | tr '\n' ' '
}
expect ok hello "artifact=$tmp/hello.so" compile_only=1
case " $(symbols "$tmp/hello.so")" in *" 5 "*) ;; *) echo "_start of hello.wat is not function 5: $(symbols "$tmp/hello.so")" && bad=1 ;; esac
first=$(field compile_ns)
expect ok hello compile_only=1
same "what was kept is found again" "$first" "$(field compile_ns)"
expect ok work "samples=$tmp/samples" sample_period_ns=1000000
grep -qx '[0-9a-f]*' "$tmp/samples" || { echo "no samples in the code" && bad=1; }
stop
left=$(find "$tmp/cache" -name 'tmp-*')
same "left-overs in the cache" "" "$left"

start "$w2c" inline=0 O=1
expect ok names "artifact=$tmp/names.so"
same "functions kept apart" "0 1 " "$(symbols "$tmp/names.so")"
stop
if command -v clang >/dev/null; then
	start "$w2c" cc=clang
	expect ok hello
	stop
fi
# Without a cache it works all the same, and leaves nothing.
mkdir "$tmp/scratch"
XDG_CACHE_HOME=/dev/null TMPDIR=$tmp/scratch start "$w2c"
expect ok hello
stop
same "left-overs without a cache" "" "$(find "$tmp/scratch" -name 'm.so')"
case $("$w2c" O=9 </dev/null 2>/dev/null) in
failed*message=O=9*) ;;
*) echo "an unknown option is accepted" && bad=1 ;;
esac
exit $bad
