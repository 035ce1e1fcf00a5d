#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# deps.sh GROUP...: makes sure that the packages of these groups of
# packages.txt are there: installs them where it may (root, or sudo without a
# password), else prints the one line to type and fails. Knows Debian and
# Ubuntu; on other systems it names what is needed and goes on.
set -eu

list=$(dirname "$0")/packages.txt

# The lines of the wanted groups, without comments: "PACKAGE or ... cmd X".
wanted()
{
	for group; do
		sed -n "s/#.*//; s/^${group}[ 	][ 	]*//p" "$list"
	done
}

installed()
{
	printf '%s\n' "$have" | grep -qx "$1"
}

# met WORD...: whether one line's words are satisfied.
met()
{
	while [ $# -gt 0 ]; do
		case $1 in
		or) ;;
		cmd) command -v "$2" >/dev/null && return 0; shift ;;
		*) installed "$1" && return 0 ;;
		esac
		shift
	done
	return 1
}

# pick WORD...: the first package of a line that apt can install.
pick()
{
	first=$1
	while [ $# -gt 0 ] && [ "$1" != cmd ]; do
		if [ "$1" != or ] && [ -n "$(apt-cache show -q=0 "$1" 2>/dev/null | head -n 1)" ]; then
			echo "$1"
			return
		fi
		shift
	done
	echo "$first"
}

missing_lines()
{
	wanted "$@" | while read -r line; do
		# shellcheck disable=SC2086 # a line is words
		[ -z "$line" ] || met $line || echo "$line"
	done
}

names_of()
{
	printf '%s\n' "$1" | while read -r line; do
		# shellcheck disable=SC2086 # a line is words
		pick $line
	done | tr '\n' ' '
}

if ! command -v dpkg-query >/dev/null; then
	echo "deps: no Debian or Ubuntu here; these must be there, or what your system calls them:" >&2
	wanted "$@" | sed 's/ *cmd .*//; s/^/  /' >&2
	exit 0
fi

have=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' | sed -n 's/^ii *//p')
missing=$(missing_lines "$@")
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	sudo=
elif sudo -n true 2>/dev/null; then
	sudo=sudo
else
	echo "deps: packages are missing; type this and run make again:" >&2
	echo "  sudo apt-get update && sudo apt-get install -y $(names_of "$missing")" >&2
	exit 1
fi

echo "deps: apt-get update" >&2
$sudo apt-get update -qq >&2 || echo "deps: going on with the package lists at hand" >&2
packages=$(names_of "$missing")
echo "deps: apt-get install $packages" >&2
# shellcheck disable=SC2086 # packages is a list
DEBIAN_FRONTEND=noninteractive $sudo apt-get -o DPkg::Lock::Timeout=300 install -y -qq \
	--no-install-recommends $packages >&2 </dev/null || {
	echo "deps: apt-get failed; what is needed: $packages" >&2
	exit 1
}
