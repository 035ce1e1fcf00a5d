# SPDX-License-Identifier: GPL-2.0-only
# What the tests of hunts share: a temporary folder, the runtimes they need,
# and one hunt with its JSON read by python.
# shellcheck shell=bash
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
pw=$PW_BUILD/bin/perf-wasm
cases=$PW_BUILD/tests/cases

# need RUNTIME...: fetched, or the test is skipped.
need()
{
	local r out
	for r in "$@"; do
		out=$("$pw" runtimes add "$r" 2>&1) || {
			echo "$r cannot be fetched: ${out##*$'\n'}"
			exit 77
		}
	done
}

# hunt DIR ARG...: its JSON in $tmp/report.json, its messages shown on failure.
hunt()
{
	local dir=$1
	shift
	"$pw" hunt --format=json --dir "$dir" -o "$tmp/report.json" "$@" 2>"$tmp/err" || {
		echo "hunt $* failed: $(cat "$tmp/err")"
		bad=1
		return 1
	}
}

# json EXPRESSION: a python expression over the report `r`, printed.
json()
{
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
f = r["findings"][0] if r["findings"] else {}
code = [i["insn"] for i in f.get("machine_code", {}).get("rows", [])]
print(eval(sys.argv[2]))' "$tmp/report.json" "$1"
}
