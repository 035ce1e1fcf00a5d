// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, scale: when a constant bounds the hot loop, make it
 * smaller until a run is short and the gap is still there. The constant keeps
 * its length in bytes (a padded LEB128 number is valid), so every offset of
 * the module stays what it was.
 */
#include "steps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A loop of fewer turns than this is not what makes a run long. */
#define BOUND_MIN     1000
#define PROBES_MAX    32
#define PROBE_DIVISOR 8
/* The promise of a function without samples: it may call the hot one. */
#define COLD_PROMISE 0.02

/* An integer constant that might bound a loop. */
struct bound {
	bool in_global;
	uint32_t idx;   /* global or function */
	uint64_t off;   /* of the opcode */
	uint32_t size;  /* opcode and number */
	uint8_t opcode; /* i32.const or i64.const */
	int64_t value;
	double promise; /* see scale_promise() */
};

struct bounds {
	struct bound *v;
	size_t n, cap;
};

static void bound_add(struct bounds *b, const struct bound *one)
{
	if (one->value < BOUND_MIN)
		return;
	if (b->n == b->cap) {
		b->cap = b->cap ? 2 * b->cap : 64;
		b->v = pw_realloc(b->v, b->cap * sizeof(*b->v));
	}
	b->v[b->n++] = *one;
}

/* A global's initial value that is a single constant. */
static void add_global(const struct pw_module *m, uint32_t idx,
		       struct bounds *b)
{
	const struct pw_global *g = pw_module_global(m, idx);
	struct bound one = { .in_global = true, .idx = idx, .promise = 1 };
	struct pw_cursor c;
	size_t size;

	if (g->imported)
		return;
	pw_cursor_init(&c, pw_module_bytes(m, &size) + g->init_off,
		       g->init_size, g->init_off, NULL);
	one.off = g->init_off;
	one.opcode = pw_cursor_u8(&c);
	if (one.opcode != 0x41 && one.opcode != 0x42)
		return;
	one.value = one.opcode == 0x41 ? pw_cursor_sleb32(&c)
				       : pw_cursor_sleb64(&c);
	one.size = (uint32_t)(pw_cursor_off(&c) - one.off);
	if (pw_cursor_u8(&c) == 0x0b && !c.failed && !pw_cursor_left(&c))
		bound_add(b, &one);
}

static double share_of(const struct hunt *h, uint32_t func_idx)
{
	double sum = 0;
	uint32_t f;

	for (size_t i = 0; i < h->samples.n; i++)
		if (pw_module_func_at(h->module, h->samples.wasm_off[i], &f) &&
		    f == func_idx)
			sum += h->samples.share[i];
	return sum;
}

static bool compares(enum pw_op op)
{
	return (op >= PW_OP_i32_eq && op <= PW_OP_i32_ge_u) ||
	       (op >= PW_OP_i64_eq && op <= PW_OP_i64_ge_u);
}

static bool computes(enum pw_op op)
{
	return (op >= PW_OP_i32_add && op <= PW_OP_i32_rotr) ||
	       (op >= PW_OP_i64_add && op <= PW_OP_i64_rotr);
}

double scale_promise(double share, enum pw_op next)
{
	double promise = share > COLD_PROMISE ? share : COLD_PROMISE;

	if (compares(next))
		return promise;
	if (next == PW_OP_local_set || next == PW_OP_local_tee)
		return promise * 0.9;
	return promise * (computes(next) ? 0.02 : 0.3);
}

static int add_function(struct hunt *h, struct pw_walk *w, uint32_t idx,
			struct bounds *b, struct pw_err *err)
{
	double share = share_of(h, idx);
	struct bound one = { 0 }; /* BOUND_MIN keeps it out */
	struct pw_insn in;
	int ret = pw_walk_start(w, idx, err);

	while (!ret && (ret = pw_walk_next(w, &in, err)) == 1) {
		one.promise = scale_promise(share, in.op);
		bound_add(b, &one);
		one = (struct bound){ 0 };
		ret = 0;
		if (in.op == PW_OP_i32_const || in.op == PW_OP_i64_const)
			one = (struct bound){
				.idx = idx,
				.off = in.off,
				.size = in.size,
				.opcode =
					in.op == PW_OP_i32_const ? 0x41 : 0x42,
				.value = in.i64,
			};
	}
	return ret;
}

static int by_promise(const void *a, const void *b)
{
	const struct bound *x = a, *y = b;

	if (x->promise != y->promise)
		return x->promise < y->promise ? 1 : -1;
	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->off > y->off) - (x->off < y->off);
}

static int find_bounds(struct hunt *h, struct bounds *b, struct pw_err *err)
{
	uint32_t n = pw_module_n(h->module, PW_EXT_FUNC);
	struct pw_walk *w = pw_walk_new(h->module);
	int ret = 0;

	for (uint32_t i = 0; i < pw_module_n(h->module, PW_EXT_GLOBAL); i++)
		add_global(h->module, i, b);
	for (uint32_t i = pw_module_n_imported(h->module, PW_EXT_FUNC);
	     i < n && !ret; i++)
		ret = add_function(h, w, i, b, err);
	pw_walk_free(w);
	if (b->n)
		qsort(b->v, b->n, sizeof(*b->v), by_promise);
	return ret;
}

