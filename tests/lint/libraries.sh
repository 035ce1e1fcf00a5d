#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A third-party library is linked by one room's Build file and its headers
# are included by that room only (cmocka: by tests only; uthash, which is
# macros, by any). Which package a header is from, dpkg tells.
# What one room writes and another reads is the exception, named in `shared`.
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v dpkg >/dev/null || { echo "needs dpkg to tell whose a header is"; exit 77; }
bad=0
# PACKAGE PKG-CONFIG-NAME ROOM...
shared="libjansson-dev jansson plugin/report plugin/lines plugin/explain plugin/pmu plugin/export plugin/aperf tests
libinih-dev inih wasm/runtime plugin/pmu
libtraceevent-dev libtraceevent plugin/capture plugin/traceevent tests
zlib1g-dev zlib plugin/report plugin/sched plugin/system tests
libzstd-dev libzstd plugin/capture plugin/series"

words()
{
	awk -v key="$1" '$1 == key { for (i = 3; i <= NF; i++) print $i }' \
		wasm/*/Build plugin/*/Build
}

twice=$({ words pkg-y; words ldlibs-y; } | sort | uniq -d |
	grep -vxF "$(awk '{ print $2 }' <<<"$shared")")
[ -z "$twice" ] || { echo "in more than one Build file: $twice"; bad=1; }

folders=$(words pkg-y | sort -u | xargs -r pkg-config --cflags-only-I | sed 's/-I//g')
folders="$folders /usr/include $(echo /usr/include/*-linux-gnu)"
folders="$folders $(dirname "$(gcc -print-file-name=include/stddef.h)")"

# "HEADER ROOM" of every <...> that is not ours.
# What is built beside a runtime's own source, when that is fetched, is left out.
includes()
{
	grep -rhoHE --include='*.[ch]' --exclude='wamr-*.c' '^[[:space:]]*#[[:space:]]*include[[:space:]]*<[^>]*>' \
		wasm plugin include tests |
	sed -E 's,^(wasm/[^/]*|plugin/[^/]*|include/[^/]*|tests)[^:]*:.*<(.*)>,\2 \1,' |
	grep -v '^perfwasm/' | sort -u
}

# path HEADER: where it lies, or nothing.
path()
{
	local dir
	for dir in $folders; do
		[ ! -e "$dir/$1" ] || { realpath "$dir/$1" && return; }
	done
}

found=$(includes)
declare -A at package
while read -r header; do
	at[$header]=$(path "$header")
done < <(cut -d ' ' -f 1 <<<"$found" | sort -u)
# By path the Debian package that it is of: one question, as dpkg reads the
# lists of all packages for each.
while IFS= read -r line; do
	package[${line##*: }]=${line%%[:,]*}
done < <(printf '%s\n' "${at[@]}" | grep . | sort -u | xargs -r dpkg -S 2>/dev/null)

declare -A home
while read -r header room; do
	of='?'
	[ -z "${at[$header]}" ] || of=${package[${at[$header]}]:-no package}
	case $of in
	libc6-dev | linux-libc-dev | libgcc-* | uthash-dev) continue ;;
	libcmocka-dev) want=tests ;;
	'?') echo "<$header> of $room: found in no include folder"; bad=1; continue ;;
	*) want=${home[$of]:=$room} ;;
	esac
	grep "^$of " <<<"$shared" | grep -qw -- "$room" && continue
	[ "$want" = "$room" ] || {
		echo "<$header> of $room: $of belongs to $want alone"
		bad=1
	}
done <<<"$found"
exit $bad
