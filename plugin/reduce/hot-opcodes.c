// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the samples of a run lie on: functions, wasm instructions and machine
 * opcodes. Two modules show the same fault when they spend their time on the
 * same opcodes.
 */
#include "passes.h"

#include <perfwasm/code.h>

#include <stdlib.h>
#include <string.h>

/* Loops and functions with fewer samples are not hot. */
#define HOT_SHARE 0.05
/* Of the time of a reduced module on opcodes that the original's hot loops
 * have, and of the original's time on opcodes that the reduced one still has;
 * the second is small, since most of a hot loop may go and leave the fault. */
#define NOW_KNOWN 0.8
#define WAS_KEPT  0.3

struct offsets {
	uint64_t *v;
	size_t n, cap;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void parse_samples(const struct pw_file *f, struct offsets *o)
{
	char *text = pw_strndup(f->size ? (const char *)f->data : "", f->size);
	char *line, *save = NULL, *end;

	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		uint64_t off = strtoull(line, &end, 16);

		if (end == line || *end)
			continue;
		if (o->n == o->cap) {
			o->cap = o->cap ? 2 * o->cap : 1024;
			o->v = pw_realloc(o->v, o->cap * sizeof(*o->v));
		}
		o->v[o->n++] = off;
	}
	free(text);
	if (o->n)
		qsort(o->v, o->n, sizeof(*o->v), by_value);
}

/* --- machine opcodes ----------------------------------------------------------- */

static struct hot_opcode *opcode(struct hot *h, const char *name)
{
	for (uint32_t i = 0; i < h->n_ops; i++)
		if (!strcmp(h->ops[i].name, name))
			return &h->ops[i];
	if (h->n_ops == h->cap_ops) {
		h->cap_ops = h->cap_ops ? 2 * h->cap_ops : 64;
		h->ops = pw_realloc(h->ops, h->cap_ops * sizeof(*h->ops));
	}
	memset(&h->ops[h->n_ops], 0, sizeof(*h->ops));
	snprintf(h->ops[h->n_ops].name, sizeof(h->ops[0].name), "%s", name);
	return &h->ops[h->n_ops++];
}

/* Samples of each instruction; one lands on the instruction behind the slow
 * one, so that each counts half for its neighbour. */
static double *shares_of(const struct pw_minsn *insns, uint32_t n,
			 const struct offsets *o)
{
	double *share = pw_zalloc((n + 1) * sizeof(*share));
	size_t k = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t hi = insns[i].text_off + insns[i].size_bytes;

		while (k < o->n && o->v[k] < insns[i].text_off)
			k++;
		for (; k < o->n && o->v[k] < hi; k++) {
			share[i] += 0.5 / (double)o->n;
			share[i ? i - 1 : 0] += 0.5 / (double)o->n;
		}
	}
	return share;
}

static int add_opcodes(struct hot *h, const struct pw_code *code,
		       const struct pw_code_func *f, const struct offsets *o,
		       struct pw_err *err)
{
	struct pw_loop *loops = NULL;
	struct pw_minsn *insns;
	uint32_t n, n_loops = 0;
	double *share, *held;
	int ret = pw_code_disasm(code, f, &insns, &n, err);

	if (ret)
		return ret;
	share = shares_of(insns, n, o);
	ret = pw_code_loops(insns, n, &loops, &n_loops);
	held = pw_zalloc((n_loops + 1) * sizeof(*held));
	for (uint32_t i = 0; i < n && !ret; i++)
		for (uint32_t l = pw_code_loop_of(loops, n_loops, i);
		     l != UINT32_MAX; l = loops[l].parent)
			held[l] += share[i];
	for (uint32_t i = 0; i < n && !ret; i++) {
		uint32_t l = pw_code_loop_of(loops, n_loops, i);
		bool hot = l != UINT32_MAX ? held[l] >= HOT_SHARE : !n_loops;
		struct hot_opcode *op;

		if (!hot && !(share[i] > 0))
			continue;
		op = opcode(h, insns[i].opcode);
		op->in_loop |= hot;
		op->share += share[i];
	}
	free(held);
	free(loops);
	free(share);
	free(insns);
	return ret;
}

/* --- places ------------------------------------------------------------------------ */

