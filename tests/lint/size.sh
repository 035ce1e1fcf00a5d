#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A function has at most 60 lines, a source file at most 600.
set -u
cd "$(dirname "$0")/../.." || exit 2
files=$(find wasm plugin include tests -name '*.[ch]' -not -path 'tests/data/*')
[ -n "$files" ] || exit 0
# shellcheck disable=SC2086 # files is a list of our own names
long=$(ctags --language-force=C --kinds-C=f --fields=+ne -x \
	--_xformat='%{input} %{name} %{line} %{end}' $files |
	awk '$4 - $3 >= 60 { printf "%s:%d: %s() has %d lines\n", $1, $3, $2, $4 - $3 + 1 }')
# shellcheck disable=SC2086
big=$(wc -l $files | awk '$2 != "total" && $1 > 600 { print $2 ": has " $1 " lines" }')
[ -z "$long$big" ] || { printf '%s\n' "$long" "$big"; exit 1; }
