/* SPDX-License-Identifier: GPL-2.0-only */
/* points: where counters go. Internal to wasm/count. */
#ifndef COUNT_POINTS_H
#define COUNT_POINTS_H

#include <perfwasm/count.h>

struct points {
	struct pw_count_point *v;
	uint32_t n, cap;
};

/* Adds the points of one function, by offset. */
int points_of_func(struct pw_walk *w, uint32_t func, struct points *p,
		   struct pw_err *err);

struct pw_count_plan {
	const struct pw_module *m;
	struct points points; /* by offset */
	bool *counted;        /* by function */
	uint32_t n_funcs, n_left_out;
	struct pw_buf bytes; /* the module with globals and exports */
	struct pw_module *base;
	uint64_t shift;     /* offset in base's code minus m's */
	struct pw_buf code; /* what a counter does, one after another */
	uint32_t *code_off; /* where that of each begins; n + 1 */
};

#endif
