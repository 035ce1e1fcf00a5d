#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# bundle.sh SOURCE WORK OUT: the page's scripts and the chart library as one
# file OUT, from the modules in SOURCE. What npm fetches into WORK is what
# package-lock.json names by its hash, and nothing of it is run but esbuild.
# When it can't be fetched this says so, leaves OUT empty and exits 0: all but
# the page's scripts is built without a network.
set -eu
source=$1 work=$2 out=$3

give_up()
{
	echo "page: $1; pages will have no charts, and their tables do not sort." >&2
	echo "page: for them type 'make page' where npm or pip can fetch packages." >&2
	: >"$out"
	exit 0
}

fetch()
{
	cmp -s "$source/package-lock.json" "$work/fetched" && return
	rm -f "$work/fetched"
	local npm
	npm=$(realpath "$(dirname "$0")")/npm.sh
	(cd "$work" && timeout 300 "$npm" "$PWD/../npm" ci --ignore-scripts --no-audit --no-fund \
		--no-update-notifier >npm.log 2>&1 </dev/null) || {
		grep -iE 'err|npm is not' "$work/npm.log" | head -n 3 >&2
		give_up "the chart library can't be fetched"
	}
	cp "$source/package-lock.json" "$work/fetched"
}

mkdir -p "$work"
cp "$source"/package.json "$source"/package-lock.json "$source"/*.mjs "$work"
fetch
esbuild=$(echo "$work"/node_modules/@esbuild/*/bin/esbuild)
[ -x "$esbuild" ] || give_up "there is no esbuild for this machine"
version=$(sed -n 's/^ *"version": *"\([^"]*\)".*/\1/p' "$work/node_modules/echarts/package.json")
"$esbuild" "$work/page-main.mjs" --bundle --minify --format=iife --target=es2022 \
	--log-level=warning --legal-comments=none --outfile="$out" \
	--banner:js="/* with Apache ECharts $version (Apache-2.0), zrender (BSD-3-Clause), tslib (0BSD) */"
