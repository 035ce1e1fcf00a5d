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

# By room its position in layers.txt; by header of perfwasm/ the room it is of.
declare -A place home
n_rooms=0
for room in $rooms; do
	[ -z "${place[$room]:-}" ] || complain "layers.txt: $room twice"
	place[$room]=$((n_rooms += 1))
	home[${room##*/}.h]=$room
done
# A table belongs to the header that includes it.
while IFS=: read -r header line; do
	line=${line#*<perfwasm/}
	home[${line%%>*}]=${home[${header##*/}]:-}
done < <(grep -H '<perfwasm/.*\.def>' include/perfwasm/*.h)

# complaint_of_room FILE:LINE ROOM HEADER: about <perfwasm/HEADER> in FILE, which counts as
# part of ROOM.
complaint_of_room()
{
	local of=${home[$3]:-}
	if [ -z "$of" ]; then
		complain "$1: no room owns $3"
	elif [ "${place[$of]}" -gt "${place[$2]}" ]; then
		complain "$1: $2 may not include $3: $of is below it"
	fi
}

# The same about "HEADER".
complaint_of_file()
{
	local dir=${1%%:*} of
	dir=${dir%/*} of=$dir/$3
	case $3 in *..*) of=$(realpath -m --relative-to=. "$of") ;; esac
	[ -e "$of" ] && case $of in
	"$dir"/* | "$2"/*) return ;;
	esac
	complain "$1: \"$3\" is not a file of this room"
}

# check ROOM FILE...: every #include of them.
check()
{
	local file number line header
	while IFS=: read -r file number line; do
		header=${line#*[<\"]} header=${header%%[>\"]*}
		case $line in
		*'<perfwasm/'*)
			complaint_of_room "$file:$number" "$1" "${header#perfwasm/}" ;;
		*'"'*) complaint_of_file "$file:$number" "$1" "$header" ;;
		esac
	done < <(grep -HnE '^[[:space:]]*#[[:space:]]*include' "${@:2}")
}

seen=
for room in $rooms; do
	files=()
	for file in $(find "$room" -name '*.[ch]' -o -name '*.def') \
		"tests/unit/$room"/*.[ch] "include/perfwasm/${room##*/}.h"; do
		[ ! -e "$file" ] || files+=("$file")
	done
	seen="$seen ${files[*]}"
	[ ${#files[@]} = 0 ] || check "$room" "${files[@]}"
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
