# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the tests that hunt known slow modules, one test an oracle: one
# such hunt, whose first finding must hold the instruction that the list of
# cases names.
# shellcheck shell=bash
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash

# finds CASE SUSPECT ORACLE WASM-INSTRUCTION MACHINE-OPCODE AT-MOST PATTERN
finds()
{
	local what="$1 on $2 against $3" found
	hunt "$tmp/$1-$3" --suspect "$2" --oracle "$3" "$cases/$1.slow.wasm" || return
	found=$(json "'%s | %d | %.2f | %s' % (f.get('instruction'), len(code), f.get('closed', {}).get('value', 0), '; '.join(code))")
	echo "$what: $found; $(json "r['cost']['original_runs']") original runs"
	[ "$(json "any(c.split()[0] == '$5' for c in code) and len(code) <= $6 and f['closed']['value'] > 0.6")" = True ] || {
		echo "$what: expected $5 among at most $6 instructions"
		bad=1
	}
	[ "$(json "f['why'][0]['pattern']")" = "$7" ] || {
		echo "$what: expected $7 as the reason, got $(json "[(w['pattern'], w['confidence']) for w in f['why']]")"
		bad=1
	}
	[ "$4" = any ] || [ "$(json "f['instruction'].split()[0]")" = "$4" ] || {
		echo "$what: expected $4 to be the wasm instruction"
		bad=1
	}
}
