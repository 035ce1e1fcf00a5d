#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A mutant that breaks the loop, or cuts what a turn hands to the next, is the
# fastest and yet not first, and the report knows which cut it; with an oracle
# whose clock tells other work, which is a known case with the newest Wasmtime,
# and with one that tells nothing.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-cases.bash
. tests/real/hunt-cases.bash
need wasmtime@13.0.0 wasmtime@50.0.1

# faster broken|kept: how many mutants were more than twice as fast as the
# first finding, by whether the counts of executions differ.
faster()
{
	python3 - "$dir/journal" "$(json "f['mutation']")" "$1" <<'END'
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

# looks_right WHO CUT TURNS: of the hunt in $dir; so many cut their chain at
# least, and so often the loop turns.
looks_right()
{
	local broken cut shown
	broken=$(faster broken)
	cut=$(faster kept)
	echo "$1: $(json "f['mutation']") closes $(json "f['closed']['value']"); more than twice as fast: $broken mutants that break the loop, $cut that keep its turns"
	if [ "$broken" -lt 1 ] || [ "$cut" -lt 1 ]; then
		echo "$1: there was nothing to be fooled by"
		bad=1
	fi
	[ "$(json "f['witness'].endswith('end as before') and f['counts'].startswith('every block')")" = True ] || {
		echo "$1: the first finding does other work: $(json "f['witness'], f['counts']")"
		bad=1
	}
	[ "$(json "any(c.startswith('vcvtsi2sd') for c in code)")" = True ] || {
		echo "$1: accused are $(json "code")"
		bad=1
	}
	[ "$(json "all('chain' not in g and g['counts'].startswith('every') for g in r['findings'])")" = True ] || {
		echo "$1: a mutant that does less is told"
		bad=1
	}
	# One turn of the loop for each unit of its bound, however it was set.
	[ "$(json "f['turns'] == $3 and f.get('mca_cycles_all', f['turns']) >= f['turns']")" = True ] || {
		echo "$1: $(json "f.get('turns')") turns of $3"
		bad=1
	}
	# What the registers held shows on some processors; it is told on all.
	[ "$(json "any('probe_result' in w for w in f['why']) != f.get('no_probe', '').startswith('With clear')")" = True ] || {
		echo "$1: the probe of the registers told nothing"
		bad=1
	}
	# Some cut the sum, by their machine code and without any clock; what
	# was put in the conversion's place keeps it.
	shown=$(json "[m['mutation'] for m in r['ranking']['rows'][:4] if m.get('chain') != 'kept']")
	if [ "$shown" != "[]" ] || [ "$(json "r['cost']['cut_chain'] >= $2")" != True ]; then
		echo "$1: $(json "r['cost']['cut_chain']") cut their chain; of the best: $shown"
		bad=1
	fi
}

finds 7085 wasmtime@13.0.0 wasmtime@50.0.1 f64.convert_i32_s vcvtsi2sd 8 false_dependence
dir=$tmp/7085-wasmtime@50.0.1
looks_right "with help" 2 "$(json "r['scaled'].split()[-1]")"

# Of `true` no time and no end says what work a mutant does. The loop is short
# from the start: nothing keeps this ratio when a hunt makes it shorter.
dir=$tmp/alone
sed 's/80000000/8000000/' tests/cases/7085.slow.wat >"$tmp/short.wat"
wat2wasm "$tmp/short.wat" -o "$tmp/short.wasm" || exit 1
hunt "$dir" --suspect wasmtime@13.0.0 --oracle-cmd 'true {wasm}' --budget 100 \
	--run-ms 0 "$tmp/short.wasm" || exit 1
[ "$(json "all(o['work'] == 'not believed' for o in f['oracles']['rows'])")" = True ] || {
	echo "the oracle that tells nothing was believed"
	bad=1
}
looks_right alone 2 8000000
exit "$bad"
