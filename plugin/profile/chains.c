// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call chains, folded into a tree of symbols. A chain without its innermost
 * frame mostly came before: its node is found by a hash of the raw addresses,
 * and no frame is looked up. Bounded; frames that do not fit are left out.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "profile-impl.h"

/* What is recorded in chains instead of an address. */
#define CONTEXT_MAX           ((uint64_t)PERF_CONTEXT_MAX)
#define CONTEXT_USER_DEFERRED ((uint64_t)-640)

/* --- nodes ------------------------------------------------------------------------- */

static uint64_t node_hash(const struct pw_profile *p, uint32_t i)
{
	return mix(p->nodes[i].parent, p->nodes[i].sym);
}

static uint32_t node_new(struct pw_profile *p, uint32_t parent, uint32_t sym)
{
	if (p->n_nodes == p->cap_nodes) {
		p->cap_nodes = p->cap_nodes ? 2 * p->cap_nodes : 1024;
		p->nodes =
			pw_realloc(p->nodes, p->cap_nodes * sizeof(*p->nodes));
	}
	p->nodes[p->n_nodes] = (struct node){ parent, sym };
	return p->n_nodes++;
}

/* The child of parent; parent itself when the tree is full. */
uint32_t node_get(struct pw_profile *p, uint32_t parent, uint32_t sym)
{
	uint32_t *slot;

	index_grow(&p->by_node, node_hash, p);
	slot = index_first(&p->by_node, mix(parent, sym));
	for (; *slot; slot = index_next(&p->by_node, slot)) {
		const struct node *n = &p->nodes[*slot - 1];

		if (n->parent == parent && n->sym == sym)
			return *slot - 1;
	}
	/* every task has its node: there must be one to count for */
	if (p->n_nodes >= p->opts.max_nodes && parent != PW_CHAIN_ROOT) {
		p->cut_frames++;
		return parent;
	}
	*slot = node_new(p, parent, sym) + 1;
	p->by_node.n++;
	return *slot - 1;
}

static uint64_t comm_hash(const struct pw_profile *p, uint32_t i)
{
	return pw_hash(p->comms[i], strlen(p->comms[i]), 0);
}

static uint32_t comm_get(struct pw_profile *p, const char *comm)
{
	uint32_t *slot, n = p->n_comms;

	index_grow(&p->by_comm, comm_hash, p);
	slot = index_first(&p->by_comm, pw_hash(comm, strlen(comm), 0));
	for (; *slot; slot = index_next(&p->by_comm, slot))
		if (!strcmp(p->comms[*slot - 1], comm))
			return *slot - 1;
	if (!(n & (n - 1)))
		p->comms = pw_realloc(p->comms,
				      (n ? 2 * n : 1) * sizeof(*p->comms));
	p->comms[n] = pw_strdup(comm);
	*slot = ++p->n_comms;
	p->by_comm.n++;
	return n;
}

/* Nodes of tasks are below the root; their sym numbers names. */
uint32_t comm_node(struct pw_profile *p, const char *comm)
{
	return node_get(p, PW_CHAIN_ROOT, comm_get(p, comm));
}

/* --- frames -------------------------------------------------------------------------- */

struct walk {
	struct pw_profile *p;
	const struct frames *f;
	uint64_t from_ns, to_ns; /* what was found holds that long */
};

static const struct pw_symbol *look_up(struct walk *w, unsigned int mode,
				       uint64_t addr)
{
	struct pw_place place;

	pw_space_find(w->p->space, w->f->pid, mode, addr, w->f->time_ns,
		      &place);
	if (place.from_ns > w->from_ns)
		w->from_ns = place.from_ns;
	if (place.to_ns < w->to_ns)
		w->to_ns = place.to_ns;
	return place.piece->sym;
}

static bool mode_of(uint64_t context, unsigned int *mode)
{
	switch (context) {
	case (uint64_t)PERF_CONTEXT_HV:
		*mode = PERF_RECORD_MISC_HYPERVISOR;
		return true;
	case (uint64_t)PERF_CONTEXT_KERNEL:
		*mode = PERF_RECORD_MISC_KERNEL;
		return true;
	case (uint64_t)PERF_CONTEXT_USER:
		*mode = PERF_RECORD_MISC_USER;
		return true;
	case (uint64_t)PERF_CONTEXT_GUEST_KERNEL:
		*mode = PERF_RECORD_MISC_GUEST_KERNEL;
		return true;
	case (uint64_t)PERF_CONTEXT_GUEST_USER:
		*mode = PERF_RECORD_MISC_GUEST_USER;
		return true;
	}
	return false;
}

/* How many entries at the front are the sampled address itself. */
static uint64_t own_entries(const struct frames *f, unsigned int *mode)
{
	uint64_t i = 0;

	while (i < f->n && f->chain[i] >= CONTEXT_MAX)
		if (!mode_of(f->chain[i++], mode))
			return f->n;
	return i < f->n && f->chain[i] == f->ip ? i + 1 : i;
}

#define DEPTH_MAX 512u

