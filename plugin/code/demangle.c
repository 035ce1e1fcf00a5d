// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of C++ and Rust symbols as their source has them, by libiberty, which
 * perf uses, too: without parameters, and of Rust without the hash. A short
 * name may stand for a text of any length, so that has a bound.
 */
#include <setjmp.h>
#include <string.h>

#include <libiberty/demangle.h>

#include <perfwasm/code.h>

#define TEXT_MAX (16u << 10)

struct text {
	struct pw_buf b;
	jmp_buf too_long;
};

/* There is no other way out of the library; it may leave a few bytes behind
 * that it decoded a Unicode name into. */
static void add(const char *s, size_t n, void *ctx)
{
	struct text *t = ctx;

	if (n > TEXT_MAX - t->b.len)
		longjmp(t->too_long, 1);
	pw_buf_add(&t->b, s, n);
}

static bool read_name(struct text *t, const char *name)
{
	if (setjmp(t->too_long))
		return false;
	if (rust_demangle_callback(name, DMGL_NO_OPTS, add, t))
		return true;
	t->b.len = 0;
	return cplus_demangle_v3_callback(name, DMGL_NO_OPTS, add, t);
}

char *pw_demangle(const char *name)
{
	struct text t = { 0 };
	char *s = NULL;

	if (strncmp(name, "_Z", 2) && strncmp(name, "_R", 2))
		return NULL;
	if (read_name(&t, name) && t.b.len)
		s = pw_strdup(pw_buf_str(&t.b));
	pw_buf_release(&t.b);
	return s;
}
