// SPDX-License-Identifier: GPL-2.0-only
/* A budget goes where the samples are, in a function of any size. */
#include "../../../../plugin/hunt/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define ADDS_MAX 4000

struct fixture {
	struct pw_buf bytes;
	struct pw_hunt_opts opts;
	struct hunt h;
	uint64_t off; /* of the one sample */
	double share;
};

static void add_section(struct pw_buf *out, uint8_t id, const void *bytes,
			size_t n)
{
	pw_buf_add_u8(out, id);
	pw_buf_add_uleb(out, n);
	pw_buf_add(out, bytes, n);
}

/* One function of an i32: so often "local 0 += 7", without a loop. */
static void add_code(struct pw_buf *out, uint32_t n_adds)
{
	static const uint8_t add[] = { 0x20, 0, 0x41, 7, 0x6a, 0x21, 0 };
	struct pw_buf body = { 0 }, all = { 0 };

	pw_buf_add_u8(&body, 0);
	for (uint32_t i = 0; i < n_adds; i++)
		pw_buf_add(&body, add, sizeof(add));
	pw_buf_add_u8(&body, 0x0b);
	pw_buf_add_u8(&all, 1);
	pw_buf_add_uleb(&all, body.len);
	pw_buf_add(&all, body.data, body.len);
	add_section(out, 10, all.data, all.len);
	pw_buf_release(&body);
	pw_buf_release(&all);
}

/* The candidates when all samples are at `at` of the module's bytes, which
 * are 7 for each addition. */
static void setup(struct fixture *f, uint32_t n_adds, double at)
{
	static const uint8_t types[] = { 1, 0x60, 1, 0x7f, 0 };
	static const uint8_t funcs[] = { 1, 0 };
	struct pw_err err = { 0 };

	*f = (struct fixture){ .share = 1 };
	pw_buf_add(&f->bytes, "\0asm\1\0\0\0", 8);
	add_section(&f->bytes, 1, types, sizeof(types));
	add_section(&f->bytes, 3, funcs, sizeof(funcs));
	add_code(&f->bytes, n_adds);
	f->h.module = pw_module_decode(f->bytes.data, f->bytes.len, &err);
	assert_non_null(f->h.module);
	f->off = (uint64_t)((double)f->bytes.len * at);
	f->opts.budget = 20;
	f->h.o = &f->opts;
	f->h.samples.wasm_off = &f->off;
	f->h.samples.share = &f->share;
	f->h.samples.n = 1;
	assert_int_equal(hunt_sites(&f->h, &err), 0);
	assert_true(f->h.n_candidates > f->opts.budget);
}

static void release(struct fixture *f)
{
	free(f->h.candidates);
	pw_module_free(f->h.module);
	pw_buf_release(&f->bytes);
}

static void the_end_of_a_large_function_comes_first_when_it_is_hot(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, ADDS_MAX, 0.9);
	for (size_t i = 0; i < 10; i++) {
		uint64_t at = f.h.candidates[i].mut.insn_off;

		assert_in_range(at, f.off - 20, f.off + 20);
	}
	release(&f);
}

static void a_small_function_is_looked_at_from_its_beginning(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, 20, 0.9);
	assert_true(f.h.candidates[0].mut.insn_off < f.bytes.len / 2);
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_end_of_a_large_function_comes_first_when_it_is_hot),
		cmocka_unit_test(
			a_small_function_is_looked_at_from_its_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
