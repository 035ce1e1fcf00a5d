// SPDX-License-Identifier: GPL-2.0-only
/* Lines of perf maps as runtimes write them, and as they should not. */
#include <perfwasm/jit.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void assert_line(const char *text, uint64_t addr, uint64_t size,
			const char *name)
{
	struct pw_perfmap_line l;
	struct pw_perfmap m;

	pw_perfmap_open_bytes(&m, text, strlen(text));
	assert_true(pw_perfmap_next(&m, &l));
	assert_true(l.addr == addr);
	assert_true(l.size_bytes == size);
	assert_int_equal(l.name_len, strlen(name));
	assert_memory_equal(l.name, name, l.name_len);
	assert_false(pw_perfmap_next(&m, &l));
	assert_int_equal(m.n_lines, 1);
	assert_int_equal(m.malformed, 0);
}

static void every_way_to_write_a_line_is_read(void **state)
{
	(void)state;
	assert_line("7f00 1c f\n", 0x7f00, 0x1c, "f");
	assert_line("0x7f00 1C wasm[0]::function[1]\n", 0x7f00, 0x1c,
		    "wasm[0]::function[1]");
	assert_line("0X7F00 0x1c f", 0x7f00, 0x1c, "f");
	assert_line("7f00 1c  [a.wasm]#aot_func#3\n", 0x7f00, 0x1c,
		    "[a.wasm]#aot_func#3");
	assert_line("  7f00\t1c\tf g  h \r\n", 0x7f00, 0x1c, "f g  h");
	assert_line("ffffffffffffffff 0 f\n", UINT64_MAX, 0, "f");
	assert_line("\n \n00000000000000000001 2 f\n\n", 1, 2, "f");
	assert_line("1 2 \xff\xfe\x01\n", 1, 2, "\xff\xfe\x01");
}

static void what_is_no_line_is_counted(void **state)
{
	static const char text[] = "1 2 good\n"
				   "nonsense\n"
				   "1\n"
				   "1 2\n"
				   "1 2   \n"
				   "10000000000000000 2 too large\n"
				   "1 0x name\n"
				   "0x 1 name\n"
				   "1,2 3 name\n"
				   "-1 2 name\n"
				   "1 2g name\n"
				   "2 3 good\n";
	struct pw_perfmap_line l;
	struct pw_perfmap m;
	int n = 0;

	(void)state;
	pw_perfmap_open_bytes(&m, text, strlen(text));
	while (pw_perfmap_next(&m, &l)) {
		assert_memory_equal(l.name, "good", 4);
		n++;
	}
	assert_int_equal(n, 2);
	assert_int_equal(m.n_lines, 12);
	assert_int_equal(m.malformed, 10);
	assert_int_equal(m.first_fault.off, 9);
}

static void a_name_may_be_long(void **state)
{
	struct pw_perfmap_line l;
	struct pw_buf b = { 0 };
	struct pw_perfmap m;
	int i;

	(void)state;
	pw_buf_printf(&b, "1 2 ");
	for (i = 0; i < 100000; i++)
		pw_buf_add_u8(&b, 'n');
	pw_buf_printf(&b, "\n3 4 g");
	pw_perfmap_open_bytes(&m, b.data, b.len);
	assert_true(pw_perfmap_next(&m, &l));
	assert_int_equal(l.name_len, 100000);
	assert_true(pw_perfmap_next(&m, &l));
	assert_int_equal(l.addr, 3);
	pw_buf_release(&b);
}

static void a_map_may_be_cut_anywhere(void **state)
{
	static const char text[] = "0x10 0x20 first\n30 40 second\n";
	size_t n;

	(void)state;
	for (n = 0; n <= strlen(text); n++) {
		char *exact = malloc(n + 1);
		struct pw_perfmap_line l;
		struct pw_perfmap m;
		uint64_t lines = 0;

		memcpy(exact, text, n);
		exact = realloc(exact, n ? n : 1);
		pw_perfmap_open_bytes(&m, exact, n);
		while (pw_perfmap_next(&m, &l))
			lines++;
		assert_int_equal(lines + m.malformed, m.n_lines);
		free(exact);
	}
}

static void a_file_is_read(void **state)
{
	struct pw_perfmap_line l;
	struct pw_err err = { 0 };
	struct pw_perfmap m;

	(void)state;
	assert_int_equal(pw_perfmap_open(&m, "/nowhere/perf-1.map", &err),
			 -ENOENT);
	pw_perfmap_close(&m);
	assert_int_equal(pw_perfmap_open(&m, "/dev/null", &err), 0);
	assert_false(pw_perfmap_next(&m, &l));
	pw_perfmap_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_to_write_a_line_is_read),
		cmocka_unit_test(what_is_no_line_is_counted),
		cmocka_unit_test(a_name_may_be_long),
		cmocka_unit_test(a_map_may_be_cut_anywhere),
		cmocka_unit_test(a_file_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
