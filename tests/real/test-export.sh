#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every export of a capture is what its reader wants: checked by python, and
# by go tool pprof where it is installed. Sums are those of perf wasm report.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash
need wasmtime@50.0.1
perf-wasm record -q -g --sched --runtime wasmtime@50.0.1 hot.wasm || exit 1
report perf-wasm.data
for form in folded speedscope pprof firefox perfetto; do
	perf-wasm export --to $form -o out.$form || fail "$form failed"
done
perf-wasm export --to folded --period >period.folded || bad=1
perf-wasm export --to folded --event off-cpu --period >off.folded || bad=1
python3 "$root/tests/real/export-check.py" . || bad=1

if command -v go >/dev/null; then
	go tool pprof -raw out.pprof >raw || fail "pprof does not read it"
	grep -q 'heavy' raw || fail "pprof sees no heavy"
	go tool pprof -top out.pprof 2>/dev/null | sed -n '/flat%/{n;p}' |
		grep -q heavy || fail "heavy is not on top for pprof"
fi
exit $bad
