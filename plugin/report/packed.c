// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packs bytes so that they can stand in HTML and a browser unpacks them
 * itself: zlib's format and base64. Knows nothing of what they are.
 */
#include "render-html.h"

#include <stdlib.h>
#include <zlib.h>

static void base64_add(struct pw_buf *out, const uint8_t *p, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	pw_buf_reserve(out, n / 3 * 4 + 4);
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16;
		size_t left = n - i;

		v |= left > 1 ? (uint32_t)p[i + 1] << 8 : 0;
		v |= left > 2 ? p[i + 2] : 0;
		pw_buf_add_u8(out, digits[v >> 18]);
		pw_buf_add_u8(out, digits[v >> 12 & 63]);
		pw_buf_add_u8(out, left > 1 ? digits[v >> 6 & 63] : '=');
		pw_buf_add_u8(out, left > 2 ? digits[v & 63] : '=');
	}
}

void packed_add(struct pw_buf *out, const void *data, size_t n)
{
	uLongf size = compressBound(n);
	uint8_t *bytes = pw_alloc(size);

	/* can't fail: memory is there and the bound is zlib's own */
	if (compress2(bytes, &size, data, n, Z_BEST_COMPRESSION) == Z_OK)
		base64_add(out, bytes, size);
	free(bytes);
}
