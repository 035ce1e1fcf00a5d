// SPDX-License-Identifier: GPL-2.0-only
/* What is used, from the wanted exports and the start function on. */
#include "prune.h"

#include <errno.h>
#include <stdlib.h>

#include "sections.h"

static bool is_typed_ref(uint32_t type)
{
	return type & PW_REF && !(type & PW_HEAP_ABSTRACT);
}

static bool names_a_type(const uint32_t *types, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (is_typed_ref(types[i]))
			return true;
	return false;
}

/* Types get new numbers only where nothing but functions, blocks and indirect
 * calls names them. */
static bool globals_name_types(const struct prune *p)
{
	for (uint32_t i = 0; i < p->n[SP_GLOBAL]; i++)
		if (is_typed_ref(pw_module_global(p->m, i)->type))
			return true;
	return false;
}

static int mark_locals(struct prune *p, uint32_t idx)
{
	uint32_t n, *types = pw_module_locals(p->m, idx, &n, p->err);

	if (!types)
		return -EINVAL;
	p->keep_types |= names_a_type(types, n);
	free(types);
	return 0;
}

static int mark_func(struct prune *p, struct pw_walk *w, uint32_t idx)
{
	const struct pw_func *f = pw_module_func(p->m, idx);
	struct pw_insn in;
	int ret;

	prune_use(p, SP_TYPE, f->type_idx);
	if (!f->body_off)
		return 0;
	ret = mark_locals(p, idx);
	if (!ret)
		ret = pw_walk_start(w, idx, p->err);
	while (!ret && (ret = pw_walk_next(w, &in, p->err)) == 1)
		ret = prune_insn(p, &in, NULL);
	return ret;
}

static int mark_global(struct prune *p, uint32_t idx)
{
	const struct pw_global *g = pw_module_global(p->m, idx);
	struct pw_cursor c;

	if (g->imported)
		return 0;
	pw_cursor_init(&c, module_bytes(p->m) + g->init_off, g->init_size,
		       g->init_off, p->err);
	return prune_expr(p, &c, NULL);
}

/* What is used by what was found since the last call; *more tells whether
 * anything was. */
static int mark_round(struct prune *p, struct pw_walk *w, uint8_t *seen_globals,
		      bool *more)
{
	int ret = 0;

	*more = p->n_todo > 0;
	while (p->n_todo && !ret)
		ret = mark_func(p, w, p->todo[--p->n_todo]);
	for (uint32_t i = 0; i < p->n[SP_GLOBAL] && !ret; i++) {
		if (!p->used[SP_GLOBAL][i] || seen_globals[i])
			continue;
		seen_globals[i] = true;
		*more = true;
		ret = mark_global(p, i);
	}
	for (uint32_t i = 0; i < p->n[SP_ELEM] && !ret; i++)
		ret = prune_mark_elem(p, &p->elems[i]);
	for (uint32_t i = 0; i < p->n[SP_DATA] && !ret; i++)
		ret = prune_mark_data(p, &p->datas[i]);
	*more |= p->n_todo > 0;
	return ret;
}

static void mark_roots(struct prune *p)
{
	uint32_t start;

	for (uint32_t i = 0; i < pw_module_n_exports(p->m); i++) {
		const struct pw_export *e = pw_module_export(p->m, i);

		if (prune_wants_export(p, e))
			prune_use(p, (enum space)e->kind, e->idx);
	}
	if (pw_module_has_start(p->m, &start))
		prune_use(p, SP_FUNC, start);
}

int prune_mark(struct prune *p)
{
	struct pw_walk *w = pw_walk_new(p->m);
	uint8_t *seen = pw_zalloc((size_t)p->n[SP_GLOBAL] + 1);
	bool more = true;
	int ret = 0;

	/* a tag's type is not looked at */
	p->keep_types |= globals_name_types(p) || p->n[SP_TAG];
	mark_roots(p);
	while (more && !ret)
		ret = mark_round(p, w, seen, &more);
	for (uint32_t i = 0; p->keep_types && i < p->n[SP_TYPE]; i++)
		p->used[SP_TYPE][i] = true;
	free(seen);
	pw_walk_free(w);
	return ret;
}
