// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm mutate --write: writes mutants by their notation: one to a file,
 * or those of standard input into a directory, 000001.wasm on.
 */
#include "mutants.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_one(const struct pw_module *m, const char *notation,
		     const char *path, struct pw_err *err)
{
	struct pw_mutation mut;
	struct pw_buf b = { 0 };
	int ret;

	ret = pw_mutation_parse(m, notation, &mut, err);
	if (!ret)
		ret = pw_mutation_apply(m, &mut, &b, err);
	if (!ret && strcmp(path, "-"))
		ret = pw_file_write(path, b.data, b.len, err);
	else if (!ret &&
		 (fwrite(b.data, 1, b.len, stdout) != b.len || fflush(stdout)))
		ret = pw_err_set(err, errno,
				 "cannot write to standard output: %s",
				 strerror(errno));
	pw_buf_release(&b);
	return ret;
}

struct many {
	struct pw_node *files; /* the table of what was written */
	int path, notation;
	uint64_t n;
};

/* One line of standard input; empty lines and "# ..." are passed over. */
static int write_line(const struct pw_module *m, struct many *all, char *line,
		      const struct mutate_opts *o, struct pw_err *err)
{
	char *path;
	int ret;

	line[strcspn(line, "\r\n")] = 0;
	if (!*line || *line == '#')
		return 0;
	path = pw_asprintf("%s/%06llu.wasm", o->common.out_path,
			   (unsigned long long)++all->n);
	ret = write_one(m, line, path, err);
	if (!ret && !o->common.json && !o->common.quiet)
		printf("%s\t%s\n", path, line);
	if (!ret) {
		pw_row(all->files);
		pw_cell_str(all->files, all->path, path);
		pw_cell_str(all->files, all->notation, line);
	}
	free(path);
	return ret;
}

static int write_lines(const struct pw_module *m, struct many *all,
		       const struct mutate_opts *o, struct pw_err *err)
{
	unsigned long long line_no = 0;
	size_t cap = 0;
	char *line = NULL;
	int ret;

	ret = pw_mkdirs(o->common.out_path, err);
	while (!ret && getline(&line, &cap, stdin) >= 0) {
		line_no++;
		ret = write_line(m, all, line, o, err);
		if (ret)
			pw_err_prefix(err, "line %llu of standard input",
				      line_no);
	}
	free(line);
	return ret;
}

static int write_many(const struct pw_module *m, const struct mutate_opts *o)
{
	struct cmd_opts to_stdout = o->common;
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_report *r = pw_report_new("mutate", NULL);
	struct many all = { 0 };
	int ret;

	pw_fact_str(pw_report_root(r), "module", "Module", o->path);
	all.files = pw_table(pw_report_root(r), "files", NULL);
	all.path = pw_column(all.files, "path", "File", PW_UNIT_NONE, 0);
	all.notation =
		pw_column(all.files, "notation", "Mutant", PW_UNIT_NONE, 0);
	to_stdout.out_path = NULL;
	if (write_lines(m, &all, o, &err))
		ret = cmd_fail(&err);
	else
		ret = o->common.json ? cmd_report(r, &to_stdout) : CMD_DONE;
	pw_report_free(r);
	return ret;
}

int mutate_write(const struct pw_module *m, const struct mutate_opts *o)
{
	struct pw_err err = { .off = PW_NO_OFF };

	if (!strcmp(o->notation, "-"))
		return write_many(m, o);
	if (!strcmp(o->common.out_path, "-") && isatty(STDOUT_FILENO)) {
		cmd_error(
			"a module is not written to a terminal; redirect standard output or name a file with -o");
		return CMD_FAILED;
	}
	if (write_one(m, o->notation, o->common.out_path, &err))
		return cmd_fail(&err);
	return CMD_DONE;
}
