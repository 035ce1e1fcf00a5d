// SPDX-License-Identifier: GPL-2.0-only
/* Lines of modules that compilers made: those in tests/data/lines, and one
 * that clang and wasm-ld make here, skipped where they are missing. */
#include "lines-of.h"

#include <errno.h>
#include <unistd.h>

#define C_MODULE    "tests/data/lines/hot-c.wasm"
#define RUST_MODULE "tests/data/lines/hot-rust.wasm"

static void assert_frame(const struct pw_line_frame *f, const char *file,
			 uint32_t line, const char *function)
{
	assert_non_null(f->file);
	assert_non_null(strstr(f->file, file));
	assert_int_equal(f->line, line);
	assert_non_null(f->function);
	assert_string_equal(f->function, function);
}

/* Every division, multiplication and the addition to the sum. */
static void assert_hot(struct lined *t, const char *file, uint32_t square_line,
		       uint32_t call_line)
{
	struct pw_line_at at;

	for (int i = 0; i < 2; i++) {
		assert_true(pw_lines_find(t->l,
					  lined_off(t, "sum", PW_OP_f64_div, i),
					  &at));
		assert_int_equal(at.n_frames, 2);
		assert_frame(&at.frames[0], file, square_line, "square");
		assert_frame(&at.frames[1], file, call_line, "sum");
		assert_true(at.frames[0].column > 1);
	}
	/* (x + 1.0), (x - 1.0), (x * x + 2.0), then s += */
	assert_true(pw_lines_find(t->l, lined_off(t, "sum", PW_OP_f64_add, 3),
				  &at));
	assert_int_equal(at.n_frames, 1);
	assert_frame(&at.frames[0], file, call_line, "sum");
}

static void the_loop_of_a_c_module_has_the_lines_of_its_source(void **state)
{
	struct lined t;

	(void)state;
	lined_open(&t, C_MODULE);
	assert_string_equal(pw_lines_kind(t.l), "DWARF");
	assert_hot(&t, "/src/hot.c", 11, 20);
	assert_null(pw_lines_fault(t.l));
	lined_close(&t);
}

static void the_loop_of_a_rust_module_has_the_lines_of_its_source(void **state)
{
	struct lined t;

	(void)state;
	lined_open(&t, RUST_MODULE);
	assert_hot(&t, "/src/hot.rs", 19, 10);
	lined_close(&t);
}

static void functions_are_told_apart(void **state)
{
	struct lined t;
	struct pw_line_at at;

	(void)state;
	lined_open(&t, C_MODULE);
	assert_true(pw_lines_find(t.l,
				  lined_off(&t, "untouched", PW_OP_i32_add, 0),
				  &at));
	assert_int_equal(at.n_frames, 1);
	assert_frame(&at.frames[0], "hot.c", 6, "untouched");
	lined_close(&t);
}

/* The loop's counter is kept in line 0 by clang. */
static void code_of_no_line_has_the_nearest_one_before(void **state)
{
	struct lined t;
	struct pw_line_at at;
	unsigned n_near = 0;

	(void)state;
	lined_open(&t, C_MODULE);
	for (uint64_t off = lined_off(&t, "sum", PW_OP_loop, 0);
	     off < lined_off(&t, "sum", PW_OP_f64_div, 0); off++) {
		if (!pw_lines_find(t.l, off, &at) || !at.near)
			continue;
		n_near++;
		assert_true(at.frames[0].line > 0);
	}
	assert_true(n_near > 0);
	lined_close(&t);
}

static void what_is_no_code_has_no_line(void **state)
{
	struct lined t;
	struct pw_line_at at;
	const struct pw_func *f;

	(void)state;
	lined_open(&t, C_MODULE);
	f = pw_module_func(t.m, 0);
	assert_false(pw_lines_find(t.l, 0, &at));
	assert_false(pw_lines_find(t.l, f->size_off - 1, &at));
	assert_false(pw_lines_find(t.l, t.file.size - 1, &at));
	assert_false(pw_lines_find(t.l, t.file.size + 1000, &at));
	assert_false(pw_lines_find(t.l, PW_NO_OFF, &at));
	lined_close(&t);
}

static void a_module_without_lines_says_what_to_do(void **state)
{
	struct pw_err err = { .msg = "" };
	struct lined t;

	(void)state;
	lined_open_module(&t, "tests/data/modules/control.wasm");
	assert_null(pw_lines_open(t.m, NULL, &err));
	assert_int_equal(err.code, ENOENT);
	assert_non_null(strstr(err.msg, "-g"));
	lined_close(&t);
}

