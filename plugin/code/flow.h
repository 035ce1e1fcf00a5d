/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flow of control among the instructions of one function: to[] of
 * instruction i are at next[i] .. next[i + 1] - 1, and the same backward.
 */
#ifndef PLUGIN_CODE_FLOW_H
#define PLUGIN_CODE_FLOW_H

#include <perfwasm/code.h>

struct flow {
	uint32_t n; /* instructions */
	uint32_t *next, *to;
	uint32_t *prev, *from;
};

void flow_init(struct flow *f, const struct pw_minsn *insns, uint32_t n);
void flow_release(struct flow *f);

#endif
