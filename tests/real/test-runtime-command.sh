#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A command line as suspect and as oracle, which shows no code.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/runtime-hunt.bash
. tests/real/runtime-hunt.bash
command -v node >/dev/null || { echo "node is not installed" && exit 77; }
cat >"$tmp/run.mjs" <<'EOT'
import fs from "node:fs";
const { instance } = await WebAssembly.instantiate(fs.readFileSync(process.argv[2]));
instance.exports._start();
EOT
line="node $tmp/run.mjs {wasm}"
if hunt "$tmp/h" --budget 3 --run-ms 0 --min-gap 0.01 --suspect-cmd "$line" \
	--oracle-cmd "node --liftoff-only $tmp/run.mjs {wasm}" "$tmp/small.wasm"; then
	json "r[\"times\"][\"rows\"]"
	[ "$(json "r[\"suspect\"] == \"command:$line\" and r[\"times\"][\"rows\"][0][\"cpu_ms\"] > 0")" = True ] ||
		{ echo "the suspect is not the line" && bad=1; }
fi
exit "$bad"
