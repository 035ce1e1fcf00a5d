// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hash maps of the program: who woke whom, who waited where, and why
 * guests were left. All their entries are read each time, in few calls.
 */
#include "bpf-impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void entries_init(struct entries *e, int fd, uint32_t max, uint32_t key_bytes,
		  uint32_t value_bytes)
{
	e->fd = fd;
	e->max = max;
	e->key_bytes = key_bytes;
	e->value_bytes = value_bytes;
	e->keys = pw_alloc((size_t)max * key_bytes);
	e->values = pw_alloc((size_t)max * value_bytes);
}

void entries_release(struct entries *e)
{
	free(e->keys);
	free(e->values);
	memset(e, 0, sizeof(*e));
}

/* ENOENT is the end. ENOSPC: a bucket holds more than there is room for in
 * this call, so ask for more. */
static int fetch(struct entries *e, struct pw_err *err)
{
	uint32_t step = 1024, place[4] = { 0 }, n;
	bool is_first = true;
	int ret;

	e->n = 0;
	while (e->n < e->max) {
		n = e->max - e->n < step ? e->max - e->n : step;
		ret = bpf_map_lookup_batch(e->fd, is_first ? NULL : place,
					   place,
					   (char *)e->keys +
						   (size_t)e->n * e->key_bytes,
					   (char *)e->values +
						   (size_t)e->n *
							   e->value_bytes,
					   &n, NULL);
		if (ret && errno == ENOSPC && step < e->max) {
			step *= 2;
			continue;
		}
		if (ret && errno != ENOENT)
			return pw_err_set(err, errno,
					  "a BPF map cannot be read: %s",
					  strerror(errno));
		e->n += n;
		is_first = false;
		if (ret)
			break;
	}
	return 0;
}

/* --- keys of rows ------------------------------------------------------------------- */

static uint64_t pair_number(const struct pair_key *k)
{
	return (uint64_t)k->a << 32 | k->b;
}

static uint64_t wait_number(const struct wait_key *k)
{
	return (uint64_t)k->slot << 32 | (uint32_t)(k->stack + 1) << 3 |
	       (k->state & 7);
}

static uint64_t exit_number(const struct exit_key *k)
{
	return (uint64_t)k->slot << 32 | k->reason;
}

/* --- rows ------------------------------------------------------------------------------ */

/* One that began while this readout was on its way is told by the next. */
static bool is_told(const struct pw_bpf *b, uint32_t slot)
{
	return slot < b->n_slots && b->told_change[slot];
}

static void tell_pairs(struct pw_bpf *b, struct pw_series_out *s)
{
	const struct pair_key *k = b->pairs.keys;
	const struct pair_count *c = b->pairs.values;

	for (uint32_t i = 0; i < b->pairs.n; i++) {
		const uint64_t row[PW_BPF_N_PAIR] = {
			[PW_BPF_PAIR_A] = k[i].a,
			[PW_BPF_PAIR_B] = k[i].b,
			[PW_BPF_PAIR_WOKE] = c[i].woke,
			[PW_BPF_PAIR_WOKE_NS] = c[i].woke_ns,
			[PW_BPF_PAIR_TOOK] = c[i].took,
			[PW_BPF_PAIR_TOOK_NS] = c[i].took_ns,
			[PW_BPF_PAIR_FOLLOWED] = c[i].followed,
		};

		if (is_told(b, k[i].a) && (!k[i].b || is_told(b, k[i].b)))
			pw_series_row(s, PW_BPF_PAIR, pair_number(&k[i]), row);
	}
}

/* What a stack's number stands for never changes. */
static void tell_stack(struct pw_bpf *b, struct pw_series_out *s, int32_t stack)
{
	uint64_t frames[STACK_DEPTH] = { 0 }, *word;
	uint32_t key = (uint32_t)stack;

	if (stack < 0)
		return;
	word = &b->stacks_told[key / 64];
	if (*word >> (key % 64) & 1 ||
	    bpf_map_lookup_elem(b->stacks_fd, &key, frames))
		return;
	*word |= 1ULL << (key % 64);
	pw_series_row(s, PW_BPF_STACK, key + 1ULL, frames);
}

