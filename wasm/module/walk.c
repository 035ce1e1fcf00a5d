// SPDX-License-Identifier: GPL-2.0-only
/*
 * One instruction: its opcode and immediates read, its operands popped, its
 * results pushed. Signatures come from the opcode table; walk-control.c,
 * walk-type.c and walk-gc.c do those that depend on more.
 */
#include "walk.h"

static uint32_t letter_type(const struct pw_walk *w, char letter)
{
	uint32_t type = type_of_letter(letter);

	return type ? type : w->addr_type;
}

/* Pops and pushes what the table's "operands:results" says. */
static int type_by_signature(struct pw_walk *w, const char *sig)
{
	const char *colon = sig;

	while (*colon != ':')
		colon++;
	for (const char *s = colon; s > sig;)
		if (walk_pop(w, letter_type(w, *--s), NULL) < 0)
			return -EINVAL;
	for (const char *s = colon + 1; *s; s++)
		if (walk_push(w, letter_type(w, *s)) < 0)
			return -ENOTSUP;
	return 0;
}

static int unknown_opcode(struct pw_walk *w, uint8_t byte, uint32_t code)
{
	if (byte >= 0xe0 && byte <= 0xe6)
		return walk_fail(
			w, ENOTSUP,
			"opcode 0x%02x: stack switching is not supported",
			byte);
	if (byte == 0xfb && code >= 32 && code <= 39)
		return walk_fail(
			w, ENOTSUP,
			"opcode 0xfb %u: custom descriptors are not supported",
			code);
	if (byte < 0xfb || byte == 0xff)
		return walk_fail(w, EINVAL, "unknown opcode 0x%02x", byte);
	return walk_fail(w, EINVAL, "unknown opcode 0x%02x %u", byte, code);
}

static int read_op(struct pw_walk *w)
{
	struct pw_cursor *c = &w->c;
	uint32_t code = 0;
	uint8_t byte;
	enum pw_op op;

	if (c->p == c->end)
		return walk_fail(w, EINVAL, "the %s ends without `end`",
				 w->constant ? "section" : "body");
	byte = *c->p++;
	op = op_of_byte(byte);
	if (byte >= 0xfb && byte <= 0xfe) {
		code = walk_u32(c);
		if (c->failed)
			return -EINVAL;
		op = op_of_prefixed(byte, code);
	}
	if (op == PW_N_OPS)
		return unknown_opcode(w, byte, code);
	w->in->op = op;
	return 0;
}

static int type_insn(struct pw_walk *w, const struct pw_op_info *info)
{
	if (info->sig[0] != '*')
		return type_by_signature(w, info->sig);
	if (info->flags & PW_OPF_CONTROL)
		return walk_type_control(w);
	if (info->prefix == 0xfb)
		return walk_type_gc(w);
	return walk_type_other(w);
}

static void finish_insn(struct pw_walk *w)
{
	struct pw_insn *in = w->in;
	struct walk_src src = walk_expr_start(w);

	for (uint32_t i = 0, j = w->n_operands; i + 1 < j--; i++) {
		uint32_t t = w->operands[i];

		w->operands[i] = w->operands[j];
		w->operands[j] = t;
	}
	in->operands = w->operands;
	in->n_operands = w->n_operands;
	in->results = w->types + w->sp - w->n_results;
	in->n_results = w->n_results;
	in->expr_off = src.off == NO_SRC ? PW_NO_OFF : w->body_off + src.off;
	in->expr_idx = src.idx;
}

int walk_step(struct pw_walk *w)
{
	struct pw_insn *in = w->in;
	const struct pw_op_info *info;
	const uint8_t *start = w->c.p;
	int rc;

	w->off = start - w->c.base;
	w->n_operands = w->n_results = 0;
	w->src_known = false;
	*in = (struct pw_insn){
		.idx = w->next_idx++,
		.off = w->body_off + w->off,
		.depth = w->n_frames - 1,
		.unreachable = walk_top(w)->unreachable,
	};
	rc = read_op(w);
	if (rc < 0)
		return rc;
	info = pw_op_info(in->op);
	in->imm = w->c.p;
	if (w->constant && !(info->flags & PW_OPF_CONST) && in->op != PW_OP_end)
		return walk_fail(w, EINVAL,
				 "%s is not allowed in a constant expression",
				 info->name);
	rc = walk_read_imm(w, info);
	if (rc < 0)
		return rc;
	in->size = w->c.p - start;
	rc = type_insn(w, info);
	if (rc < 0)
		return rc;
	finish_insn(w);
	return 0;
}
