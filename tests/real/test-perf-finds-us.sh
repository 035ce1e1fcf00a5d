#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The real perf runs `perf wasm ...` as perf-wasm with the same arguments,
# output and exit status.
set -u
command -v perf >/dev/null || { echo "perf is not installed"; exit 77; }
bad=0

# same ARGS...: through perf and directly.
same()
{
	local a b
	a=$(perf wasm "$@" 2>&1; echo "exit $?")
	b=$(perf-wasm "$@" 2>&1; echo "exit $?")
	[ "$a" = "$b" ] && return
	printf 'perf wasm %s\n%s\nperf-wasm %s\n%s\n' "$*" "$a" "$*" "$b"
	bad=1
}

same version
same help
same mutate --count "$PW_BUILD/tests/cases/8571.slow.wasm"
same nonsense
perf wasm version >/dev/null || bad=1
exit $bad
