/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * explained: a function of a recorded image of tests/data/explain, and what
 * the explanations say of it. Images are "NAME:FUNCTION", FUNCTION a wasm
 * index or a symbol.
 */
#ifndef EXPLAINED_H
#define EXPLAINED_H

#include <perfwasm/explain.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct recorded {
	struct pw_file file;
	struct pw_code *code;
	struct pw_minsn *insns;
	uint32_t n;
};

static inline const struct pw_code_func *func_named(const struct pw_code *c,
						    const char *name)
{
	for (uint32_t i = 0; i < pw_code_n_funcs(c); i++)
		if (!strcmp(pw_code_func(c, i)->name, name))
			return pw_code_func(c, i);
	return pw_code_func_find(c, (uint32_t)atoi(name));
}

static inline void recorded_open(struct recorded *r, const char *image)
{
	const char *colon = strchr(image, ':');
	char *path = pw_asprintf("tests/data/explain/%.*s",
				 (int)(colon - image), image);
	const struct pw_code_func *f;

	memset(r, 0, sizeof(*r));
	assert_int_equal(pw_file_open(&r->file, path, NULL), 0);
	r->code = pw_code_open(r->file.data, r->file.size, 0, NULL);
	assert_non_null(r->code);
	f = func_named(r->code, colon + 1);
	assert_non_null(f);
	assert_int_equal(pw_code_disasm(r->code, f, &r->insns, &r->n, NULL), 0);
	free(path);
}

static inline void recorded_close(struct recorded *r)
{
	free(r->insns);
	pw_code_close(r->code);
	pw_file_close(&r->file);
}

static inline struct pw_explain_side side_of(const struct recorded *r)
{
	return (struct pw_explain_side){ r->code, r->insns, r->n, NULL };
}

/* The first instruction with an opcode; it must be there. */
static inline uint32_t insn_named(const struct recorded *r, const char *opcode)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (!strcmp(r->insns[i].opcode, opcode))
			return i;
	fail_msg("no %s", opcode);
	return 0;
}

static inline const struct pw_explanation *
explanation(const struct pw_explanation *list, uint32_t n, enum pw_pattern p)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].pattern == p)
			return &list[i];
	return NULL;
}

/* Whether any evidence holds the words. */
static inline bool says(const struct pw_explanation *x, const char *words)
{
	for (uint32_t i = 0; x && i < x->n_evidence; i++)
		if (strstr(x->evidence[i], words))
			return true;
	return false;
}

#endif
