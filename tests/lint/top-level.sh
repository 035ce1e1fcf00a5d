#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The top level holds these names, dot files and build folders, nothing else.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
for name in *; do
	case $name in
	plugin | wasm | scripts | include | tests | Kbuild-notes) ;;
	Makefile | README.md | LICENSE | build* | hunt-*) ;;
	*) echo "$name does not belong at the top level" && bad=1 ;;
	esac
done
exit $bad
