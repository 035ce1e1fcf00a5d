// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fields of a protocol line: tab-separated key=value, the value
 * percent-encoded. Knows nothing of which fields there are.
 */
#include <perfwasm/runtime.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain(unsigned char c)
{
	return c >= 0x21 && c != '%' && c != 0x7f;
}

void pw_protocol_add(struct pw_buf *out, const char *key, const char *value)
{
	pw_buf_printf(out, "\t%s=", key);
	for (; *value; value++) {
		unsigned char c = *value;

		if (is_plain(c))
			pw_buf_add_u8(out, c);
		else
			pw_buf_printf(out, "%%%02x", c);
	}
}

void pw_protocol_add_u64(struct pw_buf *out, const char *key, uint64_t value)
{
	pw_buf_printf(out, "\t%s=%llu", key, (unsigned long long)value);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* In place; %00 is refused, as values are C strings. */
static int decode_value(char *s)
{
	char *to = s;

	for (; *s; s++) {
		int hi, lo;

		if (*s != '%') {
			*to++ = *s;
			continue;
		}
		hi = hex_digit(s[1]);
		lo = hi < 0 ? -1 : hex_digit(s[2]);
		if (lo < 0 || hi + lo == 0)
			return -EINVAL;
		*to++ = (char)(hi << 4 | lo);
		s += 2;
	}
	*to = 0;
	return 0;
}

int pw_protocol_next(char **line, char **key, char **value, struct pw_err *err)
{
	char *field = *line + strspn(*line, "\t"), *eq;
	size_t len = strcspn(field, "\t\r\n");

	if (!len)
		return 0;
	*line = field + len;
	if (**line)
		*(*line)++ = 0;
	eq = strchr(field, '=');
	if (!eq)
		return pw_err_set(err, EINVAL,
				  "expected key=value, found %.60s", field);
	*eq = 0;
	*key = field;
	*value = eq + 1;
	if (decode_value(*value))
		return pw_err_set(err, EINVAL,
				  "the value of %.60s is not percent-encoded",
				  field);
	return 1;
}

int pw_protocol_u64(const char *s, uint64_t *v)
{
	char *end;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	errno = 0;
	*v = strtoull(s, &end, 10);
	return errno || *end ? -EINVAL : 0;
}
