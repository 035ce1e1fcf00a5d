// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which changes are tried: of pw_mutate's mutations of an instruction some of
 * each kind, the operators nearest to its own first, since they change least;
 * and two changes that no guest would survive, but nothing is run: other
 * offsets of memory accesses, and dropping the operands of what has no
 * result. Knows nothing of machine code.
 */
#include <stdlib.h>
#include <string.h>

#include "trial.h"

#define DROP    0x1a /* the opcode */
#define OFFSETS 2    /* changes of a memory access's offset */

static void add(struct picks *p, const struct pick *pick)
{
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 64;
		p->v = pw_realloc(p->v, p->cap * sizeof(*p->v));
	}
	p->v[p->n++] = *pick;
}

/* --- mutations ------------------------------------------------------------------ */

struct offer {
	struct pw_mutation mut;
	uint32_t distance; /* of the opcodes */
};

struct picker {
	struct picks *to;
	uint32_t per_site;
	struct offer *same; /* offered for one instruction and kind */
	uint32_t n_same, cap_same;
};

static uint32_t distance(const struct pw_mutation *mut)
{
	const struct pw_op_info *a = pw_op_info(mut->old_op);
	const struct pw_op_info *b = pw_op_info(mut->new_op);
	uint32_t d = a->code > b->code ? a->code - b->code : b->code - a->code;

	/* one that traps brings code of its own */
	return d + (b->flags & PW_OPF_TRAPS ? 1000 : 0) +
	       (a->prefix != b->prefix ? 500 : 0);
}

static int by_distance(const void *a, const void *b)
{
	const struct offer *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return memcmp(x->mut.new_bytes, y->mut.new_bytes,
		      sizeof(x->mut.new_bytes));
}

static void take_one(struct picker *k, const struct pw_mutation *mut)
{
	struct pick p = { .site = mut->insn_idx,
			  .kind = mut->kind == PW_MUT_OPERATOR  ? PICK_OPERATOR
				  : mut->kind == PW_MUT_OPERAND ? PICK_OPERAND
								: PICK_DELETION,
			  .off = mut->off,
			  .old_size = mut->old_size,
			  .new_size = mut->new_size };

	memcpy(p.new_bytes, mut->new_bytes, mut->new_size);
	add(k->to, &p);
}

static void take(struct picker *k)
{
	uint32_t n = k->n_same, wanted;
	bool operators;

	if (!n)
		return;
	operators = k->same[0].mut.kind == PW_MUT_OPERATOR;
	wanted = operators ? k->per_site / 2 : k->per_site / 4;
	wanted = wanted < 1 ? 1 : wanted > n ? n : wanted;
	if (operators)
		qsort(k->same, n, sizeof(*k->same), by_distance);
	for (uint32_t i = 0; i < wanted; i++)
		take_one(k, &k->same[operators ? i : (uint64_t)i * n / wanted]
				     .mut);
	k->n_same = 0;
}

static int offer(void *ctx, const struct pw_mutation *mut)
{
	struct picker *k = ctx;

	if (k->n_same && (k->same[0].mut.insn_idx != mut->insn_idx ||
			  k->same[0].mut.kind != mut->kind))
		take(k);
	if (k->n_same == k->cap_same) {
		k->cap_same = k->cap_same ? 2 * k->cap_same : 64;
		k->same = pw_realloc(k->same, k->cap_same * sizeof(*k->same));
	}
	k->same[k->n_same++] =
		(struct offer){ .mut = *mut, .distance = distance(mut) };
	return 0;
}

/* --- changes of our own ------------------------------------------------------------ */

