// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flag that makes a runtime write down its machine code, for commands
 * that launchers.def knows. Looks at the words of the command only, and says
 * what it adds.
 */
#include "record.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum where { ARG, ENV };

struct launcher {
	const char *program, *verbs;
	enum where where;
	const char *flag, *told;
};

static const struct launcher launchers[] = {
#define PW_LAUNCHER(program, verbs, where, flag, told) \
	{ program, verbs, where, flag, told },
#include "launchers.def"
#undef PW_LAUNCHER
};

enum { N_LAUNCHERS = sizeof(launchers) / sizeof(*launchers) };

static bool is_program(const char *word, const char *program)
{
	const char *slash = strrchr(word, '/');
	size_t n = strlen(program);

	word = slash ? slash + 1 : word;
	if (strncmp(word, program, n))
		return false;
	return !word[n + strspn(word + n, "0123456789.-_v@")];
}

static bool is_one_of(const char *word, const char *verbs)
{
	size_t n = strlen(word);

	for (const char *p = verbs; *p;) {
		size_t len = strcspn(p, "|");

		if (n == len && !strncmp(p, word, n))
			return true;
		p += len + (p[len] == '|');
	}
	return false;
}

/*
 * Where a flag goes: behind the program or behind its verb. 0: nowhere, the
 * word is a verb that runs nothing. Later words may be the guest's.
 */
static size_t place_of(const struct launcher *l, const struct cmd_words *argv)
{
	const char *word = argv->n > 1 ? argv->v[1] : "";

	if (*word && is_one_of(word, l->verbs))
		return 2;
	if (*l->verbs && isalpha((unsigned char)*word) && !strpbrk(word, "./"))
		return 0;
	return 1;
}

/* What comes behind it is the guest's. */
static bool is_guest(const char *word)
{
	static const char *const ends[] = { ".wasm", ".cwasm", ".wat", ".aot",
					    ".js",   ".mjs",   ".cjs", ".ts" };
	size_t n = strlen(word);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t len = strlen(ends[i]);

		if (n > len && !strcmp(word + n - len, ends[i]))
			return true;
	}
	return false;
}

static bool is_told(const struct launcher *l, char *const *command)
{
	const char *value;
	char *name;

	for (; *command && !is_guest(*command); command++)
		if (strstr(*command, l->told))
			return true;
	if (l->where != ENV)
		return false;
	name = pw_strndup(l->flag, strcspn(l->flag, "="));
	value = getenv(name);
	free(name);
	return value;
}

static const char *fill_in(const struct record *r, const char *flag)
{
	const char *brace = strstr(flag, "{dir}");

	if (!brace)
		return pw_strdup(flag);
	return pw_asprintf("%.*s%s", (int)(brace - flag), flag, r->abs_dir);
}

/* Adds one flag; false when it has no place. */
static bool add(struct record *r, const struct launcher *l, size_t *at,
		struct pw_buf *said)
{
	const char *flag;

	if (!*at)
		*at = place_of(l, &r->argv);
	if (!*at)
		return false;
	flag = fill_in(r, l->flag);
	if (l->where == ENV) {
		cmd_words_add(&r->setenv, flag);
	} else {
		cmd_words_insert(&r->argv, (*at)++, flag);
		cmd_words_add(&r->owned, flag);
	}
	pw_buf_printf(said, " %s", flag);
	record_fact(r, "flag", flag);
	return true;
}

void record_add_jit_flag(struct record *r, bool is_wanted)
{
	bool is_known = false, is_placed = true;
	struct pw_buf said = { 0 };
	size_t at = 0;

	for (char **word = r->command; *word; word++)
		cmd_words_add(&r->argv, *word);
	if (!is_wanted || r->no_jit_flag || !r->argv.n)
		return;
	for (size_t i = 0; i < N_LAUNCHERS; i++) {
		const struct launcher *l = &launchers[i];

		if (!is_program(r->command[0], l->program))
			continue;
		is_known = true;
		if (!is_told(l, r->command))
			is_placed &= add(r, l, &at, &said);
	}
	if (said.len)
		record_note(r, "added for the machine code of %s:%s",
			    r->command[0], pw_buf_str(&said));
	else if (!is_known)
		record_note(
			r,
			"no jitdump flag is known for '%s': it is recorded as it is",
			r->command[0]);
	else if (!is_placed)
		record_note(
			r,
			"'%s %s' runs no module that we know of: it is recorded as it is",
			r->command[0], r->command[1]);
	pw_buf_release(&said);
}
