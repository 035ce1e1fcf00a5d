#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# run: waits
# The page of two captures of the machine's metrics, compared, in a browser: a
# process that is named like markup is only there in the second; with scripts
# off it reads as well, and it is small.
set -u
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/real/page-lib.bash
. tests/real/page-lib.bash

# Processes are read every two seconds, or less often where the machine is busy
# with the other tests, and eight readings are the least that is judged.
record()
{
	perf-wasm record -q --system --no-samples --period 28s --dir "$1" \
		>"$tmp/out" 2>&1 || { cat "$tmp/out" && exit 1; }
}
cat >"$tmp/busy.c" <<'C'
int main(void)
{
	for (;;)
		;
}
C
gcc -O1 "$tmp/busy.c" -o "$tmp/<b>bu&sy" || exit 1
record "$tmp/old"
"$tmp/<b>bu&sy" &
busy=$!
trap 'kill "$busy" 2>/dev/null; rm -rf "$tmp"' EXIT
record "$tmp/new"
kill "$busy"
perf-wasm compare "$tmp/old" "$tmp/new" --html "$tmp/page.html" >"$tmp/text" || exit 1
cat "$tmp/text"
grep -q '<b>bu&sy (process, only in new)' "$tmp/text" || exit 1
check_html "$tmp/page.html" 'What changed, most first' '<b>bu&sy' \
	'All figures of the system' 'Over time' || exit 1
own=$(($(stat -c %s "$tmp/page.html") - $(stat -c %s "$PW_BUILD/share/perf-wasm/page.html")))
echo "$own bytes beside the scripts"
[ "$own" -lt 1500000 ] || exit 1
check_page "$tmp/page.html" || exit 1
