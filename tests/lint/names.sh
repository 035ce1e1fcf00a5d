#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# pw_ is on exactly the functions that a header of include/ declares, each
# defined in the room of that header; and no room has a writable global.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0

complain()
{
	echo "$1"
	bad=1
}

# declared HEADER: the functions that it declares.
declared()
{
	ctags --language-force=C -I 'PW_PRINTF+' --kinds-C=p -x --_xformat='%{name}' "$1"
}

rooms=$(sed 's/#.*//' tests/lint/layers.txt)
for room in $rooms; do
	archive=$PW_BUILD/$room/room.a
	header=include/perfwasm/${room##*/}.h
	want=$([ ! -e "$header" ] || declared "$header" | sort -u)
	symbols=$([ ! -e "$archive" ] || nm -g --defined-only "$archive" 2>/dev/null)
	have=$(printf '%s\n' "$symbols" | awk 'NF == 3 { print $3 }' | sort -u)
	for name in $(comm -23 <(printf '%s\n' "$want") <(printf '%s\n' "$have")); do
		grep -q "static inline.*$name(" "$header" ||
			complain "$header: $name() is declared but not in $room"
	done
	for name in $(comm -13 <(printf '%s\n' "$want") <(printf '%s\n' "$have")); do
		case $name in
		pw_*) complain "$room: $name is not declared in $header" ;;
		esac
	done
	for name in $want; do
		case $name in
		pw_*) ;;
		*) complain "$header: $name() lacks pw_" ;;
		esac
	done
	writable=$([ ! -e "$archive" ] || nm --defined-only "$archive" 2>/dev/null |
		awk 'NF == 3 && $2 ~ /^[bBdDcC]$/ { print $3 }' |
		grep -vE '^(__|\.L|_GLOBAL_|completed\.)')
	for name in $writable; do
		complain "$room: $name is a writable global"
	done
done
exit $bad
