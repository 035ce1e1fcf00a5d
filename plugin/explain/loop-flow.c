// SPDX-License-Identifier: GPL-2.0-only
/*
 * One code of a function: its flow, its loops, which of them are hot, and
 * two questions about registers over all of it.
 */
#include "explain-impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HOT_SHARE 0.05
#define MAX_INSNS 3000

/* --- flow -------------------------------------------------------------------- */

/* The edges turned round. */
static void turn_round(struct subject *s)
{
	uint32_t n = s->side.n, i, k;
	uint32_t *start = pw_zalloc((n + 3) * sizeof(*start));
	uint32_t *from = pw_alloc((s->next[n] + 1) * sizeof(*from));

	for (k = 0; k < s->next[n]; k++)
		start[s->to[k] + 2]++;
	for (i = 1; i < n + 3; i++)
		start[i] += start[i - 1];
	for (i = 0; i < n; i++)
		for (k = s->next[i]; k < s->next[i + 1]; k++)
			from[start[s->to[k] + 1]++] = i;
	s->prev = start;
	s->from = from;
}

/* --- which loops are hot -------------------------------------------------------- */

/* The innermost loop around a loop's samples that holds enough of them. */
static uint32_t hot_one(const struct subject *s, const double *held, double all,
			uint32_t loop)
{
	while (loop != NONE && held[loop] < HOT_SHARE * all)
		loop = s->loops[loop].parent;
	return loop;
}

static bool is_innermost(const struct subject *s, uint32_t loop)
{
	for (uint32_t i = 0; i < s->n_loops; i++)
		if (s->loops[i].parent == loop)
			return false;
	return true;
}

static void mark_hot(const struct subject *s, bool *hot)
{
	double *held = pw_zalloc((s->n_loops + 1) * sizeof(*held));
	const double *share = s->side.share;
	double all = 0;
	uint32_t i, l;

	for (i = 0; share && i < s->side.n; i++) {
		all += share[i];
		l = pw_code_loop_of(s->loops, s->n_loops, i);
		for (; l != NONE; l = s->loops[l].parent)
			held[l] += share[i];
	}
	for (i = 0; share && i < s->side.n; i++) {
		if (!(share[i] > 0))
			continue;
		l = hot_one(s, held, all,
			    pw_code_loop_of(s->loops, s->n_loops, i));
		if (l != NONE)
			hot[l] = true;
	}
	for (l = 0; !share && l < s->n_loops; l++)
		hot[l] = is_innermost(s, l);
	free(held);
}

static int by_share(const void *a, const void *b)
{
	const struct region *x = *(struct region *const *)a;
	const struct region *y = *(struct region *const *)b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (x->loop > y->loop) - (x->loop < y->loop);
}

static void hot_regions(struct subject *s)
{
	bool *hot = pw_zalloc(s->n_loops + 1);

	mark_hot(s, hot);
	s->hot = pw_zalloc((s->n_loops + 1) * sizeof(struct region *));
	for (uint32_t l = 0; l < s->n_loops; l++)
		if (hot[l] && s->loops[l].n_insns <= MAX_INSNS)
			s->hot[s->n_hot++] = region_new(s, l);
	qsort(s->hot, s->n_hot, sizeof(struct region *), by_share);
	free(hot);
}

/* On AArch64 it always does; elsewhere where it is set from the stack's. */
static bool has_frame(const struct subject *s)
{
	const uint64_t rsp = REG_BIT(4), rbp = REG_BIT(5);

	if (strcmp(pw_code_arch(s->side.code), "x86-64"))
		return true;
	for (uint32_t i = 0; i < s->side.n; i++)
		if (s->uses[i].writes == rbp && s->uses[i].reads == rsp &&
		    !s->uses[i].mem.size_bytes &&
		    insn_class(&s->side.insns[i]) == CLASS_MOVE)
			return true;
	return false;
}

bool on_stack(const struct subject *s, uint32_t insn)
{
	const struct pw_mem_use *m = &s->uses[insn].mem;

	return m->size_bytes && m->stack && m->index == PW_NO_REG &&
	       (s->has_frame || m->base != 5);
}

int subject_init(struct subject *s, const struct pw_explain_side *side,
		 struct pw_err *err)
{
	int ret;

	memset(s, 0, sizeof(*s));
	s->side = *side;
	ret = pw_code_uses(side->code, side->insns, side->n, &s->uses, err);
	if (ret)
		return ret;
	pw_code_flow(side->insns, side->n, &s->next, &s->to);
	turn_round(s);
	s->has_frame = has_frame(s);
	ret = pw_code_loops(side->insns, side->n, &s->loops, &s->n_loops);
	if (!ret)
		hot_regions(s);
	return ret;
}