/* The callers' frames, innermost first, as symbols; their number. */
static uint32_t callers(struct walk *w, const uint64_t *chain, uint64_t n,
			unsigned int mode, bool is_first,
			const struct pw_symbol **syms)
{
	uint32_t depth = 0;
	uint64_t i;

	for (i = 0; i < n && depth < DEPTH_MAX; i++) {
		const struct pw_symbol *sym;

		if (chain[i] == CONTEXT_USER_DEFERRED)
			break;
		if (chain[i] >= CONTEXT_MAX) {
			/* behind a context stands where it was left, not
			 * where a call returns to */
			is_first = mode_of(chain[i], &mode);
			continue;
		}
		sym = look_up(w, mode, chain[i] - !is_first);
		is_first = false;
		if (!w->p->opts.wasm_only || sym->kind == PW_PLACE_WASM)
			syms[depth++] = sym;
	}
	return depth;
}

/* The node of the callers and the innermost symbol of the user among them. */
static uint32_t walk_callers(struct walk *w, const struct task *t,
			     const uint64_t *chain, uint64_t n,
			     unsigned int mode, bool is_first,
			     uint32_t *user_sym)
{
	const struct pw_symbol *syms[DEPTH_MAX];
	uint32_t depth = callers(w, chain, n, mode, is_first, syms), i;
	uint32_t node = t->root;

	*user_sym = NO_SYM;
	for (i = depth; i-- > 0;) {
		node = node_get(w->p, node, syms[i]->id);
		if (syms[i]->kind != PW_PLACE_KERNEL)
			*user_sym = syms[i]->id;
	}
	return node;
}

static bool holds(const struct chain_entry *e, uint64_t hash, uint64_t time_ns)
{
	return e->hash == hash && e->to_ns && time_ns >= e->from_ns &&
	       (time_ns < e->to_ns || e->to_ns == PW_NO_TIME);
}

/* The entry of a chain, or the one to be given up for it. */
static struct chain_entry *entry_of(struct pw_profile *p, uint64_t hash,
				    uint64_t time_ns)
{
	struct chain_entry *set =
		&p->chains[(hash % (CHAIN_ENTRIES / CHAIN_WAYS)) * CHAIN_WAYS];
	uint32_t i;

	for (i = 0; i < CHAIN_WAYS; i++)
		if (set[i].hash == hash)
			return &set[i];
	for (i = 0; i < CHAIN_WAYS; i++)
		if (!set[i].to_ns || set[i].to_ns <= time_ns)
			return &set[i];
	return &set[p->next_way++ % CHAIN_WAYS];
}

/* NULL: nobody called. */
static struct chain_entry *callers_entry(struct pw_profile *p,
					 const struct task *t,
					 const struct frames *f)
{
	unsigned int mode = f->cpumode;
	uint64_t own = own_entries(f, &mode), hash;
	const uint64_t *chain = f->chain + own;
	uint64_t n = f->n - own;
	struct walk w = { p, f, 0, PW_NO_TIME };
	struct chain_entry *e;

	if (!n)
		return NULL;
	hash = pw_hash(chain, n * sizeof(*chain),
		       mix(f->pid, pw_space_generation(p->space, f->pid)) +
			       t->root * 8ull + mode);
	e = entry_of(p, hash, f->time_ns);
	if (holds(e, hash, f->time_ns))
		return e;
	e->node = walk_callers(&w, t, chain, n, mode,
			       own == 0 || f->chain[own - 1] >= CONTEXT_MAX,
			       &e->user_sym);
	e->hash = hash;
	e->from_ns = w.from_ns;
	e->to_ns = w.to_ns;
	e->leaf_sym = NO_SYM;
	return e;
}

void chain_spot(struct pw_profile *p, const struct task *t,
		const struct frames *f, struct spot *spot)
{
	struct chain_entry *e = NULL;
	const struct pw_symbol *sym;
	struct pw_place place;

	pw_space_find(p->space, f->pid, f->cpumode, f->ip, f->time_ns, &place);
	sym = place.piece->sym;
	spot->piece = place.piece;
	spot->off = place.off;
	if (f->n && !p->opts.no_chains)
		e = callers_entry(p, t, f);
	if (!e) {
		spot->node = node_get(p, t->root, sym->id);
	} else if (e->leaf_sym == sym->id) {
		spot->node = e->leaf_node;
	} else {
		spot->node = node_get(p, e->node, sym->id);
		e->leaf_sym = sym->id;
		e->leaf_node = spot->node;
	}
	spot->user_sym = e ? e->user_sym : NO_SYM;
	if (sym->kind != PW_PLACE_KERNEL)
		spot->user_sym = sym->id;
}

/* --- questions --------------------------------------------------------------------------- */

uint32_t pw_profile_n_nodes(const struct pw_profile *p)
{
	return p->n_nodes;
}

void pw_profile_node(const struct pw_profile *p, uint32_t node,
		     struct pw_chain_node *n)
{
	const struct node *own = &p->nodes[node];

	*n = (struct pw_chain_node){ .parent = own->parent };
	if (node == PW_CHAIN_ROOT)
		return;
	if (own->parent == PW_CHAIN_ROOT)
		n->comm = p->comms[own->sym];
	else
		n->sym = pw_space_symbol(p->space, own->sym);
}

struct pw_count pw_profile_node_count(const struct pw_profile *p, uint32_t node,
				      uint32_t event)
{
	return count_get(&p->events[event]->nodes, node);
}

void chains_release(struct pw_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->n_comms; i++)
		free((void *)p->comms[i]);
	free(p->comms);
	free(p->by_comm.slots);
	free(p->nodes);
	free(p->by_node.slots);
	free(p->chains);
}
