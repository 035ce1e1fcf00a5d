// SPDX-License-Identifier: GPL-2.0-only
/* The text renderer's listings at several widths; all of it compared. */
#include "rendered.h"

#include <locale.h>
#include <string.h>

static struct pw_report *a_hunted_loop(void)
{
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *l = pw_listing(pw_report_root(r), "code", "Code",
				       "slow", "fast: mutant");
	const struct pw_line gap = { .text = "12 lines" };
	const struct pw_line add = { "0x1f0", "addl $1, %ecx", "@0x1c i32.add",
				     0.01 };
	const struct pw_line cvt = { "0x1f4", "vcvtsi2sdl %ecx, %xmm4, %xmm4",
				     "@0x1e f64.convert_i32_s", 0.931 };
	const struct pw_line mov = { NULL, "movq 8(%rdi), %rax", NULL, -1 };
	const struct pw_line copy = { "0x1f4", "vmovaps %xmm1, %xmm4",
				      "@0x20 local.get 2", 0.2 };

	pw_listing_add(l, PW_MARK_GAP, &gap, NULL);
	pw_listing_add(l, PW_MARK_SAME, &add, &add);
	pw_listing_add(l, PW_MARK_GUILTY, &cvt, NULL);
	pw_listing_add(l, PW_MARK_LEFT, &mov, NULL);
	pw_listing_add(l, PW_MARK_RIGHT, NULL, &copy);
	return r;
}

static void two_codes_stand_side_by_side(void **state)
{
	(void)state;
	expect(as_text(a_hunted_loop(), 0, false),
	       "Code\n"
	       "  slow                                       | fast: mutant\n"
	       "  ... 12 lines\n"
	       "    1.0% 0x1f0 addl $1, %ecx                 |   1.0% 0x1f0 addl $1, %ecx         @0x1c i32.add\n"
	       ">  93.1% 0x1f4 vcvtsi2sdl %ecx, %xmm4, %xmm4 |                                    @0x1e f64.convert_i32_s\n"
	       "-              movq 8(%rdi), %rax            |\n"
	       "+                                            |  20.0% 0x1f4 vmovaps %xmm1, %xmm4  @0x20 local.get 2\n");
}

static void at_eighty_columns_it_is_a_unified_diff(void **state)
{
	(void)state;
	expect(as_text(a_hunted_loop(), 80, false),
	       "Code\n"
	       "- slow\n"
	       "+ fast: mutant\n"
	       "  ... 12 lines\n"
	       "    1.0% 0x1f0 addl $1, %ecx                  @0x1c i32.add\n"
	       ">  93.1% 0x1f4 vcvtsi2sdl %ecx, %xmm4, %xmm4  @0x1e f64.convert_i32_s\n"
	       "-              movq 8(%rdi), %rax\n"
	       "+  20.0% 0x1f4 vmovaps %xmm1, %xmm4           @0x20 local.get 2\n");
}

static struct pw_report *long_lines(const char *note)
{
	const struct pw_line a = { NULL,
				   "0123456789012345678901234567890123456789",
				   note, -1 };
	const struct pw_line b = { NULL,
				   "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop",
				   NULL, -1 };
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *l;

	l = pw_listing(pw_report_root(r), "code", NULL, "a", "b");
	pw_listing_add(l, PW_MARK_SAME, &a, &b);
	return r;
}

static void long_lines_are_cut_and_say_so(void **state)
{
	(void)state;
	expect(as_text(long_lines("@0x1e f64.convert_i32_s and more"), 100,
		       false),
	       "  a                                  | b\n"
	       "  01234567890123456789012345678901.. | abcdefghijklmnopqrstuvwxyzabcdef..  @0x1e f64.convert_i32_..\n");
	expect(as_text(long_lines(NULL), 40, false),
	       "  a\n"
	       "+ b\n"
	       "+ abcdefghijklmnopqrstuvwxyzabcdefghij..\n"
	       "  012345678901234567890123456789012345..\n");
}

