# SPDX-License-Identifier: GPL-2.0-only
# What tests of the system's recorder share: a folder, a reader of series, ways
# to wait for something that was written.
# shellcheck shell=bash
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 # shared with the tests

gcc -O1 -Iinclude -o "$tmp/series-print" tests/real/series-print.c \
	"$PW_BUILD/plugin/series/room.a" "$PW_BUILD/wasm/base/room.a" \
	-lzstd -lxxhash || exit 2
cd "$tmp" || exit 1

fail()
{
	printf '%s\n' "$@"
	# shellcheck disable=SC2034 # the tests end with it
	bad=1
}

# readouts FILE: how many can be read, and "whole" or "cut"; else why not.
readouts()
{
	if "$tmp/series-print" "$1" >"$tmp/printed" 2>&1; then
		echo "$(($(wc -l <"$tmp/printed") - 1)) $(tail -n 1 "$tmp/printed")"
	else
		tail -n 1 "$tmp/printed"
	fi
}

# size FILE: 0 when it is not there.
size()
{
	stat -c %s "$1" 2>/dev/null || echo 0
}

# grows FILE TIMES: waits until it was seen to grow so often.
grows()
{
	local before now n=0
	before=$(size "$1")
	for _ in $(seq 3000); do
		now=$(size "$1")
		[ "$now" -le "$before" ] || n=$((n + 1))
		[ $n -lt "$2" ] || return 0
		before=$now
		sleep 0.005
	done
	fail "$1 does not grow"
	return 1
}

# says FILE TEXT: one of the messages holds it.
says()
{
	grep -qF -- "$2" "$1" || fail "expected '$2' among:" "$(cat "$1")"
}

# ended PID: waits at most a minute for a process that is not our child; nobody
# may have looked after it yet. perf has much to write at its end.
ended()
{
	for _ in $(seq 1200); do
		kill -0 "$1" 2>/dev/null || return 0
		! grep -qs '^State:	Z' "/proc/$1/status" || return 0
		sleep 0.05
	done
	return 1
}
