// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was counted, summed up by function: what ended in it, and what ended
 * in anything that it called. Made from the tree of call chains when first
 * asked.
 */
#include <stdlib.h>
#include <string.h>

#include "profile-impl.h"

/* --- summing up ---------------------------------------------------------------------- */

struct summing {
	struct pw_profile *p;
	struct pw_count *self, *total; /* [symbol][event] */
	uint32_t *seen; /* by symbol: the node that was last summed up */
};

/* Adds to every function above, to each once however often it recurs. */
static void add_up(struct summing *s, uint32_t node, uint32_t event,
		   struct pw_count c)
{
	const struct pw_profile *p = s->p;
	uint32_t n = node;

	while (p->nodes[n].parent != PW_CHAIN_ROOT) {
		uint32_t sym = p->nodes[n].sym;

		if (s->seen[sym] != node) {
			s->seen[sym] = node;
			count_add(&s->total[sym * p->n_events + event],
				  c.samples, c.period);
		}
		n = p->nodes[n].parent;
	}
}

static void sum_event(struct summing *s, uint32_t event, uint32_t n_syms)
{
	const struct pw_profile *p = s->p;
	const struct counts *c = &p->events[event]->nodes;
	uint32_t i;

	memset(s->seen, 0, n_syms * sizeof(*s->seen));
	for (i = 1; i < p->n_nodes && i < c->n; i++) {
		if (!c->at[i].samples || p->nodes[i].parent == PW_CHAIN_ROOT)
			continue;
		count_add(&s->self[p->nodes[i].sym * p->n_events + event],
			  c->at[i].samples, c->at[i].period);
		add_up(s, i, event, c->at[i]);
	}
}

static bool has_any(const struct pw_profile *p, const struct function *f)
{
	uint32_t e;

	for (e = 0; e < p->n_events; e++)
		if (f->self[e].samples || f->total[e].samples)
			return true;
	for (e = 0; e < PW_N_OFF_REASONS && f->sym < p->n_sym_off; e++)
		if (p->sym_off[f->sym * PW_N_OFF_REASONS + e].samples)
			return true;
	return false;
}

void functions_make(struct pw_profile *p)
{
	uint32_t n = pw_space_n_symbols(p->space), i, e;
	size_t all = (size_t)n * (p->n_events ? p->n_events : 1);
	struct summing s = { .p = p };

	if (p->sums)
		return;
	p->sums = pw_zalloc(2 * all * sizeof(*p->sums));
	s.self = p->sums;
	s.total = p->sums + all;
	s.seen = pw_alloc(n * sizeof(*s.seen));
	for (e = 0; e < p->n_events; e++)
		sum_event(&s, e, n);
	free(s.seen);
	p->functions = pw_alloc(n * sizeof(*p->functions));
	for (i = 0; i < n; i++) {
		struct function f = { .sym = i,
				      .self = s.self + i * p->n_events,
				      .total = s.total + i * p->n_events };

		if (has_any(p, &f))
			p->functions[p->n_functions++] = f;
	}
}

void functions_drop(struct pw_profile *p)
{
	free(p->functions);
	free(p->sums);
	p->functions = NULL;
	p->sums = NULL;
	p->n_functions = 0;
}

uint32_t node_comm(const struct pw_profile *p, uint32_t node)
{
	while (p->nodes[node].parent != PW_CHAIN_ROOT)
		node = p->nodes[node].parent;
	return p->nodes[node].sym;
}

/* --- questions ------------------------------------------------------------------------ */

/* What was fed does not change by the sums that are kept of it. */
static struct pw_profile *with_functions(const struct pw_profile *p)
{
	functions_make((struct pw_profile *)p);
	return (struct pw_profile *)p;
}

uint32_t pw_profile_n_functions(const struct pw_profile *p)
{
	return with_functions(p)->n_functions;
}

void pw_profile_function(const struct pw_profile *p, uint32_t i,
			 struct pw_function *f)
{
	const struct function *own = &with_functions(p)->functions[i];

	memset(f, 0, sizeof(*f));
	f->sym = pw_space_symbol(p->space, own->sym);
	f->self = own->self;
	f->total = own->total;
	if (own->sym < p->n_sym_off)
		memcpy(f->off, p->sym_off + own->sym * PW_N_OFF_REASONS,
		       sizeof(f->off));
}

/* --- finding by text --------------------------------------------------------------------- */

/* How well a text names a function; 0: not at all. */
static int fit(const char *text, const struct pw_symbol *sym)
{
	const char *digits = text + (*text == 'f');
	char *end;
	unsigned long long n = strtoull(digits, &end, 10);

	if (sym->func_idx >= 0 && *digits >= '0' && *digits <= '9' && !*end &&
	    n == (unsigned long long)sym->func_idx)
		return 3;
	if (!strcmp(text, sym->name) || !strcmp(text, sym->raw_name))
		return 2;
	return *text &&
	       (strstr(sym->name, text) || strstr(sym->raw_name, text));
}

struct found {
	uint32_t idx;
	int fit;
	uint64_t weight;
};

static int found_order(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->fit != y->fit)
		return y->fit - x->fit;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->idx < y->idx ? -1 : x->idx > y->idx;
}

uint32_t pw_profile_find(const struct pw_profile *p, const char *text,
			 uint32_t *idx, uint32_t max)
{
	uint32_t n = pw_profile_n_functions(p), i, n_found = 0, best = 0;
	uint32_t event = pw_profile_main_event(p);
	struct found *found = pw_alloc((n + 1) * sizeof(*found));

	for (i = 0; i < n; i++) {
		const struct function *f = &p->functions[i];
		int how = fit(text, pw_space_symbol(p->space, f->sym));

		if (!how)
			continue;
		found[n_found++] = (struct found){
			i, how, event == UINT32_MAX ? 0 : f->self[event].period
		};
	}
	qsort(found, n_found, sizeof(*found), found_order);
	/* a name that is met exactly is not one that merely contains it */
	while (best < n_found && found[best].fit == found[0].fit)
		best++;
	for (i = 0; i < best && i < max; i++)
		idx[i] = found[i].idx;
	free(found);
	return best;
}
