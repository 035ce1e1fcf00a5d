#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Without a gap there is no hunt: the newest release against itself, and the
# fast twins of the known cases.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/hunt-lib.bash
. tests/real/hunt-lib.bash
need wasmtime@13.0.0 wasmtime@17.0.1 wasmtime@32.0.0 wasmtime@50.0.1

# no_gap MODULE SUSPECT
no_gap()
{
	hunt "$tmp/$1-$2" --suspect "$2" --oracle wasmtime@50.0.1 "$cases/$1.wasm" || return
	case $(json "r['verdict']") in
	"No gap:"*) echo "$1 on $2: no gap, $(json "r['slower']['value']")" ;;
	*) echo "$1 on $2: $(json "r['verdict']")" && bad=1 ;;
	esac
	[ ! -d "$tmp/$1-$2/box" ] || { echo "a box is left" && bad=1; }
}

for case in 7085 8571 7246-sqrt 7731-fill; do
	no_gap $case.slow wasmtime@50.0.1
done
no_gap 7085.fast wasmtime@13.0.0
no_gap 8571.fast wasmtime@32.0.0
no_gap 7731-fill.fast wasmtime@17.0.1
exit "$bad"
