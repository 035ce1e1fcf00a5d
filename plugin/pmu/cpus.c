// SPDX-License-Identifier: GPL-2.0-only
/* Lists of CPUs and small texts, as /sys writes them. */
#include "pmu-impl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CPU 65536

void cpus_release(struct cpus *c)
{
	free(c->bits);
	*c = (struct cpus){ 0 };
}

static void set_cpu(struct cpus *c, uint32_t cpu)
{
	uint32_t n = cpu / 64 + 1;

	if (n > c->n) {
		c->bits = pw_realloc(c->bits, n * sizeof(*c->bits));
		memset(c->bits + c->n, 0, (n - c->n) * sizeof(*c->bits));
		c->n = n;
	}
	c->bits[cpu / 64] |= 1ULL << (cpu % 64);
}

/* "3" or "0-7" at *p, which moves behind it. */
static bool parse_range(struct cpus *c, const char **p)
{
	char *end;
	unsigned long from, to;

	from = to = strtoul(*p, &end, 10);
	if (end == *p)
		return false;
	if (*end == '-') {
		*p = end + 1;
		to = strtoul(*p, &end, 10);
		if (end == *p)
			return false;
	}
	if (from > to || to >= MAX_CPU)
		return false;
	for (; from <= to; from++)
		set_cpu(c, (uint32_t)from);
	*p = end;
	return true;
}

bool cpus_parse(struct cpus *c, const char *text)
{
	*c = (struct cpus){ 0 };
	while (parse_range(c, &text)) {
		if (!*text)
			return true;
		if (*text++ != ',')
			break;
	}
	cpus_release(c);
	return false;
}

bool cpus_has(const struct cpus *c, uint32_t cpu)
{
	return cpu / 64 < c->n && c->bits[cpu / 64] >> (cpu % 64) & 1;
}

uint32_t cpus_count(const struct cpus *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		n += (uint32_t)__builtin_popcountll(c->bits[i]);
	return n;
}

uint32_t cpus_next(const struct cpus *c, uint32_t cpu)
{
	for (; cpu < c->n * 64; cpu++)
		if (cpus_has(c, cpu))
			return cpu;
	return UINT32_MAX;
}

char *read_text(const char *root, const char *path)
{
	char *full = pw_asprintf("%s/%s", root, path), text[4096];
	ssize_t n = pw_file_peek(AT_FDCWD, full, text, sizeof(text));

	free(full);
	if (n < 0)
		return NULL;
	while (n && strchr(" \t\r\n", text[n - 1]))
		n--;
	return pw_strndup(text, (size_t)n);
}
