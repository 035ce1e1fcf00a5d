/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of the explanations: one code of a function with its flow and
 * uses, a hot loop with what its instructions take from each other, and the
 * matchers that look at both.
 */
#ifndef EXPLAIN_IMPL_H
#define EXPLAIN_IMPL_H

#include <perfwasm/explain.h>

#define NONE       UINT32_MAX
#define REG_BIT(r) (UINT64_C(1) << (r))

/* --- latency.c --------------------------------------------------------------- */

enum insn_class {
	CLASS_INT,
	CLASS_DIV,
	CLASS_FLOAT,
	CLASS_FDIV,
	CLASS_MOVE,
	CLASS_ADDRESS
};

enum insn_class insn_class(const struct pw_minsn *in);
/* From its registers to its result, without the load in front. */
double insn_latency(const struct pw_minsn *in, const struct pw_insn_uses *u);
#define LOAD_CYCLES    4  /* from the address to the value */
#define FORWARD_CYCLES 5  /* from a store's value to the load's */
#define BLOCK_CYCLES   14 /* the same when it cannot be handed on */

/* --- loop-flow.c: one code --------------------------------------------------- */

struct subject {
	struct pw_explain_side side; /* borrowed */
	struct pw_insn_uses *uses;
	uint32_t *next, *to, *prev, *from; /* as pw_code_flow() */
	struct pw_loop *loops;
	uint32_t n_loops;
	struct region **hot; /* those with most samples first */
	uint32_t n_hot;
	bool one_result; /* the function's, by its type: else unknown */
	bool has_frame;  /* the frame pointer points to the frame */
};

int subject_init(struct subject *s, const struct pw_explain_side *side,
		 struct pw_err *err);
void subject_release(struct subject *s);
/* The one constant that a register holds at an instruction. */
bool constant_of(const struct subject *s, uint32_t insn, unsigned reg,
		 uint64_t *value);
/* Whether any path from an instruction reads a register before it is
 * written again. */
bool live_after(const struct subject *s, uint32_t insn, unsigned reg);
/* Whether the operand in memory is a place of the function's frame. */
bool on_stack(const struct subject *s, uint32_t insn);
/* "vmulsd at 0x15f" */
const char *insn_words(const struct subject *s, uint32_t insn, char *dst,
		       size_t size);

/* --- loop-links.c: one loop ---------------------------------------------------- */

enum { VAR_FLAGS = PW_N_REGS, VAR_MEMORY };

/* An instruction of the loop takes what another one made. */
struct link {
	uint32_t def, use; /* def NONE: it may come from before the loop */
	uint8_t var;       /* register, VAR_FLAGS or VAR_MEMORY */
	bool carried;      /* by the turn before */
	bool merge;        /* only to keep it */
	bool block;        /* memory: the load needs more than was stored */
};

struct region {
	const struct subject *s;
	uint32_t loop, head, n, *insns;
	double share;
	uint32_t *at; /* per instruction of the function: index in insns or
			     NONE */
	struct link *links; /* by use */
	uint32_t n_links, cap_links;
	uint32_t *first; /* links of the k-th instruction of the loop are
			     first[k] .. first[k + 1] - 1 */
	bool *invariant; /* k-th instruction */
	bool has_calls;
	struct pw_loop_study study;
};

struct region *region_new(const struct subject *s, uint32_t loop);
void region_free(struct region *r);
/* Adds the links, like `like`, of the k-th instruction to what is_def says. */
typedef bool (*is_def_fn)(const struct region *r, uint32_t insn,
			  const void *ctx);
void region_link(struct region *r, uint32_t k, const struct link *like,
		 is_def_fn is_def, const void *ctx);
void region_sort_links(struct region *r);
/* The only link of a use through a register, or NULL when there are more. */
const struct link *only_link(const struct region *r, uint32_t insn,
			     unsigned var);
static inline bool region_has(const struct region *r, uint32_t insn)
{
	return r->at[insn] != NONE;
}

/* --- loop-values.c ---------------------------------------------------------------- */

/* Two registers at two places of the loop that have the same number hold the
 * same value in a turn; 0: not known. */
struct value {
	uint64_t number;
	bool varies; /* from turn to turn, as far as is known */
};
struct value value_of(const struct region *r, uint32_t insn, unsigned reg);
/* Of base and index of the operand in memory. */
struct value address_of(const struct region *r, uint32_t insn);
void find_invariant(struct region *r);

/* --- loop-memory.c, loop-chains.c ---------------------------------------------------- */

/* Links from stores to loads. */
void memory_links(struct region *r);
void find_slots(struct region *r);
void find_chains(struct region *r);

/* --- matchers: match.c, match-*.c ---------------------------------------------------- */

/* What a matcher sees and fills: one code, and what was told besides. */
struct match {
	const struct pw_explain_input *in;
	const struct subject *s;
	struct pw_explanation *list; /* PW_N_PATTERNS */
	bool of_slow;
	bool weighing; /* the shapes are found */
};

/* Puts an instruction among those of a pattern; false: it is there. */
bool match_insn(struct match *m, enum pw_pattern p, uint32_t insn);
void match_say(struct match *m, enum pw_pattern p, const char *fmt, ...)
	PW_PRINTF(3, 4);
/* Accused by the caller; never one of the fast code. */
bool match_accused(const struct match *m, uint32_t insn);
bool match_has(const struct match *m, enum pw_pattern p, uint32_t insn);

void match_dependence(struct match *m, const struct region *r);
void match_memory(struct match *m, const struct region *r);
void match_invariant(struct match *m, const struct region *r);
void match_division(struct match *m, const struct region *r);
void match_calls(struct match *m, const struct region *r);
void match_constants(struct match *m, const struct region *r);
void match_checks(struct match *m, const struct region *r);
/* Of the whole code. */
void match_tier(struct match *m);
void match_placement(struct match *m, const struct subject *slow,
		     const struct subject *fast);
/* weigh.c: what samples, the other code, counters and probes say. */
void weigh(struct match *slow, const struct match *fast);

/* module-op.c: the wasm instruction behind a machine instruction: its name,
 * or NULL. */
const char *op_behind(const struct pw_explain_input *in, uint64_t wasm_off);

#endif
