// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instrumented and padded copies of programs that nobody of this project
 * wrote pass wasm-validate, with and without a mutation.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfwasm/count.h>

#define SIZE_MAX_BYTES (300 << 10)
#define N_MUTANTS      3

static char file[] = "/tmp/pw-count-XXXXXX";
static unsigned n_modules, n_counters;

/* What wasm-validate says of these bytes, "" when nothing. */
static const char *validate(const void *bytes, size_t size)
{
	static struct pw_buf said;
	const char *const argv[] = { "wasm-validate", "--enable-all", file,
				     NULL };
	int status;

	said.len = 0;
	assert_int_equal(pw_file_write(file, bytes, size, NULL), 0);
	assert_int_equal(pw_child_run(argv, UINT64_C(60000000000), NULL, &said,
				      300, &status, NULL),
			 0);
	return status ? pw_buf_str(&said) : "";
}

static void judge(const char *name, const struct pw_buf *out)
{
	const char *said = validate(out->data, out->len);

	if (*said)
		fail_msg("%s: %s", name, said);
}

struct some {
	struct pw_mutation mut[N_MUTANTS];
	uint64_t seen;
	struct pw_rng rng;
};

static int draw(void *ctx, const struct pw_mutation *mut)
{
	struct some *s = ctx;
	uint64_t at = s->seen++;

	if (at >= N_MUTANTS)
		at = pw_rng_below(&s->rng, at + 1);
	if (at < N_MUTANTS)
		s->mut[at] = *mut;
	return 0;
}

static void check_counters(const char *name, const struct pw_module *m)
{
	struct pw_err err = { 0 };
	struct pw_count_plan *c = pw_count_plan_new(m, NULL, &err);
	struct some s = { .seen = 0 };
	struct pw_buf out = { 0 };

	if (!c)
		fail_msg("%s: %s", name, err.msg);
	pw_rng_init(&s.rng, 1);
	assert_int_equal(pw_mutate_each(m, NULL, draw, &s, NULL), 0);
	assert_int_equal(pw_count_plan_apply(c, NULL, &out, NULL), 0);
	judge(name, &out);
	for (uint64_t i = 0; i < N_MUTANTS && i < s.seen; i++) {
		out.len = 0;
		assert_int_equal(pw_count_plan_apply(c, &s.mut[i], &out, NULL),
				 0);
		judge(name, &out);
	}
	n_counters += pw_count_plan_n(c);
	pw_buf_release(&out);
	pw_count_plan_free(c);
}

static void check_padding(const char *name, const struct pw_module *m)
{
	uint32_t first = pw_module_n_imported(m, PW_EXT_FUNC);
	uint32_t last = pw_module_n(m, PW_EXT_FUNC) - 1, moved;

	for (int own = 0; own < 2; own++) {
		struct pw_buf out = { 0 };
		struct pw_err err = { 0 };

		if (pw_splice_padding(m, own ? last : first, last, 3, &out,
				      &moved, &err))
			fail_msg("%s: %s", name, err.msg);
		judge(name, &out);
		assert_int_equal(moved, own || first == last ? last + 1 : last);
		pw_buf_release(&out);
	}
}

static int check_file(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	size_t len = strlen(path);
	struct pw_file f;
	struct pw_module *m;

	(void)at;
	if (type != FTW_F || len < 5 || strcmp(path + len - 5, ".wasm") ||
	    st->st_size > SIZE_MAX_BYTES)
		return 0;
	assert_int_equal(pw_file_open(&f, path, NULL), 0);
	m = pw_module_decode(f.data, f.size, NULL);
	/* one that it does not know is none for this test */
	if (m && !*validate(f.data, f.size) &&
	    pw_module_n(m, PW_EXT_FUNC) >
		    pw_module_n_imported(m, PW_EXT_FUNC)) {
		check_counters(path, m);
		check_padding(path, m);
		n_modules++;
	}
	pw_module_free(m);
	pw_file_close(&f);
	return 0;
}

static void copies_of_real_programs_validate(void **state)
{
	const char *dir = getenv("PERF_WASM_CORPUS");
	char *path =
		pw_asprintf("%s/wasm", dir && *dir ? dir : "../shared/corpus");
	char *tool = pw_find_program("wasm-validate");
	bool here = tool && !access(path, R_OK);

	(void)state;
	if (here) {
		close(mkstemp(file));
		nftw(path, check_file, 16, FTW_PHYS);
		unlink(file);
	} else {
		print_message("no wasm-validate, or no corpus at %s\n", path);
	}
	free(path);
	free(tool);
	if (!here)
		skip();
	print_message("%u modules, %u counters\n", n_modules, n_counters);
	assert_true(n_modules > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_of_real_programs_validate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
