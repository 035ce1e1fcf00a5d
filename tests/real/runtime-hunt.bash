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
