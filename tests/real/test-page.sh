#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A page with a chart of every kind and names that are markup: as a parser, a
# browser and a reader with scripts off see it. One of 5 MB is opened soon.
set -u
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tests/real/page-lib.bash
. tests/real/page-lib.bash

# shellcheck disable=SC2046 # libraries are words
gcc -std=gnu11 -D_GNU_SOURCE -O1 -Iinclude -o "$tmp/example" tests/real/page-example.c \
	"$PW_BUILD/plugin/report/room.a" "$PW_BUILD/wasm/base/room.a" \
	$(pkg-config --libs smartcols jansson zlib libxxhash) -lm -lpthread -ldl || exit 1
export PERF_WASM_PREFIX=$PW_BUILD
"$tmp/example" 500 >"$tmp/example.html" || exit 1
check_html "$tmp/example.html" '</script><script>alert(1)</script>' 'CPU 5' || exit 1
check_page "$tmp/example.html" || exit 1

"$tmp/example" 100000 >"$tmp/big.html" || exit 1
size=$(stat -c %s "$tmp/big.html")
[ "$size" -gt 4500000 ] || { echo "the big page has $size bytes" && exit 1; }
out=$(check_page "$tmp/big.html" open) || { echo "$out" && exit 1; }
echo "$out"
# Two seconds on an idle machine are about 20 loads of nothing; this one is
# shared, so the margin is wide.
loads=$(sed -n 's/.* as long as \([0-9]*\) loads.*/\1/p' <<<"$out")
[ "$loads" -le 100 ] || { echo "opening it takes as long as $loads empty pages" && exit 1; }
