/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * site.h: what the files of mutate share. A site is one instruction during
 * the walk, with everything that is needed to offer its mutations: what
 * pushes a value of a type, which operators are alike, what an expression
 * holds. Knows nothing of the notation.
 */
#ifndef MUTATE_SITE_H
#define MUTATE_SITE_H

#include <perfwasm/mutate.h>

/* Locals or globals, sorted by type and then index: type << 32 | index. */
struct pool {
	uint64_t *keys;
	uint32_t n, cap;
};

void pool_release(struct pool *p);
void pool_clear(struct pool *p);
void pool_add(struct pool *p, uint32_t type, uint32_t idx);
void pool_sort(struct pool *p);
/* The first member of a type, n following it. */
const uint64_t *pool_find(const struct pool *p, uint32_t type, uint32_t *n);

/* The operators alike to an operator, made when first asked for. */
struct menu {
	struct menu_row {
		uint16_t *ops;
		uint16_t n;
		bool made;
	} of[PW_N_OPS];
};

void menu_release(struct menu *menu);
const struct menu_row *menu_row(struct menu *menu, enum pw_op op);
/* log2 of the bytes that a load, store or atomic operator accesses. */
uint32_t op_access_log2(enum pw_op op);
/* Lanes that a lane operator or a lane load or store tells apart. */
uint32_t op_n_lanes(enum pw_op op);

/*
 * What the expressions of one function hold, learnt instruction by
 * instruction, so that a whole expression can be judged in no time.
 */
struct span {
	/* jumps: instruction index and the outermost block they may reach;
	 * both rise from bottom to top */
	struct span_jump {
		uint32_t idx, target;
	} * jumps;
	uint32_t n_jumps, cap_jumps;
	/* by depth: 1 + index of the last instruction without a result */
	uint32_t *last_void;
	uint32_t cap_depth;
	/* 1 + index of the last that sets a local that must be set */
	uint32_t last_init;
};

void span_release(struct span *s);
void span_start(struct span *s);
void span_see(struct span *s, const struct pw_insn *insn, bool must_be_set);
/* The expression that ends with insn can go as a whole. */
bool span_removable(const struct span *s, const struct pw_insn *insn);

struct site {
	const struct pw_module *m;
	const uint8_t *bytes; /* the module's */
	pw_mutate_cb cb;
	void *ctx;
	struct pool locals;  /* that are always set */
	struct pool globals; /* at most SITE_GLOBALS of a type are offered */
	struct menu menu;
	struct span span;
	/* The mutation being made; its place is filled in. */
	struct pw_mutation mut;
};

#define SITE_GLOBALS 16
#define SITE_NONE    UINT32_MAX

/* The value of a constant instruction, as far as it matters here. */
struct site_const {
	bool known;
	int64_t i64; /* as in struct pw_insn */
	const uint8_t *v128;
};

/*
 * Each calls cb for every instruction of its sort that pushes a value of
 * `type`, except the given one, in place of [mut.off, mut.off + old_size).
 * 0, or what cb returned.
 */
int push_consts(struct site *s, uint32_t type, const struct site_const *except);
int push_few_consts(struct site *s, uint32_t type); /* 0 and 1 */
int push_null(struct site *s, uint32_t type);
int push_locals(struct site *s, uint32_t type, uint32_t except);
int push_globals(struct site *s, uint32_t type, uint32_t except);
/* Instructions that do nothing but push a value. */
bool op_only_pushes(enum pw_op op);

/* The bytes of mut, from empty. */
void new_op(struct pw_mutation *mut, enum pw_op op);
void new_u8(struct pw_mutation *mut, uint8_t v);
void new_uleb(struct pw_mutation *mut, uint64_t v);
void new_sleb(struct pw_mutation *mut, int64_t v);
void new_bytes(struct pw_mutation *mut, const void *data, uint32_t n);
/* mut becomes `op` with the immediate of the memory access insn, but at
 * another offset. */
void new_access(struct site *s, const struct pw_insn *insn, enum pw_op op,
		uint64_t offset);

static inline int site_emit(struct site *s)
{
	return s->cb(s->ctx, &s->mut);
}

/* The kinds: all changes of one instruction. 0, or what cb returned. */
#define PW_MUTATION(id, name, help) \
	int offer_##name(struct site *s, const struct pw_insn *insn);
#include <perfwasm/mutations.def>
#undef PW_MUTATION

/* Fills op, imm, size and the immediates from an instruction's bytes. */
void insn_read(struct pw_insn *insn, enum pw_op op, const uint8_t *bytes,
	       size_t size);

/* pw_mutate_each() for the instruction insn_idx only, when not SITE_NONE. */
int mutate_each(const struct pw_module *m,
		const struct pw_mutate_filter *filter, uint32_t insn_idx,
		pw_mutate_cb cb, void *ctx, struct pw_err *err);

#endif
