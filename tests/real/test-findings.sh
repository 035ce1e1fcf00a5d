#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What a capture's figures say of themselves: what is planted is found, with
# its amount, and what is not there is not.
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v gcc >/dev/null || { echo "gcc is not installed" && exit 77; }
[ -r /proc/net/snmp ] || { echo "/proc/net/snmp cannot be read" && exit 77; }
# A network of its own, in which nobody else loses anything.
if [ -z "${FINDINGS_NET:-}" ]; then
	how=''
	unshare -rn true 2>/dev/null && how=-rn
	unshare -n true 2>/dev/null && how=-n
	export FINDINGS_NET=${how:+own}
	[ -z "$how" ] || exec unshare "$how" bash tests/real/test-findings.sh
	FINDINGS_NET=shared
fi
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
gcc -O1 tests/real/findings-load.c -o "$tmp/load" || exit 1

# record NAME COMMAND...
record()
{
	local name=$1
	shift
	perf-wasm record -q --system --no-samples --interval 250ms \
		-o "$tmp/$name" -- "$@" >"$tmp/$name.out" 2>"$tmp/$name.err" ||
		{ cat "$tmp/$name.err" && exit 1; }
	perf-wasm system --format=json "$tmp/$name" >"$tmp/$name.json" || exit 1
}

# value NAME WHAT: the figure of a row of the findings.
value()
{
	grep -o "\"what\":\"$2\",[^}]*" "$tmp/$1.json" |
		sed -n 's/.*"value":"\([^"]*\)".*/\1/p' | head -n 1
}

udp="datagrams were dropped at the socket"
tcp="connections were dropped before accept"

# Everything that /proc says was lost by somebody else meanwhile.
losses()
{
	cat /proc/net/snmp /proc/net/netstat /proc/vmstat |
		awk '/^(Udp|TcpExt):/ && !named[$1]++ { split($0, name); n = NF; next }
		     /^(Udp|TcpExt):/ { for (i = 2; i <= n; i++)
				if (name[i] ~ /^(RcvbufErrors|SndbufErrors|MemErrors|ListenDrops)$/)
					print name[i], $i }
		     /^oom_kill / { print }'
}

before=$(losses)
record quiet sleep 2
if [ "$before" = "$(losses)" ]; then
	for what in "$udp" "$tcp" "processes were killed for want of memory"; do
		[ -z "$(value quiet "$what")" ] ||
			{ echo "found where nothing was lost: $what" && exit 1; }
	done
fi

record planted "$tmp/load" 3
read -r sent taken <"$tmp/planted.out"
lost=$((sent - taken))
[ "$lost" -gt 2000 ] || { echo "the load lost $lost datagrams only" && exit 1; }
for what in "$udp" "$tcp"; do
	[ -n "$(value planted "$what")" ] || {
		echo "not found: $what"
		perf-wasm system "$tmp/planted" | sed '/^System/,$d'
		exit 1
	}
done
# what was lost, by the load's own count: all but what was before the first
# reading and after the last; in a shared network others may have lost more
found=$(perf-wasm export --to openmetrics "$tmp/planted" |
	sed -n 's/^perfwasm_netstat_Udp_RcvbufErrors_total \([0-9.]*\).*/\1/p' | tail -n 1)
awk -v found="$found" -v lost="$lost" -v net="$FINDINGS_NET" 'BEGIN {
	exit !((net == "shared" || found <= lost + 1) && found > lost * 0.7) }' ||
	{ echo "the load lost $lost datagrams, the capture has $found" && exit 1; }
grep -q '"next":"ss -uam' "$tmp/planted.json" || { echo "no word on what next" && exit 1; }
exit 0
