#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A source file names its licence in its first lines and then says in a
# comment what it knows.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
while IFS= read -r file; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' || {
		echo "$file: no licence line"
		bad=1
	}
	sed -n '2,4p' "$file" | grep -qE '^( ?\*|/\*|//|#)' || {
		echo "$file: does not say what it knows"
		bad=1
	}
done < <(find wasm plugin include scripts tests .ci -type f \
	\( -name '*.[ch]' -o -name '*.def' -o -name '*.sh' -o -name '*.py' \
	-o -name '*.mjs' -o -name run \) -not -path 'tests/data/*')
exit $bad
