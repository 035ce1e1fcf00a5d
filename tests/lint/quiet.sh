#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Library code never prints and never ends the process. Not asked of the
# command line, the dlfilter and the recorder, which are commands, of host programs (their
# objects are named after them), and of wasm/base, which ends the process when
# memory is out.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
prints='printf|vprintf|puts|putchar|perror|stdout|stderr|__printf_chk|__vprintf_chk'
prints="$prints|err|errx|warn|warnx|error|syslog"
rooms=$(sed 's/#.*//' tests/lint/layers.txt | grep -vE '^plugin/(cmd|dlfilter|recorder)$')
for room in $rooms; do
	while read -r source; do
		case $source in
		*/host-*.c | */wasmtime-*.c | */w2c-*.c | */wasi*.c | */wamr-*.c | wasm/base/err.c) continue ;;
		esac
		object=$PW_BUILD/${source%.c}.o
		found=$([ ! -e "$object" ] || nm --plugin=/dev/null -u "$object" |
			awk '{ print $2 }' | grep -xE "$prints" | tr '\n' ' ')
		[ -z "$found" ] || { echo "$source: uses $found"; bad=1; }
		! grep -HnE '(^|[^>.[:alnum:]_])(exit|abort|quick_exit)\(' "$source" || bad=1
	done < <(find "$room" -name '*.c')
done
exit $bad
