// SPDX-License-Identifier: GPL-2.0-only
/* A line of a capture's facts. */
#include <perfwasm/recorder.h>

void pw_fact_print(struct pw_buf *out, const char *key, const char *value)
{
	pw_buf_printf(out, "%s\t", key);
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c < 0x20 || c == 0x7f || c == '%')
			pw_buf_printf(out, "%%%02x", c);
		else
			pw_buf_add_u8(out, c);
	}
	pw_buf_add_u8(out, '\n');
}
