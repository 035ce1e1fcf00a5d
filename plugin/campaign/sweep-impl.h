/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the steps of a sweep share: sweep.c is the list of them.
 */
#ifndef CAMPAIGN_SWEEP_IMPL_H
#define CAMPAIGN_SWEEP_IMPL_H

#include "ground.h"

/* A module on a runtime. */
struct cell {
	struct pw_series series;
	double ms;    /* median; NaN: it did not run */
	char *why;    /* then */
	bool deleted; /* hardly any time: a compiler left the work out */
};

struct sweep_hunt {
	size_t cell;
	char *dir;
	const char *said; /* what came of it, a sentence's part; static */
	char *why;        /* when it failed */
};

struct sweep {
	const struct pw_sweep_opts *o;
	struct ground ground;
	char *root;     /* modules_dir, absolute */
	char **modules; /* below it, sorted */
	size_t n_modules;
	struct pw_runtime *rt;
	struct pw_session **session;
	size_t n_rt;
	struct cell *cell; /* n_modules x n_rt */
	double *excess;    /* of each cell, see interaction.h */
	double *factor;    /* of each runtime */
	size_t *order;     /* cells that stand out, first the first */
	size_t n_order;
	struct sweep_hunt *hunts;
	size_t n_hunts;
};

/* sweep-modules.c: "*.wasm" in root and below. */
int sweep_find_modules(struct sweep *s, struct pw_err *err);
/* The folder of a module; the caller frees. */
char *sweep_folder(const struct sweep *s, size_t module);
/* sweep-hunts.c */
int sweep_hunts(struct sweep *s, struct pw_err *err);
/* The fastest other runtime of a cell's module, as a cell; SIZE_MAX none. */
size_t sweep_fastest_other(const struct sweep *s, size_t cell);
/* sweep-report.c */
void sweep_present(struct sweep *s, struct pw_report *report);

#endif
