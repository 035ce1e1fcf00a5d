#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Two shards and their merge find what one hunt finds; a mutant is in one shard
# only, and the merge runs next to nothing again, though its machine is said to
# be eight times as fast as that of a shard.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
need wasmtime@32.0.0 wasmtime@50.0.1
args=(--suspect wasmtime@32.0.0 --oracle wasmtime@50.0.1 --run-ms 20 --budget 100 "$cases/8571.slow.wasm")
finding="(f['func_idx'], f['insn_idx'], f['offset'], f['mutation'], f['witness'], sorted(code))"

# keys STEP DIR: of what was done.
keys()
{
	awk -F '\t' -v step="$1" '$1 == step { print $2 }' "$2/journal" | sort
}

hunt "$tmp/whole" "${args[@]}" || exit 1
expected=$(json "$finding")
for k in 1 2; do
	hunt "$tmp/shard$k" --shard $k/2 "${args[@]}" || exit 1
	[ "$(json "r['verdict'].startswith('Shard $k of 2') and not r['findings']")" = True ] || {
		echo "shard $k: $(json "r['verdict']")"
		bad=1
	}
done
both=$(comm -12 <(keys race "$tmp/shard1") <(keys race "$tmp/shard2"))
[ -z "$both" ] || { echo "in both shards: $both" && bad=1; }
# Another shard's directory and another hunt's are refused, in words.
"$pw" hunt --dir "$tmp/shard1" --shard 2/2 "${args[@]}" >/dev/null 2>"$tmp/err" && bad=1
grep -q "holds shard 1/2 of this hunt" "$tmp/err" || { cat "$tmp/err" && bad=1; }
"$pw" hunt --dir "$tmp/other" --merge "$tmp/shard1" --seed 5 "${args[@]}" >/dev/null 2>"$tmp/err" && bad=1
grep -q -- "--merge.*something else" "$tmp/err" || { cat "$tmp/err" && bad=1; }
"$pw" hunt --dir "$tmp/none" --merge "$tmp/nowhere" "${args[@]}" >/dev/null 2>"$tmp/err" && bad=1
grep -q "holds no journal" "$tmp/err" || { cat "$tmp/err" && bad=1; }

# One that was ended before it made a mutant is told as such.
mkdir "$tmp/idle"
grep -e ^job -e ^times "$tmp/shard1/journal" >"$tmp/idle/journal"

# All times of the second shard, eight times as long.
awk -F '\t' -v OFS='\t' '
	$1 == "race" || ($1 == "shard" && $2 == "base") {
		n = split($3, v, " ")
		v[1] *= 8
		if ($1 == "shard")
			v[2] *= 8
		$3 = v[1]
		for (i = 2; i <= n; i++)
			$3 = $3 " " v[i]
	}
	{ print }' "$tmp/shard2/journal" >"$tmp/slower" && mv "$tmp/slower" "$tmp/shard2/journal"
hunt "$tmp/merged" --merge "$tmp/shard1" --merge "$tmp/shard2" --merge "$tmp/idle" "${args[@]}" || exit 1
found=$(json "$finding")
[ "$found" = "$expected" ] || {
	printf 'one hunt: %s\nmerged:   %s\n' "$expected" "$found"
	bad=1
}
taken=$(comm -12 <(keys race "$tmp/merged") <(cat <(keys race "$tmp/shard1") <(keys race "$tmp/shard2") | sort) | wc -l)
again=$(($(keys race "$tmp/merged" | wc -l) - taken))
echo "$taken runs taken over, $again more: $found"
[ "$taken" -ge 80 ] && [ "$again" -le $((taken / 4)) ] || bad=1
[ "$(json "r['cost']['merged'], r['cost']['idle']")" = "(3, 1)" ] || bad=1
# As parts of the original's time they are the same, whatever the clock.
parts()
{
	awk -F '\t' '$1 == "shard" && $2 == "base" { base = $3 + 0 }
		$1 == "race" { print $2 "\t" $3 / base }' "$1/journal" | sort
}
differ=$(join -t $'\t' <(parts "$tmp/whole") <(parts "$tmp/merged") | awk -F '\t' '
	$2 > 0.2 { n++; d += $3 > 2 * $2 || $3 < $2 / 2 } END { print d + 0, n + 0 }')
echo "of ${differ#* } mutants that both ran, ${differ% *} took more than twice as long, or half, in one"
[ "${differ#* }" -ge 40 ] && [ "${differ% *}" -le 5 ] || bad=1
exit "$bad"
