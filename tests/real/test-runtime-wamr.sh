#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# WAMR, built out of a crate: a hunt on what its compiler made, with samples in
# it; how each mode ends; its interpreters, which show no code.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/runtime-hunt.bash
. tests/real/runtime-hunt.bash
need wamr@0.1.1
shows_code wamr wasm2c
if command -v perf >/dev/null && small_hunt wamr?opt=0 wasm2c; then
	# its samples, by the jitdump of the program that runs it
	awk -F '\t' '$1 == "samples" { split($3, s, " "); n = 0
		for (i = 2; i in s; i++) { split(s[i], p, ":"); n += p[2] } }
		END { print "wamr?opt=0: " n " samples in its code, " s[1] + 0 " outside"; exit n < 50 }' \
		"$dir/journal" || { echo "wamr: no samples in its code" && bad=1; }
fi

# ends MODE STATUS INSN...: how a module with these instructions ends.
ends()
{
	local status
	echo "(module (import \"wasi_snapshot_preview1\" \"proc_exit\" (func \$exit (param i32)))
		(memory (export \"memory\") 1) (func \$f (call \$f) (call \$f))
		(func (export \"_start\") ${*:3}))" >"$tmp/ends.wat"
	wat2wasm -o "$tmp/ends.wasm" "$tmp/ends.wat" || exit 2
	"$wamr" compile "mode=$1" "$tmp/ends.wasm" "$tmp/ends.code" >/dev/null &&
		"$wamr" run "mode=$1" "$tmp/ends.code" >/dev/null 2>&1
	status=$?
	[ $status = "$2" ] || { echo "mode=$1 ${*:3}: status $status, not $2" && bad=1; }
}
wamr=$("$pw" runtimes | awk '$1 == "wamr@0.1.1" { print $NF }')
for mode in aot fast classic; do
	ends $mode 0 nop
	ends $mode 3 "(call \$exit (i32.const 3))"
	ends $mode 134 unreachable
	ends $mode 134 "(i32.store (i32.const -4) (i32.const 1))"
	ends $mode 134 "(call \$f)"
done
exit "$bad"
