// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reduction as the list of its passes, the coarse before the fine, again
 * and again until none of them finds anything more.
 */
#include "passes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_MAX 6

void pw_reduce_opts_init(struct pw_reduce_opts *o)
{
	memset(o, 0, sizeof(*o));
	o->min_gap = 1.25;
	o->keep = 0.7;
	o->run_ms = 25;
	o->budget = 2000;
	pw_guest_init(&o->guest);
	o->seed = 1;
}

static const struct {
	const char *name;
	int (*run)(struct reduce *r, struct pw_err *err);
} passes[] = {
	{ "unused", pass_prune },
	{ "functions", pass_functions },
	{ "unused", pass_prune },
	{ "data", pass_data },
	{ "statements", pass_statements },
	{ "blocks", pass_blocks },
	{ "expressions", pass_expressions },
};

static int run_pass(struct reduce *r, size_t i, struct pw_err *err)
{
	uint64_t from_ns = pw_now_ns();
	struct pass_row *row;
	int ret;

	r->rows = pw_realloc(r->rows, (r->n_rows + 1) * sizeof(*r->rows));
	row = &r->rows[r->n_rows++];
	memset(row, 0, sizeof(*row));
	row->name = r->pass = passes[i].name;
	ret = passes[i].run(r, err);
	row->wall_ns = pw_now_ns() - from_ns;
	row->size_bytes = (uint32_t)r->bytes.len;
	row->n_insns = reduce_count_insns(r->m, &row->n_funcs);
	return ret;
}

static int run_passes(struct reduce *r, struct pw_err *err)
{
	size_t before = SIZE_MAX;
	int ret = 0;

	for (int round = 0; round < ROUNDS_MAX && !ret; round++) {
		if (r->bytes.len >= before || reduce_over(r))
			break;
		before = r->bytes.len;
		for (size_t i = 0;
		     i < sizeof(passes) / sizeof(passes[0]) && !ret; i++)
			ret = run_pass(r, i, err);
	}
	return ret;
}

/* The gap of the module at hand is the one to keep. */
static void take_gap(struct reduce *r)
{
	r->gap_ms = r->suspect.base_ms - r->oracle.base_ms;
	r->ratio = r->last_ratio.ratio;
	hot_release(&r->hot);
	r->hot = r->here;
	memset(&r->here, 0, sizeof(r->here));
}

static int reduce(struct reduce *r, bool *reduced, struct pw_err *err)
{
	int ret = reduce_prepare(r, err);

	*reduced = false;
	r->pass = "baseline";
	if (!ret)
		ret = reduce_measure(r, "given", err);
	if (ret)
		return ret;
	r->original_ms = r->suspect.base_ms;
	r->first_ratio = r->last_ratio;
	if (r->first_ratio.ratio < r->o->min_gap)
		return 0;
	*reduced = true;
	r->pass = "shorten";
	ret = pass_shorten(r, err);
	if (ret)
		return ret;
	take_gap(r);
	ret = run_passes(r, err);
	r->pass = "result";
	return ret ? ret : reduce_measure(r, "result", err);
}

static void release_side(struct side_runner *s)
{
	pw_session_close(s->session);
	pw_series_release(&s->base);
	pw_runtime_release(&s->rt);
}

static void reduce_release(struct reduce *r)
{
	release_side(&r->suspect);
	release_side(&r->oracle);
	hot_release(&r->hot);
	hot_release(&r->here);
	pw_module_free(r->m);
	pw_buf_release(&r->bytes);
	pw_file_close(&r->file);
	pw_guest_box_release(&r->box);
	pw_journal_close(r->journal);
	free(r->path);
	free(r->seen);
	free(r->rows);
	free(r->shortened);
}

int pw_reduce_run(const struct pw_reduce_opts *opts, struct pw_buf *out,
		  struct pw_report *report, bool *reduced, struct pw_err *err)
{
	struct reduce r = { .o = opts, .from_ns = pw_now_ns() };
	struct pw_err own;
	int ret = reduce(&r, reduced, err ? err : &own);

	if (!ret) {
		pw_buf_add(out, r.bytes.data, r.bytes.len);
		reduce_present(&r, *reduced, report);
	}
	reduce_release(&r);
	return ret;
}
