#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# .clang-format decides how C looks; tables (.def) are laid out by hand.
set -u
cd "$(dirname "$0")/../.." || exit 2
find wasm plugin include tests -name '*.[ch]' -print0 |
	xargs -0r clang-format --dry-run -Werror --ferror-limit=3
