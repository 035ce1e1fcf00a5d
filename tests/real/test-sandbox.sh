#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The sandbox holds for whoever runs us: the tests that try its walls from
# inside (tests/unit/wasm/measure) run as this user and, when that is root,
# as a user without any rights.
set -u
tests=$PW_BUILD/tests/unit/wasm/measure
dir=$(mktemp -d /tmp/pw-real-sandbox.XXXXXX) || exit 1
trap 'rm -rf "$dir"' EXIT

for t in sandbox session; do
	if [ ! -x "$tests/test-$t" ]; then
		echo "build them first: make unit-build"
		exit 77
	fi
	cp "$tests/test-$t" "$dir" || exit 1
done
command -v bwrap >/dev/null || { echo "bubblewrap is not installed"; exit 77; }
chmod 755 "$dir" "$dir"/*

# The rest of PATH may be hidden from the other user.
PATH=/usr/local/bin:/usr/bin:/bin
"$dir/test-sandbox" && "$dir/test-session" || exit 1
[ "$(id -u)" = 0 ] || exit 0
command -v setpriv >/dev/null || exit 0
cd /
as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
"${as_nobody[@]}" "$dir/test-sandbox" &&
	"${as_nobody[@]}" "$dir/test-session"
