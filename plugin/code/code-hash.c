// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hashes of machine code that do not see where it was placed. Inside a
 * function all distances stay as they are, constants and jump tables
 * included; a distance that leaves the function is replaced by what lies
 * there: a function's identity or a constant's bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

/* The constant an instruction reads or whose address it takes, as much of
 * it as is there. */
static void add_constant(struct pw_buf *b, const struct pw_code *c,
			 const struct scan_insn *si, const struct code_reloc *r)
{
	const uint8_t *p = NULL;
	uint8_t n;

	for (n = si->data_size ?: 16; n && !p; n /= 2) {
		p = r ? code_reloc_bytes(r, si->text_off + si->size, n)
		      : code_bytes_at(c, si->target, n);
		if (p)
			pw_buf_add(b, p, n);
	}
}

static void add_place(struct pw_buf *b, const struct pw_code *c,
		      const struct scan_insn *si)
{
	const struct pw_code_func *f = pw_code_func_at(c, si->target);

	if (f && f->wasm_idx >= 0) {
		pw_buf_add(b, "W", 1);
		pw_buf_add_u64(b, (uint64_t)f->wasm_idx);
		pw_buf_add_u64(b, si->target - f->text_off);
	} else if (f) {
		pw_buf_add(b, f->name, strlen(f->name) + 1);
		pw_buf_add_u64(b, si->target - f->text_off);
	} else {
		add_constant(b, c, si, NULL);
	}
}

/* A compiler's label of a constant (".LC0") says nothing of the constant. */
static void add_reloc(struct pw_buf *b, const struct pw_code *c,
		      const struct scan_insn *si, const struct code_reloc *r)
{
	if (r->name[0] == '.' && r->data) {
		add_constant(b, c, si, r);
		return;
	}
	pw_buf_add(b, r->name, strlen(r->name) + 1);
	pw_buf_add_u64(b, (uint64_t)r->addend);
}

/* The bits of an AArch64 instruction that hold a distance. */
static uint32_t arm64_rel_mask(const struct scan_insn *si, uint32_t w)
{
	if (si->kind == SCAN_JUMP || si->kind == SCAN_CALL)
		return 0x03ffffff;
	if (si->takes_addr)
		return 0x60ffffe0;
	if ((w & 0x7e000000) == 0x36000000) /* TBZ, TBNZ */
		return 0x0007ffe0;
	return 0x00ffffe0;
}

static void mask_arm64(uint8_t *at, const struct scan_insn *si)
{
	uint32_t w = at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
	uint32_t mask = arm64_rel_mask(si, w);
	int i;

	for (i = 0; i < 4; i++)
		at[i] &= (uint8_t) ~(mask >> 8 * i);
}

/* Takes the distance out of an instruction in the copy at the start of b
 * and appends what lies there. */
static void mask_insn(struct pw_buf *b, const struct pw_code *c,
		      const struct pw_code_func *f, const struct scan_insn *si)
{
	const struct code_reloc *r =
		c->n_reloc ? code_reloc_at(c, si->text_off, si->size) : NULL;
	uint8_t *at = b->data + (si->text_off - f->text_off);
	bool leaves = si->rel_size && si->target - f->text_off >= f->size_bytes;

	if (leaves && c->arch == CODE_X86_64)
		memset(at + si->rel_pos, 0, si->rel_size);
	else if (leaves)
		mask_arm64(at, si);
	if (r)
		add_reloc(b, c, si, r);
	else if (leaves)
		add_place(b, c, si);
}

uint64_t pw_code_func_hash(const struct pw_code *c,
			   const struct pw_code_func *f)
{
	struct scan_insn *insns = NULL;
	struct pw_buf b = { 0 };
	uint64_t hash = 0;
	uint32_t n, i;

	if (scan_func(c, f, &insns, &n))
		return 0;
	pw_buf_add(&b, c->text + f->text_off, f->size_bytes);
	for (i = 0; i < n; i++)
		mask_insn(&b, c, f, &insns[i]);
	hash = pw_hash(b.data, b.len, f->size_bytes);
	pw_buf_release(&b);
	free(insns);
	return hash;
}

uint64_t pw_code_shape(const struct pw_minsn *insns, uint32_t n)
{
	uint64_t hash = n;

	for (uint32_t i = 0; i < n; i++) {
		hash = pw_hash(insns[i].opcode, strlen(insns[i].opcode), hash);
		hash = pw_hash(&insns[i].size_bytes, 1, hash);
	}
	return hash ?: 1;
}

struct named {
	const struct pw_code_func *f;
	uint64_t hash;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->f->name, y->f->name);
}

uint64_t pw_code_hash(const struct pw_code *c)
{
	struct named *all = pw_alloc((c->n_funcs + 1) * sizeof(*all));
	struct pw_buf b = { 0 };
	uint64_t hash;
	uint32_t i;

	for (i = 0; i < c->n_funcs; i++) {
		all[i].f = &c->funcs[i];
		all[i].hash = pw_code_func_hash(c, &c->funcs[i]);
	}
	qsort(all, c->n_funcs, sizeof(*all), by_name);
	for (i = 0; i < c->n_funcs; i++) {
		pw_buf_add(&b, all[i].f->name, strlen(all[i].f->name) + 1);
		pw_buf_add_u64(&b, all[i].hash);
	}
	hash = pw_hash(b.data, b.len, 0);
	pw_buf_release(&b);
	free(all);
	return hash;
}
