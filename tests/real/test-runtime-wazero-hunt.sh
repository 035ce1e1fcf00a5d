#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# wazero, its cache read: a hunt on it.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/runtime-hunt.bash
. tests/real/runtime-hunt.bash
need wazero@1.12.0
shows_code wazero wasm2c
exit "$bad"