static void sixty_columns_are_too_few_for_two_codes(void **state)
{
	(void)state;
	expect(as_text(long_lines(NULL), 61, false),
	       "  a                            | b\n"
	       "  01234567890123456789012345.. | abcdefghijklmnopqrstuvwxyz..\n");
	expect(as_text(long_lines(NULL), 60, false),
	       "  a\n"
	       "+ b\n"
	       "+ abcdefghijklmnopqrstuvwxyzabcdefghijklmnop\n"
	       "  0123456789012345678901234567890123456789\n");
}

/* As annotate's: machine code on the left, what it came from on the right. */
static void source_stands_above_its_code_where_columns_are_few(void **state)
{
	const struct pw_line push = { "0x0", "push %rbp", NULL, 0 };
	const struct pw_line add = { "0x4", "vaddsd 0x86(%rip), %xmm7, %xmm7",
				     NULL, 0.5 };
	const struct pw_line mul = { "0xc", "vmulsd 0x89(%rip), %xmm4, %xmm4",
				     NULL, 0.5 };
	const struct pw_line wasm = { "0x5c", "f64.add", NULL, 0.5 };
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *l = pw_listing(pw_report_root(r), "code", NULL,
				       "machine code", "WebAssembly");

	(void)state;
	pw_listing_add(l, PW_MARK_SAME, &push, NULL);
	pw_listing_add(l, PW_MARK_SAME, &add, &wasm);
	pw_listing_add(l, PW_MARK_SAME, &mul, &mul);
	expect(as_text(r, 50, false),
	       "  machine code\n"
	       "+ WebAssembly\n"
	       "    0.0% 0x0  push %rbp\n"
	       "+  50.0% 0x5c f64.add\n"
	       "   50.0% 0x4  vaddsd 0x86(%rip), %xmm7, %xmm7\n"
	       "   50.0% 0xc  vmulsd 0x89(%rip), %xmm4, %xmm4\n");
}

static void hostile_names_are_made_visible_in_a_listing(void **state)
{
	const struct pw_line bad = { "\033[2J", "\xff\xe2\x80\xae", "\n\a", 0 };
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *l;

	(void)state;
	l = pw_listing(pw_report_root(r), "code", NULL, "\033", "\r");
	pw_listing_add(l, PW_MARK_LEFT, &bad, NULL);
	pw_listing_add(l, PW_MARK_GAP, &bad, NULL);
	expect(as_text(r, 0, false),
	       "  \\x1b                            | \\x0d\n"
	       "-   0.0% \\x1b[2J \\xff\\xe2\\x80\\xae |   \\x0a\\x07\n"
	       "  ... \\xff\\xe2\\x80\\xae\n");
}

static void colours_repeat_what_the_marks_say(void **state)
{
	const struct pw_line x = { NULL, "x", NULL, -1 };
	struct pw_report *r = pw_report_new("r", NULL);
	struct pw_node *l;

	(void)state;
	l = pw_listing(pw_report_root(r), "code", NULL, "a", "b");
	for (int mark = PW_MARK_SAME; mark <= PW_MARK_GAP; mark++)
		pw_listing_add(l, mark, &x, NULL);
	expect(as_text(r, 0, true), "\033[1m  a | b\033[0m\n"
				    "  x |\n"
				    "\033[31m- x |\033[0m\n"
				    "\033[32m+ x |\033[0m\n"
				    "\033[1;31m> x |\033[0m\n"
				    "\033[2m  ... x\033[0m\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_codes_stand_side_by_side),
		cmocka_unit_test(at_eighty_columns_it_is_a_unified_diff),
		cmocka_unit_test(long_lines_are_cut_and_say_so),
		cmocka_unit_test(sixty_columns_are_too_few_for_two_codes),
		cmocka_unit_test(
			source_stands_above_its_code_where_columns_are_few),
		cmocka_unit_test(hostile_names_are_made_visible_in_a_listing),
		cmocka_unit_test(colours_repeat_what_the_marks_say),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
