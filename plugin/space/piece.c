// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols, one for every difference that a table shows, and the pieces of
 * code that they have. Knows nothing of where they come from.
 */
#include <stdlib.h>
#include <string.h>

#include "space-impl.h"

#define BLOCK 512u

static char *keep_string(struct pieces *p, const char *s)
{
	if (!(p->n_strings & (p->n_strings - 1)))
		p->strings = pw_realloc(p->strings,
					(p->n_strings ? 2 * p->n_strings : 1) *
						sizeof(*p->strings));
	p->strings[p->n_strings] = pw_strdup(s);
	return p->strings[p->n_strings++];
}

static uint64_t key_hash(const struct symbol_key *k)
{
	uint64_t h = pw_hash(k->name, strlen(k->name), k->kind);

	h = pw_hash(k->dso, strlen(k->dso),
		    h + ((uint64_t)k->engine << 8) + k->tier);
	return h ^ (uint64_t)k->func_idx * 0x9e3779b97f4a7c15u ^
	       (uint64_t)k->module << 48;
}

/* raw_name tells nothing apart: wazero has one for every basic block. */
static bool is_same(const struct pw_symbol *s, const struct symbol_key *k)
{
	return s->kind == k->kind && s->engine == k->engine &&
	       s->tier == k->tier && s->func_idx == k->func_idx &&
	       s->module == k->module && !strcmp(s->name, k->name) &&
	       !strcmp(s->dso, k->dso);
}

static struct symbol_slot *slot_of(const struct pieces *p, uint64_t hash,
				   const struct symbol_key *k)
{
	uint32_t i = (uint32_t)hash & (p->n_slots - 1);

	while (p->slots[i].used &&
	       (p->slots[i].hash != hash ||
		(k && !is_same(p->symbols[p->slots[i].id], k)) || !k))
		i = (i + 1) & (p->n_slots - 1);
	return &p->slots[i];
}

static void grow(struct pieces *p)
{
	struct symbol_slot *old = p->slots;
	uint32_t n = p->n_slots, i;

	if (p->n_symbols + 1 < n / 4 * 3)
		return;
	p->n_slots = n ? 2 * n : 256;
	p->slots = pw_zalloc(p->n_slots * sizeof(*p->slots));
	p->symbols = pw_realloc(p->symbols, p->n_slots * sizeof(*p->symbols));
	for (i = 0; i < n; i++)
		if (old[i].used)
			*slot_of(p, old[i].hash, NULL) = old[i];
	free(old);
}

const struct pw_symbol *symbol_get(struct pieces *p, const struct symbol_key *k)
{
	uint64_t hash = key_hash(k);
	struct symbol_slot *slot;
	struct pw_symbol *s;

	grow(p);
	slot = slot_of(p, hash, k);
	if (slot->used)
		return p->symbols[slot->id];
	*slot = (struct symbol_slot){ hash, p->n_symbols, true };
	s = pw_zalloc(sizeof(*s));
	s->id = p->n_symbols;
	s->kind = k->kind;
	s->engine = k->engine;
	s->tier = k->tier;
	s->func_idx = k->func_idx;
	s->module = k->module;
	s->name = keep_string(p, k->name);
	s->raw_name = strcmp(k->name, k->raw_name) ? keep_string(p, k->raw_name)
						   : s->name;
	s->dso = keep_string(p, k->dso);
	p->symbols[p->n_symbols++] = s;
	return s;
}

struct piece *piece_at(const struct pieces *p, uint32_t id)
{
	return &p->blocks[id / BLOCK][id % BLOCK];
}

struct piece *piece_new(struct pieces *p, const struct pw_symbol *sym,
			uint64_t addr, uint64_t size_bytes)
{
	struct piece *new;

	if (p->n % BLOCK == 0) {
		p->blocks = pw_realloc(p->blocks,
				       (p->n / BLOCK + 1) * sizeof(*p->blocks));
		p->blocks[p->n / BLOCK] = pw_zalloc(BLOCK * sizeof(*new));
	}
	new = piece_at(p, p->n);
	new->pub.id = p->n++;
	new->pub.sym = sym;
	new->pub.addr = addr;
	new->pub.size_bytes = size_bytes;
	new->artifact = -1;
	return new;
}

void pieces_release(struct pieces *p)
{
	uint32_t i;

	for (i = 0; i < p->n; i++)
		free(piece_at(p, i)->offsets);
	for (i = 0; i < p->n; i += BLOCK)
		free(p->blocks[i / BLOCK]);
	for (i = 0; i < p->n_symbols; i++)
		free(p->symbols[i]);
	for (i = 0; i < p->n_strings; i++)
		free(p->strings[i]);
	free(p->blocks);
	free(p->symbols);
	free(p->slots);
	free(p->strings);
}
