#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A room includes its own files and the headers of rooms above it in
# layers.txt, no others; "x.h" stays within its room.
set -u
cd "$(dirname "$0")/../.." || exit 2
rooms=$(sed 's/#.*//' tests/lint/layers.txt)
bad=0

complain()
{
	echo "$1"
	bad=1
}

# place ROOM: its position in layers.txt, or nothing.
place()
{
	printf '%s\n' "$rooms" | grep -nx "$1" | cut -d: -f1
}

# owner HEADER: the room of <perfwasm/HEADER>. A table belongs to the header
# that includes it.
owner()
{
	local name=${1%.h}
	case $1 in
	*.def)
		name=$(grep -lF "<perfwasm/$1>" include/perfwasm/*.h | head -n 1)
		name=$(basename "$name" .h)
		;;
	esac
	printf '%s\n' "$rooms" | grep "/$name\$"
}

# check FILE ROOM: every #include of FILE, which counts as part of ROOM.
check()
{
	local line header of
	grep -nE '^[[:space:]]*#[[:space:]]*include' "$1" |
	while IFS= read -r line; do
		header=$(expr "$line" : '.*[<"]\(.*\)[>"]')
		case $line in
		*'<perfwasm/'*)
			header=${header#perfwasm/}
			of=$(owner "$header")
			[ -n "$of" ] || echo "$1:${line%%:*}: no room owns $header"
			[ -z "$of" ] || [ "$(place "$of")" -le "$(place "$2")" ] ||
				echo "$1:${line%%:*}: $2 may not include $header: $of is below it"
			;;
		*'"'*)
			of=$(realpath -m --relative-to=. "$(dirname "$1")/$header")
			[ -e "$of" ] && case $of in
			"$(dirname "$1")"/* | "$2"/*) true ;;
			*) false ;;
			esac || echo "$1:${line%%:*}: \"$header\" is not a file of this room"
			;;
		esac
	done
}

seen=
for room in $rooms; do
	[ -z "$(place "$room")" ] && complain "layers.txt: $room?"
	for file in $(find "$room" -name '*.[ch]' -o -name '*.def') \
		"tests/unit/$room"/*.[ch] "include/perfwasm/${room##*/}.h"; do
		[ -e "$file" ] || continue
		seen="$seen $file"
		out=$(check "$file" "$room")
		[ -z "$out" ] || complain "$out"
	done
done

# No C file may hide from the list.
for file in $(find wasm plugin include -name '*.[ch]') tests/unit/*/*/*.[ch]; do
	[ -e "$file" ] || continue
	case " $seen " in
	*" $file "*) ;;
	*) complain "$file: belongs to no room of layers.txt" ;;
	esac
done
exit $bad
