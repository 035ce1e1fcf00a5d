// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every runtime that is described or fetched, usable or not, as rows.
 */
#include "find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct rows {
	struct pw_runtime_row *list;
	size_t n;
};

static struct pw_runtime_row *add_row(struct rows *rows, const char *kind)
{
	struct pw_runtime_row *r;

	rows->list =
		pw_realloc(rows->list, (rows->n + 1) * sizeof(*rows->list));
	r = &rows->list[rows->n++];
	memset(r, 0, sizeof(*r));
	r->kind = pw_strdup(kind);
	return r;
}

/* One row for a name at a version (NULL: none). */
static void add_found(struct rows *rows, const struct conf *c,
		      const char *version)
{
	struct pw_runtime_row *row = add_row(rows, c->kind);
	struct spec s = { 0 };
	struct pw_runtime rt;
	struct pw_err err;

	s.name = pw_strdup(c->name);
	s.version = version ? pw_strdup(version) : NULL;
	s.opts = pw_zalloc(sizeof(*s.opts));
	row->status = find_with_conf(&rt, c, &s, &err);
	row->spec = row->status ? spec_print(&s) : pw_strdup(rt.spec);
	if (row->status)
		row->why = pw_strdup(err.msg);
	else
		row->path = pw_strdup(rt.path ?: rt.host_argv[0]);
	pw_runtime_release(&rt);
	spec_release(&s);
}

static void add_conf(struct rows *rows, const struct conf *c)
{
	char **versions = c->package ? place_fetched(c->name) : NULL;

	for (size_t i = 0; versions && versions[i]; i++)
		add_found(rows, c, versions[i]);
	if (!versions || !versions[0])
		add_found(rows, c, NULL);
	pw_strings_free(versions);
}

static void add_broken(struct rows *rows, const char *name,
		       const struct pw_err *err)
{
	struct pw_runtime_row *row = add_row(rows, "?");

	row->spec = pw_strdup(name);
	row->status = -err->code;
	row->why = pw_strdup(err->msg);
}

/* A name of the user's hides a built-in one. */
static bool is_hidden(enum place p, const char *name)
{
	char **users = p == PLACE_USER ? NULL : place_names(PLACE_USER);
	bool hidden = false;

	for (size_t i = 0; users && users[i]; i++)
		hidden |= !strcmp(users[i], name);
	pw_strings_free(users);
	return hidden;
}

static void add_place(struct rows *rows, enum place p)
{
	char **names = place_names(p);

	for (size_t i = 0; names[i]; i++) {
		char *path = place_conf_path(p, names[i]);
		struct pw_err err;
		struct conf c;

		if (!is_hidden(p, names[i])) {
			if (conf_read(&c, path, &err)) {
				add_broken(rows, names[i], &err);
			} else {
				add_conf(rows, &c);
				conf_release(&c);
			}
		}
		free(path);
	}
	pw_strings_free(names);
}

int pw_runtime_list(struct pw_runtime_row **list, size_t *n, struct pw_err *err)
{
	struct rows rows = { 0 };

	add_place(&rows, PLACE_BUILT_IN);
	add_place(&rows, PLACE_USER);
	*list = rows.list;
	*n = rows.n;
	if (!rows.n)
		return pw_err_set(
			err, ENOENT,
			"this installation lacks share/perf-wasm/runtimes");
	return 0;
}

void pw_runtime_rows_free(struct pw_runtime_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(rows[i].spec);
		free(rows[i].kind);
		free(rows[i].path);
		free(rows[i].why);
	}
	free(rows);
}
