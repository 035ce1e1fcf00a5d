#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every header compiles alone, and may be included twice.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
for header in $(find include wasm plugin -name '*.h') tests/*/*.h; do
	[ -e "$header" ] || continue
	printf '#include "%s"\n#include "%s"\n' "$PWD/$header" "$PWD/$header" |
		${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -Iinclude -Wall -Wextra \
			-Werror -fsyntax-only -x c - || {
		echo "$header: does not compile alone"
		bad=1
	}
done
exit $bad
