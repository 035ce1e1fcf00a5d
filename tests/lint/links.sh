#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# README.md links every note, and every link of README.md and of the notes leads
# to a file.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
for note in Kbuild-notes/*.md; do
	grep -qF "]($note)" README.md || {
		echo "README.md: no link to $note"
		bad=1
	}
done
for page in README.md Kbuild-notes/*.md; do
	while read -r link; do
		[ -e "$(dirname "$page")/${link%%#*}" ] || {
			echo "$page: nothing at $link"
			bad=1
		}
	done < <(grep -oE '\]\([^)#:]+[^)]*\)' "$page" | sed 's/^](//; s/)$//' | grep -v '://')
done
exit $bad
