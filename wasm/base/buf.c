// SPDX-License-Identifier: GPL-2.0-only
/*
 * A growing buffer of bytes, and LEB128 on the way out.
 */
#include <perfwasm/base.h>

#include <stdlib.h>
#include <string.h>

void pw_buf_release(struct pw_buf *b)
{
	if (!b)
		return;
	free(b->data);
	memset(b, 0, sizeof(*b));
}

void pw_buf_reserve(struct pw_buf *b, size_t more_bytes)
{
	size_t need = b->len + more_bytes + 1; /* one for pw_buf_str() */

	if (need <= b->cap)
		return;
	b->cap = need < 2 * b->cap ? 2 * b->cap : need;
	if (b->cap < 64)
		b->cap = 64;
	b->data = pw_realloc(b->data, b->cap);
}

void pw_buf_add(struct pw_buf *b, const void *data, size_t n)
{
	pw_buf_reserve(b, n);
	if (n)
		memcpy(b->data + b->len, data, n);
	b->len += n;
}

void pw_buf_add_u8(struct pw_buf *b, uint8_t v)
{
	pw_buf_add(b, &v, 1);
}

static void add_le(struct pw_buf *b, uint64_t v, int n)
{
	uint8_t bytes[8];

	for (int i = 0; i < n; i++)
		bytes[i] = (uint8_t)(v >> (8 * i));
	pw_buf_add(b, bytes, (size_t)n);
}

void pw_buf_add_u32(struct pw_buf *b, uint32_t v)
{
	add_le(b, v, 4);
}

void pw_buf_add_u64(struct pw_buf *b, uint64_t v)
{
	add_le(b, v, 8);
}

void pw_buf_add_uleb(struct pw_buf *b, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
	pw_buf_add(b, bytes, n);
}

void pw_buf_add_sleb(struct pw_buf *b, int64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;
	bool more;

	do {
		uint8_t low = (uint8_t)(v & 0x7f);

		v >>= 7; /* arithmetic in every compiler we build with */
		more = !((v == 0 && !(low & 0x40)) ||
			 (v == -1 && (low & 0x40)));
		bytes[n++] = (uint8_t)(low | (more ? 0x80 : 0));
	} while (more);
	pw_buf_add(b, bytes, n);
}

void pw_buf_printf(struct pw_buf *b, const char *fmt, ...)
{
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	pw_buf_reserve(b, 128);
	n = vsnprintf((char *)b->data + b->len, b->cap - b->len, fmt, ap);
	if (n > 0 && (size_t)n >= b->cap - b->len) {
		pw_buf_reserve(b, (size_t)n);
		vsnprintf((char *)b->data + b->len, b->cap - b->len, fmt,
			  again);
	}
	if (n > 0)
		b->len += (size_t)n;
	va_end(again);
	va_end(ap);
}

const char *pw_buf_str(struct pw_buf *b)
{
	pw_buf_reserve(b, 0);
	b->data[b->len] = 0;
	return (const char *)b->data;
}
