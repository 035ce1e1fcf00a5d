#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What the notes give as the counterparts of perfwhiz's examples runs as it
# stands there, and each page has its tables.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash
perf record -q -a -e sched:sched_switch -o /dev/null true >/dev/null 2>&1 ||
	skip "perf may not record sched_switch here (mount -t tracefs tracefs /sys/kernel/tracing)"

# shellcheck disable=SC2016 # those of Markdown
mapfile -t commands < <(sed -n 's/^| `perf[cm]a[^|]*| `\(perf wasm [^`]*\)` |$/\1/p' \
	"$root/Kbuild-notes/perfwhiz.md")
[ ${#commands[@]} -ge 12 ] || fail "the notes have ${#commands[@]} commands only"

perf record -q -a -e sched:sched_switch,sched:sched_waking -o perf.data sleep 0.2 \
	>/dev/null 2>&1 || skip "perf can't record the scheduler here"
printf '%s\n' '$$,,vcpu0,,,5,Firewall' "sleep,Router.02.vcpu0" |
	sed "s/^[\$][\$]/$$/" >tmap.csv
for c in "${commands[@]}"; do
	# a tenth of the time is as good here
	c=$(sed -E 's/sleep 5$/sleep 0.6/; s/sleep 1$/sleep 0.4/; s/--from 2000ms --to 3000ms/--from 200ms --to 300ms/; s/--to 1000ms/--to 100ms/; s/^perf wasm/perf-wasm/' <<<"$c")
	bash -c "$c" >out 2>err || fail "$c: exit status $?" "$(tail -n 3 err)"
done
for page in basic heat window diff; do
	grep -q '<table' $page.html || fail "$page.html has no table"
done
grep -q 'Router.02.vcpu0' basic.html || fail "basic.html does not know the role"
# shellcheck disable=SC2154 # of capture-lib.bash
exit "$bad"
