// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds the graph of control flow of one function from its disassembly.
 * Knows opcodes only where they never go on.
 */
#include <stdlib.h>
#include <string.h>

#include "flow.h"

#define NOWHERE UINT32_MAX

bool pw_code_goes_on(const struct pw_minsn *m)
{
	static const char *const ends[] = { "ret",  "retf",  "ud2",   "ud0",
					    "ud1",  "hlt",   "int3",  "brk",
					    "udf",  "retaa", "retab", "iretq",
					    ".long" };
	size_t i;

	if (m->is_jump)
		return m->is_cond;
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(m->opcode, ends[i]))
			return false;
	return true;
}

static uint32_t insn_at(const struct pw_minsn *insns, uint32_t n, uint64_t off)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (insns[mid].text_off < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && insns[lo].text_off == off ? lo : NOWHERE;
}

/* An edge list, sorted into both directions at the end. */
struct edges {
	uint32_t (*e)[2];
	size_t n, cap;
};

static void edge(struct edges *l, uint32_t from, uint32_t to)
{
	if (to == NOWHERE)
		return;
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 256;
		l->e = pw_realloc(l->e, l->cap * sizeof(*l->e));
	}
	l->e[l->n][0] = from;
	l->e[l->n++][1] = to;
}

static bool is_entry(const struct pw_minsn *m)
{
	return !strcmp(m->opcode, ".long") && m->target != PW_NO_OFF;
}

static void insn_edges(struct edges *l, const struct pw_minsn *insns,
		       uint32_t n, uint32_t i)
{
	const struct pw_minsn *m = &insns[i];
	uint32_t t;

	if (pw_code_goes_on(m) && i + 1 < n)
		edge(l, i, i + 1);
	if (m->is_jump && m->target != PW_NO_OFF)
		edge(l, i, insn_at(insns, n, m->target));
	if (!m->is_jump || m->target != PW_NO_OFF)
		return;
	for (t = i + 1; t < n && is_entry(&insns[t]); t++)
		edge(l, i, insn_at(insns, n, insns[t].target));
}

/* An indirect jump without a table goes to the blocks behind it, up to the
 * next such jump, that nothing else reaches. */
static void orphan_edges(struct edges *l, const struct pw_minsn *insns,
			 uint32_t n)
{
	bool *reached = pw_zalloc(n + 1);
	uint32_t i, jump = NOWHERE;
	size_t k;

	for (k = 0; k < l->n; k++)
		reached[l->e[k][1]] = true;
	for (i = 0; i < n; i++) {
		if (i && !reached[i] && jump != NOWHERE && !is_entry(&insns[i]))
			edge(l, jump, i);
		if (insns[i].is_jump && insns[i].target == PW_NO_OFF)
			jump = i + 1 < n && is_entry(&insns[i + 1]) ? NOWHERE
								    : i;
	}
	free(reached);
}

/* Edges by their side `key`: start[i] .. start[i + 1] - 1 are those of i. */
static void sort_edges(const struct edges *l, uint32_t n, int key,
		       uint32_t **start, uint32_t **other)
{
	uint32_t *s = pw_zalloc((n + 3) * sizeof(*s));
	uint32_t *o = pw_alloc((l->n + 1) * sizeof(*o));
	uint32_t i;
	size_t k;

	/* counted two places on, so that filling leaves the starts behind */
	for (k = 0; k < l->n; k++)
		s[l->e[k][key] + 2]++;
	for (i = 1; i < n + 3; i++)
		s[i] += s[i - 1];
	for (k = 0; k < l->n; k++)
		o[s[l->e[k][key] + 1]++] = l->e[k][!key];
	*start = s;
	*other = o;
}

void flow_init(struct flow *f, const struct pw_minsn *insns, uint32_t n)
{
	struct edges l = { 0 };
	uint32_t i;

	for (i = 0; i < n; i++)
		insn_edges(&l, insns, n, i);
	orphan_edges(&l, insns, n);
	f->n = n;
	sort_edges(&l, n, 0, &f->next, &f->to);
	sort_edges(&l, n, 1, &f->prev, &f->from);
	free(l.e);
}

void flow_release(struct flow *f)
{
	free(f->next);
	free(f->to);
	free(f->prev);
	free(f->from);
	memset(f, 0, sizeof(*f));
}

void pw_code_flow(const struct pw_minsn *insns, uint32_t n, uint32_t **next,
		  uint32_t **to)
{
	struct flow f;

	flow_init(&f, insns, n);
	*next = f.next;
	*to = f.to;
	free(f.prev);
	free(f.from);
}
