// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where results and messages go: standard output or a file, in which format,
 * how wide and whether in colours. Knows nothing of what they say.
 */
#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void cmd_error(const char *fmt, ...)
{
	char *text, *safe;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	/* it may quote names of files and functions */
	safe = pw_visible(text ? text : fmt);
	fflush(stdout);
	fprintf(stderr, "perf wasm: %s\n", safe);
	free(safe);
	free(text);
}

int cmd_fail(const struct pw_err *err)
{
	if (err->off == PW_NO_OFF)
		cmd_error("%s", err->msg);
	else
		cmd_error("%s (at byte 0x%" PRIx64 ")", err->msg, err->off);
	return CMD_FAILED;
}

int cmd_output_open(struct cmd_output *out, const struct cmd_opts *common)
{
	memset(out, 0, sizeof(*out));
	out->path = common->out_path;
	if (out->path && !strcmp(out->path, "-"))
		out->path = NULL;
	out->to = out->path ? open_memstream(&out->bytes, &out->size) : stdout;
	if (out->to)
		return CMD_DONE;
	cmd_error("cannot make room for the output: %s", strerror(errno));
	return CMD_FAILED;
}

int cmd_output_close(struct cmd_output *out)
{
	struct pw_err err = { .off = PW_NO_OFF };
	int ret = CMD_DONE;

	if (!out->path) {
		if (fflush(out->to) || ferror(out->to)) {
			cmd_error("cannot write to standard output: %s",
				  strerror(errno));
			ret = CMD_FAILED;
		}
		return ret;
	}
	fclose(out->to);
	if (pw_file_write(out->path, out->bytes, out->size, &err))
		ret = cmd_fail(&err);
	free(out->bytes);
	return ret;
}

void cmd_output_drop(struct cmd_output *out)
{
	if (!out->path)
		return;
	fclose(out->to);
	free(out->bytes);
}

/* Columns of the terminal; 0 where none is to be filled. */
static int width_of(const struct cmd_output *out)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (columns && atoi(columns) > 0)
		return atoi(columns);
	if (!out->path && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return size.ws_col;
	return 0;
}

static bool color_of(const struct cmd_output *out, enum cmd_color when)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return !out->path && isatty(STDOUT_FILENO) && !(no && *no) &&
	       !(term && !strcmp(term, "dumb"));
}

static int write_page(const struct pw_report *r, const struct cmd_opts *common)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct cmd_opts to = { .out_path = common->page_path };
	struct cmd_output out;

	if (cmd_output_open(&out, &to))
		return CMD_FAILED;
	if (pw_render_html(r, out.to, &err)) {
		cmd_output_drop(&out);
		return cmd_fail(&err);
	}
	return cmd_output_close(&out);
}

int cmd_report(const struct pw_report *r, const struct cmd_opts *common)
{
	struct cmd_output out;
	struct pw_render_opts opts;

	if (common->page_path && write_page(r, common))
		return CMD_FAILED;
	if (cmd_output_open(&out, common))
		return CMD_FAILED;
	opts.color = color_of(&out, common->color);
	opts.width = width_of(&out);
	/* what went wrong is told by cmd_output_close() */
	if (common->json)
		pw_render_json(r, out.to);
	else
		pw_render_text(r, &opts, out.to);
	return cmd_output_close(&out);
}
