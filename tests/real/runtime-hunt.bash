# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the tests of runtimes: a small hunt on one of them, whatever the
# gap, that must see its machine code change with the module.
# shellcheck shell=bash
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
command -v wat2wasm >/dev/null || { echo "wabt is not installed" && exit 77; }
sed 's/80000000/3000000/' tests/cases/7085.slow.wat >"$tmp/small.wat"
wat2wasm -o "$tmp/small.wasm" "$tmp/small.wat" || exit 2

# small_hunt SUSPECT ORACLE [ARG...]: into $tmp/report.json and $dir.
small_hunt()
{
	dir=$tmp/hunt-$RANDOM
	hunt "$dir" --budget 5 --run-ms 0 --min-gap 0.01 --suspect "$1" \
		--oracle "$2" "${@:3}" "$tmp/small.wasm"
}

# shows_code SUSPECT ORACLE: its mutants compile, and to different code.
shows_code()
{
	local codes
	small_hunt "$@" || return
	codes=$(awk -F '\t' '$1 == "code" && $3 ~ /^[0-9a-f]+$/ && $3 != 0 { print $3 }' \
		"$dir/journal" | sort -u | wc -l)
	echo "$1: $(json "r['cost']['compiled']") mutants, $codes codes; $(json "'%.1f ms, %.2fx' % (r['times']['rows'][0]['cpu_ms'], r['times']['rows'][1]['slower'])")"
	[ "$codes" -ge 3 ] || { echo "$1: fewer than 3 codes" && bad=1; }
}

# to_the_end SUSPECT: a hunt of a loop that this one spills in and Wasmtime does
# not must have its samples in the loop, say what the code came from, and never
# take it for a baseline compiler's.
to_the_end()
{
	dir=$tmp/end-$RANDOM
	hunt "$dir" --budget 60 --suspect "$1" --oracle wasmtime@50.0.1 \
		"$cases/8706.slow.wasm" || return
	awk -F '\t' -v who="$1" '$1 == "samples" && $2 == "scaled" { split($3, s, " "); n = 0
		for (i = 2; i in s; i++) { split(s[i], p, ":"); n += p[2] }
		print who ": " n " samples in its code, " s[1] + 0 " outside"; bad = n < s[1] / 2 }
		END { exit bad || !n }' "$dir/journal" || { echo "$1: few samples in its code" && bad=1; }
	[ "$(grep -c '^origins.* [0-9a-f]*:' "$dir/journal")" = 1 ] ||
		{ echo "$1: no origin of its code" && bad=1; }
	! grep -q missing_tier_up "$tmp/report.json" ||
		{ echo "$1: optimised code taken for a baseline compiler's" && bad=1; }
	json "'%s: %.2fx, %d findings; %s' % (r['suspect'], r['times']['rows'][1]['slower'], len(r['findings']), '; '.join(code[:3]))"
}
