#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# No script of the tree has anything that shellcheck finds.
set -u
cd "$(dirname "$0")/../.." || exit 2
find scripts tests .ci -type f -not -path 'tests/data/*' -not -path '*/corpus/*' \
	-exec grep -lZE '^#!.*\b(ba|da)?sh$' {} + | xargs -r0 shellcheck -x
