// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines of mountinfo, one blank between two fields:
 *
 *   ID PARENT DEVICE ROOT WHERE OPTIONS [OPTIONAL]... - TYPE FROM SUPER-OPTIONS
 */
#include "system-mounts.h"

/* What is before the next blank, also nothing; the last has none behind it. */
static bool take_field(struct span *line, struct span *field)
{
	if (take_until(line, ' ', field))
		return true;
	*field = *line;
	line->n = 0;
	return field->n > 0;
}

static bool parse_mount(struct span line, struct mount *m)
{
	struct span skipped, *const fields[] = { &skipped,   &skipped,
						 &m->device, &skipped,
						 &m->where,  &m->options };

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!take_field(&line, fields[i]))
			return false;
	do
		if (!take_field(&line, &skipped))
			return false;
	while (!span_is(skipped, "-"));
	if (!take_field(&line, &m->type) || !m->type.n)
		return false;
	take_field(&line, &m->from);
	take_field(&line, &m->super_options);
	return true;
}

bool take_mount(struct span *text, struct mount *m)
{
	struct span line;

	while (take_line(text, &line))
		if (parse_mount(line, m))
			return true;
	return false;
}

/* Of "\040" the blank: three digits of base 8. */
static bool is_escape(struct span s)
{
	if (s.n < 4 || *s.s != '\\')
		return false;
	for (int i = 1; i < 4; i++)
		if (s.s[i] < '0' || s.s[i] > '7')
			return false;
	return true;
}

bool mount_path(const struct mount *m, char *path, size_t size)
{
	struct span s = m->where;
	size_t n = 0;

	if (!s.n || *s.s != '/' || s.n >= size)
		return false;
	for (uint32_t i = 1; i < s.n; i++) {
		struct span left = { s.s + i, s.n - i };

		if (is_escape(left)) {
			path[n++] = (char)((s.s[i + 1] - '0') << 6 |
					   (s.s[i + 2] - '0') << 3 |
					   (s.s[i + 3] - '0'));
			i += 3;
		} else {
			path[n++] = s.s[i];
		}
	}
	if (!n)
		path[n++] = '.';
	path[n] = 0;
	return true;
}
