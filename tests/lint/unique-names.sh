#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# A source file's name is unique in the tree, so that a name says which.
set -u
cd "$(dirname "$0")/../.." || exit 2
twice=$(find wasm plugin include scripts tests -type f \
	\( -name '*.[ch]' -o -name '*.def' -o -name '*.py' -o -name '*.mjs' \
	-o -name '*.sh' -o -name '*.conf' \) -not -path 'tests/data/*' \
	-printf '%f\n' | sort | uniq -d)
for name in $twice; do
	echo "more than one file is called $name:"
	find wasm plugin include scripts tests -name "$name" -not -path 'tests/data/*'
done
[ -z "$twice" ]