/* The constant with another value, in as many bytes as before. */
static void encode(const struct bound *b, int64_t value, uint8_t *out)
{
	out[0] = b->opcode;
	for (uint32_t i = 1; i < b->size; i++, value >>= 7)
		out[i] = (uint8_t)((value & 0x7f) |
				   (i + 1 < b->size ? 0x80 : 0));
}

/* `bytes` with this constant changed, without the spliced exports. */
static void change(const struct hunt *h, const struct bound *b, int64_t value,
		   struct pw_buf *out)
{
	pw_buf_release(out);
	pw_buf_add(out, h->bytes.data, h->bytes.len);
	encode(b, value, out->data + b->off);
}

/* One run of a changed module; ms < 0 when it does not end as the original. */
static int probe(struct hunt *h, const struct bound *b, int64_t value,
		 double *ms, struct pw_err *err)
{
	char *key = pw_asprintf("%llx %lld", (unsigned long long)b->off,
				(long long)value);
	const char *seen = pw_journal_find(h->journal, "scale", key);
	char *path = pw_asprintf("%s/scaled.wasm", h->box.dir);
	struct pw_buf bytes = { 0 };
	struct pw_host_request req;
	struct pw_host_reply reply;
	int ret = 0;

	if (seen) {
		*ms = strtod(seen, NULL);
		h->spent_ns += *ms > 0 ? (uint64_t)(*ms * 1e6) : 0;
		goto out;
	}
	change(h, b, value, &bytes);
	pw_guest_request(&h->box, path, &req);
	/* one that is not proportional() need not end */
	req.cpu_limit_ns =
		(uint64_t)(h->suspect.base_ms * 2e6 / PROBE_DIVISOR) + 50000000;
	ret = pw_file_write(path, bytes.data, bytes.len, err);
	if (!ret)
		ret = hunt_run(h, &h->suspect, &req, &reply, err);
	if (ret)
		goto out;
	*ms = reply.outcome == h->suspect.base.outcome
		      ? (double)reply.cpu_ns / 1e6
		      : -1;
	ret = pw_journal_add(h->journal, "scale", key, err, "%.6f", *ms);
out:
	pw_buf_release(&bytes);
	free(path);
	free(key);
	return ret;
}

/* Does an eighth of the constant take an eighth of the time? */
static bool proportional(const struct hunt *h, double ms)
{
	double want = h->suspect.base_ms / PROBE_DIVISOR;

	return ms > want * 0.5 && ms < want * 2 + 1;
}

/* How much slower the suspect is now. Short runs on a busy machine are at
 * times disturbed as a whole; the least times are not. */
static double ratio_now(const struct hunt *h)
{
	const struct runner *ref = hunt_reference(h);
	double least = pw_min(ref->base.cpu_ms, ref->base.n);
	double ratio = ref->gap.ratio;

	if (least > 0)
		least = pw_min(h->suspect.base.cpu_ms, h->suspect.base.n) /
			least;
	return least > ratio ? least : ratio;
}

/* Takes the scaled module; keeps it when the gap is still there. */
static int adopt(struct hunt *h, const struct bound *b, int64_t value,
		 struct pw_err *err)
{
	struct pw_ratio full = hunt_reference(h)->gap;
	struct pw_buf was = h->bytes, now = { 0 };
	double ratio = 0;
	int ret;

	change(h, b, value, &now);
	memset(&h->bytes, 0, sizeof(h->bytes));
	ret = hunt_take_module(h, now.data, now.len, err);
	pw_buf_release(&now);
	if (!ret)
		ret = hunt_time_all(h, "scaled", err);
	if (!ret)
		ret = hunt_compare(h, err);
	if (!ret)
		ratio = ratio_now(h);
	if (!ret && ratio > full.ratio * 0.75 && ratio >= h->o->min_gap) {
		h->scaled = pw_asprintf(
			"the constant %lld at offset 0x%llx became %lld",
			(long long)b->value,
			/* exports are spliced in behind the globals */
			(unsigned long long)(b->off -
					     (b->in_global ? 0 : h->shift)),
			(long long)value);
		pw_buf_release(&was);
		return hunt_sample(h, err);
	}
	/* The gap went with the turns: hunt the module as it was. */
	if (!ret)
		ret = hunt_take_module(h, was.data, was.len, err);
	pw_buf_release(&was);
	if (!ret)
		ret = hunt_time_all(h, "given", err);
	return ret ? ret : hunt_compare(h, err);
}

static int64_t scaled_value(const struct hunt *h, const struct bound *b)
{
	double value = (double)b->value * h->o->run_ms / h->suspect.base_ms;

	return value < 2 ? 2 : (int64_t)value;
}

int hunt_scale(struct hunt *h, struct pw_err *err)
{
	struct bounds b = { 0 };
	double ms;
	int ret;

	if (!h->o->run_ms || h->suspect.base_ms < 2.0 * h->o->run_ms)
		return 0;
	ret = find_bounds(h, &b, err);
	for (size_t i = 0; i < b.n && i < PROBES_MAX && !ret; i++) {
		hunt_progress(h, "scale", i, b.n, 0);
		ret = probe(h, &b.v[i], b.v[i].value / PROBE_DIVISOR, &ms, err);
		if (ret || !proportional(h, ms))
			continue;
		ret = adopt(h, &b.v[i], scaled_value(h, &b.v[i]), err);
		break;
	}
	free(b.v);
	return ret;
}
