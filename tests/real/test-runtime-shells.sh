#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# JavaScriptCore and SpiderMonkey in their shells: a hunt on each.
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
exit "$bad"