static void add_places(struct hot *h, const struct pw_code *code,
		       const struct offsets *o)
{
	uint64_t *wasm = pw_zalloc((o->n + 1) * sizeof(*wasm));
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		uint64_t off = pw_code_wasm_off(code, o->v[i]);

		if (off != PW_NO_OFF)
			wasm[n++] = off;
	}
	if (n)
		qsort(wasm, n, sizeof(*wasm), by_value);
	h->places = pw_zalloc((n + 1) * sizeof(*h->places));
	for (size_t i = 0; i < n; i++) {
		struct hot_place *last = &h->places[h->n_places - 1];

		if (!h->n_places || last->wasm_off != wasm[i]) {
			last = &h->places[h->n_places++];
			last->wasm_off = wasm[i];
		}
		last->share += 1.0 / (double)o->n;
	}
	free(wasm);
}

static double samples_in(const struct offsets *o, const struct pw_code_func *f)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++)
		n += o->v[i] >= f->text_off &&
		     o->v[i] < f->text_off + f->size_bytes;
	return o->n ? (double)n / (double)o->n : 0;
}

static int read_code(struct hot *h, const struct pw_code *code,
		     const struct offsets *o, struct pw_err *err)
{
	int ret = 0;

	add_places(h, code, o);
	for (uint32_t i = 0; i < pw_code_n_funcs(code) && !ret; i++) {
		const struct pw_code_func *f = pw_code_func(code, i);
		double share = samples_in(o, f);

		if (f->wasm_idx >= 0 && f->wasm_idx < h->n_funcs)
			h->func_share[f->wasm_idx] += share;
		if (share >= HOT_SHARE)
			ret = add_opcodes(h, code, f, o, err);
	}
	return ret;
}

int hot_read(struct hot *h, const char *elf_path, const char *samples_path,
	     const struct pw_module *m, struct pw_err *err)
{
	struct pw_file elf = { 0 }, samples = { 0 };
	struct pw_code *code = NULL;
	struct offsets o = { 0 };
	int ret = pw_file_open(&elf, elf_path, err);

	memset(h, 0, sizeof(*h));
	h->n_funcs = pw_module_n(m, PW_EXT_FUNC);
	h->func_share = pw_zalloc((h->n_funcs + 1) * sizeof(double));
	if (!ret)
		ret = pw_file_open(&samples, samples_path, err);
	if (!ret) {
		code = pw_code_open(elf.data, elf.size,
				    pw_module_n_imported(m, PW_EXT_FUNC), err);
		ret = code ? 0 : -err->code;
	}
	if (!ret) {
		parse_samples(&samples, &o);
		ret = read_code(h, code, &o, err);
	}
	free(o.v);
	pw_code_close(code);
	pw_file_close(&samples);
	pw_file_close(&elf);
	return ret;
}

void hot_release(struct hot *h)
{
	free(h->ops);
	free(h->places);
	free(h->func_share);
	memset(h, 0, sizeof(*h));
}

/* --- questions ----------------------------------------------------------------------- */

static const struct hot_opcode *find(const struct hot *h, const char *name)
{
	for (uint32_t i = 0; i < h->n_ops; i++)
		if (h->ops[i].in_loop && !strcmp(h->ops[i].name, name))
			return &h->ops[i];
	return NULL;
}

/* The share of a's time on opcodes that are in b's hot loops. */
static double covered(const struct hot *a, const struct hot *b)
{
	double both = 0, all = 0;

	for (uint32_t i = 0; i < a->n_ops; i++) {
		all += a->ops[i].share;
		if (find(b, a->ops[i].name))
			both += a->ops[i].share;
	}
	return all > 0 ? both / all : 1;
}

bool hot_alike(const struct hot *was, const struct hot *now)
{
	return covered(now, was) >= NOW_KNOWN && covered(was, now) >= WAS_KEPT;
}

double hot_share(const struct hot *h, uint64_t lo, uint64_t hi)
{
	double sum = 0;

	for (uint32_t i = 0; i < h->n_places; i++)
		if (h->places[i].wasm_off >= lo && h->places[i].wasm_off < hi)
			sum += h->places[i].share;
	return sum;
}

double hot_func_share(const struct hot *h, uint32_t func_idx)
{
	return func_idx < h->n_funcs ? h->func_share[func_idx] : 0;
}
