#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every .conf that describes a runtime is read without a complaint.
set -u
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export XDG_CONFIG_HOME=$tmp XDG_CACHE_HOME=$tmp
"$PW_BUILD/bin/perf-wasm" runtimes >"$tmp/out" 2>"$tmp/err" || exit 1
! grep -F .conf "$tmp/err"
