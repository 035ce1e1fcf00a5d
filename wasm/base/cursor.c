// SPDX-License-Identifier: GPL-2.0-only
/*
 * A forward reader of untrusted bytes that cannot leave them.
 */
#include <perfwasm/base.h>

#include <errno.h>

void pw_cursor_init(struct pw_cursor *c, const void *data, size_t size,
		    uint64_t base_off, struct pw_err *err)
{
	c->base = c->p = data;
	c->end = c->base + size;
	c->base_off = base_off;
	c->failed = false;
	c->err = err;
}

uint64_t pw_cursor_off(const struct pw_cursor *c)
{
	return (uint64_t)(c->p - c->base) + c->base_off;
}

size_t pw_cursor_left(const struct pw_cursor *c)
{
	return (size_t)(c->end - c->p);
}

int pw_cursor_fail(struct pw_cursor *c, int code, const char *fmt, ...)
{
	va_list ap;

	if (c->failed) /* the first failure is the one to tell */
		return -code;
	c->failed = true;
	if (!c->err)
		return -code;
	c->err->code = code;
	c->err->off = pw_cursor_off(c);
	va_start(ap, fmt);
	vsnprintf(c->err->msg, sizeof(c->err->msg), fmt, ap);
	va_end(ap);
	return -code;
}

const uint8_t *pw_cursor_bytes(struct pw_cursor *c, uint64_t n)
{
	const uint8_t *p = c->p;

	if (c->failed)
		return NULL;
	if (n > pw_cursor_left(c)) {
		pw_cursor_fail(c, EINVAL,
			       "unexpected end: %llu bytes expected, %zu left",
			       (unsigned long long)n, pw_cursor_left(c));
		return NULL;
	}
	c->p += n;
	return p;
}

static uint64_t read_le(struct pw_cursor *c, unsigned n)
{
	const uint8_t *p = pw_cursor_bytes(c, n);
	uint64_t v = 0;

	for (unsigned i = 0; p && i < n; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

uint8_t pw_cursor_u8(struct pw_cursor *c)
{
	return (uint8_t)read_le(c, 1);
}

uint32_t pw_cursor_u32(struct pw_cursor *c)
{
	return (uint32_t)read_le(c, 4);
}

uint64_t pw_cursor_u64(struct pw_cursor *c)
{
	return read_le(c, 8);
}

/*
 * LEB128 of at most `bits` bits. The last permitted byte may carry only the
 * bits that are left: zeroes above them, or for signed numbers copies of the
 * sign bit.
 */
static uint64_t read_leb(struct pw_cursor *c, unsigned bits, bool is_signed)
{
	const uint8_t *start = c->p;
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = pw_cursor_u8(c);
		if (c->failed)
			return 0;
		if (shift + 7 > bits) {
			unsigned used = bits - shift;
			uint8_t top = byte & 0x7f;
			uint8_t mask = (uint8_t)(0x7f << used) & 0x7f;
			bool neg = is_signed && (top >> (used - 1)) & 1;

			if (byte & 0x80) {
				c->p = start;
				pw_cursor_fail(
					c, EINVAL,
					"integer representation too long");
				return 0;
			}
			if ((top & mask) != (neg ? mask : 0)) {
				c->p = start;
				pw_cursor_fail(c, EINVAL, "integer too large");
				return 0;
			}
		}
		v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && (byte & 0x40))
		v |= ~UINT64_C(0) << shift;
	return v;
}

uint32_t pw_cursor_uleb32(struct pw_cursor *c)
{
	return (uint32_t)read_leb(c, 32, false);
}

uint64_t pw_cursor_uleb64(struct pw_cursor *c)
{
	return read_leb(c, 64, false);
}

int32_t pw_cursor_sleb32(struct pw_cursor *c)
{
	return (int32_t)read_leb(c, 32, true);
}

int64_t pw_cursor_sleb33(struct pw_cursor *c)
{
	return (int64_t)read_leb(c, 33, true);
}

int64_t pw_cursor_sleb64(struct pw_cursor *c)
{
	return (int64_t)read_leb(c, 64, true);
}
