// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wire format of protobuf (protobuf.dev, "Encoding"): varints and
 * length-delimited fields are all that pprof and Perfetto need. A library for
 * it would bring a compiler of .proto files into the build.
 */
#include "export-impl.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

void proto_varint(struct pw_buf *b, uint32_t field, uint64_t v)
{
	pw_buf_add_uleb(b, field << 3 | WIRE_VARINT);
	pw_buf_add_uleb(b, v);
}

void proto_bytes(struct pw_buf *b, uint32_t field, const void *data, size_t n)
{
	pw_buf_add_uleb(b, field << 3 | WIRE_BYTES);
	pw_buf_add_uleb(b, n);
	if (n)
		pw_buf_add(b, data, n);
}

void proto_string(struct pw_buf *b, uint32_t field, const char *s)
{
	proto_bytes(b, field, s, strlen(s));
}

void proto_message(struct pw_buf *b, uint32_t field, struct pw_buf *sub)
{
	proto_bytes(b, field, sub->data, sub->len);
	sub->len = 0;
}

void proto_packed(struct pw_buf *b, uint32_t field, const uint64_t *v,
		  uint32_t n)
{
	struct pw_buf all = { 0 };

	for (uint32_t i = 0; i < n; i++)
		pw_buf_add_uleb(&all, v[i]);
	proto_message(b, field, &all);
	pw_buf_release(&all);
}
