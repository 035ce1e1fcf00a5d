#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every library that a Build file names comes with a package of
# scripts/build/packages.txt, and every library package listed there is used,
# linked or loaded.
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v dpkg >/dev/null || { echo "needs dpkg to tell whose a file is"; exit 77; }
list=scripts/build/packages.txt
bad=0
listed=$(sed 's/#.*//; s/ cmd .*//' "$list" | awk '{ for (i = 2; i <= NF; i++) print $i }')

used=
libraries=$(awk '$1 == "pkg-y" { for (i = 3; i <= NF; i++) print $i }' wasm/*/Build plugin/*/Build)
for pkg in $libraries; do
	pc=$(pkg-config --variable=pcfiledir "$pkg")/$pkg.pc
	owner=$(dpkg -S "$(realpath "$pc")" | sed 's/:.*//')
	used="$used $owner"
	grep -qx "$owner" <<<"$listed" ||
		{ echo "$pkg: its package $owner is not in $list" && bad=1; }
done
# Of -lX without a pkg-config file: who owns libX.
libs=$(awk '$1 == "ldlibs-y" { for (i = 3; i <= NF; i++) print substr($i, 3) }' wasm/*/Build plugin/*/Build)
for lib in $libs; do
	file=$(gcc -print-file-name="lib$lib.so")
	[ "$file" != "lib$lib.so" ] || file=$(gcc -print-file-name="lib$lib.a")
	owner=$(dpkg -S "$(realpath -s "$file")" 2>/dev/null | sed 's/:.*//')
	used="$used $owner"
	grep -qx "$owner" <<<"$listed" ||
		{ echo "-l$lib: its package $owner is not in $list" && bad=1; }
done
# Of what is loaded when it is needed: dlopen("libX.so.N").
loaded=$(grep -rhoE '"lib[a-z0-9]+\.so\.[0-9]+"' --include='*.c' wasm plugin | tr -d '"' | sort -u)
for lib in $loaded; do
	file=$(gcc -print-file-name="${lib%.*}")
	used="$used $(dpkg -S "$(realpath -s "$file")" 2>/dev/null | sed 's/:.*//')"
done
headers=$(grep -E '^lib.*-dev$' <<<"$listed")
for package in $headers; do
	case $package in libc6-dev | libcmocka-dev | libclang-rt-* | libmozjs-*) continue ;; esac
	grep -qw -- "$package" <<<"$used" ||
		{ echo "$package: in $list, but no Build file uses it" && bad=1; }
done
exit $bad
