#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Every C file, host script and configuration file of a room is in its Build
# file, so that nothing lies about unbuilt.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
while read -r file; do
	room=$(cut -d/ -f1,2 <<<"$file")
	name=${file#"$room"/}
	case $name in
	*.c) want="${name%.c}(\.o|\.c)?" ;; # .c: built elsewhere
	*.mjs | *.conf) want=${name//./\\.} ;;
	*.map) want="[a-z]+/${name%.map}\\.so" ;;
	*.h | *.def | LICENSE.* | Build) continue ;;
	*) want=${name//./\\.} ;;
	esac
	sed 's/#.*//' "$room/Build" 2>/dev/null |
		grep -qE "^[a-z]+-y.*[[:space:]]$want([[:space:]]|\$)" || {
		echo "$file: not in $room/Build"
		bad=1
	}
done < <(find wasm plugin -mindepth 2 -type f)
exit $bad
