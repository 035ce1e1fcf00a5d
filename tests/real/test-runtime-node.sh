#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# V8 in the oldest and the newest node that are pinned: a hunt on each. What its
# lower tier made is told to be slow for that; where no mutant cures anything
# both tiers' codes are counted side by side. Then one to the end, whose
# optimised code is not taken for a lower tier's.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/runtime-hunt.bash
. tests/real/runtime-hunt.bash
need node@18.20.8 node@26.12.1
shows_code node@18.20.8?tier=turbofan node@26.12.1

# lower_tier BUDGET [SEED]: Liftoff's code against TurboFan's.
lower_tier()
{
	hunt "$tmp/lower-$1-${2:-1}" --budget "$1" --seed "${2:-1}" --run-ms 0 --suspect node@26.12.1?tier=liftoff \
		--oracle node@26.12.1?tier=turbofan "$tmp/small.wasm" || exit 1
}

# On a busy machine what cures it may be missed once.
for seed in 1 2 3; do
	lower_tier 400 $seed
	[ "$(json "len(r['findings']) and 'why' in r['findings'][0]")" != True ] || break
done
echo "Liftoff: $(json "len(r['findings']), [w['pattern'] for w in f['why']]")"
[ "$(json "any('compiled by a lower tier' in w['evidence'] for w in f['why'] if w['pattern'] == 'missing_tier_up')")" = True ] || { echo "Liftoff's code: not told to be a lower tier's" && bad=1; }
# What a single mutant does not cure.
lower_tier 1
echo "side by side: $(json "[(o['opcode'], o['suspect'], o['oracle']) for o in r['contrast']['opcodes']['rows']]")"
[ "$(json "len(r['findings'])")" = 0 ] || { echo "one mutant cures it" && bad=1; }
[ "$(json "r['contrast']['counted'].endswith('in its loops') and r['contrast']['share'] > 0.5")" = True ] ||
	{ echo "other code than that of the hot loop is counted" && bad=1; }
[ "$(json "[s['runtime'] for s in r['contrast']['sizes']['rows'] if s['insns'] > 20]")" = "['suspect', 'oracle']" ] ||
	{ echo "a code is missing" && bad=1; }
# Largest difference first, and none of those that are equal.
[ "$(json "(lambda d: len(d) > 2 and d == sorted(d, reverse=True) and d[-1] > 0)([abs(o['suspect'] - o['oracle']) for o in r['contrast']['opcodes']['rows']])")" = True ] ||
	{ echo "not in the order of the difference" && bad=1; }
need wasmtime@50.0.1
to_the_end node@18.20.8
exit "$bad"
