// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a perf map, /tmp/perf-PID.map, line by line. Runtimes write it by
 * hand and append to what a process of the same number left, so nothing in it
 * is taken for granted. Knows nothing of what overlaps.
 */
#include <perfwasm/jit.h>

#include <errno.h>
#include <string.h>

int pw_perfmap_open(struct pw_perfmap *m, const char *path, struct pw_err *err)
{
	struct pw_file file;
	int ret = pw_file_open(&file, path, err);

	memset(m, 0, sizeof(*m));
	if (ret)
		return ret;
	pw_perfmap_open_bytes(m, file.data, file.size);
	m->file = file;
	return 0;
}

void pw_perfmap_open_bytes(struct pw_perfmap *m, const void *data, size_t size)
{
	memset(m, 0, sizeof(*m));
	m->data = data;
	m->size = size;
}

void pw_perfmap_close(struct pw_perfmap *m)
{
	if (!m)
		return;
	pw_file_close(&m->file);
	memset(m, 0, sizeof(*m));
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static const uint8_t *pass_blanks(const uint8_t *p, const uint8_t *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A number and the blanks behind it; NULL when there is none that fits. */
static const uint8_t *read_hex(const uint8_t *p, const uint8_t *end,
			       uint64_t *v)
{
	const uint8_t *first;

	*v = 0;
	p = pass_blanks(p, end);
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	for (first = p; p < end && digit(*p) >= 0; p++) {
		if (*v >> 60)
			return NULL;
		*v = *v << 4 | digit(*p);
	}
	if (p == first || (p < end && !is_blank(*p)))
		return NULL;
	return pass_blanks(p, end);
}

static bool read_line(const uint8_t *p, const uint8_t *end,
		      struct pw_perfmap_line *l)
{
	p = read_hex(p, end, &l->addr);
	p = p ? read_hex(p, end, &l->size_bytes) : NULL;
	if (!p)
		return false;
	while (end > p && (is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	l->name = (const char *)p;
	l->name_len = end - p;
	return end > p;
}

bool pw_perfmap_next(struct pw_perfmap *m, struct pw_perfmap_line *l)
{
	while (m->at < m->size) {
		const uint8_t *p = m->data + m->at, *end;
		size_t left = m->size - m->at;

		end = memchr(p, '\n', left);
		m->at = end ? (size_t)(end + 1 - m->data) : m->size;
		end = end ? end : p + left;
		if (pass_blanks(p, end) == end)
			continue;
		m->n_lines++;
		if (read_line(p, end, l))
			return true;
		if (!m->malformed++)
			pw_err_at(
				&m->first_fault, EINVAL,
				(uint64_t)(p - m->data),
				"a line of a perf map expected: START SIZE NAME, the numbers hexadecimal");
	}
	return false;
}
