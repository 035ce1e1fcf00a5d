#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A slow module between functions, data, tables and loops that have nothing to
# do with it is reduced to the slow loop: a few dozen instructions with the
# guilty one among them, valid, still slow. Killed and gone on with, the same
# decisions stand. Without a gap nothing is written.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
need wasmtime@13.0.0 wasmtime@50.0.1
most=60

# The case with its bound small, and 40 functions around it: some called, some
# not, some in a table.
python3 - tests/cases/7085-fill.slow.wat "$tmp/big.wat" <<'EOF' || exit 1
import re, sys
text = open(sys.argv[1]).read().rstrip()
text = re.sub(r'(\(global \$N[^(]*\(i32\.const) \d+\)', r'\1 1000000)', text)
junk = ['(type $t (func (param i32) (result i32)))', '(table 40 funcref)',
        '(elem (i32.const 0) func %s)' % ' '.join('$j%d' % i for i in range(40)),
        '(data (i32.const 8192) "%s")' % ('junk' * 500)]
for i in range(40):
    call = '(call $j%d (local.get $k))' % (i - 1) if i % 3 else '(local.get $k)'
    junk.append('''(func $j%d (param $k i32) (result i32) (local $s i32)
  (loop $l
    (local.set $s (i32.xor (i32.mul (local.get $s) (i32.const %d)) (i32.load offset=8192 (local.get $k))))
    (i32.store offset=16384 (local.get $k) (local.get $s))
    (br_if $l (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 4))) (i32.const 64))))
  (i32.add (local.get $s) %s))''' % (i, 2 * i + 1, call))
calls = ''.join('(drop (call_indirect (type $t) (i32.const 0) (i32.const %d)))' % i for i in range(0, 30))
assert text.endswith(')')
text = text[:-1] + '\n'.join(junk) + '\n(func $before %s)\n)' % calls
text, n = re.subn(r'\(func \(export "_start"\)', r'(func (export "_start") (call $before)', text)
assert n == 1
open(sys.argv[2], 'w').write(text)
EOF
wat2wasm -o "$tmp/big.wasm" "$tmp/big.wat" || exit 1

args=(--suspect wasmtime@13.0.0 --oracle wasmtime@50.0.1 --run-ms 0 --dir "$tmp/dir" "$tmp/big.wasm" -o "$tmp/small.wasm")
# tries: candidates that were decided.
tries()
{
	[ -e "$tmp/dir/journal" ] && grep -c '^try' "$tmp/dir/journal" || echo 0
}

"$pw" reduce "${args[@]}" >/dev/null 2>&1 &
pid=$!
while kill -0 $pid 2>/dev/null && [ "$(tries | head -n 1)" -lt 20 ]; do
	sleep 0.05
done
kill $pid 2>/dev/null
wait $pid
status=$?
if [ $status -ne 1 ] || [ -e "$tmp/small.wasm" ]; then
	echo "the first one was not cut: $status"
	bad=1
fi
tried=$(grep '^try' "$tmp/dir/journal")

"$pw" reduce --format=json "${args[@]}" >"$tmp/report.json" 2>"$tmp/err" ||
	{ echo "failed: $(cat "$tmp/err")" && exit 1; }
[ "$(grep '^try' "$tmp/dir/journal" | head -n "$(wc -l <<<"$tried")")" = "$tried" ] ||
	{ echo "decisions did not stand" && bad=1; }
wasm-validate "$tmp/small.wasm" || bad=1

# field EXPRESSION: over the report `r` and its sizes by name.
field()
{
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
size = {s["of"]: (s["before"], s["after"]) for s in r["sizes"]["rows"]}
print(eval(sys.argv[2]))' "$tmp/report.json" "$1"
}

insns=$(field 'size["instructions"][1]')
[ "$insns" -le $most ] || { echo "$insns instructions are left" && bad=1; }
wasm2wat "$tmp/small.wasm" | grep -q f64.convert_i32_s || { echo "the slow instruction is gone" && bad=1; }
[ "$(field 'r["slower_after"]["value"] >= 1.25')" = True ] || { echo "it is not slow any more" && bad=1; }
field '"%d bytes to %d, %d instructions to %d, %.2fx to %.2fx; %d candidates, %d runs on the suspect, %d on the oracle, %.1f original runs" % (
	*size["bytes"], *size["instructions"], r["slower_before"]["value"], r["slower_after"]["value"],
	r["cost"]["candidates"], r["cost"]["suspect_runs"], r["cost"]["oracle_runs"], r["cost"]["original_runs"])'

out=$("$pw" reduce --suspect wasmtime@50.0.1 --oracle wasmtime@50.0.1 --run-ms 0 --min-gap 3 --dir "$tmp/none" "$tmp/big.wasm" -o "$tmp/none.wasm")
status=$?
if [ $status -ne 1 ] || [ -e "$tmp/none.wasm" ] || ! grep -q '^No gap' <<<"$out"; then
	echo "without a gap: $status $out"
	bad=1
fi
exit "$bad"
