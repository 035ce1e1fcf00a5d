#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# V8 in the oldest and the newest node that are pinned: a hunt on each.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/runtime-hunt.bash
. tests/real/runtime-hunt.bash
need node@18.20.8 node@26.12.1
shows_code node@18.20.8 node@26.12.1
shows_code node@26.12.1?tier=liftoff node@18.20.8
exit "$bad"
