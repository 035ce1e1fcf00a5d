#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Of a group that is sampled by its leader ("{cpu-clock,page-faults}:S") every
# member counts: samples and sums of each event, and the functions' samples,
# are those of perf report.
set -u
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source=tests/real/capture-lib.bash
. tests/real/capture-lib.bash
command -v gcc >/dev/null || skip "gcc is not installed"

cat >faults.c <<'EOC'
#include <sys/mman.h>
static volatile unsigned int x;
__attribute__((noinline)) static void spin(void)
{
	for (unsigned int i = 0; i < 10000000; i++)
		x += i;
}
__attribute__((noinline)) static void touch(char *p)
{
	for (unsigned int i = 0; i < 1 << 20; i += 4096)
		p[i] = 1;
}
int main(void)
{
	for (int i = 0; i < 40; i++) {
		char *p = mmap(0, 1 << 20, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		touch(p);
		spin();
		munmap(p, 1 << 20);
	}
	return 0;
}
EOC
gcc -O1 -o faults faults.c || exit 1
perf record -q -F 2000 -e '{cpu-clock,page-faults}:S' ./faults >out 2>&1 ||
	skip "perf records no such group here: $(tail -n 1 out)"
perf report --stdio --no-group -g none -w 0 -t '|' -F sample,period,sym 2>/dev/null >perf.txt
report --sort symbol perf.data
python3 - <<'PY' || bad=1
import json
import re

theirs, name = {}, None
for line in open("perf.txt"):
    head = re.match(r"# Samples: .* of events? '([^']*)'", line)
    if head:
        name = head.group(1)
        theirs[name] = {}
    cells = [c.strip() for c in line.split("|")]
    if line.startswith("#") or len(cells) < 3:
        continue
    symbol = re.sub(r"^\[.\] ", "", cells[2])
    n, period = theirs[name].get(symbol, (0, 0))
    theirs[name][symbol] = n + int(cells[0]), period + int(cells[1])
r = json.load(open("report.json"))
bad = list(theirs) != ["cpu-clock", "page-faults"]
for i, event in enumerate(r["events"]["rows"]):
    all_of = theirs.get(event["event"], {})
    ours = event["samples"], event["period"]
    perf = tuple(map(sum, zip(*all_of.values())))
    print("%s: %d samples, sum %d; perf: %d, %d" % ((event["event"],) + ours + perf))
    bad |= ours != perf or not ours[0]
    # A symbol that perf can't name is not told apart here.
    for row in r["functions"]["rows"]:
        n = row["samples"] if i == 0 else row["event_%d" % i]
        want = all_of.get(row["symbol"], (0, 0))[0]
        if n != want and not row["symbol"].startswith("["):
            print("%s: %s: %d samples, perf: %d" % (event["event"], row["symbol"], n, want))
            bad = True
# 40 times 256 pages
bad |= r["events"]["rows"][1]["period"] < 10000
raise SystemExit(bad)
PY
exit $bad
