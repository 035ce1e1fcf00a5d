// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens a jitdump as an image of machine code: the wasm functions in it, in
 * the order of their indexes, each where it lay modulo 64. Where it lay
 * besides is chance, so what leaves a function by a distance becomes a
 * relocation, as do addresses of the engine's own, and the addresses in a
 * jump table become text offsets. Looks at no instruction but for those.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <perfwasm/jit.h>

#include "image.h"
#include "scan.h"

#define LINE_BYTES 64
#define CONSTANT   ".constant"

/* The record of one function that holds. */
struct load {
	int64_t wasm_idx;
	enum pw_jit_tier tier;
	uint32_t order;
	struct pw_jit_record r;
	uint64_t text_off;
};

struct loads {
	struct load *v;
	uint32_t n;
};

bool dump_is_one(const uint8_t *bytes, size_t size)
{
	struct pw_jitdump d;
	bool ok = !pw_jitdump_open_bytes(&d, bytes, size, 0, NULL);

	pw_jitdump_close(&d);
	return ok;
}

/* --- which records --------------------------------------------------------------- */

static void add_load(struct loads *l, const struct pw_jit_record *r,
		     int64_t idx, enum pw_jit_tier tier)
{
	if (!(l->n & (l->n - 1)))
		l->v = pw_realloc(l->v, (l->n ? 2 * l->n : 1) * sizeof(*l->v));
	l->v[l->n] = (struct load){
		.wasm_idx = idx, .tier = tier, .order = l->n, .r = *r
	};
	l->n++;
}

static void take(struct loads *funcs, struct loads *others,
		 const struct pw_jit_record *r, uint32_t n_imported)
{
	struct pw_jit_name name;
	int64_t idx;

	if (r->type != PW_JIT_LOAD || !r->code || !r->code_size)
		return;
	pw_jit_name_parse(&name, r->name, strlen(r->name), PW_NAME_JIT);
	idx = pw_jit_name_func_idx(&name, n_imported);
	if (name.kind == PW_KIND_WASM && idx >= 0)
		add_load(funcs, r, idx, name.tier);
	else
		add_load(others, r, -1, name.tier);
}

/* Code entered in a loop is a second body; the whole one goes before it. */
static int tier_rank(enum pw_jit_tier t)
{
	return t == PW_TIER_OPTIMIZED ? PW_N_TIERS : (int)t;
}

static int by_idx(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->wasm_idx != y->wasm_idx)
		return x->wasm_idx < y->wasm_idx ? -1 : 1;
	if (x->tier != y->tier)
		return tier_rank(y->tier) - tier_rank(x->tier);
	return x->order > y->order ? -1 : x->order < y->order;
}

/* Of each function the highest tier, and of that the last. */
static void keep_best(struct loads *l)
{
	uint32_t n = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_idx);
	for (uint32_t i = 0; i < l->n; i++)
		if (!n || l->v[n - 1].wasm_idx != l->v[i].wasm_idx)
			l->v[n++] = l->v[i];
	l->n = n;
}

/* --- their text ------------------------------------------------------------------ */

static uint64_t lay_out(struct loads *l)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		struct load *f = &l->v[i];

		at += (f->r.addr - at) % LINE_BYTES;
		f->text_off = at;
		at += f->r.code_size;
	}
	return at;
}

static const struct load *load_at(const struct loads *l, uint64_t addr)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (addr - l->v[i].r.addr < l->v[i].r.code_size)
			return &l->v[i];
	return NULL;
}

/* The entries of jump tables are addresses within the function itself. */
static void move_tables(const struct load *f, uint8_t *text)
{
	for (uint64_t i = -f->r.addr % 8; i + 8 <= f->r.code_size; i += 8) {
		uint64_t v;

		memcpy(&v, text + i, sizeof(v));
		if (v - f->r.addr >= f->r.code_size)
			continue;
		v += f->text_off - f->r.addr;
		memcpy(text + i, &v, sizeof(v));
	}
}

static void add_reloc(struct pw_code *c, uint64_t text_off, const char *name,
		      uint64_t addend)
{
	if (!(c->n_reloc & (c->n_reloc - 1)))
		c->reloc =
			pw_realloc(c->reloc, (c->n_reloc ? 2 * c->n_reloc : 1) *
						     sizeof(*c->reloc));
	c->reloc[c->n_reloc++] = (struct code_reloc){
		.text_off = text_off,
		.name = name,
		.addend = (int64_t)addend,
	};
}