/* The module without its custom sections. */
static void strip(const struct lined *t, struct pw_buf *out)
{
	pw_buf_add(out, t->file.data, 8);
	for (uint32_t i = 0; i < pw_module_n_sections(t->m); i++) {
		const struct pw_section *s = pw_module_section(t->m, i);

		if (s->id)
			pw_buf_add(out, t->file.data + s->off,
				   s->data_off + s->size - s->off);
	}
}

static void dwarf_may_lie_in_another_module(void **state)
{
	struct pw_lines_opts opts = { 0 };
	struct pw_buf bare = { 0 };
	struct pw_line_at at;
	struct lined t;
	struct pw_module *m;
	struct pw_lines *l;

	(void)state;
	lined_open(&t, C_MODULE);
	strip(&t, &bare);
	m = pw_module_decode(bare.data, bare.len, NULL);
	assert_non_null(m);
	assert_null(pw_lines_open(m, &opts, NULL));
	opts.debug_module = t.m;
	l = pw_lines_open(m, &opts, NULL);
	assert_non_null(l);
	/* what was cut stands behind the code: offsets are the same */
	assert_true(
		pw_lines_find(l, lined_off(&t, "sum", PW_OP_f64_div, 0), &at));
	assert_frame(&at.frames[0], "hot.c", 11, "square");
	pw_lines_close(l);
	pw_module_free(m);
	pw_buf_release(&bare);
	lined_close(&t);
}

static bool run(const char *const *argv)
{
	int status = 1;
	char *path = pw_find_program(argv[0]);

	if (!path) {
		print_message("%s is not installed\n", argv[0]);
		return false;
	}
	free(path);
	return !pw_child_run(argv, UINT64_MAX, NULL, NULL, 0, &status, NULL) &&
	       !status;
}

static void a_module_that_clang_makes_now_has_its_lines(void **state)
{
	char dir[] = "/tmp/pw-lines-XXXXXX";
	char *o, *wasm;
	struct lined t;
	bool ok;

	(void)state;
	assert_non_null(mkdtemp(dir));
	o = pw_asprintf("%s/hot.o", dir);
	wasm = pw_asprintf("%s/hot.wasm", dir);
	ok = run((const char *[]){ "clang", "--target=wasm32", "-g", "-O2",
				   "-c", "tests/data/lines/hot.c", "-o", o,
				   NULL }) &&
	     run((const char *[]){ "wasm-ld", "--no-entry", o, "-o", wasm,
				   NULL });
	if (ok) {
		lined_open(&t, wasm);
		assert_hot(&t, "tests/data/lines/hot.c", 11, 20);
		lined_close(&t);
	}
	pw_remove_tree(dir, NULL);
	free(o);
	free(wasm);
	if (!ok) {
		print_message("clang and wasm-ld make no module here\n");
		skip();
	}
}

/* Bent DWARF may give any answer, but an answer. */
static void bent_bytes_are_survived(void **state)
{
	struct pw_rng rng;
	struct lined t;
	uint8_t *copy;

	(void)state;
	lined_open_module(&t, RUST_MODULE);
	copy = malloc(t.file.size);
	pw_rng_init(&rng, 5);
	for (int round = 0; round < 400; round++) {
		struct pw_module *m;
		struct pw_lines *l;
		struct pw_line_at at;

		memcpy(copy, t.file.data, t.file.size);
		for (int i = 0; i < 6; i++)
			copy[400 + pw_rng_below(&rng, t.file.size - 400)] =
				(uint8_t)pw_rng_u64(&rng);
		m = pw_module_decode(copy, t.file.size, NULL);
		l = m ? pw_lines_open(m, NULL, NULL) : NULL;
		for (uint64_t off = 0; l && off < t.file.size; off += 3)
			pw_lines_find(l, off, &at);
		pw_lines_close(l);
		pw_module_free(m);
	}
	free(copy);
	lined_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_loop_of_a_c_module_has_the_lines_of_its_source),
		cmocka_unit_test(
			the_loop_of_a_rust_module_has_the_lines_of_its_source),
		cmocka_unit_test(functions_are_told_apart),
		cmocka_unit_test(code_of_no_line_has_the_nearest_one_before),
		cmocka_unit_test(what_is_no_code_has_no_line),
		cmocka_unit_test(a_module_without_lines_says_what_to_do),
		cmocka_unit_test(dwarf_may_lie_in_another_module),
		cmocka_unit_test(a_module_that_clang_makes_now_has_its_lines),
		cmocka_unit_test(bent_bytes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
