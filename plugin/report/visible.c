// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes hostile names harmless: see visible.h. Knows nothing of reports.
 */
#include "visible.h"

#include <perfwasm/report.h>

#include <string.h>
#include <wchar.h>

/* The length that a first byte promises; 0 when it begins no character. */
static int promised_length(uint8_t first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

int utf8_next(const char *s, size_t n, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *p = (const uint8_t *)s;
	int len = promised_length(p[0]);
	uint32_t c;

	if (!len || (size_t)len > n)
		return 0;
	c = len == 1 ? p[0] : p[0] & (0x7f >> len);
	for (int i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*cp = c;
	return len;
}

/* Ranges that a terminal obeys or hides: controls, invisible and direction
 * characters, line and paragraph separators, tags, private use planes. */
static bool is_shown(uint32_t c)
{
	static const uint32_t hidden[][2] = {
		{ 0x00, 0x1f },       { 0x7f, 0x9f },     { 0xad, 0xad },
		{ 0x61c, 0x61c },     { 0x180e, 0x180e }, { 0x200b, 0x200f },
		{ 0x2028, 0x202e },   { 0x2060, 0x206f }, { 0xfeff, 0xfeff },
		{ 0xfff0, 0xfffb },   { 0xfffe, 0xffff }, { 0xe0000, 0xe0fff },
		{ 0xf0000, 0x10ffff }
	};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
		if (c >= hidden[i][0] && c <= hidden[i][1])
			return false;
	return true;
}

static void add_hex(struct pw_buf *out, const char *s, int n)
{
	for (int i = 0; i < n; i++)
		pw_buf_printf(out, "\\x%02x", (uint8_t)s[i]);
}

static void add_safe(struct pw_buf *out, const char *s, bool all_utf8)
{
	size_t left = strlen(s);

	while (left) {
		uint32_t c;
		int len = utf8_next(s, left, &c);

		if (!len || !(all_utf8 || is_shown(c))) {
			len = len ? len : 1;
			add_hex(out, s, len);
		} else {
			pw_buf_add(out, s, len);
		}
		s += len;
		left -= len;
	}
}

void visible_add(struct pw_buf *out, const char *s)
{
	add_safe(out, s, false);
}

char *pw_visible(const char *s)
{
	struct pw_buf b = { 0 };

	visible_add(&b, s);
	pw_buf_str(&b);
	return (char *)b.data;
}

void utf8_add(struct pw_buf *out, const char *s)
{
	add_safe(out, s, true);
}

int visible_width(const char *s)
{
	size_t left = strlen(s);
	int width = 0;

	while (left) {
		uint32_t c;
		int len = utf8_next(s, left, &c), w;

		w = len > 1 ? wcwidth(c) : 1;
		width += w < 0 ? 1 : w;
		len = len ? len : 1;
		s += len;
		left -= len;
	}
	return width;
}
