// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm mutate: its options. What is done with them is in mutate-*.c.
 */
#include "mutate/mutants.h"

#include <stdlib.h>
#include <string.h>

enum {
	KEY_LIST = 0x100,
	KEY_COUNT,
	KEY_WRITE,
	KEY_FUNC,
	KEY_KIND,
	KEY_RANGE,
	KEY_LIMIT,
	KEY_SAMPLE,
	KEY_SEED,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What to do:", 0 },
	{ "list", KEY_LIST, NULL, 0,
	  "Print the notation of each mutant, a line each (the default)", 0 },
	{ "count", KEY_COUNT, NULL, 0,
	  "Count the mutants by kind and by function", 0 },
	{ "write", KEY_WRITE, "NOTATION", 0,
	  "Write the mutant of this notation to the file of -o; with '-', those of the notations on standard input, a line each, into the directory of -o",
	  0 },
	{ NULL, 0, NULL, 0, "Which mutants:", 0 },
	{ "func", KEY_FUNC, "FUNC", 0,
	  "Only of this function, by index (imports counted) or name; may be repeated",
	  0 },
	{ "kind", KEY_KIND, "KIND", 0,
	  "Only of this kind: operand, operator or deletion; may be repeated",
	  0 },
	{ "range", KEY_RANGE, "LO:HI", 0,
	  "Only of instructions at file offsets from LO to below HI; either may be left out",
	  0 },
	{ "limit", KEY_LIMIT, "N", 0, "Only the first N", 0 },
	{ "sample", KEY_SAMPLE, "N", 0, "Only N of them, drawn at random", 0 },
	{ "seed", KEY_SEED, "S", 0,
	  "Seed of --sample (1 by default): the same seed draws the same", 0 },
	{ 0 }
};

static void parse_kind(struct mutate_opts *o, const char *arg,
		       const struct argp_state *state)
{
	enum pw_mutation_kind kind = pw_mutation_kind_find(arg);

	if (kind == PW_N_MUTATION_KINDS)
		argp_error(
			state,
			"--kind: expected operand, operator or deletion, found '%s'",
			arg);
	else
		o->filter.kinds |= 1u << kind;
}

static void parse_range(struct mutate_opts *o, char *arg,
			const struct argp_state *state)
{
	char *colon = strchr(arg, ':');

	if (!colon) {
		argp_error(state, "--range: expected LO:HI, found '%s'", arg);
		return;
	}
	*colon = 0;
	if (*arg)
		o->filter.off_lo =
			cmd_number(state, "--range", arg, UINT64_MAX - 1);
	o->filter.off_hi = UINT64_MAX;
	if (colon[1])
		o->filter.off_hi =
			cmd_number(state, "--range", colon + 1, UINT64_MAX);
	if (o->filter.off_hi <= o->filter.off_lo)
		argp_error(state, "--range: nothing lies from %s to %s", arg,
			   colon + 1);
}

static void set_action(struct mutate_opts *o, enum mutate_action action,
		       const struct argp_state *state)
{
	if (o->action != MUTATE_UNSAID)
		argp_error(state, "use one of --list, --count and --write");
	o->action = action;
}

static void add_func(struct mutate_opts *o, const char *func)
{
	o->funcs = pw_realloc(o->funcs, (o->n_funcs + 1) * sizeof(*o->funcs));
	o->funcs[o->n_funcs++] = func;
}

static void check(const struct mutate_opts *o, const struct argp_state *state)
{
	if (!o->path)
		argp_error(state, "expected a module: perf wasm mutate FILE");
	else if (o->action == MUTATE_WRITE && !o->common.out_path)
		argp_error(state, "--write: say where to write with -o");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct mutate_opts *o = state->input;

	switch (key) {
	case KEY_LIST:
		set_action(o, MUTATE_LIST, state);
		return 0;
	case KEY_COUNT:
		set_action(o, MUTATE_COUNT, state);
		return 0;
	case KEY_WRITE:
		set_action(o, MUTATE_WRITE, state);
		o->notation = arg;
		return 0;
	case KEY_FUNC:
		add_func(o, arg);
		return 0;
	case KEY_KIND:
		parse_kind(o, arg, state);
		return 0;
	case KEY_RANGE:
		parse_range(o, arg, state);
		return 0;
	case KEY_LIMIT:
		o->limit = cmd_number(state, "--limit", arg, UINT64_MAX - 1);
		return 0;
	case KEY_SAMPLE:
		o->sample = cmd_number(state, "--sample", arg, 1 << 24);
		return 0;
	case KEY_SEED:
		o->seed = cmd_number(state, "--seed", arg, UINT64_MAX);
		return 0;
	case ARGP_KEY_ARG:
		if (o->path)
			return ARGP_ERR_UNKNOWN;
		o->path = arg;
		return 0;
	case ARGP_KEY_END:
		check(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = "Lists, counts or writes the mutants of the WebAssembly module FILE: copies of it with one instruction changed, all of them valid.",
};

static int run(const struct pw_module *m, struct mutate_opts *o,
	       struct pw_err *err)
{
	if (mutate_find_funcs(m, o, err))
		return cmd_fail(err);
	switch (o->action) {
	case MUTATE_COUNT:
		return mutate_count(m, o);
	case MUTATE_WRITE:
		return mutate_write(m, o);
	default:
		return mutate_list(m, o);
	}
}

int cmd_mutate(int argc, char **argv)
{
	struct mutate_opts o = { .limit = UINT64_MAX, .seed = 1 };
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_module *m = NULL;
	struct pw_file file;
	int ret = CMD_FAILED;

	cmd_parse(&argp, &o, &o.common, argc, argv);
	if (pw_file_open(&file, o.path, &err))
		return cmd_fail(&err);
	m = pw_module_decode(file.data, file.size, &err);
	if (m) {
		ret = run(m, &o, &err);
	} else {
		pw_err_prefix(&err, "%s", o.path);
		cmd_fail(&err);
	}
	free((void *)o.filter.funcs);
	free(o.funcs);
	pw_module_free(m);
	pw_file_close(&file);
	return ret;
}
