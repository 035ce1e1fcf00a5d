// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is a module. A refused one has a reason and an offset within it;
 * an accepted one is walked and printed whole, the walker agrees with the
 * fast check of bodies, and its splices decode.
 */
#include <stdlib.h>
#include <string.h>

#include <perfwasm/module.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_err(const struct pw_err *err, size_t size)
{
	if (err->code <= 0 || !err->msg[0] || err->off > size)
		abort();
}

static int walk_func(const struct pw_module *m, struct pw_walk *w, uint32_t f,
		     struct pw_err *err)
{
	uint64_t off = pw_module_func(m, f)->code_off;
	struct pw_buf text = { 0 };
	struct pw_insn insn;
	int r = pw_walk_start(w, f, err);

	while (!r && (r = pw_walk_next(w, &insn, err)) > 0) {
		if (insn.off != off || !insn.size ||
		    (insn.expr_off != PW_NO_OFF && insn.expr_off > off))
			abort();
		off += insn.size;
		pw_insn_print(m, &insn, &text);
		text.len = 0;
		r = 0;
	}
	pw_buf_release(&text);
	return r;
}

static int walk_all(const struct pw_module *m, struct pw_err *err)
{
	struct pw_walk *w = pw_walk_new(m);
	uint32_t n = pw_module_n(m, PW_EXT_FUNC), f;
	char name[64];
	int r = 0;

	for (f = pw_module_n_imported(m, PW_EXT_FUNC); !r && f < n; f++) {
		pw_module_func_name(m, f, name, sizeof(name));
		r = walk_func(m, w, f, err);
	}
	pw_walk_free(w);
	return r;
}

/* The spliced bytes decode and, when the original's bodies typed, type. */
static void check_splice(const struct pw_buf *out, bool typed)
{
	struct pw_err err = { 0 };
	struct pw_module *m = pw_module_decode(out->data, out->len, &err);

	if (!m || (typed && pw_module_check_bodies(m, &err)))
		abort();
	pw_module_free(m);
}

static void splice(const struct pw_module *m, bool typed)
{
	const uint8_t nops[3] = { 1, 1, 1 };
	uint32_t f = pw_module_n_imported(m, PW_EXT_FUNC);
	struct pw_buf out = { 0 };
	const struct pw_func *fn;

	if (pw_splice_exports(m, &out, NULL) == 0)
		check_splice(&out, typed);
	out.len = 0;
	fn = pw_module_func(m, f);
	if (fn &&
	    pw_splice_body(m, f, fn->code_off, 0, nops, 3, &out, NULL) == 0)
		check_splice(&out, typed);
	pw_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_err err = { 0 }, slow = { 0 };
	struct pw_module *m = pw_module_decode(data, size, &err);
	int r;

	if (!m) {
		check_err(&err, size);
		return 0;
	}
	r = pw_module_check_bodies(m, &err);
	if (r)
		check_err(&err, size);
	if (walk_all(m, &slow) != r || (r && slow.off != err.off))
		abort();
	splice(m, !r);
	pw_module_free(m);
	return 0;
}