/* A constant of the engine's, in a record that is no function of wasm. */
static bool add_constant(struct pw_code *c, const struct load *data,
			 uint64_t addr, const struct scan_insn *si)
{
	struct code_reloc *r;

	if (si->kind != SCAN_PLAIN || !data)
		return false;
	/* as if of a linker, from the end of the instruction */
	add_reloc(c, si->text_off + si->rel_pos, CONSTANT,
		  -(uint64_t)(si->size - si->rel_pos));
	r = &c->reloc[c->n_reloc - 1];
	r->data = data->r.code;
	r->data_off = addr - data->r.addr;
	r->data_size = data->r.code_size;
	return true;
}

/* A distance to what is not of the module is one to the runtime. */
static void add_distance(struct pw_code *c, const struct loads *l,
			 const struct loads *others, const struct load *f,
			 const struct scan_insn *si)
{
	uint64_t addr = f->r.addr + (si->target - f->text_off);
	const struct load *to = load_at(l, addr);

	if (!to && add_constant(c, load_at(others, addr), addr, si))
		return;

	add_reloc(c, si->text_off + si->rel_pos,
		  to ? to->r.name : PW_CODE_ELSEWHERE,
		  to ? addr - to->r.addr : 0);
}

/*
 * V8 loads an address of its own into %r10 and goes to memory by it:
 *   49 ba imm64         movabs $imm64, %r10
 *   [REX] op modrm ...  any with an operand in memory
 * Numbers of the program are taken out of the register.
 */
static bool loads_address(const uint8_t *p, uint64_t left)
{
	uint64_t at = 10;

	if (left < 14 || p[0] != 0x49 || p[1] != 0xba)
		return false;
	at += (p[at] & 0xf0) == 0x40;
	at += p[at] == 0x0f;
	return p[at] != 0xc4 && p[at] != 0xc5 && p[at + 1] >> 6 != 3;
}

static void hide_address(struct pw_code *c, const struct scan_insn *si)
{
	uint8_t *p = c->own_text + si->text_off;

	if (!loads_address(p, c->text_size - si->text_off))
		return;
	memset(p + 2, 0, 8);
	add_reloc(c, si->text_off + 2, PW_CODE_ELSEWHERE, 0);
}

static void add_relocs(struct pw_code *c, const struct loads *l,
		       const struct loads *others, uint32_t i)
{
	struct scan_insn *insns = NULL;
	uint32_t n = 0;

	if (scan_func(c, &c->funcs[i], &insns, &n))
		return;
	for (uint32_t k = 0; k < n; k++) {
		if (c->arch == CODE_X86_64)
			hide_address(c, &insns[k]);
		if (insns[k].rel_size &&
		    insns[k].target - c->funcs[i].text_off >=
			    c->funcs[i].size_bytes)
			add_distance(c, l, others, &l->v[i], &insns[k]);
	}
	free(insns);
}

static void fill(struct pw_code *c, const struct loads *l,
		 const struct loads *others)
{
	uint64_t size = c->text_size;

	c->own_text = pw_zalloc(size + 1);
	c->text = c->own_text;
	c->funcs = pw_zalloc((l->n + 1) * sizeof(*c->funcs));
	c->n_funcs = l->n;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load *f = &l->v[i];

		memcpy(c->own_text + f->text_off, f->r.code, f->r.code_size);
		move_tables(f, c->own_text + f->text_off);
		c->funcs[i] = (struct pw_code_func){
			.name = f->r.name,
			.wasm_idx = f->wasm_idx,
			.text_off = f->text_off,
			.size_bytes = f->r.code_size,
		};
	}
	for (uint32_t i = 0; i < l->n; i++)
		add_relocs(c, l, others, i);
}

struct pw_code *dump_open(const uint8_t *bytes, size_t size,
			  uint32_t n_imported, struct pw_err *err)
{
	struct pw_jitdump d;
	struct pw_jit_record r;
	struct loads l = { 0 }, others = { 0 };
	struct pw_code *c = NULL;

	if (pw_jitdump_open_bytes(&d, bytes, size, 0, err))
		return NULL;
	while (pw_jitdump_next(&d, &r))
		take(&l, &others, &r, n_imported);
	keep_best(&l);
	if (d.machine != EM_X86_64 && d.machine != EM_AARCH64) {
		pw_err_at(
			err, ENOTSUP, 12,
			"machine code of ELF machine %u is not supported, only x86-64 and AArch64",
			d.machine);
	} else {
		c = pw_zalloc(sizeof(*c));
		c->arch = d.machine == EM_X86_64 ? CODE_X86_64 : CODE_AARCH64;
		c->data_in_text = true;
		c->from_dump = true;
		c->text_size = lay_out(&l);
		fill(c, &l, &others);
	}
	free(l.v);
	free(others.v);
	pw_jitdump_close(&d);
	return c;
}
