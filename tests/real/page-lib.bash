# SPDX-License-Identifier: GPL-2.0-only
# Sourced by tests of pages: what a browser needs, and the check of a page.
# Exits 77 when the browser can't be had. chromium-browser of Ubuntu is a snap,
# which sees no files outside the home folder.

CHROMIUM=$(command -v chromium) || { echo "chromium is not installed" && exit 77; }
command -v node >/dev/null || { echo "node is not installed" && exit 77; }
grep -q "Apache ECharts" "$PW_BUILD/share/perf-wasm/page.html" ||
	{ echo "page.html was built without its scripts: make page" && exit 77; }
PLAYWRIGHT=$PW_BUILD/npm/playwright-core-1.65.1
tests/npm-file playwright-core@1.65.1 \
	sha512-hqPpz7blSMPxWVdoeE1yiBSzXsKiVOd2k+kjCvmUywD2GPO2Dd9HfcWnq9NN0GHbNZDFgZ9JfBFr+X5/BLo0qw== \
	package "$PLAYWRIGHT" || exit
export CHROMIUM PLAYWRIGHT

# check_page PAGE [open]: as page-check.mjs says; SHOTS=FOLDER keeps pictures.
check_page()
{
	node tests/real/page-check.mjs "$1" "${2:-all}" ${SHOTS:+"$SHOTS/$(basename "$1" .html)"}
}

# check_html PAGE WORD...: as page-parse.py says, by the python that the parser's
# package is for.
check_html()
{
	/usr/bin/python3 tests/real/page-parse.py "$@"
}
