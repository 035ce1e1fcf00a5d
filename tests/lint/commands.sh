#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every command of commands.def has its file, a golden test and a section of
# the man page; the options of that section are those of its --help; mandoc
# finds no fault in the page.
set -u
cd "$(dirname "$0")/../.." || exit 2
page=Kbuild-notes/perf-wasm.1
bad=0

complain()
{
	echo "$1"
	bad=1
}

# section NAME: the page's text on a command. Headings stand at column 1 or 4.
section()
{
	mandoc -T ascii -O width=200 "$page" | sed 's/.\x08//g' | awk -v name="$1" '
		/^(   )?[^ ]/ { on = $0 ~ "^ *perf wasm " name "($| )" }
		on'
}

options()
{
	grep -oE -- '(^|[^[:alnum:]-])--[a-z][a-z-]*' | grep -oE -- '--.*' |
		grep -vxE -- '--(help|usage|version)' | sort -u
}

[ -e "$page" ] || { echo "$page is missing" && exit 1; }
found=$(mandoc -T lint -W warning "$page" 2>&1) || complain "$found"

names=$(sed -n 's/^PW_COMMAND([^"]*"\([^"]*\)".*/\1/p' plugin/cmd/commands.def)
[ -n "$names" ] || complain "commands.def: no command found"
for name in $names; do
	[ -e "plugin/cmd/cmd-$name.c" ] || complain "$name: no plugin/cmd/cmd-$name.c"
	grep -qsE "perf-wasm $name\b" tests/golden/*/cmd ||
		complain "$name: no golden test runs it"
	text=$(section "$name")
	[ -n "$text" ] || { complain "$name: no section in $page" && continue; }
	help=$("$PW_BUILD/bin/perf-wasm" "$name" --help 2>&1) ||
		complain "$name: --help fails"
	differ=$(diff <(printf '%s\n' "$help" | options) \
		<(printf '%s\n' "$text" | options))
	[ -z "$differ" ] ||
		complain "$name: < in --help only, > in $page only:
$(printf '%s\n' "$differ" | grep '^[<>]')"
done
exit $bad
