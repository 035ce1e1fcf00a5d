// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm mutate: from what the user calls a function (index, name of the
 * name section, export) to its index.
 */
#include "mutants.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 512 };

struct found {
	uint32_t *idx;
	uint32_t n;
};

static void add(struct found *f, uint32_t idx)
{
	f->idx = pw_realloc(f->idx, (f->n + 1) * sizeof(*f->idx));
	f->idx[f->n++] = idx;
}

static int add_index(const struct pw_module *m, const char *s, struct found *f,
		     struct pw_err *err)
{
	uint32_t n = pw_module_n(m, PW_EXT_FUNC);
	uint64_t idx;

	errno = 0;
	idx = strtoull(s, NULL, 10);
	if (errno || idx >= n)
		return pw_err_set(err, ENOENT,
				  "there is no function %s: the module has %u",
				  s, n);
	add(f, idx);
	return 0;
}

/* Says which name comes nearest; a module may have 60,000 of them. */
static int no_such_name(const struct pw_module *m, const char *name,
			struct pw_err *err)
{
	uint32_t n = pw_module_n(m, PW_EXT_FUNC);
	const char **names = pw_zalloc((n + 1) * sizeof(*names));
	char buf[NAME_SIZE];
	char *near;
	int ret;

	for (uint32_t i = 0; i < n; i++)
		names[i] =
			pw_strdup(pw_module_func_name(m, i, buf, sizeof(buf)));
	near = pw_did_you_mean('\'', name, names, n);
	ret = pw_err_set(err, ENOENT, "no function is called '%s'%s", name,
			 near);
	free(near);
	for (uint32_t i = 0; i < n; i++)
		free((char *)names[i]);
	free(names);
	return ret;
}

static int add_name(const struct pw_module *m, const char *name,
		    struct found *f, struct pw_err *err)
{
	const struct pw_export *e = pw_module_export_find(m, name);
	uint32_t before = f->n;
	char buf[NAME_SIZE];

	if (e && e->kind == PW_EXT_FUNC)
		add(f, e->idx);
	for (uint32_t i = 0; i < pw_module_n(m, PW_EXT_FUNC); i++)
		if (!strcmp(pw_module_func_name(m, i, buf, sizeof(buf)), name))
			add(f, i);
	return f->n > before ? 0 : no_such_name(m, name, err);
}

int mutate_find_funcs(const struct pw_module *m, struct mutate_opts *o,
		      struct pw_err *err)
{
	struct found f = { 0 };
	int ret = 0;

	for (size_t i = 0; i < o->n_funcs && !ret; i++) {
		const char *s = o->funcs[i];

		if (*s && strspn(s, "0123456789") == strlen(s))
			ret = add_index(m, s, &f, err);
		else
			ret = add_name(m, s, &f, err);
	}
	o->filter.funcs = f.idx;
	o->filter.n_funcs = f.n;
	return ret;
}
