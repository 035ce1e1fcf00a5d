/* SPDX-License-Identifier: GPL-2.0-only */
/* mutants: what the parts of `perf wasm mutate` share. */
#ifndef PW_CMD_MUTANTS_H
#define PW_CMD_MUTANTS_H

#include "../cmd.h"

#include <perfwasm/mutate.h>

enum mutate_action { MUTATE_UNSAID, MUTATE_LIST, MUTATE_COUNT, MUTATE_WRITE };

struct mutate_opts {
	struct cmd_opts common;
	const char *path;
	enum mutate_action action;
	const char *notation; /* to write; "-": many from standard input */
	const char **funcs;   /* as given: numbers and names */
	size_t n_funcs;
	struct pw_mutate_filter filter;
	uint64_t limit;        /* UINT64_MAX: all */
	uint64_t sample, seed; /* sample 0: all */
};

/* Turns funcs into filter.funcs, which the caller frees. */
int mutate_find_funcs(const struct pw_module *m, struct mutate_opts *o,
		      struct pw_err *err);

/* Each gives the command's exit code. */
int mutate_list(const struct pw_module *m, const struct mutate_opts *o);
int mutate_count(const struct pw_module *m, const struct mutate_opts *o);
int mutate_write(const struct pw_module *m, const struct mutate_opts *o);

#endif
