#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A mutant that is quick in two runs of three is no cure: its interval holds 0,
# it is timed in more rounds, and then it is told as dropped. The same mutant,
# quick in each run, is a finding after the first rounds.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
command -v wat2wasm >/dev/null || { echo "wabt is not installed" && exit 77; }

# A runtime that only takes its time, by the n-th run of a module: what is
# mounted keeps count.
cat >"$tmp/runtime" <<'END'
echo done
[ "$(stat -c %s "$1")" -gt 150 ] || exit 0 # the empty one
turns=40000
if [ "${1##*/}" = mutant.wasm ]; then
	sum=$(cksum <"$1")
	echo run >>"$2/${sum%% *}"
	n=$(wc -l <"$2/${sum%% *}")
	turns=4000
	[ "$3" = steady ] || [ $((n % 3)) -ne 0 ] || turns=52000
fi
for ((i = 0; i < turns; i++)); do :; done
END
cat >"$tmp/m.wat" <<END
(module (memory 1) (data (i32.const 0) "$(printf '%0200d' 0)")
  (func (export "_start") (local i32 i32)
  (local.set 0 (i32.add (local.get 1) (i32.const 7)))
  (local.set 1 (i32.mul (local.get 0) (i32.const 3)))))
END
wat2wasm "$tmp/m.wat" -o "$tmp/m.wasm" || exit 1

# judged HOW: hunts, and prints how often the judged mutants were run.
judged()
{
	mkdir "$tmp/$1"
	hunt "$tmp/hunt-$1" --suspect-cmd "bash $tmp/runtime {wasm} {host} $1" --oracle-cmd 'true {wasm} {host}' \
		--mount "$tmp/$1::count" --writable --budget 2 --run-ms 0 "$tmp/m.wasm" || exit 1
	runs=$(wc -l "$tmp/$1"/* | awk '$2 != "total" { print $1 }' | sort -n | tr '\n' ' ')
	findings=$(json "[g['mutation'] for g in r['findings'] if 'mutation' in g]")
	echo "$1: runs of each mutant: $runs; findings: $findings; $(json "r.get('unsure')")"
}

# One race and twelve rounds.
judged unsteady
[ "$runs" = "13 13 " ] && [ "$findings" = "[]" ] || bad=1
[ "$(json "r['unsure'].startswith('2 mutants seemed')")" = True ] || bad=1
# One race and three.
judged steady
[ "$runs" = "4 4 " ] && [ "$findings" != "[]" ] && [ "$(json "'unsure' in r")" = False ] || bad=1
exit "$bad"
