// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loops by nested strongly connected components (Steensgaard 1993): a
 * component of the flow graph is a loop; without the edges to its head, the
 * components that remain in it are the loops inside. Components by Tarjan's
 * algorithm (1972), without recursion.
 */
#include <stdlib.h>
#include <string.h>

#include "flow.h"

#define NONE      UINT32_MAX
#define MAX_DEPTH 64

struct nest {
	struct flow flow;
	uint32_t *region; /* per instruction: innermost loop or NONE */
	uint32_t *index, *low;
	bool *open; /* on the stack of the component being found */
	uint32_t *stack, n_stack;
	uint32_t *path, *edge, n_path; /* the walk, and its next edge each */
	uint32_t counter;
	struct pw_loop *loops;
	uint32_t n_loops, cap;
	/* members of each loop, one array each, until it is looked into */
	uint32_t **members;
};

static bool has_self_edge(const struct flow *f, uint32_t i)
{
	uint32_t k;

	for (k = f->next[i]; k < f->next[i + 1]; k++)
		if (f->to[k] == i)
			return true;
	return false;
}

/* Where the component is entered from outside; the lowest such place. */
static uint32_t find_head(const struct nest *s, const uint32_t *m, uint32_t n,
			  uint32_t loop)
{
	uint32_t i, k, head = NONE, lowest = NONE;

	for (i = 0; i < n; i++) {
		if (m[i] < lowest)
			lowest = m[i];
		for (k = s->flow.prev[m[i]]; k < s->flow.prev[m[i] + 1]; k++)
			if (s->region[s->flow.from[k]] != loop && m[i] < head)
				head = m[i];
		if (!m[i])
			head = 0;
	}
	return head == NONE ? lowest : head;
}

static void add_loop(struct nest *s, const uint32_t *m, uint32_t n,
		     uint32_t parent)
{
	struct pw_loop *l;
	uint32_t i, id = s->n_loops;

	if (id == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 16;
		s->loops = pw_realloc(s->loops, s->cap * sizeof(*s->loops));
		s->members =
			pw_realloc(s->members, s->cap * sizeof(*s->members));
	}
	l = &s->loops[s->n_loops];
	*l = (struct pw_loop){ .first = NONE, .n_insns = n, .parent = parent };
	l->depth = parent == NONE ? 1 : s->loops[parent].depth + 1;
	for (i = 0; i < n; i++) {
		s->region[m[i]] = id;
		l->first = m[i] < l->first ? m[i] : l->first;
		l->last = m[i] > l->last ? m[i] : l->last;
	}
	l->head = find_head(s, m, n, id);
	s->members[id] = pw_alloc(n * sizeof(*m));
	memcpy(s->members[id], m, n * sizeof(*m));
	s->n_loops++;
}

static void enter(struct nest *s, uint32_t v)
{
	s->index[v] = s->low[v] = ++s->counter;
	s->open[v] = true;
	s->stack[s->n_stack++] = v;
	s->path[s->n_path] = v;
	s->edge[s->n_path++] = s->flow.next[v];
}

/* All of v's edges are walked: if v closes a component, take it off. */
static void leave(struct nest *s, uint32_t v, uint32_t parent)
{
	uint32_t n = s->n_stack, i;

	s->n_path--;
	if (s->n_path && s->low[v] < s->low[s->path[s->n_path - 1]])
		s->low[s->path[s->n_path - 1]] = s->low[v];
	if (s->low[v] != s->index[v])
		return;
	while (s->stack[--s->n_stack] != v)
		;
	n -= s->n_stack;
	for (i = 0; i < n; i++)
		s->open[s->stack[s->n_stack + i]] = false;
	if (n > 1 || (has_self_edge(&s->flow, v) &&
		      (parent == NONE || s->loops[parent].head != v)))
		add_loop(s, s->stack + s->n_stack, n, parent);
}

/* The components reached from v inside loop `parent`, without the edges to
 * its head. */
static void components(struct nest *s, uint32_t v, uint32_t parent)
{
	uint32_t head = parent == NONE ? NONE : s->loops[parent].head;

	enter(s, v);
	while (s->n_path) {
		uint32_t top = s->path[s->n_path - 1];
		uint32_t k = s->edge[s->n_path - 1], to;

		if (k == s->flow.next[top + 1]) {
			leave(s, top, parent);
			continue;
		}
		s->edge[s->n_path - 1]++;
		to = s->flow.to[k];
		if (to == head)
			continue;
		if (s->open[to] && s->index[to] < s->low[top])
			s->low[top] = s->index[to];
		if (!s->index[to] && s->region[to] == parent)
			enter(s, to);
	}
}

