#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""page.py TEMPLATE STYLE SCRIPT OUT: page.html, which pages are made from, of
its parts. Fills in the hashes by which a browser knows that style and script
are ours and runs no others. SCRIPT may be missing: then nothing runs."""
import base64
import hashlib
import os
import re
import sys


def hash_of(text):
    digest = hashlib.sha256(text.encode()).digest()
    return "'sha256-" + base64.b64encode(digest).decode() + "'"


def main(template, style, script, out):
    def read(path):
        with open(path, encoding="utf-8") as f:
            return f.read()

    css = read(style)
    js = read(script) if os.path.exists(script) else ""
    if "</script" in js.lower() or "<!--" in js or "</style" in css.lower():
        sys.exit(f"{script}, {style}: hold what ends the element around them")
    values = {
        "style": css,
        "style hash": hash_of(css),
        "script": js,
        "script hash": hash_of(js) if js else "'none'",
    }
    page = re.sub(r"\{\{([a-z ]+)\}\}", lambda m: values[m[1]], read(template))
    with open(out + ".new", "w", encoding="utf-8") as f:
        f.write(page)
    os.rename(out + ".new", out)


if __name__ == "__main__":
    main(*sys.argv[1:])
