/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the steps of a bisection share: bisect.c is the list of them.
 */
#ifndef CAMPAIGN_BISECT_IMPL_H
#define CAMPAIGN_BISECT_IMPL_H

#include <perfwasm/code.h>
#include <perfwasm/module.h>

#include "ground.h"
#include "search.h"

struct release {
	char *version, *spec;
	double ms, oracle_ms; /* medians */
	size_t runs;
	char *why; /* when it failed */
};

/* The hot code of the slower neighbour against that of the faster. */
struct change {
	struct step step;
	size_t slow, fast; /* releases */
	char *why;         /* there is no code to show */
	char func[128];    /* the function that differs most */
	struct pw_minsn *slow_code, *fast_code;
	uint32_t n_slow, n_fast;
	double *share; /* of the samples in code, by slow instruction */
	struct pw_code_diff_line *lines;
	uint32_t n_lines;
	uint32_t *accused; /* slow instructions, most samples first */
	uint32_t n_accused;
	double in_code; /* share of all samples in generated code */
};

struct bisect {
	const struct pw_bisect_opts *o;
	struct ground ground;
	struct pw_runtime oracle;
	struct pw_session *oracle_session;
	char *module_path; /* in the box */
	uint32_t n_imported;
	struct release *v;
	struct probe *probe; /* of v */
	size_t n, n_tried;
	struct change *changes;
	size_t n_changes;
};

/* bisect-releases.c: fills v. */
int bisect_choose(struct bisect *b, struct pw_err *err);
/* Finds release i, fetched when need be; why it cannot be had is in *err. */
int bisect_find(struct bisect *b, size_t i, struct pw_runtime *rt,
		struct pw_err *err);
/* bisect-code.c: the codes of a change. What cannot be had is in c->why;
 * < 0 only when there is no going on. */
int bisect_code(struct bisect *b, struct change *c, struct pw_err *err);
void change_release(struct change *c);
/* bisect-report.c */
void bisect_present(struct bisect *b, struct pw_report *report);

#endif