static void look_into(struct nest *s, uint32_t loop)
{
	uint32_t *m = s->members[loop];
	uint32_t n = s->loops[loop].n_insns, i;

	s->members[loop] = NULL;
	for (i = 0; i < n; i++)
		s->index[m[i]] = 0;
	for (i = 0; i < n && s->loops[loop].depth < MAX_DEPTH; i++)
		if (!s->index[m[i]] && s->region[m[i]] == loop)
			components(s, m[i], loop);
	free(m);
}

static void nest_init(struct nest *s, const struct pw_minsn *insns, uint32_t n)
{
	size_t size = (n + 1) * sizeof(uint32_t);
	uint32_t i;

	memset(s, 0, sizeof(*s));
	flow_init(&s->flow, insns, n);
	s->region = pw_alloc(size);
	memset(s->region, 0xff, size);
	s->index = pw_zalloc(size);
	s->low = pw_zalloc(size);
	s->open = pw_zalloc(n + 1);
	s->stack = pw_alloc(size);
	s->path = pw_alloc(size);
	s->edge = pw_alloc(size);
	for (i = 0; i < n; i++)
		if (!s->index[i])
			components(s, i, NONE);
	for (i = 0; i < s->n_loops; i++)
		look_into(s, i);
}

static void nest_release(struct nest *s)
{
	flow_release(&s->flow);
	free(s->index);
	free(s->low);
	free(s->open);
	free(s->stack);
	free(s->path);
	free(s->edge);
	free(s->members);
	free(s->region);
	free(s->loops);
}

static int by_place(const void *a, const void *b, void *loops)
{
	const struct pw_loop *l = loops, *x = &l[*(const uint32_t *)a],
			     *y = &l[*(const uint32_t *)b];

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return x->last > y->last ? -1 : x->last < y->last;
}

/*
 * The loops in order, and behind them in the same memory the innermost loop
 * of each instruction, for pw_code_loop_of().
 */
static struct pw_loop *sort_loops(const struct nest *s)
{
	uint32_t n = s->n_loops, i;
	uint32_t *at = pw_alloc((n + 1) * sizeof(*at));
	uint32_t *to = pw_alloc((n + 1) * sizeof(*to));
	struct pw_loop *sorted =
		pw_alloc(n * sizeof(*sorted) + s->flow.n * sizeof(uint32_t));
	uint32_t *inner = (uint32_t *)(sorted + n);

	for (i = 0; i < n; i++)
		at[i] = i;
	qsort_r(at, n, sizeof(*at), by_place, s->loops);
	for (i = 0; i < n; i++)
		to[at[i]] = i;
	for (i = 0; i < n; i++) {
		sorted[i] = s->loops[at[i]];
		if (sorted[i].parent != NONE)
			sorted[i].parent = to[sorted[i].parent];
	}
	for (i = 0; i < s->flow.n; i++)
		inner[i] = s->region[i] == NONE ? NONE : to[s->region[i]];
	free(at);
	free(to);
	return sorted;
}

int pw_code_loops(const struct pw_minsn *insns, uint32_t n,
		  struct pw_loop **loops, uint32_t *n_loops)
{
	struct nest s;

	nest_init(&s, insns, n);
	*n_loops = s.n_loops;
	*loops = s.n_loops ? sort_loops(&s) : NULL;
	nest_release(&s);
	return 0;
}

uint32_t pw_code_loop_of(const struct pw_loop *loops, uint32_t n_loops,
			 uint32_t insn)
{
	return n_loops ? ((const uint32_t *)(loops + n_loops))[insn] : NONE;
}

void pw_code_loop_depths(const struct pw_minsn *insns, uint32_t n,
			 const struct pw_loop *loops, uint32_t n_loops,
			 uint32_t *depth)
{
	uint32_t i;

	(void)insns;
	for (i = 0; i < n; i++) {
		uint32_t l = pw_code_loop_of(loops, n_loops, i);

		depth[i] = l == NONE ? 0 : loops[l].depth;
	}
}
