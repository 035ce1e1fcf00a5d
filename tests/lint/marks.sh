#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# No marks of unfinished work, no place that only one machine has, and no
# download address of a package registry: packages are named, not located.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0

# none WHAT PATTERN: fails when a source file has the pattern.
none()
{
	local hits
	hits=$(grep -rnsIE --exclude-dir=data --exclude-dir=corpus \
		--exclude="$(basename "$0")" "$2" \
		wasm plugin include scripts tests Kbuild-notes Makefile \
		README.md .ci .clang-format)
	[ -n "$hits" ] || return 0
	printf 'found: %s\n%s\n' "$1" "$hits"
	bad=1
}

none "a mark of unfinished work" '\b(TODO|FIXME|XXX|HACK)\b'
none "a path of one machine" '(^|[^[:alnum:]_.])/(work|home|root)/[a-z]'
none "the address of a package registry" \
	'(pypi|pythonhosted|npmjs|crates|maven|debian|ubuntu|golang)\.(org|io|com|net)\b'
exit $bad
