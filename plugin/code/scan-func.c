// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks a function from its first byte to its last instruction. Cranelift
 * puts jump tables behind the indirect jump that reads them, and constants
 * behind the last instruction (AArch64: also between blocks):
 *
 *   ... lea T(%rip) ... jmp *%r | T: table | next block ... ret | constants
 *
 * So behind an instruction that never goes on the walk asks: is this a table
 * or a constant? Does any jump go further than here? Objects of cc keep
 * their constants elsewhere and are walked to the end of the symbol.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

enum {
	MARK_CODE = 1,  /* a jump goes here */
	MARK_DATA = 2,  /* a byte of a constant */
	MARK_TABLE = 4, /* an address taken: a jump table may begin here */
};

struct walk {
	const struct pw_code *c;
	const uint8_t *bytes; /* of the function */
	uint64_t start, size;
	uint8_t *mark;      /* MARK_* per byte */
	uint64_t last_code; /* the furthest place known to be code, relative
			       to start */
	struct scan_insn *insns;
	uint32_t n, cap;
};

bool scan_ends_block(enum scan_kind kind)
{
	return kind == SCAN_JUMP || kind == SCAN_JUMP_IND || kind == SCAN_RET ||
	       kind == SCAN_TRAP;
}

static struct scan_insn *add_insn(struct walk *w)
{
	if (w->n == w->cap) {
		w->cap = w->cap ? w->cap * 2 : 64;
		w->insns = pw_realloc(w->insns, w->cap * sizeof(*w->insns));
	}
	return &w->insns[w->n++];
}

static void mark_code(struct walk *w, uint64_t at)
{
	w->mark[at] |= MARK_CODE;
	if (at > w->last_code)
		w->last_code = at;
}

/* V8's tables of text offsets lie behind all code, so that the places they
 * lead to must be known before. */
static void mark_wide_table(struct walk *w, uint64_t at)
{
	if (w->mark[at] & MARK_DATA)
		return;
	for (; at + 8 <= w->size; at += 8) {
		uint64_t to;

		memcpy(&to, w->bytes + at, sizeof(to));
		if (to - w->start >= w->size)
			return;
		mark_code(w, to - w->start);
		memset(w->mark + at, MARK_DATA, 8);
	}
}

static void mark_target(struct walk *w, const struct scan_insn *si)
{
	uint64_t at = si->target - w->start, i;

	if (si->target == PW_NO_OFF || at >= w->size)
		return;
	if (si->kind == SCAN_JUMP || si->kind == SCAN_COND)
		mark_code(w, at);
	else if (si->takes_addr && w->c->from_dump)
		mark_wide_table(w, at);
	else if (si->takes_addr)
		w->mark[at] |= MARK_TABLE;
	else if (si->kind == SCAN_PLAIN)
		for (i = 0; i < si->data_size && at + i < w->size; i++)
			w->mark[at + i] |= MARK_DATA;
}

/* Where the map says that something else than the instruction at `at`
 * begins, at most the function's size. */
static uint64_t mapped_end(const struct walk *w, uint64_t at)
{
	int64_t e;

	if (!w->c->has_map)
		return w->size;
	e = addrmap_find(&w->c->map, w->start + at) + 1;
	if (e < w->c->map.n && w->c->map.entry[e].text_off - w->start < w->size)
		return w->c->map.entry[e].text_off - w->start;
	return w->size;
}

/*
 * Reads a jump table at `at`: 32-bit distances from the table's start to
 * places in the function. Gives where code goes on.
 */
static uint64_t read_table(struct walk *w, uint64_t at)
{
	uint64_t limit = mapped_end(w, at), p = at;

	for (; p + 4 <= limit; p += 4) {
		const uint8_t *b = w->bytes + p;
		int32_t d = (int32_t)(b[0] | b[1] << 8 | b[2] << 16 |
				      (uint32_t)b[3] << 24);
		uint64_t to = at + (uint64_t)(int64_t)d;

		if (p > at && (w->mark[p] & MARK_CODE))
			break;
		if (to >= w->size || (to >= at && to < p + 4))
			break;
		mark_code(w, to);
		*add_insn(w) = (struct scan_insn){ .text_off = w->start + p,
						   .target = w->start + to,
						   .kind = SCAN_ENTRY,
						   .size = 4 };
		if (to > at && to < limit)
			limit = to;
	}
	return p;
}

/* Where code goes on behind an instruction that ends a block, or the
 * function's size when there is no more. */
static uint64_t next_block(struct walk *w, uint64_t at)
{
	enum scan_kind kind = w->insns[w->n - 1].kind;

	if (at >= w->size)
		return at;
	if (kind == SCAN_JUMP_IND && (w->mark[at] & MARK_TABLE))
		at = read_table(w, at);
	while (at < w->size &&
	       (w->mark[at] & (MARK_DATA | MARK_CODE)) == MARK_DATA)
		at++;
	return at > w->last_code ? w->size : at;
}

/* Blocks that only an unwinder reaches have no jump to them; the map tells
 * that they are there. */
static void mark_mapped(struct walk *w)
{
	int64_t e;

	if (!w->c->has_map)
		return;
	e = addrmap_find(&w->c->map, w->start + w->size - 1);
	for (; e >= 0 && w->c->map.entry[e].text_off >= w->start; e--) {
		if (w->c->map.entry[e].wasm_off == ADDRMAP_NONE)
			continue;
		w->last_code = w->c->map.entry[e].text_off - w->start;
		return;
	}
}

static void step(struct walk *w, uint64_t at)
{
	struct scan_insn *si = add_insn(w);

	if (w->c->arch == CODE_X86_64)
		scan_x86(si, w->bytes + at, w->size - at, w->start + at);
	else
		scan_arm64(si, w->bytes + at, w->size - at, w->start + at);
	mark_target(w, si);
}

/*
 * V8's code may end with a call that never comes back (a trap), and then a
 * table of where it may stop: two numbers first, small ones, which no
 * instructions look like.
 */
static bool ends_with_call(const struct walk *w, uint64_t at)
{
	uint64_t p = (at + 3) & ~3ull;
	const uint8_t *b = w->bytes + p;

	return w->c->from_dump && w->insns[w->n - 1].kind == SCAN_CALL &&
	       at > w->last_code && p + 8 <= w->size && !b[2] && !b[3] &&
	       !b[6] && !b[7];
}

int scan_func(const struct pw_code *c, const struct pw_code_func *f,
	      struct scan_insn **insns, uint32_t *n)
{
	struct walk w = { .c = c,
			  .bytes = c->text + f->text_off,
			  .start = f->text_off,
			  .size = f->size_bytes };
	uint64_t at = 0;

	if (f->text_off > c->text_size ||
	    f->size_bytes > c->text_size - f->text_off)
		return -EINVAL;
	w.mark = pw_zalloc(f->size_bytes + 1);
	if (w.size)
		mark_mapped(&w);
	while (at < w.size) {
		step(&w, at);
		at += w.insns[w.n - 1].size;
		if (c->data_in_text && scan_ends_block(w.insns[w.n - 1].kind))
			at = next_block(&w, at);
		else if (ends_with_call(&w, at))
			break;
	}
	free(w.mark);
	*insns = w.insns;
	*n = w.n;
	return 0;
}
