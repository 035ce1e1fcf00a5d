#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# JavaScriptCore and SpiderMonkey in their shells: a hunt on each, and one to
# the end.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/runtime-hunt.bash
. tests/real/runtime-hunt.bash
n=0
for r in jsc js102; do
	command -v $r >/dev/null || { echo "without $r, which is not installed" && continue; }
	n=$((n + 1))
	shows_code $r wasm2c
done
[ $n -gt 0 ] || exit 77
if command -v jsc >/dev/null; then
	need wasmtime@50.0.1
	to_the_end jsc
fi
exit "$bad"
