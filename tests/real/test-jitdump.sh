#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Samples of real runtimes get from their jitdumps and perf maps the names that
# perf inject --jit and perf give them; every function is found where and when
# it was loaded. Of 1000 samples, at most 5 of a function may differ.
set -u
cd "$(dirname "$0")/../.." || exit 2
for tool in perf wat2wasm gcc; do
	command -v $tool >/dev/null || { echo "$tool is not installed" && exit 77; }
done
cache=${XDG_CACHE_HOME:-$HOME/.cache}/perf-wasm/runtimes
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
export DEBUGINFOD_URLS=
bad=0
n=0

perf_() { perf --buildid-dir "$tmp/debug" "$@"; }
perf_ record -o "$tmp/try" -k mono -e cpu-clock true >"$tmp/said" 2>&1 ||
	{ tail -n 1 "$tmp/said" && exit 77; }
wat2wasm --debug-names -o "$tmp/loops.wasm" tests/data/guests/loops.wat || exit 2
gcc -O1 -Iinclude -o "$tmp/resolve" tests/real/jitmap-resolve.c \
	"$PW_BUILD/plugin/jit/room.a" "$PW_BUILD/wasm/base/room.a" -lxxhash ||
	exit 2

# record COMMAND...: a capture in $dir, its standard input the command's.
record()
{
	dir=$tmp/$name
	mkdir -p "$dir"
	(cd "$dir" && perf_ record -q -k mono -e cpu-clock -c 200000 \
		-o perf.data "$@" >said 2>&1) && return
	echo "$name: perf record fails" && tail -n 3 "$dir/said"
	bad=1
	return 1
}

# compare DATA PATTERN FILE...: names of $dir/DATA by perf, in files whose
# path matches PATTERN, with ours from the dumps or maps FILE....
compare()
{
	local data=$1 pattern=$2
	shift 2
	perf_ script -i "$dir/perf.data" --ns -F pid,time,ip >"$dir/samples" 2>/dev/null
	perf_ script -i "$dir/$data" --ns -F ip,sym,dso >"$dir/theirs" 2>/dev/null
	"$tmp/resolve" "$@" <"$dir/samples" >"$dir/ours" 2>"$dir/said" ||
		{ cat "$dir/said" && bad=1; }
	grep -qx '0 hidden' "$dir/said" || { cat "$dir/said" && bad=1; }
	paste "$dir/samples" "$dir/ours" "$dir/theirs" |
		awk -F '\t' -v name="$name" -v pattern="$pattern" \
			-f tests/real/jitmap-compare.awk || bad=1
	n=$((n + 1))
}

# perf_map: that of the process with the most samples.
perf_map()
{
	perf_ script -i "$dir/perf.data" -F pid 2>/dev/null | sort | uniq -c |
		sort -rn | awk 'NR == 1 { print "/tmp/perf-" $2 ".map" }'
}

for v in 8.0.0 13.0.0 50.0.1; do
	name=wasmtime-$v
	lib=$cache/wasmtime@$v/libwasmtime.so
	[ -e "$lib" ] || perf-wasm runtimes add "wasmtime@$v" >"$tmp/said" 2>&1 ||
		{ echo "$name: $(tail -n 1 "$tmp/said")" && continue; }
	mkdir -p "$tmp/$name"
	printf 'run\tid=1\tmodule=%s\tjitdump_dir=%s\n' "$tmp/loops.wasm" \
		"$tmp/$name" >"$tmp/request"
	record "$PW_BUILD/libexec/perf-wasm/host-wasmtime" "$lib" \
		<"$tmp/request" || continue
	perf_ inject --jit -i "$dir/perf.data" -o "$dir/jit.data" 2>/dev/null
	compare jit.data '/jitted-' "$dir"/jit-*.dump
done

{
	printf 'const m = new WebAssembly.Module(new Uint8Array(['
	od -An -v -tu1 "$tmp/loops.wasm" | tr -s ' \n' ','  | sed 's/^,//'
	printf ']));\nnew WebAssembly.Instance(m, {}).exports._start();\n'
} >"$tmp/loops.js"

if command -v node >/dev/null; then
	name=node-jitdump
	record node --perf-prof "$tmp/loops.js" </dev/null && {
		perf_ inject --jit -i "$dir/perf.data" -o "$dir/jit.data" 2>/dev/null
		compare jit.data '/jitted-' "$dir"/jit-*.dump
	}
	name=node-map
	record node --perf-basic-prof "$tmp/loops.js" </dev/null && {
		map=$(perf_map)
		compare perf.data '/perf-[0-9]*.map' "$map"
		rm -f "$map"
	}
else
	echo "node is not installed"
fi
if command -v jsc >/dev/null; then
	name=jsc
	mkdir -p "$tmp/$name"
	record jsc --useJITDump=1 "--jitDumpDirectory=$tmp/$name" "$tmp/loops.js" </dev/null && {
		perf_ inject --jit -i "$dir/perf.data" -o "$dir/jit.data" 2>/dev/null
		compare jit.data '/jitted-' "$dir"/jit-*.dump
	}
else
	echo "jsc is not installed"
fi
[ $n != 0 ] || { echo "no runtime was there" && exit 77; }
exit $bad
