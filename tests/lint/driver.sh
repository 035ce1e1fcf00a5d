#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The test driver sees failures, skips, crashes and time-outs as what they
# are: it runs made-up tests in a made-up tree and must count them right.
# shellcheck disable=SC2016 # it holds lines for other shells
set -u
cd "$(dirname "$0")/../.." || exit 2
unset ONLY ROOM UPDATE JOBS
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
echo 'case $PATH in $PW_BUILD/bin:*) ;; *) exit 1 ;; esac' >"$tmp/tests/lint/good.sh"
echo 'exit 1' >"$tmp/tests/lint/bad.sh"
printf 'echo because\nexit 77\n' >"$tmp/tests/lint/skips.sh"
echo 'echo x; exit 3' >"$tmp/tests/golden/good/cmd"
echo 'echo x' >"$tmp/tests/golden/bad/cmd"
UPDATE=1 "$tmp/tests/run" golden:b >/dev/null
rm "$tmp/tests/golden/bad/out"

# found JOBS: what it tells, of several at a time as they end; without the logs
found()
{
	JOBS=$1 "$tmp/tests/run" unit:b lint:other lint:b golden:b >"$tmp/found" 2>&1
	[ $? = 1 ] || { echo "the driver must fail when a test does" && exit 1; }
	grep -v '^     |' "$tmp/found"
}

found 1 >"$tmp/in-order"
diff "$tmp/in-order" - <<'EOT' || exit 1
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
for _ in 1 2 3; do
	found 3 | sort | diff <(sort "$tmp/in-order") - || exit 1
done

# made NAME...: these are the lints now, each the lines that are read, with
# its own name as $1
made()
{
	local lines name
	lines=$(cat)
	rm -f "$tmp"/tests/lint/*
	for name; do
		printf 'set -- %s\n%s\n' "$name" "$lines" >"$tmp/tests/lint/$name.sh"
	done
}

# Two at a time: each waits for the other.
cd "$tmp" || exit 2
made a z <<'EOT'
touch began-$1
for _ in 1 2 3 4 5 6 7 8; do
	[ -e began-a ] && [ -e began-z ] && exit 0
	sleep 1
done
exit 1
EOT
JOBS=2 tests/run lint:b >found || { cat found && exit 1; }

# What takes long starts first.
made a b y z <<<'echo $1 >>order'
echo '# run: first' | tee -a tests/lint/b.sh >>tests/lint/y.sh
JOBS=1 tests/run lint:b >found
[ "$(xargs <order)" = "b y a z" ] || { echo "not in order: $(xargs <order)" && exit 1; }

# A signal ends what runs, too, and nothing is left.
made a b <<<'echo $$ >pid-$1; sleep 1000 & wait'
mkdir scratch
TMPDIR=$tmp/scratch JOBS=2 tests/run lint:b >found &
until [ -s pid-a ] && [ -s pid-b ]; do sleep 0.1; done
kill -TERM $!
wait $!
[ $? = 130 ] || { echo "a signal does not end it" && exit 1; }
kill -0 "$(cat pid-a)" 2>/dev/null && echo "a test goes on" && exit 1
kill -0 "$(cat pid-b)" 2>/dev/null && echo "a test goes on" && exit 1
[ -z "$(ls scratch)" ] || { echo "left: $(ls scratch)" && exit 1; }
