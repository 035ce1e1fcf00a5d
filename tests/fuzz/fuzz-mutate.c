// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is a module. Where its bodies validate, mutants spread over all
 * its mutations must validate too, differ from it, and be found again by
 * their line.
 */
#include <stdlib.h>
#include <string.h>

#include <perfwasm/mutate.h>

enum { N_COUNTED = 20000, N_APPLIED = 48, N_PARSED = 4 };

struct ctx {
	const struct pw_module *m;
	const uint8_t *data;
	size_t size;
	unsigned n, stride;
	struct pw_buf mutant, line;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool true_, struct ctx *c, const struct pw_mutation *mut,
		    const char *what, const struct pw_err *err)
{
	if (true_)
		return;
	c->line.len = 0;
	pw_mutation_print(c->m, mut, &c->line);
	fprintf(stderr, "%s: %s: %s\n", pw_buf_str(&c->line), what, err->msg);
	abort();
}

static int count(void *ctx, const struct pw_mutation *mut)
{
	struct ctx *c = ctx;

	(void)mut;
	return ++c->n == N_COUNTED;
}

static void check_line(struct ctx *c, const struct pw_mutation *mut)
{
	struct pw_mutation again;
	struct pw_err err = { .msg = "" };

	c->line.len = 0;
	pw_mutation_print(c->m, mut, &c->line);
	require(!pw_mutation_parse(c->m, pw_buf_str(&c->line), &again, &err) &&
			again.off == mut->off &&
			again.old_size == mut->old_size &&
			again.new_size == mut->new_size &&
			!memcmp(again.new_bytes, mut->new_bytes, mut->new_size),
		c, mut, "its line is not found again", &err);
}

static int check(void *ctx, const struct pw_mutation *mut)
{
	struct ctx *c = ctx;
	struct pw_err err = { .msg = "" };
	struct pw_module *m;

	if (c->n++ % c->stride)
		return c->n == N_COUNTED;
	c->mutant.len = 0;
	require(!pw_mutation_apply(c->m, mut, &c->mutant, &err), c, mut,
		"not applied", &err);
	require(c->mutant.len != c->size ||
			memcmp(c->mutant.data, c->data, c->size),
		c, mut, "no change", &err);
	m = pw_module_decode(c->mutant.data, c->mutant.len, &err);
	require(m && !pw_module_check_bodies(m, &err), c, mut,
		"does not validate", &err);
	pw_module_free(m);
	if (c->n / c->stride < N_PARSED)
		check_line(c, mut);
	return c->n == N_COUNTED;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_module *m = pw_module_decode(data, size, NULL);
	struct ctx c = { .m = m, .data = data, .size = size };
	int rc;

	if (!m)
		return 0;
	rc = pw_mutate_each(m, NULL, count, &c, NULL);
	if (!pw_module_check_bodies(m, NULL)) {
		if (rc < 0)
			abort();
		c.stride = c.n / N_APPLIED + 1;
		c.n = 0;
		pw_mutate_each(m, NULL, check, &c, NULL);
	}
	pw_buf_release(&c.mutant);
	pw_buf_release(&c.line);
	pw_module_free(m);
	return 0;
}
