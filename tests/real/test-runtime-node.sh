#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# V8 in the oldest and the newest node that are pinned: a hunt on each. Code of
# its lower tier is known as such, and that of the other is not. Then one to the
# end.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/runtime-hunt.bash
. tests/real/runtime-hunt.bash
need node@18.20.8 node@26.12.1
shows_code node@18.20.8?tier=turbofan node@26.12.1
[ "$(grep -c '^triage.*;b,' "$dir/journal")" = 0 ] || { echo "optimised code: taken for a lower tier's" && bad=1; }
shows_code node@26.12.1?tier=liftoff node@18.20.8
[ "$(grep -c '^triage.*;b,' "$dir/journal")" != 0 ] || { echo "Liftoff's code: not told to be a lower tier's" && bad=1; }
need wasmtime@50.0.1
to_the_end node@18.20.8
exit "$bad"