static void tell_waits(struct pw_bpf *b, struct pw_series_out *s)
{
	const struct wait_key *k = b->waits.keys;
	const struct wait_count *c = b->waits.values;

	for (uint32_t i = 0; i < b->waits.n; i++) {
		const uint64_t row[PW_BPF_N_WAIT] = {
			[PW_BPF_WAIT_TASK] = k[i].slot,
			[PW_BPF_WAIT_STACK] = (uint64_t)(k[i].stack + 1),
			[PW_BPF_WAIT_STATE] = k[i].state,
			[PW_BPF_WAIT_N] = c[i].n,
			[PW_BPF_WAIT_NS] = c[i].ns,
			[PW_BPF_WAIT_WAKING] = c[i].waking_ns,
		};

		if (!is_told(b, k[i].slot))
			continue;
		tell_stack(b, s, k[i].stack);
		pw_series_row(s, PW_BPF_WAIT, wait_number(&k[i]), row);
	}
}

static void tell_exits(struct pw_bpf *b, struct pw_series_out *s)
{
	const struct exit_key *k = b->exits.keys;
	const struct exit_count *c = b->exits.values;

	for (uint32_t i = 0; i < b->exits.n; i++) {
		const uint64_t row[PW_BPF_N_EXIT] = {
			[PW_BPF_EXIT_TASK] = k[i].slot,
			[PW_BPF_EXIT_ISA] =
				b->slots[k[i].slot % b->n_slots].isa,
			[PW_BPF_EXIT_REASON] = k[i].reason,
			[PW_BPF_EXIT_N] = c[i].n,
			[PW_BPF_EXIT_NS] = c[i].host_ns,
		};

		if (is_told(b, k[i].slot))
			pw_series_row(s, PW_BPF_EXIT, exit_number(&k[i]), row);
	}
}

int entries_read(struct pw_bpf *b, struct pw_series_out *s, struct pw_err *err)
{
	int ret = fetch(&b->pairs, err);

	if (!ret)
		ret = fetch(&b->exits, err);
	if (!ret && b->opts.has_stacks)
		ret = fetch(&b->waits, err);
	if (ret)
		return ret;
	tell_pairs(b, s);
	tell_exits(b, s);
	tell_waits(b, s);
	return 0;
}

/* --- the end of a task ------------------------------------------------------------------- */

static bool ends(const struct pw_bpf *b, uint32_t slot)
{
	return slot < b->n_slots && b->ending[slot];
}

void entries_drop(struct pw_bpf *b, struct pw_series_out *s)
{
	const struct pair_key *pair = b->pairs.keys;
	const struct wait_key *wait = b->waits.keys;
	const struct exit_key *exit = b->exits.keys;

	for (uint32_t i = 0; i < b->pairs.n; i++) {
		if (!ends(b, pair[i].a) && !ends(b, pair[i].b))
			continue;
		bpf_map_delete_elem(b->pairs.fd, &pair[i]);
		pw_series_drop(s, PW_BPF_PAIR, pair_number(&pair[i]));
	}
	for (uint32_t i = 0; i < b->waits.n; i++) {
		if (!ends(b, wait[i].slot))
			continue;
		bpf_map_delete_elem(b->waits.fd, &wait[i]);
		pw_series_drop(s, PW_BPF_WAIT, wait_number(&wait[i]));
	}
	for (uint32_t i = 0; i < b->exits.n; i++) {
		if (!ends(b, exit[i].slot))
			continue;
		bpf_map_delete_elem(b->exits.fd, &exit[i]);
		pw_series_drop(s, PW_BPF_EXIT, exit_number(&exit[i]));
	}
}
