// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tells of the code that ran: what the options name, what lies in a
 * directory of perf wasm record, what perf's command line names; from a pipe,
 * where no record tells of jitdumps, those of a process by their usual name.
 */
#include "dlfilter.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int dl_code_add_named(struct dl_filter *f, struct pw_err *err)
{
	const struct dl_options *o = &f->opts;
	int ret = 0;

	f->has_modules = o->wasms[0];
	for (size_t i = 0; ret >= 0 && o->wasms[i]; i++)
		ret = pw_space_add_module(f->space, o->wasms[i], err);
	for (size_t i = 0; ret >= 0 && o->artifacts[i]; i++)
		ret = pw_space_add_artifact(f->space, o->artifacts[i], -1, err);
	for (size_t i = 0; ret >= 0 && o->jitdumps[i]; i++)
		ret = pw_space_add_jitdump(f->space, o->jitdumps[i], 0, err);
	return ret < 0 ? ret : 0;
}

/* A directory of perf wasm record: its modules, and what they became. */
static void add_recorded(struct dl_filter *f)
{
	char *facts = pw_asprintf("%s/facts", f->dir);
	char *modules = pw_asprintf("%s/*.wasm", f->dir);
	glob_t found = { 0 };

	if (!access(facts, R_OK) && !glob(modules, 0, NULL, &found))
		f->has_modules = true;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int m = pw_space_add_module(f->space, found.gl_pathv[i], NULL);
		char *elf = pw_asprintf("%s.elf", found.gl_pathv[i]);

		if (m >= 0 && !access(elf, R_OK))
			pw_space_add_artifact(f->space, elf, m, NULL);
		free(elf);
	}
	globfree(&found);
	free(modules);
	free(facts);
}

/* Whether a file is there and begins as a module does. */
static bool is_module(const char *path)
{
	char magic[4] = { 0 };
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	if (fread(magic, 1, 4, file) != 4)
		magic[0] = 1;
	fclose(file);
	return !memcmp(magic, "\0asm", 4);
}

void dl_code_add_known(struct dl_filter *f)
{
	const struct pw_capture_facts *facts;

	if (!f->path)
		return;
	add_recorded(f);
	facts = pw_capture_facts(f->records);
	for (uint32_t i = 0; !f->has_modules && i < facts->n_argv; i++)
		if (is_module(facts->argv[i]))
			pw_space_add_module(f->space, facts->argv[i], NULL);
}

static void see(uint32_t **list, uint32_t *n, uint32_t pid)
{
	if (!(*n & (*n - 1)))
		*list = pw_realloc(*list, (*n ? 2 * *n : 1) * sizeof(**list));
	(*list)[(*n)++] = pid;
}

static bool seen(const uint32_t *list, uint32_t n, uint32_t pid)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == pid)
			return true;
	return false;
}

static bool add_dump(struct dl_filter *f, const char *dir, uint32_t pid)
{
	char *path = pw_asprintf("%s/jit-%u.dump", dir, pid);
	bool is_there = !access(path, R_OK);

	/* one that does not fit is the space's to remark on */
	if (is_there)
		is_there = !pw_space_add_jitdump(f->space, path, pid, NULL);
	free(path);
	return is_there;
}

void dl_code_look(struct dl_filter *f, uint32_t pid)
{
	if (seen(f->looked, f->n_looked, pid))
		return;
	see(&f->looked, &f->n_looked, pid);
	if (!f->opts.dir || !add_dump(f, f->opts.dir, pid))
		add_dump(f, ".", pid);
}
