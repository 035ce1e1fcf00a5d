#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# JavaScriptCore and SpiderMonkey in their shells: checked, a hunt on each, and
# one to the end. They show no directories: a sweep, which shows each module its
# own folder unasked, goes on without; what was asked for is missed in words.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/runtime-hunt.bash
. tests/real/runtime-hunt.bash
shells=
for r in jsc js102; do
	command -v $r >/dev/null || { echo "without $r, which is not installed" && continue; }
	shells=$shells,$r
	"$pw" runtimes check $r >"$tmp/check" 2>&1
	grep -q "A small module: *ok" "$tmp/check" || { cat "$tmp/check" && bad=1; }
	shows_code $r wasm2c
done
[ "$shells" ] || exit 77

# sweep ARG...: the modules that did not run, and why.
sweep()
{
	rm -rf "$tmp/dir"
	"$pw" sweep --format=json -o "$tmp/report.json" --dir "$tmp/dir" --runtimes "wasm2c$shells" "$@" "$tmp/modules" || exit 1
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
print([(f["runtime"], f["why"]) for f in r.get("failed", {}).get("rows", [])])' "$tmp/report.json"
}

mkdir "$tmp/modules"
cp "$tmp/small.wasm" "$tmp/modules"
failed=$(sweep)
[ "$failed" = "[]" ] || { echo "left out of a sweep: $failed" && bad=1; }
failed=$(sweep --mount "$tmp/modules::given")
case $failed in
*"shows no directories"*) ;;
*) echo "asked for a directory: $failed" && bad=1 ;;
esac
if command -v jsc >/dev/null; then
	need wasmtime@50.0.1
	to_the_end jsc
fi
exit "$bad"
