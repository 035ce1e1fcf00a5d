#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A mutant that takes another path, ends the same and closes the gap is
# unmasked by counts of executions; an oracle that deleted the work is not
# believed.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
need wasmtime@28.0.0 wasmtime@32.0.0 wasmtime@50.0.1

hunt "$tmp/dir" --suspect wasmtime@28.0.0 --oracle wasmtime@50.0.1 --run-ms 20 \
	"$cases/9590.slow.wasm" || exit 1
echo "$(json "f['mutation'] + ': ' + '; '.join(code)"); $(json "r['cost']['original_runs']") original runs"
[ "$(json "any(c.startswith('movdqu') and '(%rsp)' in c for c in code) and len(code) <= 8")" = True ] || {
	echo "expected the reload or the spill of a vector register"
	bad=1
}
[ "$(json "f['counts'].startswith('every block')")" = True ] || {
	echo "the first finding takes another path: $(json "f['counts']")"
	bad=1
}
end=$(awk -F'\t' '$1 == "times" && $2 ~ /^scaled 0/ { split($3, w, " "); print w[2] }' "$tmp/dir/journal")
unmasked=$(awk -F'\t' -v end="$end" '
	$1 == "race" && $3 ~ end { same[$2] = 1 }
	$1 == "counts" && $3 ~ /^2 / && $2 in same { n++ }
	END { print n + 0 }' "$tmp/dir/journal")
flipped=$(awk -F'\t' '$1 == "counts" && $2 == "f1 i6 operand i32.const 0 -> i32.const 1" { print substr($3, 1, 1) }' "$tmp/dir/journal")
echo "$unmasked mutants that end the same take another path"
if [ "$flipped" != 2 ] || [ "$unmasked" -le 1 ]; then
	echo "the branch that was never taken: ${flipped:-not counted}"
	bad=1
fi

if command -v wasm2c >/dev/null; then
	hunt "$tmp/deleted" --suspect wasmtime@32.0.0 --oracle wasm2c --budget 3 \
		--run-ms 20 "$cases/8571.slow.wasm" || exit 1
	[ "$(json "any('not believed' in (t['note'] or '') for t in r['times']['rows'])")" = True ] || {
		echo "wasm2c deletes the loop of 8571, and is believed"
		bad=1
	}
fi
exit "$bad"
