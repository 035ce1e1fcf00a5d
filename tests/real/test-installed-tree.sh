#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A staged tree is what `make install` copies, and runs from wherever it is
# put: it finds its own runtimes' descriptions.
set -u
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export XDG_CONFIG_HOME=$tmp/config XDG_CACHE_HOME=$tmp/cache

make --no-print-directory O="$PW_BUILD" stage || exit 1
make --no-print-directory O="$PW_BUILD" install DESTDIR="$tmp" PREFIX=/opt/x || exit 1
diff -r "$PW_BUILD/stage" "$tmp/opt/x" || exit 1

mv "$tmp/opt/x" "$tmp/elsewhere"
"$tmp/elsewhere/bin/perf-wasm" version || exit 1
"$tmp/elsewhere/bin/perf-wasm" runtimes | tee "$tmp/list"
for conf in "$tmp"/elsewhere/share/perf-wasm/runtimes/*.conf; do
	name=$(basename "$conf" .conf)
	grep -q "$name" "$tmp/list" || { echo "$name is not listed" && exit 1; }
done
