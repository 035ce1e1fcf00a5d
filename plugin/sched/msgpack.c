// SPDX-License-Identifier: GPL-2.0-only
/* Values of MessagePack off a cursor. The bytes are untrusted. */
#include "msgpack.h"

#include <errno.h>
#include <string.h>

#define MOST_DEEP 8

/* A number of `size` bytes, big end first. */
static uint64_t number(struct pw_cursor *c, unsigned int size)
{
	const uint8_t *p = pw_cursor_bytes(c, size);
	uint64_t v = 0;

	for (unsigned int i = 0; p && i < size; i++)
		v = v << 8 | p[i];
	return v;
}

static struct msg number_of(uint64_t v, bool is_signed, unsigned int size)
{
	struct msg m = { .kind = MSG_NUMBER };

	if (is_signed)
		m.number = (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
	else
		m.number = v > INT64_MAX ? INT64_MAX : (int64_t)v;
	return m;
}

static struct msg text_of(struct pw_cursor *c, uint64_t n)
{
	struct msg m = { .kind = MSG_TEXT, .n = (uint32_t)n };

	m.text = (const char *)pw_cursor_bytes(c, n);
	if (!m.text)
		return (struct msg){ 0 };
	return m;
}

/* Each value takes a byte at least. */
static struct msg many(struct pw_cursor *c, enum msg_kind kind, uint64_t n)
{
	struct msg m = { .kind = kind, .n = (uint32_t)n };

	if (n <= pw_cursor_left(c))
		return m;
	pw_cursor_fail(c, EINVAL,
		       "a list of %llu values is longer than the file",
		       (unsigned long long)n);
	return (struct msg){ 0 };
}

static struct msg real_of(uint64_t bits, unsigned int size)
{
	struct msg m = { .kind = MSG_NUMBER };
	uint32_t low = (uint32_t)bits;
	double d;
	float f;

	memcpy(&d, &bits, sizeof(d));
	memcpy(&f, &low, sizeof(f));
	if (size == 4)
		d = f;
	m.number = d > -9e18 && d < 9e18 ? (int64_t)d : 0;
	return m;
}

/* The types that begin with a byte from 0xc0 to 0xdf. */
static struct msg typed(struct pw_cursor *c, uint8_t type)
{
	switch (type) {
	case 0xc0:
		return (struct msg){ 0 };
	case 0xc2:
	case 0xc3:
		return number_of(type & 1, false, 1);
	case 0xc4: /* bytes */
	case 0xc5:
	case 0xc6:
		return text_of(c, number(c, 1u << (type - 0xc4)));
	case 0xca:
	case 0xcb:
		return real_of(number(c, 4u << (type - 0xca)),
			       4u << (type - 0xca));
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xcf:
		return number_of(number(c, 1u << (type - 0xcc)), false, 8);
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		return number_of(number(c, 1u << (type - 0xd0)), true,
				 1u << (type - 0xd0));
	case 0xd9:
	case 0xda:
	case 0xdb:
		return text_of(c, number(c, 1u << (type - 0xd9)));
	case 0xdc:
	case 0xdd:
		return many(c, MSG_LIST, number(c, 2u << (type - 0xdc)));
	case 0xde:
	case 0xdf:
		return many(c, MSG_MAP, number(c, 2u << (type - 0xde)));
	default:
		pw_cursor_fail(c, EINVAL, "a value of type %#x is not known",
			       type);
		return (struct msg){ 0 };
	}
}

struct msg msg_next(struct pw_cursor *c)
{
	uint8_t type = pw_cursor_u8(c);

	if (type < 0x80)
		return number_of(type, false, 1);
	if (type < 0x90)
		return many(c, MSG_MAP, type & 0x0f);
	if (type < 0xa0)
		return many(c, MSG_LIST, type & 0x0f);
	if (type < 0xc0)
		return text_of(c, type & 0x1f);
	if (type < 0xe0)
		return typed(c, type);
	return number_of(type, true, 1);
}

static void skip(struct pw_cursor *c, int depth)
{
	struct msg m = msg_next(c);
	uint64_t n = m.kind == MSG_LIST  ? m.n
		     : m.kind == MSG_MAP ? 2ull * m.n
					 : 0;

	if (n && depth == MOST_DEEP) {
		pw_cursor_fail(c, EINVAL, "lists stand too deep in each other");
		return;
	}
	while (n-- && !c->failed)
		skip(c, depth + 1);
}

void msg_skip(struct pw_cursor *c)
{
	skip(c, 0);
}
