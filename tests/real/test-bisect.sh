#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A bisection over three releases names the one that removed a known slowness
# and the instruction that went with it; ended and started again it goes on.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
need wasmtime@28.0.0 wasmtime@32.0.0 wasmtime@33.0.0

# A cache that holds these three only.
from=${XDG_CACHE_HOME:-$HOME/.cache}/perf-wasm/runtimes
mkdir -p "$tmp/cache/perf-wasm/runtimes"
for v in 28.0.0 32.0.0 33.0.0; do
	ln -s "$(realpath "$from/wasmtime@$v")" "$tmp/cache/perf-wasm/runtimes/"
done
export XDG_CACHE_HOME=$tmp/cache

bisect()
{
	"$pw" bisect --format=json -o "$tmp/report.json" --dir "$tmp/dir" --fetched-only "$cases/8571.slow.wasm" || exit 1
}

says()
{
	[ "$(python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
c = r["changes"][0] if r["changes"] else {}
code = [i["insn"].split()[0] for i in c.get("machine_code", {}).get("rows", [])]
print(bool(eval(sys.argv[2])))' "$tmp/report.json" "$1")" = True ] || {
		echo "not so: $1"
		bad=1
	}
}

bisect
says 'len(r["changes"]) == 1 and c["after"] == "33.0.0" and c["before"] == "32.0.0"'
says 'c["direction"] == "removed" and code[0] == "div"'
says 'r["known"] == 3 and r["tried"] == 3'
# Goes on: what is in the journal is not run again; what is not, is.
cp "$tmp/dir/journal" "$tmp/whole"
bisect
cmp "$tmp/whole" "$tmp/dir/journal" || bad=1
sed -i '/32\.0\.0/d' "$tmp/dir/journal"
bisect
[ "$(cut -f1,2 "$tmp/dir/journal" | sort)" = "$(cut -f1,2 "$tmp/whole" | sort)" ] || {
	echo "the journal does not hold the same releases"
	bad=1
}
says 'c["after"] == "33.0.0"'
# Another oracle is another search.
"$pw" bisect --dir "$tmp/dir" --fetched-only --oracle wasmtime@33.0.0 "$cases/8571.slow.wasm" >/dev/null 2>"$tmp/err" && bad=1
grep -q "holds something else" "$tmp/err" || bad=1
# Without times the codes of both ends are compared.
"$pw" bisect --format=json -o "$tmp/report.json" --dir "$tmp/code" --fetched-only --code-only --from 32 "$cases/8571.slow.wasm" || bad=1
says 'c["before"] == "32.0.0" and "div" in code'
exit "$bad"
