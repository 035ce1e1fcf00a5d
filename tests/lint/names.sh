#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# pw_ is on exactly the functions that a header of include/ declares, each
# defined in the room of that header; no name is in two rooms, of which the
# linker would take one for both; and no room has a writable global (host
# programs are processes of their own).
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

# writable OBJECT: its variables; tables of pointers that are only written when
# the program is loaded (.data.rel.ro) are none. Without a plug-in nm reads the
# plain code, which has sections, of objects that hold LTO's too.
writable()
{
	nm --plugin=/dev/null -f sysv --defined-only "$1" | tr -d ' ' |
		awk -F '|' '$3 ~ /^[bBdDC]$/ && $7 !~ /^\.data\.rel\.ro/ &&
			$1 !~ /^(__|\.L|_GLOBAL_|completed)/ { print $1 }'
}

# Those that must be: a signal handler has nothing else to look at, perf fills
# the functions of a dlfilter, libtraceevent gives plugins no place for data.
known="measure:interrupted dlfilter:perf_dlfilter_fns traceevent:all_loaded"

all=
rooms=$(sed 's/#.*//' tests/lint/layers.txt)
for room in $rooms; do
	archive=$PW_BUILD/$room/room.a
	header=include/perfwasm/${room##*/}.h
	want=$([ ! -e "$header" ] || declared "$header" | sort -u)
	symbols=$([ ! -e "$archive" ] || nm --plugin=/dev/null -g --defined-only "$archive" 2>/dev/null)
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
	[ -z "$have" ] || all+=$(awk -v room="$room" '{ print $1, room }' <<<"$have")$'\n'
	for name in $want; do
		case $name in
		pw_*) ;;
		*) complain "$header: $name() lacks pw_" ;;
		esac
	done
	while read -r object; do
		case $object in */host-*.o | */w2c-*.o | */wasi*.o) continue ;; esac
		for name in $(writable "$object"); do
			case " $known " in
			*" ${room##*/}:$name "*) ;;
			*) complain "$room: $name is a writable global" ;;
			esac
		done
	done < <(find "$PW_BUILD/$room" -name '*.o')
done
twice=$(awk 'seen[$1]++ { print $1 }' <<<"$(sort -u <<<"$all")")
for name in $twice; do
	complain "$name is in more than one room: $(sed -n "s/^$name //p" <<<"$all" | tr '\n' ' ')"
done
exit $bad
