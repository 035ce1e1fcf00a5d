#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The host for shells of JavaScript engines gives every outcome its name and
# shows the machine code of both.
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v wat2wasm >/dev/null || { echo "wabt is not installed" && exit 77; }
# shellcheck source=tests/real/host-talk.bash
. tests/real/host-talk.bash

shell=$PW_BUILD/libexec/perf-wasm/host-shell
n=0
# code NAME ARTIFACT: as many records of wasm functions as work.wat has.
code()
{
	expect ok work compile_only=1 "artifact=$tmp/$1.code"
	tr '\0' '\n' <"$tmp/$1.code" | grep -aqs "$2" ||
		{ echo "$1: no $2 in the code of work.wat" && bad=1; }
}

for name in jsc js102; do
	command -v "$name" >/dev/null ||
		{ echo "without $name, which is not installed" && continue; }
	n=$((n + 1))
	start "$shell" "$name"
	common_outcomes
	case $name in
	jsc) code jsc 'JSC-WasmOMG: .*function\[0\]' ;;
	js102) code js102 'Ion: wasm-function\[0\]' ;;
	esac
	stop
done
[ $n -gt 0 ] || exit 77
exit $bad
