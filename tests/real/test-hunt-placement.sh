#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A loop that is slow for its address alone is called placement, and no
# instruction is accused; its twin at a good address has no gap.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
need wasmtime@21.0.0 wasmtime@50.0.1
args=(--suspect wasmtime@21.0.0 --oracle wasmtime@50.0.1 --run-ms 20)

hunt "$tmp/slow" "${args[@]}" "$cases/8573.slow.wasm" || exit 1
if [ "$(json "r['verdict'].startswith('No gap')")" = True ]; then
	echo "this processor runs the loop as fast at every address"
	exit 77
fi
json "r['verdict']"
[ "$(json "r['verdict'].startswith('The gap is code placement') and f['cause'] == 'code placement' and f['func_name'] == 'spin'")" = True ] || {
	echo "expected a placement finding in spin"
	bad=1
}
[ "$(json "len({p['start_mod_64'] for p in f['places']['rows']}) == len(f['places']['rows']) >= 3")" = True ] || {
	echo "expected three placements or more: $(json "f.get('places')")"
	bad=1
}
[ "$(json "code")" = "[]" ] || { echo "accused: $(json "code")" && bad=1; }

hunt "$tmp/fast" "${args[@]}" "$cases/8573.fast.wasm" || exit 1
[ "$(json "r['verdict'].startswith('No gap')")" = True ] || {
	echo "the fast twin: $(json "r['verdict']")"
	bad=1
}
exit "$bad"
