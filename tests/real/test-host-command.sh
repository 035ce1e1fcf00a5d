#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The host for command lines: what it asks of the program, and what it makes
# of the ways in which one may end. The program is a script of ours that does
# what the module's file name says.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/host-talk.bash
. tests/real/host-talk.bash

cat >"$tmp/runtime" <<'EOT'
#!/usr/bin/env bash
[ "$1" != --version ] || { echo "made-up runtime 3.2.1"; exit; }
for a; do module=$a; [ "$a" != -- ] || break; done
case $* in *.wasm*) module=$(printf '%s\n' "$@" | grep '\.wasm$') ;; esac
case $(basename "$module" .wasm) in
says) printf '%s\n' "$@"; cat ;;
exits) exit 7 ;;
traps) exit 134 ;;
aborts) kill -ABRT $$ ;;
endless) while :; do :; done ;;
sleeper) sleep 100 ;;
flood) yes ;;
busy) for ((i = 0; i < 200000; i++)); do :; done ;;
esac
EOT
chmod +x "$tmp/runtime"

host=$PW_BUILD/libexec/perf-wasm/host-command
start "$host" "'$tmp/runtime' --{options} {module} -- {args}" opt=none
case $greeting in *version=3.2.1%20less%20*ms) ;; *) echo "$greeting" && bad=1 ;; esac
for m in says exits traps aborts endless sleeper flood busy; do
	: >"$tmp/$m.wasm"
done
echo input >"$tmp/in"
expect ok "$tmp/says.wasm" "stdout=$tmp/out" "stdin=$tmp/in" arg=one%20word arg=two
same "what the program is given" \
	"$(printf '%s\n' --opt=none "$tmp/says.wasm" -- 'one word' two input)" \
	"$(cat "$tmp/out")"
expect exit "$tmp/exits.wasm"
same "exit code" 7 "$(field exit_code)"
expect trap "$tmp/traps.wasm"
expect crash "$tmp/aborts.wasm"
expect cpu-limit "$tmp/endless.wasm" cpu_limit_ns=100000000 wall_limit_ns=60000000000
same "a killed call has its CPU time" 1 $(($(field cpu_ns) >= 100000000))
expect wall-limit "$tmp/sleeper.wasm" wall_limit_ns=300000000
expect output-limit "$tmp/flood.wasm" "stdout=$tmp/out" output_limit_bytes=100000 \
	wall_limit_ns=60000000000
expect ok "$tmp/busy.wasm"
same "work takes time" 1 $(($(field cpu_ns) > 1000000))
expect unsupported "$tmp/busy.wasm" compile_only=1
expect unsupported "$tmp/busy.wasm" invoke=other
expect ok "$tmp/says.wasm" digest=1
first=$(field digest)
expect ok "$tmp/says.wasm" digest=1 arg=more
[ "$(field digest)" != "$first" ] || { echo "the digest does not see the output" && bad=1; }
stop
for line in "$tmp/absent {module}" "'$tmp/runtime {module}" ""; do
	case $("$host" "$line" </dev/null 2>/dev/null) in
	failed*message=*) ;;
	*) echo "accepted: $line" && bad=1 ;;
	esac
done
exit $bad
