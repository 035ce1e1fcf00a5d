/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd: what the commands of `perf wasm` share. To add a command NAME:
 *   1. a line in commands.def
 *   2. cmd-NAME.c with `int cmd_NAME(int argc, char **argv)`, and its object
 *      in Build: it parses its options with cmd_parse(), calls a room, and
 *      hands the report to cmd_report()
 *   3. a section of Kbuild-notes/perf-wasm.1 with the same options
 *   4. golden tests: tests/golden/NAME-*
 * A command returns its exit code: CMD_DONE, CMD_FAILED, CMD_USAGE. It prints
 * results only on standard output, messages only by cmd_error().
 */
#ifndef PW_CMD_CMD_H
#define PW_CMD_CMD_H

#include <perfwasm/report.h>

#include <argp.h>

enum { CMD_DONE, CMD_FAILED, CMD_USAGE };

struct cmd {
	const char *name, *help;
	int (*run)(int argc, char **argv); /* argv[0] is the name */
};

#define PW_COMMAND(id, name, help) int cmd_##id(int argc, char **argv);
#include "commands.def"
#undef PW_COMMAND

/* --- begin.c ------------------------------------------------------------------ */

/* What the programs of commands do first. */
void cmd_begin(void);

/* --- commands.c: the table ------------------------------------------------- */

/* NULL when no command has this name; then a message with the nearest name
 * was printed. */
const struct cmd *cmd_find(const char *name);
void cmd_list(FILE *to);

/* --- options.c: what all commands understand ---------------------------------- */

enum cmd_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct cmd_opts {
	bool json;
	enum cmd_color color;
	const char *out_path;  /* NULL: standard output */
	const char *page_path; /* --html; NULL: no page is wanted */
	bool quiet, verbose;
};

/*
 * Parses argv by `argp` (its parser gets `input`) and the options all
 * commands have. Does not return for --help (exit 0) and faults (exit
 * CMD_USAGE). argv[0] is the command's name, or several words.
 */
void cmd_parse(const struct argp *argp, void *input, struct cmd_opts *common,
	       int argc, char **argv);
/* The same, but the first argument and all behind it is a command line, which
 * has options of its own. */
void cmd_parse_command(const struct argp *argp, void *input,
		       struct cmd_opts *common, int argc, char **argv);
/* In option-near.c; both of the above begin with it. Where a long option is none
 * of argp's but like one, names that and ends (exit CMD_USAGE). */
void cmd_options_known(const struct argp *argp, int argc, char **argv,
		       bool in_order);
/* A child for commands whose report may be a page, --html FILE: its input is
 * the command's struct cmd_opts, and cmd_report() does the rest. */
extern const struct argp cmd_page_argp;
/* A number 0..max, decimal or 0x...; else ends as argp_error() does. `what`
 * names it in the message: "--limit". */
uint64_t cmd_number(const struct argp_state *state, const char *what,
		    const char *value, uint64_t max);

/* The same for any number 0..max. */
double cmd_real(const struct argp_state *state, const char *what,
		const char *value, double max);

/* A time in ns: a number and ms, s (or nothing), m or h; ends as argp_error()
 * does when it is none, or not within these bounds. */
uint64_t cmd_time(const struct argp_state *state, const char *what,
		  const char *value, uint64_t least_ns, uint64_t max_ns);

/* Strings, NULL-ended once there is one; borrowed unless said otherwise. */
struct cmd_words {
	const char **v;
	size_t n;
};
/* All of them, in order, into h. */
uint64_t cmd_words_hash(const struct cmd_words *w, uint64_t h);
void cmd_words_add(struct cmd_words *w, const char *s);
/* Puts s before the word at `at`. */
void cmd_words_insert(struct cmd_words *w, size_t at, const char *s);

/* --- output.c: where results and messages go ------------------------------------- */

/* "perf wasm: SENTENCE" on standard error. */
void cmd_error(const char *fmt, ...) PW_PRINTF(1, 2);
/* The same for a room's error; returns CMD_FAILED. */
int cmd_fail(const struct pw_err *err);

/* Standard output, or a file that appears whole at cmd_output_close(). */
struct cmd_output {
	FILE *to;
	const char *path;
	char *bytes;
	size_t size;
};

int cmd_output_open(struct cmd_output *out, const struct cmd_opts *common);
/* CMD_DONE, or CMD_FAILED after a message. */
int cmd_output_close(struct cmd_output *out);
/* Nothing appears. */
void cmd_output_drop(struct cmd_output *out);
/* Writes a report as the options ask, and its page when one is wanted; the
 * same result. */
int cmd_report(const struct pw_report *r, const struct cmd_opts *common);

#endif
