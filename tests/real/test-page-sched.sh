#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The pages of the scheduler and of two captures compared, in a browser: tasks
# that ping and pong, one that sleeps, one that is named like markup.
set -u
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/real/page-lib.bash
. tests/real/page-lib.bash
perf record -q -a -e sched:sched_switch -o /dev/null true >/dev/null 2>&1 ||
	{ echo "perf may not record sched_switch here (mount -t tracefs tracefs /sys/kernel/tracing)" && exit 77; }

cp "$(command -v sleep)" "$tmp/<b>sl&ep" || exit 1
cat >"$tmp/load" <<'SH'
#!/bin/bash
perf bench sched pipe -l "$1" >/dev/null &
cd "${0%/*}" || exit
for s in .1 .1 .1; do ./"<b>sl&ep" $s; done
wait
SH
chmod +x "$tmp/load"
for n in 4000 16000; do
	perf-wasm record -q -a --sched -g -o "$tmp/$n" -- "$tmp/load" $n >"$tmp/out" 2>&1 ||
		{ cat "$tmp/out" && exit 1; }
done

perf-wasm sched "$tmp/4000" --html "$tmp/sched.html" >/dev/null || exit 1
check_html "$tmp/sched.html" 'Heat maps' 'Tasks by CPU' 'sched-pipe' '<b>sl&ep' || exit 1
check_page "$tmp/sched.html" || exit 1
perf-wasm sched "$tmp/4000" "$tmp/16000" --html "$tmp/both.html" >/dev/null || exit 1
check_html "$tmp/both.html" 'What is compared' 'sched-pipe' || exit 1
check_page "$tmp/both.html" || exit 1
perf-wasm compare "$tmp/4000" "$tmp/16000" --html "$tmp/compare.html" >/dev/null || exit 1
check_html "$tmp/compare.html" 'What is compared' || exit 1
check_page "$tmp/compare.html" || exit 1
