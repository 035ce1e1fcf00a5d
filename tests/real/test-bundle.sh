#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A hunt's bundle replays and holds; one whose module was changed is refused,
# one whose mutant cures nothing does not hold; the issue text has what a
# maintainer asks for.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
need wasmtime@13.0.0 wasmtime@50.0.1
bundle=$tmp/found.tar.zst
hunt "$tmp/hunt" --suspect wasmtime@13.0.0 --oracle wasmtime@50.0.1 --run-ms 10 \
	--budget 60 --bundle="$bundle" "$cases/7085-fill.slow.wasm" || exit 1
[ "$(json 'len(r["findings"]) > 0')" = True ] || { echo "the hunt found nothing" && exit 1; }

# replay FILE: its exit status; the report in $tmp/replay.json.
replay()
{
	"$pw" replay --no-fetch --format=json -o "$tmp/replay.json" "$1" 2>"$tmp/err"
}

field()
{
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$tmp/replay.json" "$1"
}

replay "$bundle" || { echo "it does not hold: $(cat "$tmp/err")$(cat "$tmp/replay.json")" && bad=1; }
[ "$(field 'r["holds"]')" = True ] || { echo "holds is not true" && bad=1; }
[ "$(field 'all(f["accused"] == f["present"] for f in r["findings"]["rows"])')" = True ] ||
	{ echo "accused instructions are missing" && bad=1; }
[ "$(field '[t["role"] for t in r["times"]["rows"]]')" = "['suspect', 'oracle']" ] ||
	{ echo "not both were timed" && bad=1; }

# pack: the unpacked bundle as an archive again.
mkdir "$tmp/open" && tar --zstd -xf "$bundle" -C "$tmp/open" || exit 1
pack()
{
	tar --zstd --format=ustar -cf "$tmp/again.tar.zst" -C "$tmp/open" perf-wasm-bundle
}
inside=$tmp/open/perf-wasm-bundle
cmp -s "$inside/module.wasm" "$cases/7085-fill.slow.wasm" || { echo "another module is in it" && bad=1; }
wasm-validate "$inside"/*.wasm 2>/dev/null || for f in "$inside"/*.wasm; do
	wasm-validate "$f" || bad=1
done

printf '\0' >>"$inside/hunted.wasm"
pack
replay "$tmp/again.tar.zst" && { echo "a changed module is taken" && bad=1; }
grep -q 'hunted.wasm in the bundle is not what its manifest says' "$tmp/err" ||
	{ echo "and the message is: $(cat "$tmp/err")" && bad=1; }

# The original in place of the mutants: valid, and nothing is cured.
tar --zstd -xf "$bundle" -C "$tmp/open" || exit 1
line=$(sed -n 's/^file\thunted.wasm //p' "$inside/manifest")
for f in "$inside"/mutant-*.wasm; do
	cp "$inside/hunted.wasm" "$f"
	sed -i "s/^\(file\t${f##*/}\) .*/\1 $line/" "$inside/manifest"
done
pack
replay "$tmp/again.tar.zst"
status=$?
if [ $status -ne 1 ] || [ "$(field 'r["holds"]')" != False ]; then
	echo "a mutant that cures nothing holds: $status $(cat "$tmp/err")"
	bad=1
fi

# says PATTERN: the issue text has such a line.
says()
{
	grep -q -- "$1" "$tmp/found.md" || { echo "the issue text lacks $1" && bad=1; }
}
says '^# .* is slow on wasmtime@13.0.0: [0-9.]*x the time of wasmtime@50.0.1$'
says '^- runtime: wasmtime@13.0.0 library 13.0.0$'
says '^perf wasm replay found.tar.zst$'
says '^=> '
says 'Machine code on the suspect'
exit "$bad"
