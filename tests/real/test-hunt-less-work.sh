#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A mutant that breaks the loop, or cuts what a turn hands to the next, is the
# fastest and yet not first, and the report knows which cut it.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
need wasmtime@13.0.0 wasmtime@50.0.1

# faster broken|kept: how many mutants were more than twice as fast as the
# first finding, by whether the counts of executions differ.
faster()
{
	python3 - "$tmp/dir/journal" "$(json "f['mutation']")" "$1" <<'END'
import sys
rows = {}
for line in open(sys.argv[1]):
    step, key, rest = (line.rstrip("\n").split("\t") + ["", ""])[:3]
    rows.setdefault(step, {})[key] = rest.split()
first = float(rows["race"][sys.argv[2]][0])
fast = [k for k, r in rows["race"].items() if r[1] == "ok" and 0 < float(r[0]) < first / 2]
count = {k: r[0] for k, r in rows["counts"].items() if k != "original"}
want = "2" if sys.argv[3] == "broken" else "1"
print(sum(count.get(k) == want for k in fast))
END
}

hunt "$tmp/dir" --suspect wasmtime@13.0.0 --oracle wasmtime@50.0.1 \
	"$cases/7085.slow.wasm" || exit 1
broken=$(faster broken)
cut=$(faster kept)
echo "$(json "f['mutation']") closes $(json "f['closed']['value']"); more than twice as fast: $broken mutants that break the loop, $cut that keep its turns"
if [ "$broken" -lt 1 ] || [ "$cut" -lt 1 ]; then
	echo "there was nothing to be fooled by"
	bad=1
fi
[ "$(json "f['witness'].endswith('end as before') and f['counts'].startswith('every block')")" = True ] || {
	echo "the first finding does other work: $(json "f['witness'], f['counts']")"
	bad=1
}
[ "$(json "any(c.startswith('vcvtsi2sd') for c in code)")" = True ] || {
	echo "accused are $(json "code")"
	bad=1
}
[ "$(json "all('chain' not in g and g['counts'].startswith('every') for g in r['findings'])")" = True ] || {
	echo "a mutant that does less is told"
	bad=1
}
# Some cut the sum, by their machine code and without any clock; what was
# put in the conversion's place keeps it.
shown=$(json "[m['mutation'] for m in r['ranking']['rows'][:4] if m.get('chain') != 'kept']")
if [ "$shown" != "[]" ] || [ "$(json "r['cost']['cut_chain'] >= 5")" != True ]; then
	echo "$(json "r['cost']['cut_chain']") cut their chain; of the best: $shown"
	bad=1
fi
exit "$bad"
