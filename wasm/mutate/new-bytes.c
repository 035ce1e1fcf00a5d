// SPDX-License-Identifier: GPL-2.0-only
/*
 * new-bytes: encodes the one instruction that a mutation puts in. Never
 * longer than PW_MUTATION_BYTES: 4 bytes of opcode and at most 17 of a
 * memory argument with lane, or 16 of a vector.
 */
#include <assert.h>
#include <string.h>

#include "site.h"

void new_u8(struct pw_mutation *mut, uint8_t v)
{
	assert(mut->new_size < PW_MUTATION_BYTES);
	mut->new_bytes[mut->new_size++] = v;
}

void new_uleb(struct pw_mutation *mut, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		new_u8(mut, (uint8_t)(v | 0x80));
	new_u8(mut, (uint8_t)v);
}

void new_sleb(struct pw_mutation *mut, int64_t v)
{
	for (; v < -64 || v > 63; v >>= 7)
		new_u8(mut, (uint8_t)((v & 0x7f) | 0x80));
	new_u8(mut, v & 0x7f);
}

void new_bytes(struct pw_mutation *mut, const void *data, uint32_t n)
{
	assert(mut->new_size + n <= PW_MUTATION_BYTES);
	memcpy(mut->new_bytes + mut->new_size, data, n);
	mut->new_size += n;
}

void new_op(struct pw_mutation *mut, enum pw_op op)
{
	const struct pw_op_info *info = pw_op_info(op);

	mut->new_op = op;
	mut->new_size = 0;
	if (!info->prefix) {
		new_u8(mut, (uint8_t)info->code);
		return;
	}
	new_u8(mut, info->prefix);
	new_uleb(mut, info->code);
}

/* Bit 6 of the alignment says that a memory index follows. */
void new_access(struct site *s, const struct pw_insn *insn, enum pw_op op,
		uint64_t offset)
{
	const struct pw_op_info *info = pw_op_info(op);
	uint32_t align = op_access_log2(op);

	if (!(info->flags & PW_OPF_ATOMIC) && insn->align < align)
		align = insn->align;
	new_op(&s->mut, op);
	new_u8(&s->mut, (uint8_t)(align | (insn->index2 ? 0x40 : 0)));
	if (insn->index2)
		new_uleb(&s->mut, insn->index2);
	new_uleb(&s->mut, offset);
	if (info->imm == PW_IMM_MEMARG_LANE)
		new_u8(&s->mut, s->bytes[insn->off + insn->size - 1]);
}
