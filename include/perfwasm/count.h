/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * count: an instrumented copy of a module, which counts how often each of
 * its blocks is executed on whatever runs it. Counters are mutable exported
 * globals; their names are offsets in the module as it was, so a mutant's
 * can be compared with the original's. Runs nothing.
 *
 * A counter stands where the number of executions may change: at a
 * function's beginning, at the head of a loop, behind a conditional branch,
 * in both arms of an if, behind what a branch may leave. Between two of them
 * every instruction is executed as often as the first (calls that throw
 * aside), so equal counters mean the same number of executions of every
 * instruction that both modules have.
 */
#ifndef PERFWASM_COUNT_H
#define PERFWASM_COUNT_H

#include <perfwasm/mutate.h>

struct pw_count_opts {
	/* Functions in the order of their importance; those not named follow
	 * in the order of their indexes. May be NULL. */
	const uint32_t *funcs;
	uint32_t n_funcs;
	/* At most so many counters; 0: 4096. A function is counted whole or
	 * not at all: one that does not fit any more is left out. */
	uint32_t max_counters;
};

/* The instruction before which a counter stands. */
struct pw_count_point {
	uint64_t off;
	uint32_t func_idx, insn_idx;
};

struct pw_count_plan;

/* Where counters go; the module is borrowed for as long. NULL with *err: a
 * body that does not validate, EEXIST when a name is taken. */
struct pw_count_plan *pw_count_plan_new(const struct pw_module *m,
					const struct pw_count_opts *opts,
					struct pw_err *err);
void pw_count_plan_free(struct pw_count_plan *c);
/* The counters, by offset. */
uint32_t pw_count_plan_n(const struct pw_count_plan *c);
const struct pw_count_point *pw_count_plan_point(const struct pw_count_plan *c,
						 uint32_t i);
/* How many functions have no counters because there were too many. */
uint32_t pw_count_plan_n_left_out(const struct pw_count_plan *c);
bool pw_count_plan_has_func(const struct pw_count_plan *c, uint32_t func_idx);

/* Appends the instrumented module, with the mutation when there is one; a
 * counter inside of what the mutation takes away stays 0. */
int pw_count_plan_apply(const struct pw_count_plan *c,
			const struct pw_mutation *mut, struct pw_buf *out,
			struct pw_err *err);

/*
 * The values that a host wrote (runtime.h, counts_path) into
 * values[pw_count_plan_n()]. EBADMSG when a line is malformed, names no
 * counter of ours, or one is missing.
 */
int pw_count_plan_parse(const struct pw_count_plan *c, const void *text,
			size_t size, uint64_t *values, struct pw_err *err);

#endif
