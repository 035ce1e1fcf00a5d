// SPDX-License-Identifier: GPL-2.0-only
/* Items: what a pass offers to take away, as edits of the module at hand. */
#include "passes.h"

#include <stdlib.h>
#include <string.h>

void items_release(struct items *it)
{
	free(it->v);
	free(it->edits);
	pw_buf_release(&it->text);
	memset(it, 0, sizeof(*it));
}

void items_begin(struct items *it, double share)
{
	if (it->n == it->cap) {
		it->cap = it->cap ? 2 * it->cap : 64;
		it->v = pw_realloc(it->v, it->cap * sizeof(*it->v));
	}
	it->v[it->n++] =
		(struct item){ .first_edit = it->n_edits, .share = share };
}

void items_edit(struct items *it, uint64_t off, uint32_t old_size,
		const uint8_t *bytes, uint32_t n)
{
	if (it->n_edits == it->cap_edits) {
		it->cap_edits = it->cap_edits ? 2 * it->cap_edits : 64;
		it->edits = pw_realloc(it->edits,
				       it->cap_edits * sizeof(*it->edits));
	}
	/* text moves as it grows: items_bytes() finds the bytes again */
	it->edits[it->n_edits++] = (struct pw_edit){
		.off = off,
		.old_size = old_size,
		.new_size = n,
		.new_bytes = (const uint8_t *)(uintptr_t)it->text.len,
	};
	pw_buf_add(&it->text, bytes, n);
	it->v[it->n - 1].n_edits++;
}

const uint8_t *items_bytes(const struct items *it, const struct pw_edit *e)
{
	return it->text.data + (uintptr_t)e->new_bytes;
}

bool reach_step(struct reach *r, const struct pw_insn *in)
{
	if (in->depth >= REACH_DEPTH)
		return false;
	switch (in->op) {
	case PW_OP_block:
	case PW_OP_loop:
	case PW_OP_if:
	case PW_OP_try:
	case PW_OP_try_table:
		r->dead[in->depth] = in->unreachable;
		return !in->unreachable;
	case PW_OP_end:
	case PW_OP_delegate:
		return !r->dead[in->depth];
	default:
		return !in->unreachable;
	}
}
