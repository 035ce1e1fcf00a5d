#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Hunts of known slow modules: the first finding holds the instruction that
# the list of cases names, with the newest Wasmtime as oracle and with another.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
need wasmtime@13.0.0 wasmtime@14.0.0 wasmtime@17.0.1 wasmtime@32.0.0 wasmtime@50.0.1

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

finds 7085 wasmtime@13.0.0 wasmtime@50.0.1 f64.convert_i32_s vcvtsi2sd 8 false_dependence
finds 8571 wasmtime@32.0.0 wasmtime@50.0.1 any div 12 dead_division
finds 7246-sqrt wasmtime@14.0.0 wasmtime@50.0.1 any vsqrtsd 8 invariant_work
finds 7731-fill wasmtime@17.0.1 wasmtime@50.0.1 any vcvtss2sd 8 false_dependence
if command -v node >/dev/null; then
	finds 8571 wasmtime@32.0.0 v8 any div 12 dead_division
	finds 7731-fill wasmtime@17.0.1 v8 any vcvtss2sd 8 false_dependence
fi
if command -v wasm2c >/dev/null; then
	finds 7085 wasmtime@13.0.0 wasm2c f64.convert_i32_s vcvtsi2sd 8 false_dependence
	finds 7246-sqrt wasmtime@14.0.0 wasm2c any vsqrtsd 8 invariant_work
fi
exit "$bad"
