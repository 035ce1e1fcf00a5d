#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""page-parse.py PAGE WORD...: a page is HTML without a fault (html5lib's strict
parser), its ids are unique, its links lead to ids, and a reader with scripts
off finds each WORD in its text."""
import sys

import html5lib

page, *words = sys.argv[1:]
with open(page, "rb") as f:
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(f)

ids = [e.get("id") for e in tree.iter() if e.get("id")]
assert len(ids) == len(set(ids)), "an id is there twice"
for link in tree.iter("a"):
    assert link.get("href")[1:] in ids, f"{link.get('href')} leads nowhere"
for e in tree.iter():
    odd = [k for k in e.attrib if k.startswith("on") or k in ("style", "src")]
    assert not odd, f"<{e.tag}> has {odd}"
text = " ".join("".join(e.itertext()) for e in tree.iter("main"))
for word in words:
    assert word in text, f"'{word}' is not in the page's text"