void subject_release(struct subject *s)
{
	for (uint32_t i = 0; i < s->n_hot; i++)
		region_free(s->hot[i]);
	free(s->hot);
	free(s->uses);
	free(s->next);
	free(s->to);
	free(s->prev);
	free(s->from);
	free(s->loops);
	memset(s, 0, sizeof(*s));
}

/* --- registers over the whole function ---------------------------------------------- */

struct search {
	const struct subject *s;
	bool *seen;
	uint32_t *stack, n;
};

static void search_init(struct search *q, const struct subject *s)
{
	q->s = s;
	q->seen = pw_zalloc(s->side.n + 1);
	q->stack = pw_alloc((s->side.n + 1) * sizeof(*q->stack));
	q->n = 0;
}

static void search_push(struct search *q, uint32_t i)
{
	if (!q->seen[i]) {
		q->seen[i] = true;
		q->stack[q->n++] = i;
	}
}

static void search_release(struct search *q)
{
	free(q->seen);
	free(q->stack);
}

/* The one definition that reaches an instruction, or NONE. */
static uint32_t one_def(const struct subject *s, uint32_t insn, unsigned reg)
{
	uint32_t def = NONE, i, k;
	bool many = !insn;
	struct search q;

	search_init(&q, s);
	for (k = s->prev[insn]; k < s->prev[insn + 1]; k++)
		search_push(&q, s->from[k]);
	while (q.n && !many) {
		i = q.stack[--q.n];
		if (s->uses[i].writes & REG_BIT(reg)) {
			many = def != NONE;
			def = i;
			continue;
		}
		many = !i || s->prev[i] == s->prev[i + 1];
		for (k = s->prev[i]; k < s->prev[i + 1]; k++)
			search_push(&q, s->from[k]);
	}
	search_release(&q);
	return many ? NONE : def;
}

bool constant_of(const struct subject *s, uint32_t insn, unsigned reg,
		 uint64_t *value)
{
	for (int hops = 0; hops < 8; hops++) {
		uint32_t def = one_def(s, insn, reg);
		const struct pw_insn_uses *u;

		if (def == NONE)
			return false;
		u = &s->uses[def];
		if (!u->reads && u->writes == REG_BIT(reg) &&
		    !u->mem.size_bytes && !s->side.insns[def].is_call) {
			*value = u->has_imm ? (uint64_t)u->imm : 0;
			return u->has_imm || u->writes_flags;
		}
		if (u->mem.constant && u->mem.has_value &&
		    insn_class(&s->side.insns[def]) == CLASS_MOVE) {
			*value = u->mem.value;
			return true;
		}
		if (insn_class(&s->side.insns[def]) != CLASS_MOVE ||
		    u->mem.size_bytes || __builtin_popcountll(u->reads) != 1)
			return false;
		insn = def;
		reg = (unsigned)__builtin_ctzll(u->reads);
	}
	return false;
}

static bool is_return(const struct pw_minsn *in)
{
	return !strncmp(in->opcode, "ret", 3);
}

/* Whether a register may hold a result when the function ends: rax, rdx and
 * xmm0, xmm1; x0, x1 and v0, v1. */
static bool is_result(const struct subject *s, unsigned reg)
{
	bool x86 = !strcmp(pw_code_arch(s->side.code), "x86-64");

	return reg == 0 || reg == PW_REG_VEC ||
	       (!s->one_result &&
		(reg == (x86 ? 2 : 1) || reg == PW_REG_VEC + 1));
}

bool live_after(const struct subject *s, uint32_t insn, unsigned reg)
{
	bool live = false;
	struct search q;
	uint32_t i, k;

	search_init(&q, s);
	for (k = s->next[insn]; k < s->next[insn + 1]; k++)
		search_push(&q, s->to[k]);
	while (q.n && !live) {
		const struct pw_insn_uses *u;

		i = q.stack[--q.n];
		u = &s->uses[i];
		if ((u->reads & REG_BIT(reg)) ||
		    (is_return(&s->side.insns[i]) && is_result(s, reg)))
			live = true;
		if (u->writes & REG_BIT(reg))
			continue;
		for (k = s->next[i]; k < s->next[i + 1]; k++)
			search_push(&q, s->to[k]);
	}
	search_release(&q);
	return live;
}

const char *insn_words(const struct subject *s, uint32_t insn, char *dst,
		       size_t size)
{
	snprintf(dst, size, "%s at 0x%" PRIx64, s->side.insns[insn].opcode,
		 s->side.insns[insn].text_off);
	return dst;
}
