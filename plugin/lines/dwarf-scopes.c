// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions and inlined calls of one compilation unit: a walk over its tree
 * of debugging entries keeps the address ranges of both, so that the calls
 * around an address are found without walking again. Knows nothing of line
 * tables.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "dwarf.h"

#define MAX_DEPTH 64
#define NONE      UINT32_MAX

/* --- reading ------------------------------------------------------------------ */

static void add_range(struct scopes *s, const struct scope *range)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->v = pw_realloc(s->v, s->cap * sizeof(*s->v));
	}
	s->v[s->n++] = *range;
}

/* Adds the ranges of a DIE; the index of the first one, or `parent`. */
static uint32_t add_scope(struct scopes *s, Dwarf_Die *die, uint32_t parent,
			  uint64_t code_size, struct budget *budget)
{
	struct scope range = { .die_off = dwarf_dieoffset(die),
			       .parent = parent,
			       .depth = parent == NONE
						? 0
						: s->v[parent].depth + 1 };
	uint32_t first = s->n;
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	while (budget->n_ranges &&
	       (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		budget->n_ranges--;
		/* what the linker dropped stands at 0 or beyond the code */
		if (!lo || lo >= hi || hi > code_size)
			continue;
		range.lo = lo;
		range.hi = hi;
		add_range(s, &range);
	}
	return s->n > first ? first : parent;
}

/* One DIE: what scope its children are in. A function inside another one has
 * no calls around it. */
static uint32_t visit(struct scopes *s, Dwarf_Die *die, uint32_t parent,
		      uint64_t code_size, struct budget *budget)
{
	uint32_t n = s->n;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		add_scope(s, die, NONE, code_size, budget);
		return s->n > n ? n : NONE;
	case DW_TAG_inlined_subroutine:
		return parent == NONE
			       ? NONE
			       : add_scope(s, die, parent, code_size, budget);
	default:
		return parent;
	}
}

static void close_funcs(struct scopes *s, uint32_t from, uint32_t scope)
{
	if (scope == NONE || s->v[scope].parent != NONE || scope < from)
		return;
	/* all ranges of a function share what is inside it */
	for (uint32_t i = scope;
	     i < s->n && s->v[i].die_off == s->v[scope].die_off; i++)
		s->v[i].end = s->n;
}

static void walk(struct scopes *s, Dwarf_Die *unit, uint64_t code_size,
		 struct budget *budget)
{
	Dwarf_Die die[MAX_DEPTH];
	uint32_t scope[MAX_DEPTH] = { NONE }, from[MAX_DEPTH] = { 0 };
	uint32_t depth = 1;

	if (dwarf_child(unit, &die[1]))
		return;
	while (budget->n_dies) {
		budget->n_dies--;
		from[depth] = s->n;
		scope[depth] = visit(s, &die[depth], scope[depth - 1],
				     code_size, budget);
		if (depth + 1 < MAX_DEPTH &&
		    !dwarf_child(&die[depth], &die[depth + 1])) {
			depth++;
			continue;
		}
		do {
			close_funcs(s, from[depth], scope[depth]);
		} while (dwarf_siblingof(&die[depth], &die[depth]) && --depth);
		if (!depth)
			return;
	}
	while (depth--)
		close_funcs(s, from[depth + 1], scope[depth + 1]);
}

/* qsort() has no argument for its callback. */
struct func {
	uint64_t lo;
	uint32_t scope;
};

static int by_lo(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->scope < y->scope ? -1 : x->scope > y->scope;
}

void scopes_read(struct scopes *s, Dwarf_Die *unit, uint64_t code_size,
		 struct budget *budget)
{
	struct func *funcs;
	uint32_t n = 0;

	walk(s, unit, code_size, budget);
	funcs = pw_alloc((s->n + 1) * sizeof(*funcs));
	for (uint32_t i = 0; i < s->n; i++)
		if (s->v[i].parent == NONE)
			funcs[n++] = (struct func){ s->v[i].lo, i };
	qsort(funcs, n, sizeof(*funcs), by_lo);
	s->funcs = pw_alloc((n + 1) * sizeof(*s->funcs));
	s->n_funcs = n;
	for (uint32_t i = 0; i < n; i++)
		s->funcs[i] = funcs[i].scope;
	free(funcs);
}

void scopes_release(struct scopes *s)
{
	free(s->v);
	free(s->funcs);
	*s = (struct scopes){ 0 };
}

/* --- finding ------------------------------------------------------------------ */

static bool holds(const struct scope *s, uint64_t addr)
{
	return s->lo <= addr && addr < s->hi;
}

/* The innermost scope around an address or NONE. */
static uint32_t innermost(const struct scopes *s, uint64_t addr)
{
	uint32_t lo = 0, hi = s->n_funcs, best;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->v[s->funcs[mid]].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || !holds(&s->v[s->funcs[lo - 1]], addr))
		return NONE;
	best = s->funcs[lo - 1];
	for (uint32_t i = best + 1; i < s->v[s->funcs[lo - 1]].end; i++)
		if (s->v[i].parent != NONE && holds(&s->v[i], addr) &&
		    s->v[i].depth > s->v[best].depth)
			best = i;
	return best;
}

static uint32_t number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word v;

	if (!dwarf_attr_integrate(die, name, &attr) ||
	    dwarf_formudata(&attr, &v) || v > UINT32_MAX)
		return 0;
	return (uint32_t)v;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_name, &attr)
		       ? dwarf_formstring(&attr)
		       : NULL;
}

/* Where an inlined call stands. */
static void call_of(Dwarf_Die *die, Dwarf_Die *unit, struct pw_line_frame *f)
{
	Dwarf_Files *files;
	size_t n;

	*f = (struct pw_line_frame){ .line = number(die, DW_AT_call_line),
				     .column = number(die, DW_AT_call_column) };
	if (!dwarf_getsrcfiles(unit, &files, &n))
		f->file = dwarf_filesrc(files, number(die, DW_AT_call_file),
					NULL, NULL);
}

void scopes_find(const struct scopes *s, Dwarf *dw, Dwarf_Die *unit,
		 uint64_t addr, struct pw_line_at *out)
{
	uint32_t i = innermost(s, addr);

	while (i != NONE) {
		struct pw_line_frame *f = &out->frames[out->n_frames - 1];
		Dwarf_Die die;

		if (!dwarf_offdie(dw, s->v[i].die_off, &die))
			return;
		f->function = name_of(&die);
		i = s->v[i].parent;
		if (i == NONE || out->n_frames == PW_LINE_MAX_FRAMES)
			return;
		call_of(&die, unit, f + 1);
		if (!f[1].file)
			f[1].file = f->file;
		out->n_frames++;
	}
}
