// SPDX-License-Identifier: GPL-2.0-only
/*
 * The map from text offsets to wasm instructions that Wasmtime puts into its
 * artifacts, in both of its forms:
 *   flat    u32 n, n x u32 text offset, n x u32 wasm offset
 *   blocks  u32 n, u32 n_blocks, n_blocks x (u32 first text offset, u32
 *           position of the block), blocks of LEB128 deltas
 * The flat form is exactly 4 + 8n bytes. Knows nothing of ELF.
 */
#include <errno.h>
#include <stdlib.h>

#include "image.h"

static int entry_add(struct addrmap *m, struct pw_cursor *c, uint64_t text_off,
		     uint32_t wasm_off, uint64_t text_size)
{
	if (text_off > text_size)
		return pw_cursor_fail(
			c, EINVAL,
			"address map: text offset 0x%llx lies behind the text's end 0x%llx",
			(unsigned long long)text_off,
			(unsigned long long)text_size);
	if (m->n && text_off < m->entry[m->n - 1].text_off)
		return pw_cursor_fail(
			c, EINVAL,
			"address map: text offset 0x%llx follows 0x%x, expected rising offsets",
			(unsigned long long)text_off,
			m->entry[m->n - 1].text_off);
	m->entry[m->n].text_off = (uint32_t)text_off;
	m->entry[m->n].wasm_off = wasm_off;
	m->n++;
	return 0;
}

static int decode_flat(struct addrmap *m, struct pw_cursor *c,
		       const uint8_t *data, uint32_t n, uint64_t text_size)
{
	const uint8_t *w = data + 4 + 4 * (size_t)n;
	uint32_t i;
	int ret;

	for (i = 0; i < n; i++, w += 4) {
		uint32_t text_off = pw_cursor_u32(c);
		uint32_t wasm_off =
			w[0] | w[1] << 8 | w[2] << 16 | (uint32_t)w[3] << 24;

		ret = entry_add(m, c, text_off, wasm_off, text_size);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * One block: tokens (delta << 1 | none), each followed by the wasm offset
 * unless none: uleb for the block's first one, sleb delta from then on.
 */
static int decode_block(struct addrmap *m, struct pw_cursor *c, uint32_t n,
			uint64_t text_off, uint64_t text_size)
{
	bool first = true;
	int64_t wasm_off = 0;
	int ret;

	while (pw_cursor_left(c) && !c->failed) {
		uint64_t token = pw_cursor_uleb64(c);

		if (m->n == n)
			return pw_cursor_fail(
				c, EINVAL,
				"address map: more entries than the %u promised",
				n);
		if (token >> 1 > UINT32_MAX)
			return pw_cursor_fail(
				c, EINVAL,
				"address map: text offset too large");
		text_off += token >> 1;
		if (!(token & 1)) {
			wasm_off = first ? (int64_t)pw_cursor_uleb32(c)
					 : wasm_off + pw_cursor_sleb33(c);
			first = false;
		}
		if (wasm_off < 0 || wasm_off > UINT32_MAX)
			return pw_cursor_fail(
				c, EINVAL,
				"address map: wasm offset out of range");
		if (c->failed)
			break;
		ret = entry_add(m, c, text_off,
				token & 1 ? ADDRMAP_NONE : (uint32_t)wasm_off,
				text_size);
		if (ret)
			return ret;
	}
	return c->failed ? -EINVAL : 0;
}

static int decode_blocks(struct addrmap *m, struct pw_cursor *head, uint32_t n,
			 struct pw_err *err, uint64_t text_size)
{
	uint64_t n_blocks = pw_cursor_u32(head);
	const uint8_t *index = pw_cursor_bytes(head, n_blocks * 8);
	const uint8_t *body = head->p;
	size_t body_size = pw_cursor_left(head);
	uint64_t body_off = pw_cursor_off(head), i;
	struct pw_cursor at, c;
	uint32_t text_off, pos, next;
	int ret;

	if (!index)
		return -EINVAL;
	pw_cursor_init(&at, index, n_blocks * 8, body_off - n_blocks * 8, err);
	text_off = pw_cursor_u32(&at);
	pos = pw_cursor_u32(&at);
	for (i = 0; i < n_blocks; i++, pos = next) {
		uint32_t first = text_off;

		text_off = i + 1 < n_blocks ? pw_cursor_u32(&at) : 0;
		next = i + 1 < n_blocks ? pw_cursor_u32(&at)
					: (uint32_t)body_size;
		if (next < pos || next > body_size)
			return pw_cursor_fail(
				&at, EINVAL,
				"address map: block %llu does not lie within the section",
				(unsigned long long)i);
		pw_cursor_init(&c, body + pos, next - pos, body_off + pos, err);
		ret = decode_block(m, &c, n, first, text_size);
		if (ret)
			return ret;
	}
	if (m->n != n)
		return pw_cursor_fail(head, EINVAL,
				      "address map: %u entries, expected %u",
				      m->n, n);
	return 0;
}

int addrmap_decode(struct addrmap *m, const uint8_t *data, size_t size,
		   uint64_t off, uint64_t text_size, struct pw_err *err)
{
	struct pw_cursor c;
	uint32_t n;
	int ret;

	m->n = 0;
	m->entry = NULL;
	pw_cursor_init(&c, data, size, off, err);
	n = pw_cursor_u32(&c);
	if (c.failed)
		return -EINVAL;
	/* an entry is a byte at least, so memory is bounded by the input */
	if (n > pw_cursor_left(&c))
		return pw_cursor_fail(
			&c, EINVAL,
			"address map: %u entries do not fit in %zu bytes", n,
			size);
	m->entry = pw_alloc((n ? n : 1) * sizeof(*m->entry));
	if (size == 4 + 8 * (uint64_t)n)
		ret = decode_flat(m, &c, data, n, text_size);
	else
		ret = decode_blocks(m, &c, n, err, text_size);
	if (ret) {
		free(m->entry);
		m->entry = NULL;
		m->n = 0;
	}
	return ret;
}

int64_t addrmap_find(const struct addrmap *m, uint64_t text_off)
{
	uint32_t lo = 0, hi = m->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (m->entry[mid].text_off <= text_off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (int64_t)lo - 1;
}
