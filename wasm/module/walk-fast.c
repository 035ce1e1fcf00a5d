// SPDX-License-Identifier: GPL-2.0-only
/*
 * Validates whole bodies at memory speed. A short cut only: each handler
 * accepts what it is sure of and leaves all else, every fault included, to
 * walk_step() on the same state. When anything failed, the body is walked
 * again from its start by walk_step() alone, which finds the exact fault.
 *
 * What makes it fast: one table look-up an instruction, types compared as
 * numbers, no allocation (the stack has room for a value per byte left), and
 * no check for the end of the bytes but one an instruction: it stops SLACK
 * bytes before the end of the module.
 */
#include "fast-insn.h"

#define SLACK 40 /* more than any handler reads ahead */

/* From here to the end of the bytes every value can be pushed unchecked. */
static int make_room(struct pw_walk *w)
{
	size_t left = w->c.end - w->c.p;

	return walk_reserve(w, left + 1);
}

/* Puts the state where walk_step() looks for it, and back. */
static int slow_insn(struct fast *f, struct pw_walk *w)
{
	int rc;

	w->c.p = f->p;
	w->sp = f->sp - w->types;
	rc = walk_step(w) ?: make_room(w);
	f->p = w->c.p;
	f->sp = w->types + w->sp;
	return rc;
}

INLINE const struct fast_op *fetch(struct fast *f, const struct fast_tables *t)
{
	const struct fast_op *op = &t->byte[*f->p++];
	uint32_t code;

	if (op->class != FAST_PREFIX_FD)
		return op;
	code = *f->p++;
	if (code >= 0x80)
		code = (code & 0x7f) | (uint32_t)*f->p++ << 7;
	return code < 0x120 ? &t->fd[code] : op;
}

/* Up to `safe`; the rest is walk_step()'s. */
static int fast_part(struct pw_walk *w, const struct fast_tables *t,
		     const uint8_t *safe)
{
	struct fast f = { .p = w->c.p, .sp = w->types + w->sp };
	struct fast copy;
	int rc;

	set_floor(&f, w);
	while (f.p < safe) {
		const uint8_t *start = f.p;

		if (__builtin_expect(fast_insn(&f, w, fetch(&f, t), safe), 1))
			continue;
		copy = f;
		copy.p = start;
		rc = slow_insn(&copy, w);
		if (rc < 0 || w->over)
			return rc;
		f = copy;
		set_floor(&f, w);
	}
	if (f.p > w->c.end)
		return -EINVAL;
	w->c.p = f.p;
	w->sp = f.sp - w->types;
	return 0;
}

static int fast_body(struct pw_walk *w, const struct fast_tables *t)
{
	const uint8_t *safe = w->c.end;
	size_t after = w->m->bytes + w->m->size - safe;
	int rc = make_room(w);

	if (after < SLACK) {
		size_t cut = SLACK - after;

		if (cut > (size_t)(safe - w->c.p))
			cut = safe - w->c.p;
		safe -= cut;
	}
	if (rc == 0)
		rc = fast_part(w, t, safe);
	while (rc == 0 && !w->over)
		rc = walk_step(w);
	return rc;
}

/* --- whole modules --- */

static int check_body(struct pw_walk *w, const struct fast_tables *t,
		      uint32_t func_idx, struct pw_err *err)
{
	int rc = walk_start_body(w, func_idx, NULL);

	if (rc == 0)
		rc = fast_body(w, t);
	if (rc == 0)
		return 0;
	rc = walk_start_body(w, func_idx, err);
	while (rc == 0 && !w->over)
		rc = walk_step(w);
	if (rc < 0 && err)
		rc = -err->code;
	return rc;
}

int pw_module_check_bodies(const struct pw_module *m, struct pw_err *err)
{
	struct fast_tables tables;
	struct pw_insn insn;
	struct pw_walk w;
	int rc = 0;

	make_fast_tables(&tables, m);
	walk_init(&w, m);
	w.in = &insn;
	for (uint32_t i = m->n_imported[PW_EXT_FUNC];
	     i < m->n[PW_EXT_FUNC] && rc == 0; i++) {
		rc = check_body(&w, &tables, i, err);
		if (rc < 0)
			pw_err_prefix(err, "function %u", i);
	}
	walk_release(&w);
	return rc;
}
