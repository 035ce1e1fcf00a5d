#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The test driver sees failures, skips, crashes and time-outs as what they
# are: it runs made-up tests in a made-up tree and must count them right.
set -u
cd "$(dirname "$0")/../.." || exit 2
unset ONLY ROOM UPDATE
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/tests/unit/a/b" "$tmp/b/tests/unit/a/b" "$tmp/tests/lint" \
	"$tmp/tests/golden/"{good,bad} "$tmp/tests/data"
cp tests/run tests/golden-case "$tmp/tests/"

# program NAME LINE...: a made-up cmocka program that runs these shell lines.
program()
{
	touch "$tmp/tests/unit/a/b/test-$1.c"
	{ echo '#!/bin/sh' && printf '%s\n' "${@:2}"; } >"$tmp/b/tests/unit/a/b/test-$1"
	chmod +x "$tmp/b/tests/unit/a/b/test-$1"
}

program good 'echo "[  PASSED  ] 3 test(s)."'
program bad 'echo "[  PASSED  ] 1 test(s)."' \
	'echo "[  FAILED  ] 2 test(s), listed below:"' 'exit 2'
program none 'exit 0'
program crash 'echo "[  PASSED  ] 4 test(s)."' 'kill -SEGV $$'
program skips 'echo "[ RUN      ] one"' 'echo "no such data"' \
	'echo "[  SKIPPED ] one"' 'echo "[  PASSED  ] 1 test(s)."' \
	'echo "[  SKIPPED ] 1 test(s), listed below:"' 'echo "[  SKIPPED ] one"'
# each suite has the programs of its own build first on PATH
# shellcheck disable=SC2016 # a line for the test
echo 'case $PATH in $PW_BUILD/bin:*) ;; *) exit 1 ;; esac' >"$tmp/tests/lint/good.sh"
echo 'exit 1' >"$tmp/tests/lint/bad.sh"
printf 'echo because\nexit 77\n' >"$tmp/tests/lint/skips.sh"
echo 'echo x; exit 3' >"$tmp/tests/golden/good/cmd"
echo 'echo x' >"$tmp/tests/golden/bad/cmd"
UPDATE=1 "$tmp/tests/run" golden:b >/dev/null
rm "$tmp/tests/golden/bad/out"

"$tmp/tests/run" unit:b lint:other lint:b golden:b >"$tmp/found"
[ $? = 1 ] || { echo "the driver must fail when a test does" && exit 1; }
grep -v '^     |' "$tmp/found" | diff - /dev/fd/3 3<<'EOT'
FAIL unit a/b/test-bad: 1 passed, 2 failed, exit status 2
FAIL unit a/b/test-crash: 4 passed, 1 failed, exit status 139
ok   unit a/b/test-good: 3 tests
FAIL unit a/b/test-none: ran no test
ok   unit a/b/test-skips: 1 tests
SKIP unit a/b/test-skips one: no such data
FAIL lint bad: exit status 1
ok   lint good
SKIP lint skips: because
FAIL lint bad: exit status 1
ok   lint good
SKIP lint skips: because
FAIL golden bad: exit status 1
ok   golden good
12 passed, 7 failed, 3 skipped
EOT