static void take_offsets(struct picks *to, const struct pw_module *m,
			 const struct pw_insn *insn)
{
	struct pick p = { .site = insn->idx,
			  .kind = PICK_OFFSET,
			  .off = insn->off,
			  .old_size = insn->size };
	unsigned int log2 = pw_op_info(insn->op)->size_log2;
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size) + insn->off;
	struct pw_cursor c;

	/* the offset is the last field */
	pw_cursor_init(&c, insn->imm, insn->size - (size_t)(insn->imm - bytes),
		       0, NULL);
	if (pw_cursor_uleb32(&c) & 0x40)
		pw_cursor_uleb32(&c);
	size = (size_t)(c.p - bytes);
	if (c.failed || size > PICK_BYTES - 10 || insn->offset >> 31)
		return;
	for (uint32_t i = 1; i <= OFFSETS; i++) {
		struct pw_buf b = { 0 };

		pw_buf_add(&b, bytes, size);
		pw_buf_add_uleb(&b, insn->offset + ((uint64_t)i << log2));
		p.new_size = (uint32_t)b.len;
		memcpy(p.new_bytes, b.data, b.len);
		pw_buf_release(&b);
		add(to, &p);
	}
}

/* The next constant: its instruction keeps its form. */
static void take_next(struct picks *to, const struct pw_insn *insn)
{
	struct pick p = { .site = insn->idx,
			  .kind = PICK_OPERAND,
			  .off = insn->off,
			  .old_size = insn->size };
	struct pw_buf b = { 0 };
	bool is64 = insn->op == PW_OP_i64_const;
	int64_t most = is64 ? INT64_MAX : INT32_MAX;

	if (!is64 && insn->op != PW_OP_i32_const)
		return;
	pw_op_encode(insn->op, &b);
	pw_buf_add_sleb(&b, insn->i64 < most ? insn->i64 + 1 : most - 1);
	p.new_size = (uint32_t)b.len;
	memcpy(p.new_bytes, b.data, b.len);
	pw_buf_release(&b);
	add(to, &p);
}

static void take_drop(struct picks *to, const struct pw_insn *insn)
{
	struct pick p = { .site = insn->idx,
			  .kind = PICK_DROP,
			  .off = insn->off,
			  .old_size = insn->size,
			  .new_size = insn->n_operands };
	bool control = pw_op_info(insn->op)->flags & PW_OPF_CONTROL;

	if (insn->n_results || (!insn->n_operands && insn->op != PW_OP_call) ||
	    insn->op == PW_OP_local_set || insn->n_operands > PICK_BYTES ||
	    insn->op == PW_OP_drop ||
	    (control && (insn->op != PW_OP_br_if || insn->n_operands > 1)))
		return;
	memset(p.new_bytes, DROP, insn->n_operands);
	add(to, &p);
}

/* A br_table without its table: it always goes to the default. */
static void take_table(struct picks *to, const struct pw_insn *insn)
{
	struct pick p = { .site = insn->idx,
			  .kind = PICK_DROP,
			  .off = insn->off,
			  .old_size = insn->size };
	struct pw_buf b = { 0 };

	if (insn->op != PW_OP_br_table)
		return;
	pw_buf_add_u8(&b, DROP);
	pw_op_encode(PW_OP_br, &b);
	pw_buf_add_uleb(&b, insn->index);
	p.new_size = (uint32_t)b.len;
	memcpy(p.new_bytes, b.data, b.len);
	pw_buf_release(&b);
	add(to, &p);
}

static int take_ours(struct picks *to, const struct pw_module *m,
		     uint32_t func_idx, struct pw_err *err)
{
	struct pw_walk *w = pw_walk_new(m);
	struct pw_insn insn;
	int ret = pw_walk_start(w, func_idx, err);

	while (!ret && (ret = pw_walk_next(w, &insn, err)) > 0) {
		ret = 0;
		if (insn.unreachable)
			continue;
		if (pw_op_info(insn.op)->imm == PW_IMM_MEMARG)
			take_offsets(to, m, &insn);
		take_next(to, &insn);
		take_drop(to, &insn);
		take_table(to, &insn);
	}
	pw_walk_free(w);
	return ret;
}

int picks_make(struct picks *p, const struct pw_module *m, uint32_t func_idx,
	       uint32_t per_site, struct pw_err *err)
{
	struct pw_mutate_filter filter = { .funcs = &func_idx, .n_funcs = 1 };
	struct picker k = { .to = p, .per_site = per_site };
	int ret = pw_mutate_each(m, &filter, offer, &k, err);

	if (!ret) {
		take(&k);
		ret = take_ours(p, m, func_idx, err);
	}
	free(k.same);
	return ret;
}
