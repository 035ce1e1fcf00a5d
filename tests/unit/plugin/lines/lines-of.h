/* SPDX-License-Identifier: GPL-2.0-only */
/* A module and its lines, for tests. */
#ifndef TESTS_LINES_OF_H
#define TESTS_LINES_OF_H

#include <perfwasm/lines.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct lined {
	struct pw_file file;
	struct pw_module *m;
	struct pw_lines *l;
};

static inline void lined_open_module(struct lined *t, const char *path)
{
	struct pw_err err = { .msg = "" };

	memset(t, 0, sizeof(*t));
	if (pw_file_open(&t->file, path, &err))
		fail_msg("%s", err.msg);
	t->m = pw_module_decode(t->file.data, t->file.size, &err);
	if (!t->m)
		fail_msg("%s", err.msg);
}

static inline void lined_open(struct lined *t, const char *path)
{
	struct pw_lines_opts opts = { .module_path = path };
	struct pw_err err = { .msg = "" };

	lined_open_module(t, path);
	t->l = pw_lines_open(t->m, &opts, &err);
	if (!t->l)
		fail_msg("%s", err.msg);
}

static inline void lined_close(struct lined *t)
{
	pw_lines_close(t->l);
	pw_module_free(t->m);
	pw_file_close(&t->file);
}

/* The n-th instruction `op` of the function exported as `name`. */
static inline uint64_t lined_off(const struct lined *t, const char *name,
				 enum pw_op op, int n)
{
	const struct pw_export *e = pw_module_export_find(t->m, name);
	struct pw_walk *w = pw_walk_new(t->m);
	struct pw_insn insn;
	uint64_t off = PW_NO_OFF;

	assert_non_null(e);
	assert_int_equal(pw_walk_start(w, e->idx, NULL), 0);
	while (off == PW_NO_OFF && pw_walk_next(w, &insn, NULL) > 0)
		if (insn.op == op && !n--)
			off = insn.off;
	pw_walk_free(w);
	assert_int_not_equal(off, PW_NO_OFF);
	return off;
}

#endif
