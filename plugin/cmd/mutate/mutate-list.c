// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm mutate: lists and counts mutants. As text a list is only their
 * notations, a line each, as --write - reads them.
 */
#include "mutants.h"

#include <stdlib.h>
#include <string.h>

/* --- which of them ---------------------------------------------------------- */

/* The mutants that were asked for: the first `limit`, or a random sample of
 * all in their order (Vitter 1985, algorithm R). */
struct chosen {
	const struct mutate_opts *opts;
	struct pw_rng rng;
	struct picked {
		uint64_t nth;
		struct pw_mutation mut;
	} * picked;
	uint64_t n, seen, cap;
};

static void keep(struct chosen *c, uint64_t at, const struct pw_mutation *mut)
{
	if (at == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 1024;
		c->picked = pw_realloc(c->picked, c->cap * sizeof(*c->picked));
	}
	c->picked[at].nth = c->seen;
	c->picked[at].mut = *mut;
	if (at == c->n)
		c->n++;
}

static int choose(void *ctx, const struct pw_mutation *mut)
{
	struct chosen *c = ctx;
	uint64_t sample = c->opts->sample, at;

	if (!sample && c->n >= c->opts->limit)
		return 1;
	if (!sample || c->n < sample) {
		keep(c, c->n, mut);
	} else {
		at = pw_rng_below(&c->rng, c->seen + 1);
		if (at < sample)
			keep(c, at, mut);
	}
	c->seen++;
	return 0;
}

static int in_order(const void *a, const void *b)
{
	const struct picked *x = a, *y = b;

	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static int choose_all(const struct pw_module *m, const struct mutate_opts *o,
		      struct chosen *c)
{
	struct pw_err err = { .off = PW_NO_OFF };

	memset(c, 0, sizeof(*c));
	c->opts = o;
	pw_rng_init(&c->rng, o->seed);
	if (pw_mutate_each(m, &o->filter, choose, c, &err) < 0) {
		free(c->picked);
		return cmd_fail(&err);
	}
	if (c->n)
		qsort(c->picked, c->n, sizeof(*c->picked), in_order);
	if (c->n > o->limit)
		c->n = o->limit;
	return 0;
}

/* --- list -------------------------------------------------------------------- */

struct lines {
	const struct pw_module *m;
	uint64_t left;
	FILE *to;
	struct pw_buf line;
};

static int print_line(void *ctx, const struct pw_mutation *mut)
{
	struct lines *l = ctx;

	if (!l->left)
		return 1;
	l->left--;
	l->line.len = 0;
	pw_mutation_print(l->m, mut, &l->line);
	pw_buf_add_u8(&l->line, '\n');
	fwrite(l->line.data, 1, l->line.len, l->to);
	return 0;
}

/* Millions of lines stream; only a sample is gathered first. */
static int list_text(const struct pw_module *m, const struct mutate_opts *o)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct lines l = { .m = m, .left = o->limit };
	struct cmd_output out;
	struct chosen c = { 0 };
	int ret;

	if (o->sample && choose_all(m, o, &c))
		return CMD_FAILED;
	if (cmd_output_open(&out, &o->common))
		return CMD_FAILED;
	l.to = out.to;
	for (uint64_t i = 0; i < c.n; i++)
		print_line(&l, &c.picked[i].mut);
	ret = o->sample ? 0
			: pw_mutate_each(m, &o->filter, print_line, &l, &err);
	if (ret < 0)
		cmd_fail(&err);
	ret = cmd_output_close(&out) || ret < 0 ? CMD_FAILED : CMD_DONE;
	pw_buf_release(&l.line);
	free(c.picked);
	return ret;
}

struct list_columns {
	int notation, kind, func, name, insn, off, old, new;
};

static struct list_columns add_columns(struct pw_node *t)
{
	return (struct list_columns){
		pw_column(t, "notation", "Notation", PW_UNIT_NONE, 0),
		pw_column(t, "kind", "Kind", PW_UNIT_NONE, 0),
		pw_column(t, "func", "Function", PW_UNIT_NONE, 0),
		pw_column(t, "func_name", "Name", PW_UNIT_NONE, 0),
		pw_column(t, "insn", "Instruction", PW_UNIT_NONE, 0),
		pw_column(t, "off", "Offset", PW_UNIT_HEX, 0),
		pw_column(t, "old_op", "Old", PW_UNIT_NONE, 0),
		pw_column(t, "new_op", "New", PW_UNIT_NONE, 0),
	};
}

static void add_row(const struct pw_module *m, struct pw_node *t,
		    const struct list_columns *col,
		    const struct pw_mutation *mut)
{
	struct pw_buf b = { 0 };
	char name[512];

	pw_row(t);
	pw_mutation_print(m, mut, &b);
	pw_cell_str(t, col->notation, pw_buf_str(&b));
	pw_cell_str(t, col->kind, pw_mutation_kind_name(mut->kind));
	pw_cell_int(t, col->func, mut->func_idx);
	pw_cell_str(t, col->name,
		    pw_module_func_name(m, mut->func_idx, name, sizeof(name)));
	pw_cell_int(t, col->insn, mut->insn_idx);
	pw_cell_int(t, col->off, mut->insn_off);
	pw_cell_str(t, col->old, pw_op_info(mut->old_op)->name);
	pw_cell_str(t, col->new, pw_op_info(mut->new_op)->name);
	pw_buf_release(&b);
}

static int list_json(const struct pw_module *m, const struct mutate_opts *o)
{
	struct pw_report *r;
	struct pw_node *root, *t;
	struct list_columns col;
	struct chosen c;
	int ret;

	if (choose_all(m, o, &c))
		return CMD_FAILED;
	r = pw_report_new("mutate", NULL);
	root = pw_report_root(r);
	pw_fact_str(root, "module", "Module", o->path);
	if (o->sample)
		pw_fact_int(root, "seed", "Seed", o->seed, PW_UNIT_NONE);
	t = pw_table(root, "mutations", NULL);
	col = add_columns(t);
	for (uint64_t i = 0; i < c.n; i++)
		add_row(m, t, &col, &c.picked[i].mut);
	free(c.picked);
	ret = cmd_report(r, &o->common);
	pw_report_free(r);
	return ret;
}

int mutate_list(const struct pw_module *m, const struct mutate_opts *o)
{
	return o->common.json ? list_json(m, o) : list_text(m, o);
}
