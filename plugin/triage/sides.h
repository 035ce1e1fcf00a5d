/* SPDX-License-Identifier: GPL-2.0-only */
/* sides: what compare.c, sentences.c and triage-report.c share. */
#ifndef PLUGIN_TRIAGE_SIDES_H
#define PLUGIN_TRIAGE_SIDES_H

#include <perfwasm/triage.h>

enum call_use { CALL_WORK, CALL_MEMORY, CALL_PLUMBING };
enum call_use call_use(const char *name);
/* By name, or NULL; t may be NULL. */
const struct pw_triage_call *call_find(const struct pw_triage *t,
				       const char *name);

/* Of undisturbed runs, where they are known. */
double side_cpu_ns(const struct pw_triage_side *s);
double side_wall_ns(const struct pw_triage_side *s);
/* By kind, scaled to that CPU time. */
void side_spent(const struct pw_triage_side *s, double ns[PW_N_SPENT]);

/* sentences.c; without a full stop, the caller frees. */
char *where_sentence(const struct pw_triage_side *suspect,
		     const struct pw_triage_side *oracle,
		     const struct pw_triage_gap *gap);

/* What a call of an imported function costs; "" when its number is not
 * known. */
char *cost_sentence(const struct pw_triage_side *suspect,
		    const struct pw_triage_side *oracle,
		    const struct pw_host_cost *c);

#endif
