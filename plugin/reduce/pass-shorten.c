// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run is made short before the many runs of the passes: a constant that
 * bounds the hot loop becomes smaller, when the gap stays in proportion.
 */
#include "passes.h"

#include <stdlib.h>
#include <string.h>

/* A loop of fewer turns than this is not what makes a run long. */
#define BOUND_MIN     1000
#define PROBES_MAX    32
#define PROBE_DIVISOR 8
/* Of the ratio that a shorter run must keep. */
#define RATIO_KEPT 0.75

struct bound {
	bool in_global;
	uint32_t idx; /* of the function or global */
	uint64_t off;
	uint32_t size;
	bool is64;
	int64_t value;
	double share;
};

struct bounds {
	struct bound *v;
	size_t n, cap;
};

static void add(struct bounds *b, const struct bound *one)
{
	if (b->n == b->cap) {
		b->cap = b->cap ? 2 * b->cap : 64;
		b->v = pw_realloc(b->v, b->cap * sizeof(*b->v));
	}
	b->v[b->n++] = *one;
}

static int by_promise(const void *a, const void *b)
{
	const struct bound *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->off > y->off) - (x->off < y->off);
}

/* A global's initial value that is a single constant. */
static void gather_global(const struct reduce *r, uint32_t idx,
			  struct bounds *b)
{
	const struct pw_global *g = pw_module_global(r->m, idx);
	struct bound one = { true, idx, g->init_off, g->init_size, 0, 0, 1 };
	struct pw_cursor c;
	uint8_t op;

	if (g->imported)
		return;
	pw_cursor_init(&c, r->bytes.data + g->init_off, g->init_size, 0, NULL);
	op = pw_cursor_u8(&c);
	one.is64 = op == 0x42;
	one.value = one.is64 ? pw_cursor_sleb64(&c) : pw_cursor_sleb32(&c);
	if ((op == 0x41 || op == 0x42) && pw_cursor_u8(&c) == 0x0b &&
	    one.value >= BOUND_MIN)
		add(b, &one);
}

static int gather(const struct reduce *r, struct bounds *b, struct pw_err *err)
{
	struct pw_walk *w = pw_walk_new(r->m);
	struct pw_insn in;
	int ret = 0;

	for (uint32_t i = 0; i < pw_module_n(r->m, PW_EXT_GLOBAL); i++)
		gather_global(r, i, b);
	for (uint32_t f = pw_module_n_imported(r->m, PW_EXT_FUNC);
	     f < pw_module_n(r->m, PW_EXT_FUNC) && !ret; f++) {
		ret = pw_walk_start(w, f, err);
		while (!ret && (ret = pw_walk_next(w, &in, err)) == 1) {
			ret = 0;
			if ((in.op == PW_OP_i32_const ||
			     in.op == PW_OP_i64_const) &&
			    in.i64 >= BOUND_MIN)
				add(b, &(struct bound){
					       false, f, in.off, in.size,
					       in.op == PW_OP_i64_const, in.i64,
					       hot_func_share(&r->here, f) });
		}
	}
	pw_walk_free(w);
	if (b->n)
		qsort(b->v, b->n, sizeof(*b->v), by_promise);
	return ret;
}

static int change(const struct reduce *r, const struct bound *b, int64_t value,
		  struct pw_buf *out, struct pw_err *err)
{
	struct pw_buf text = { 0 };
	struct pw_edit edit = {
		.off = b->off,
		.old_size = b->size,
	};
	int ret;

	pw_buf_add_u8(&text, b->is64 ? 0x42 : 0x41);
	pw_buf_add_sleb(&text, value);
	if (b->in_global) {
		pw_buf_add_u8(&text, 0x0b);
		ret = pw_splice_global(r->m, b->idx, text.data,
				       (uint32_t)text.len, out, err);
	} else {
		edit.new_bytes = text.data;
		edit.new_size = (uint32_t)text.len;
		ret = pw_splice_edits(r->m, &edit, 1, out, err);
	}
	pw_buf_release(&text);
	return ret;
}

/* One run with an eighth of the constant; *ms < 0: it ends otherwise. */
static int probe(struct reduce *r, const struct bound *b, double *ms,
		 struct pw_err *err)
{
	char *key = pw_asprintf("%llx", (unsigned long long)b->off);
	const char *seen = pw_journal_find(r->journal, "shorten", key);
	struct pw_buf bytes = { 0 };
	struct pw_host_request req;
	struct pw_host_reply reply;
	int ret = 0;

	if (seen) {
		*ms = strtod(seen, NULL);
		free(key);
		return 0;
	}
	ret = change(r, b, b->value / PROBE_DIVISOR, &bytes, err);
	if (!ret)
		ret = pw_file_write(r->path, bytes.data, bytes.len, err);
	pw_guest_request(&r->box, r->path, &req);
	req.digest = false;
	req.cpu_limit_ns = (uint64_t)(r->suspect.base_ms * 1.2e6) + 50000000;
	if (!ret)
		ret = reduce_run_on(r, &r->suspect, &req, &reply, err);
	if (!ret) {
		*ms = reduce_ends_alike(r, &reply) ? (double)reply.cpu_ns / 1e6
						   : -1;
		ret = pw_journal_add(r->journal, "shorten", key, err, "%.6f",
				     *ms);
	}
	pw_buf_release(&bytes);
	free(key);
	return ret;
}

static bool in_proportion(const struct reduce *r, double ms)
{
	double want = r->suspect.base_ms / PROBE_DIVISOR;

	return ms > want * 0.5 && ms < want * 2 + 1;
}

/* Takes the shorter module, or goes back to what was there. */
static int adopt(struct reduce *r, const struct bound *b, struct pw_err *err)
{
	double value = (double)b->value * r->o->run_ms / r->suspect.base_ms;
	int64_t to = value < 2 ? 2 : (int64_t)value;
	double ratio = r->last_ratio.ratio;
	struct pw_buf was = { 0 }, bytes = { 0 };
	int ret = change(r, b, to, &bytes, err);

	pw_buf_add(&was, r->bytes.data, r->bytes.len);
	if (!ret)
		ret = reduce_take(r, &bytes, err);
	if (!ret)
		ret = reduce_measure(r, "shortened", err);
	if (!ret && r->last_ratio.ratio >= RATIO_KEPT * ratio &&
	    r->last_ratio.ratio >= r->o->min_gap) {
		r->shortened = pw_asprintf(
			"the constant %lld at offset 0x%llx became %lld",
			(long long)b->value, (unsigned long long)b->off,
			(long long)to);
	} else if (!ret) {
		ret = reduce_take(r, &was, err);
		if (!ret)
			ret = reduce_measure(r, "given", err);
	}
	pw_buf_release(&was);
	pw_buf_release(&bytes);
	return ret;
}

int pass_shorten(struct reduce *r, struct pw_err *err)
{
	struct bounds b = { 0 };
	double ms;
	int ret;

	if (!r->o->run_ms || r->suspect.base_ms < 2.0 * r->o->run_ms)
		return 0;
	ret = gather(r, &b, err);
	for (size_t i = 0; i < b.n && i < PROBES_MAX && !ret; i++) {
		ret = probe(r, &b.v[i], &ms, err);
		if (ret || !in_proportion(r, ms))
			continue;
		ret = adopt(r, &b.v[i], err);
		break;
	}
	free(b.v);
	return ret;
}
