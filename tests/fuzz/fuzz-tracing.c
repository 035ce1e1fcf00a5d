// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is tracing data of a pipe, and then the format of one event. What
 * is found in it is a field that a reader stays within the raw data for.
 */
#include <string.h>

#include <perfwasm/capture.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = { "next_pid", "next_comm", "common_pid",
				     "name", "prev_state" };

static void read_field(const struct pw_field *f)
{
	static const uint8_t raw[40] = { 8, 0, 4, 0, 8, 0, 200, 0 };
	uint32_t size, len;

	for (size = 0; size <= sizeof(raw); size += 4) {
		const char *s = pw_field_text(f, raw, size, &len);

		pw_field_u64(f, raw, size);
		if (len && (s < (const char *)raw ||
			    s + len > (const char *)raw + size))
			__builtin_trap();
	}
}

/* A tracepoint with an id and where its format is. */
static void add_attr(struct pw_buf *b, uint64_t id)
{
	size_t start = b->len;

	pw_buf_add_u32(b, PW_REC_ATTR);
	pw_buf_add_u32(b, 72 << 16);
	pw_buf_add_u32(b, 2);
	pw_buf_add_u32(b, 64);
	pw_buf_add_u64(b, id);
	while (b->len < start + 72)
		pw_buf_add_u8(b, 0);
}

static void read_as_pipe(const uint8_t *data, size_t size)
{
	struct pw_buf b = { 0 };
	struct pw_capture *c;
	struct pw_event ev;
	struct pw_field f;
	uint32_t i;
	size_t k;

	pw_buf_add(&b, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	add_attr(&b, 314);
	add_attr(&b, 0);
	pw_buf_add_u32(&b, PW_REC_TRACING_DATA);
	pw_buf_add_u32(&b, 12 << 16);
	pw_buf_add_u32(&b, (uint32_t)size);
	pw_buf_add(&b, data, size);
	while (b.len % 8)
		pw_buf_add_u8(&b, 0);
	c = pw_capture_open_bytes(b.data, b.len, NULL, NULL);
	while (pw_capture_next(c, &ev, NULL) > 0)
		;
	for (i = 0; i < pw_capture_n_attrs(c); i++)
		for (k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (!pw_capture_field(c, pw_capture_attr(c, i),
					      names[k], &f, NULL))
				read_field(&f);
	pw_capture_close(c);
	pw_buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_err err = { 0 };
	struct pw_field f;
	size_t k;

	read_as_pipe(data, size);
	for (k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (!pw_field_of_format((const char *)data, size, names[k], &f,
					&err))
			read_field(&f);
	return 0;
}
