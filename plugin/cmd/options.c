// SPDX-License-Identifier: GPL-2.0-only
/*
 * The options that all commands have, and how any command's are parsed (argp
 * of libc). Knows nothing of what the options lead to.
 */
#include "cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_FORMAT = 0x1000, KEY_COLOR, KEY_USAGE, KEY_HTML };

static const struct argp_option options[] = {
	{ "format", KEY_FORMAT, "FORMAT", 0, "Print text (the default) or json",
	  0 },
	{ "color", KEY_COLOR, "WHEN", 0,
	  "Use colours: auto (the default), always or never; NO_COLOR in the environment is respected",
	  0 },
	{ "output", 'o', "FILE", 0, "Write to FILE, not to standard output",
	  0 },
	{ "quiet", 'q', NULL, 0, "Say nothing but results and errors", 0 },
	{ "verbose", 'v', NULL, 0, "Say more", 0 },
	{ "help", 'h', NULL, 0, "Print this help", 0 },
	{ "usage", KEY_USAGE, NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 }
};

/* The index of `value` among the NULL-ended words `of`; `all` names them. */
static int choice(const struct argp_state *state, const char *all,
		  const char *value, const char *const *of)
{
	for (int i = 0; of[i]; i++)
		if (!strcmp(value, of[i]))
			return i;
	argp_error(state, "%s, found '%s'", all, value);
	return 0;
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	static const char *const formats[] = { "text", "json", NULL };
	static const char *const colors[] = { "auto", "always", "never", NULL };
	struct cmd_opts *o = state->input;

	switch (key) {
	case KEY_FORMAT:
		o->json = choice(state, "--format: expected text or json", arg,
				 formats);
		return 0;
	case KEY_COLOR:
		o->color =
			choice(state, "--color: expected auto, always or never",
			       arg, colors);
		return 0;
	case 'o':
		o->out_path = arg;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case KEY_USAGE:
		argp_state_help(state, stdout,
				ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

struct inputs {
	void *own;
	struct cmd_opts *common;
};

/* Only hands each part its own input. */
static error_t parse_both(int key, char *arg, struct argp_state *state)
{
	struct inputs *in = state->input;

	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = in->own;
	state->child_inputs[1] = in->common;
	return 0;
}

/* Leaves out argp's remark on long and short options. */
static char *filter_help(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)text;
}

static void parse_by(const struct argp *argp, void *input,
		     struct cmd_opts *common, int argc, char **argv,
		     unsigned flags)
{
	static const struct argp all = { options, parse_common, NULL, NULL,
					 NULL,    NULL,         NULL };
	const struct argp_child parts[] = { { argp, 0, NULL, 0 },
					    { &all, 0, "Common options:", 99 },
					    { 0 } };
	const struct argp both = { .parser = parse_both,
				   .children = parts,
				   .help_filter = filter_help };
	struct inputs in = { input, common };
	char *name = argv[0];
	error_t ret;

	cmd_options_known(&both, argc, argv, flags & ARGP_IN_ORDER);
	argp_err_exit_status = CMD_USAGE;
	argv[0] = pw_asprintf("perf wasm %s", argv[0]);
	ret = argp_parse(&both, argc, argv, flags | ARGP_NO_HELP, NULL, &in);
	free(argv[0]);
	argv[0] = name;
	if (ret)
		exit(CMD_USAGE);
}

void cmd_parse(const struct argp *argp, void *input, struct cmd_opts *common,
	       int argc, char **argv)
{
	parse_by(argp, input, common, argc, argv, 0);
}

static const struct argp_option page_options[] = {
	{ "html", KEY_HTML, "FILE", 0,
	  "Write the report as one HTML page to FILE, too; it loads nothing and needs no network",
	  0 },
	{ 0 }
};

static error_t parse_page(int key, char *arg, struct argp_state *state)
{
	struct cmd_opts *o = state->input;

	if (key != KEY_HTML)
		return ARGP_ERR_UNKNOWN;
	o->page_path = arg;
	return 0;
}

const struct argp cmd_page_argp = { .options = page_options,
				    .parser = parse_page };

void cmd_parse_command(const struct argp *argp, void *input,
		       struct cmd_opts *common, int argc, char **argv)
{
	parse_by(argp, input, common, argc, argv, ARGP_IN_ORDER);
}

uint64_t cmd_number(const struct argp_state *state, const char *what,
		    const char *value, uint64_t max)
{
	char *end;
	uint64_t v;
	int base = !strncasecmp(value, "0x", 2) ? 16 : 10;

	errno = 0;
	v = strtoull(value, &end, base);
	if (*value >= '0' && *value <= '9' && !*end && !errno && v <= max)
		return v;
	if (max < INT64_MAX)
		argp_error(state,
			   "%s: expected a number up to %llu, found '%s'", what,
			   (unsigned long long)max, value);
	else
		argp_error(state, "%s: expected a number, found '%s'", what,
			   value);
	return 0;
}

double cmd_real(const struct argp_state *state, const char *what,
		const char *value, double max)
{
	char *end;
	double x = strtod(value, &end);

	if (end == value || *end || !(x >= 0) || x > max)
		argp_error(state, "%s: expected a number up to %g, found '%s'",
			   what, max, value);
	return x;
}

uint64_t cmd_time(const struct argp_state *state, const char *what,
		  const char *value, uint64_t least_ns, uint64_t max_ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "", 1e9 },
		      { "ms", 1e6 },
		      { "s", 1e9 },
		      { "m", 60e9 },
		      { "h", 3600e9 } };
	char *end;
	double x = strtod(value, &end), ns = -1;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (end != value && !strcmp(end, units[i].name))
			ns = x * units[i].ns;
	if (!(ns >= 0) || ns > (double)max_ns)
		argp_error(
			state,
			"--%s: expected a time (10ms, 1.5s, 10m, 24h, or seconds), found '%s'",
			what, value);
	/* what is 10 ms to the reader may be a little less in binary */
	if (ns < (double)least_ns - 1)
		argp_error(state, "--%s: %gms is the least, found '%s'", what,
			   (double)least_ns / 1e6, value);
	return (uint64_t)(ns + 0.5);
}

void cmd_words_insert(struct cmd_words *w, size_t at, const char *s)
{
	w->v = pw_realloc(w->v, (w->n + 2) * sizeof(*w->v));
	memmove(w->v + at + 1, w->v + at, (w->n - at) * sizeof(*w->v));
	w->v[at] = s;
	w->v[++w->n] = NULL;
}

void cmd_words_add(struct cmd_words *w, const char *s)
{
	cmd_words_insert(w, w->n, s);
}

uint64_t cmd_words_hash(const struct cmd_words *w, uint64_t h)
{
	for (size_t i = 0; i < w->n; i++)
		h = pw_hash(w->v[i], strlen(w->v[i]) + 1, h);
	return pw_hash("", 1, h);
}
