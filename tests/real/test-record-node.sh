#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# perf wasm record and report on node, and through a pipe with no file in
# between.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash
command -v node >/dev/null || skip "node is not installed"

perf-wasm record -- node hot.mjs hot.wasm 2>err || fail "$(cat err)"
grep -q -- --perf-prof err || fail "no flag was added: $(cat err)"
compgen -G 'jit-*' >/dev/null && fail "a jitdump lies outside of the capture"
report perf-wasm.data
holds report.json '0.3 < fn("heavy", module="hot.wasm", kind="wasm")'
holds report.json '{f["tier"] for f in r["functions"]["rows"] if f["kind"] == "wasm"} >= {"baseline"}'
holds report.json 'fn("work") < fn("heavy")'

# of the whole machine: the dump of its own command is moved, too
if perf record -q -a -e cpu-clock:u -o /dev/null true >/dev/null 2>&1; then
	perf-wasm record -q -a --dir all -- node hot.mjs hot.wasm || bad=1
	compgen -G 'jit-*' >/dev/null && fail "a jitdump lies outside of the capture"
	compgen -G 'all/jit-*' >/dev/null || fail "there is no jitdump: $(ls all)"
fi

perf record -q -k mono -e cpu-clock -o - -- node --perf-prof hot.mjs hot.wasm |
	perf-wasm report --format=json --limit 0 -o report.json -i - ||
	fail "the pipe failed"
holds report.json '0.3 < fn("heavy", module="hot.wasm")'

perf record -q -e cpu-clock -o clock.data -- node --perf-prof hot.mjs hot.wasm ||
	bad=1
perf-wasm report clock.data >text
grep -q 'perf record -k mono' text || fail "no word of the clock"
exit $bad
