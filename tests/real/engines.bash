# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tests of runtimes that come from other registries: fetches a
# pinned release into the user's cache when it is not there yet. Knows nothing
# of what is tested on them.
# shellcheck shell=bash
engines=${XDG_CACHE_HOME:-$HOME/.cache}/perf-wasm/engines

# From npm: the program is a file of the package for this machine.
engine_bun()
{
	local version=1.4.5
	engine=$engines/bun-$version
	case $(uname -m) in
	x86_64) tests/npm-file @oven/bun-linux-x64@$version \
		sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g== \
		package/bin/bun "$engine" ;;
	*) echo "bun: no release for $(uname -m) is pinned" >&2 && return 77 ;;
	esac
}

# A Go module, built where go unpacked it: what its own go.sum pins is pinned
# with it. With the tag it writes a perf map.
engine_wazero()
{
	local version=1.12.0 found
	engine=$engines/wazero-$version
	[ ! -x "$engine" ] || return 0
	command -v go >/dev/null || { echo "wazero: go is not installed" >&2 && return 77; }
	mkdir -p "$engines" || return 2
	found=$(GOTOOLCHAIN=local timeout 120 go mod download -json \
		"github.com/tetratelabs/wazero@v$version" 2>/dev/null |
		python3 -c 'import json, sys
m = json.load(sys.stdin)
print(m["Sum"], m["Dir"])' 2>/dev/null) ||
		{ echo "go has no wazero $version now" >&2 && return 77; }
	[ "${found%% *}" = h1:DuWcpNu/FzgEXgGBDp8J1Spc+CWOvvtvVyjKlaZopYU= ] ||
		{ echo "wazero $version is not the pinned one: ${found%% *}" >&2 && return 1; }
	(cd "${found#* }" && GOFLAGS=-mod=readonly GOTOOLCHAIN=local GOWORK=off \
		timeout 600 go build -tags perfmap -trimpath -ldflags='-s -w' \
		-o "$engine.$$" ./cmd/wazero) 2>"$engines/wazero.log" &&
		mv "$engine.$$" "$engine" && return 0
	tail -n 3 "$engines/wazero.log" >&2
	echo "wazero $version can't be built here" >&2
	return 77
}

# engine NAME: its path as $engine, or the test is skipped (exit status 77), or
# fails when what came is not what was pinned.
engine()
{
	local said status
	said=$("engine_$1" 2>&1)
	status=$?
	[ $status = 0 ] || { echo "$said" && exit $status; }
	"engine_$1" # sets $engine
}
