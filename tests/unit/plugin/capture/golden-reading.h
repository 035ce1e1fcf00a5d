/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Protocol buffers as text, flattened to lines "path value": a path is the
 * names of the blocks around and the name, "events.comm_event.pid".
 */
#ifndef GOLDEN_READING_H
#define GOLDEN_READING_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct reading {
	FILE *f;
	char *line;
	size_t cap;
	char path[256]; /* of the blocks around */
	char key[320];  /* path and name of the present line */
	char *value;
	unsigned int n; /* how often the key was there in this block */
	char seen[64][80];
	unsigned int n_seen;
	bool opens, closes; /* a block of the top level */
};

static inline void count_key(struct reading *r)
{
	unsigned int i;

	r->n = 0;
	for (i = 0; i < r->n_seen; i++)
		r->n += !strcmp(r->seen[i], r->key);
	if (r->n_seen < 64 && strlen(r->key) < 80)
		strcpy(r->seen[r->n_seen++], r->key);
}

static inline void enter(struct reading *r, const char *name)
{
	size_t n = strlen(r->path);

	r->opens = !n;
	if (!n)
		r->n_seen = 0;
	snprintf(r->path + n, sizeof(r->path) - n, "%s.", name);
}

static inline void leave(struct reading *r)
{
	size_t n = strlen(r->path);

	r->path[n ? n - 1 : 0] = 0;
	n = strcspn(r->path, "");
	while (n && r->path[n - 1] != '.')
		n--;
	r->path[n] = 0;
	r->closes = !n;
}

/* One line further; false at the end. */
static inline bool next_line(struct reading *r)
{
	char *s, *end;

	r->opens = r->closes = false;
	r->value = NULL;
	if (getline(&r->line, &r->cap, r->f) < 0)
		return false;
	s = r->line + strspn(r->line, " ");
	s[strcspn(s, "\n")] = 0;
	end = s + strcspn(s, ": {}");
	if (*s == '}') {
		leave(r);
	} else if (strchr(end, '{') && *end != ':') {
		*end = 0;
		enter(r, s);
	} else if (*end == ':') {
		*end = 0;
		r->value = end + 2;
		snprintf(r->key, sizeof(r->key), "%s%s", r->path, s);
		count_key(r);
	}
	return true;
}

#endif
