// SPDX-License-Identifier: GPL-2.0-only
/*
 * The instrumented module: globals and exports are spliced in once, then
 * each copy is made of edits alone, the mutation among them.
 */
#include "points.h"

#include <stdlib.h>

#define MAX_COUNTERS 4096

/* --- which functions -------------------------------------------------------------- */

struct choice {
	struct pw_count_plan *c;
	struct pw_walk *walk;
	bool *seen;
	uint32_t max;
};

/* Takes a function's points, or none of them. */
static int take(struct choice *ch, uint32_t func, struct pw_err *err)
{
	struct points *p = &ch->c->points;
	uint32_t before = p->n;
	int ret;

	if (func < pw_module_n_imported(ch->c->m, PW_EXT_FUNC) ||
	    func >= ch->c->n_funcs || ch->seen[func])
		return 0;
	ch->seen[func] = true;
	ret = points_of_func(ch->walk, func, p, err);
	if (ret)
		return ret;
	if (p->n > ch->max) {
		p->n = before;
		ch->c->n_left_out++;
	} else {
		ch->c->counted[func] = true;
	}
	return 0;
}

static int by_off(const void *a, const void *b)
{
	const struct pw_count_point *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

static int choose(struct pw_count_plan *c, const struct pw_count_opts *o,
		  struct pw_err *err)
{
	struct choice ch = { .c = c, .walk = pw_walk_new(c->m) };
	int ret = 0;

	ch.max = o && o->max_counters ? o->max_counters : MAX_COUNTERS;
	ch.seen = pw_zalloc(c->n_funcs + 1);
	for (uint32_t i = 0; o && i < o->n_funcs && !ret; i++)
		ret = take(&ch, o->funcs[i], err);
	for (uint32_t i = 0; i < c->n_funcs && !ret; i++)
		ret = take(&ch, i, err);
	if (c->points.n)
		qsort(c->points.v, c->points.n, sizeof(*c->points.v), by_off);
	pw_walk_free(ch.walk);
	free(ch.seen);
	return ret;
}

/* --- the module with its globals --------------------------------------------------- */

static uint64_t code_off(const struct pw_module *m)
{
	const struct pw_section *s = pw_module_code_section(m);

	return s ? s->data_off : 0;
}

static int make_base(struct pw_count_plan *c, struct pw_err *err)
{
	uint64_t *keys = pw_zalloc((c->points.n + 1) * sizeof(*keys));
	int ret;

	for (uint32_t i = 0; i < c->points.n; i++)
		keys[i] = c->points.v[i].off;
	ret = pw_splice_counters(c->m, keys, c->points.n, &c->bytes, err);
	free(keys);
	if (ret)
		return ret;
	c->base = pw_module_decode(c->bytes.data, c->bytes.len, err);
	if (!c->base)
		return -err->code;
	c->shift = code_off(c->base) - code_off(c->m);
	return 0;
}

/* global.get N; i64.const 1; i64.add; global.set N */
static void make_code(struct pw_count_plan *c)
{
	uint32_t first = pw_module_n(c->m, PW_EXT_GLOBAL);

	c->code_off = pw_zalloc((c->points.n + 1) * sizeof(*c->code_off));
	for (uint32_t i = 0; i < c->points.n; i++) {
		pw_buf_add_u8(&c->code, 0x23);
		pw_buf_add_uleb(&c->code, first + i);
		pw_buf_add_u8(&c->code, 0x42);
		pw_buf_add_u8(&c->code, 1);
		pw_buf_add_u8(&c->code, 0x7c);
		pw_buf_add_u8(&c->code, 0x24);
		pw_buf_add_uleb(&c->code, first + i);
		c->code_off[i + 1] = (uint32_t)c->code.len;
	}
}

struct pw_count_plan *pw_count_plan_new(const struct pw_module *m,
					const struct pw_count_opts *opts,
					struct pw_err *err)
{
	struct pw_count_plan *c = pw_zalloc(sizeof(*c));
	struct pw_err own;

	err = err ? err : &own;
	c->m = m;
	c->n_funcs = pw_module_n(m, PW_EXT_FUNC);
	c->counted = pw_zalloc(c->n_funcs + 1);
	if (choose(c, opts, err) || make_base(c, err)) {
		pw_count_plan_free(c);
		return NULL;
	}
	make_code(c);
	return c;
}

void pw_count_plan_free(struct pw_count_plan *c)
{
	if (!c)
		return;
	pw_module_free(c->base);
	pw_buf_release(&c->bytes);
	pw_buf_release(&c->code);
	free(c->points.v);
	free(c->counted);
	free(c->code_off);
	free(c);
}

uint32_t pw_count_plan_n(const struct pw_count_plan *c)
{
	return c->points.n;
}

const struct pw_count_point *pw_count_plan_point(const struct pw_count_plan *c,
						 uint32_t i)
{
	return &c->points.v[i];
}

uint32_t pw_count_plan_n_left_out(const struct pw_count_plan *c)
{
	return c->n_left_out;
}

bool pw_count_plan_has_func(const struct pw_count_plan *c, uint32_t func_idx)
{
	return func_idx < c->n_funcs && c->counted[func_idx];
}

/* --- copies ----------------------------------------------------------------------- */

static struct pw_edit edit_of_point(const struct pw_count_plan *c, uint32_t i)
{
	return (struct pw_edit){
		.off = c->points.v[i].off + c->shift,
		.new_size = c->code_off[i + 1] - c->code_off[i],
		.new_bytes = c->code.data + c->code_off[i],
	};
}

int pw_count_plan_apply(const struct pw_count_plan *c,
			const struct pw_mutation *mut, struct pw_buf *out,
			struct pw_err *err)
{
	struct pw_edit *e = pw_zalloc((c->points.n + 2) * sizeof(*e));
	uint32_t i = 0;
	size_t n = 0;
	int ret;

	for (; i < c->points.n && (!mut || c->points.v[i].off <= mut->off); i++)
		e[n++] = edit_of_point(c, i);
	if (mut) {
		while (i < c->points.n &&
		       c->points.v[i].off < mut->off + mut->old_size)
			i++;
		e[n++] = (struct pw_edit){ mut->off + c->shift, mut->old_size,
					   mut->new_size, mut->new_bytes };
	}
	for (; i < c->points.n; i++)
		e[n++] = edit_of_point(c, i);
	ret = pw_splice_edits(c->base, e, n, out, err);
	free(e);
	return ret;
}
