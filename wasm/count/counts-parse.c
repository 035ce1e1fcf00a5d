// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a host wrote of the counters: text of a process that a hostile guest
 * ran in. Nothing in it is trusted.
 */
#include "points.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct pw_count_point *find(const struct pw_count_plan *c, uint64_t off)
{
	uint32_t lo = 0, hi = c->points.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->points.v[mid].off < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->points.n && c->points.v[lo].off == off ? &c->points.v[lo]
							      : NULL;
}

/* "pw:count HEX DECIMAL" */
static bool parse_line(const struct pw_count_plan *c, const char *line,
		       uint32_t *i, uint64_t *value)
{
	const struct pw_count_point *p;
	uint64_t off;
	char *end;

	if (strncmp(line, PW_COUNT_PREFIX, strlen(PW_COUNT_PREFIX)))
		return false;
	off = strtoull(line + strlen(PW_COUNT_PREFIX), &end, 16);
	p = find(c, off);
	if (*end != ' ' || end[1] < '0' || end[1] > '9' || !p)
		return false;
	*i = (uint32_t)(p - c->points.v);
	*value = strtoull(end + 1, &end, 10);
	return !*end;
}

int pw_count_plan_parse(const struct pw_count_plan *c, const void *text,
			size_t size, uint64_t *values, struct pw_err *err)
{
	char *copy = pw_strndup(text, size), *save = NULL;
	bool *seen = pw_zalloc(c->points.n + 1);
	uint32_t n = 0, i;
	uint64_t value;
	int ret = 0;

	for (char *line = strtok_r(copy, "\n", &save); line && !ret;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!parse_line(c, line, &i, &value) || seen[i]) {
			ret = pw_err_set(err, EBADMSG,
					 "%.60s is no count of ours", line);
			break;
		}
		seen[i] = true;
		values[i] = value;
		n++;
	}
	if (!ret && n != c->points.n)
		ret = pw_err_set(err, EBADMSG, "%u of %u counters are told", n,
				 c->points.n);
	free(copy);
	free(seen);
	return ret;
}
