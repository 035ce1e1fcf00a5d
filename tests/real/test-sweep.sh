#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A sweep of four modules and one that is none over three releases: the known
# slow cell, which needs what is mounted, stands out first and is hunted, the
# file that is no module is told with the reason, and a sweep that was ended
# goes on.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
need wasmtime@32.0.0 wasmtime@33.0.0 wasmtime@50.0.1

mkdir -p "$tmp/modules/below"
cp "$cases"/{8571.slow,8571.fast,7731-fill.fast}.wasm "$tmp/modules"
cp "$cases/7246-sqrt.fast.wasm" "$tmp/modules/below"
# It ends where it does not see both its own folder and what is mounted.
sed 's/^(module/&\
  (import "wasi_snapshot_preview1" "fd_prestat_get"\
    (func (param i32 i32) (result i32)))/
s/(i32.store (i32.const 0) (call/(if (call 0 (i32.const 3) (i32.const 8)) (then (unreachable)))\
    (if (call 0 (i32.const 4) (i32.const 8)) (then (unreachable)))\
    &/' tests/cases/8571.slow.wat >"$tmp/8571.wat"
wat2wasm "$tmp/8571.wat" -o "$tmp/modules/8571.slow.wasm" || exit 1
mkdir "$tmp/given"
echo junk >"$tmp/modules/below/junk.wasm"

sweep()
{
	"$pw" sweep --format=json -o "$tmp/report.json" --dir "$tmp/dir" --runtimes wasmtime@32.0.0,wasmtime@33.0.0,wasmtime@50.0.1 --mount "$tmp/given::given" "$@" "$tmp/modules" || exit 1
}

says()
{
	[ "$(python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
first = r["outstanding"]["rows"][0]
print(bool(eval(sys.argv[2])))' "$tmp/report.json" "$1")" = True ] || {
		echo "not so: $1"
		bad=1
	}
}

sweep --seed 1
says 'r["modules"] == 5 and len(r["times"]["rows"]) == 5'
says '(first["module"], first["runtime"]) == ("8571.slow.wasm", "wasmtime@32.0.0")'
says 'first["excess"] > 2 and first["fastest"] != "wasmtime@32.0.0"'
says '[f["module"] for f in r["failed"]["rows"]] == ["below/junk.wasm"] * 3'
# Goes on: what was lost is run again, and the first cell is hunted.
sed -i '/wasmtime@33.0.0 7731/d' "$tmp/dir/journal"
lines=$(wc -l <"$tmp/dir/journal")
sweep --seed 1 --hunt 1
[ "$(wc -l <"$tmp/dir/journal")" = $((lines + 1)) ] || {
	echo "$lines lines became $(wc -l <"$tmp/dir/journal")"
	bad=1
}
says 'len(r["hunts"]["rows"]) == 1 and "see" in r["hunts"]["rows"][0]["result"]'
grep -q div "$tmp"/dir/hunt-1-*/report.txt || bad=1
grep -q '"findings"' "$tmp"/dir/hunt-1-*/report.json || bad=1
exit "$bad"
