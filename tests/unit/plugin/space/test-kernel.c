// SPDX-License-Identifier: GPL-2.0-only
/* Functions of the kernel by kallsyms, and of programs loaded into it. */
#include "space-fixture.h"

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t helper\n"
			       "ffffffff81000100 W __weak_helper\n"
			       "ffffffff81000200 D data\n"
			       "ffffffff81000300 T do_work\n"
			       "ffffffffc0001000 t mod_func\t[a_module]\n";

static void assert_kernel(struct fixture *f, uint64_t addr, const char *name,
			  const char *dso)
{
	struct pw_place p;

	pw_space_find(f->s, 1, PERF_RECORD_MISC_KERNEL, addr, f->now, &p);
	assert_string_equal(p.piece->sym->name, name);
	assert_string_equal(p.piece->sym->dso, dso);
	assert_int_equal(p.piece->sym->kind, PW_PLACE_KERNEL);
}

static void kernel_mmap(struct fixture *f, uint64_t text)
{
	struct pw_event ev = { .type = PW_REC_MMAP,
			       .misc = PERF_RECORD_MISC_KERNEL };

	ev.mmap = (struct pw_mmap){ .pid = PW_NO_PID,
				    .addr = text,
				    .len = 0x1000000,
				    .pgoff = text,
				    .filename = "[kernel.kallsyms]_text" };
	feed(f, &ev);
}

static void functions_reach_to_the_next_one(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	write_file(&f, "kallsyms", kallsyms, strlen(kallsyms));
	assert_kernel(&f, 0xffffffff81000050, "_text", "[kernel.kallsyms]");
	assert_kernel(&f, 0xffffffff81000100, "helper", "[kernel.kallsyms]");
	assert_kernel(&f, 0xffffffff810002ff, "helper", "[kernel.kallsyms]");
	assert_kernel(&f, 0xffffffff81000300, "do_work", "[kernel.kallsyms]");
	assert_kernel(&f, 0xffffffffc0001004, "mod_func", "[a_module]");
	assert_kernel(&f, 0xffffffff80000000, "[unknown]", "[kernel.kallsyms]");
	end(&f);
}

static void lines_may_come_in_any_order(void **state)
{
	static const char lines[] = "ffffffffc0002000 t late\t[b_module]\n"
				    "ffffffff81000100 W __weak_helper\n"
				    "ffffffff81000100 t helper\n"
				    "ffffffffc0001000 t mod_func\t[a_module]\n"
				    "ffffffff81000000 T _text\n";
	struct fixture f;

	(void)state;
	begin(&f);
	write_file(&f, "kallsyms", lines, strlen(lines));
	assert_kernel(&f, 0xffffffff81000000, "_text", "[kernel.kallsyms]");
	assert_kernel(&f, 0xffffffff81000104, "helper", "[kernel.kallsyms]");
	assert_kernel(&f, 0xffffffffc0001004, "mod_func", "[a_module]");
	assert_kernel(&f, 0xffffffffc0002004, "late", "[b_module]");
	end(&f);
}

static void of_one_address_the_best_name_is_taken(void **state)
{
	static const char lines[] = "ffffffff81000000 T _text\n"
				    "ffffffff81000100 W __weak_helper\n"
				    "ffffffff81000100 t helper\n"
				    "ffffffff81000100 T the_helper\n"
				    "ffffffff81000200 T next\n";
	struct fixture f;

	(void)state;
	begin(&f);
	write_file(&f, "kallsyms", lines, strlen(lines));
	assert_kernel(&f, 0xffffffff81000104, "the_helper",
		      "[kernel.kallsyms]");
	assert_kernel(&f, 0xffffffff81000204, "next", "[kernel.kallsyms]");
	end(&f);
}

static void a_run_ends_where_the_next_function_begins(void **state)
{
	struct pw_event ev = { .type = PW_REC_KSYMBOL };
	struct fixture f;
	struct pw_place p;
	uint64_t end_addr;

	(void)state;
	begin(&f);
	write_file(&f, "kallsyms", kallsyms, strlen(kallsyms));
	pw_space_find_run(f.s, 1, PERF_RECORD_MISC_KERNEL, 0xffffffff81000150,
			  f.now, &p, &end_addr);
	assert_string_equal(p.piece->sym->name, "helper");
	assert_int_equal(p.off, 0x50);
	assert_int_equal(end_addr, 0xffffffff81000300);
	/* with programs between functions nothing is said of the next byte */
	ev.ksymbol.addr = 0xffffffff81000200;
	ev.ksymbol.len = 16;
	ev.ksymbol.name = "bpf_prog";
	feed(&f, &ev);
	pw_space_find_run(f.s, 1, PERF_RECORD_MISC_KERNEL, 0xffffffff81000150,
			  f.now, &p, &end_addr);
	assert_int_equal(end_addr, 0xffffffff81000151);
	end(&f);
}

static void symbols_move_to_where_the_recorder_saw_them(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	write_file(&f, "kallsyms", kallsyms, strlen(kallsyms));
	kernel_mmap(&f, 0xffffffff8a000000);
	assert_kernel(&f, 0xffffffff8a000304, "do_work", "[kernel.kallsyms]");
	assert_int_equal(pw_space_n_remarks(f.s), 0);
	end(&f);
}

static void symbols_of_another_kernel_are_refused_and_told(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	write_file(&f, "kallsyms", kallsyms, strlen(kallsyms));
	kernel_mmap(&f, 0xffffffff81012340);
	assert_kernel(&f, 0xffffffff81000304, "[unknown]", "[kernel.kallsyms]");
	assert_int_equal(pw_space_n_remarks(f.s), 1);
	end(&f);
}

static void hidden_addresses_are_told(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n";
	struct fixture f;

	(void)state;
	begin(&f);
	write_file(&f, "kallsyms", hidden, strlen(hidden));
	assert_kernel(&f, 0xffffffff81000304, "[unknown]", "[kernel.kallsyms]");
	assert_int_equal(pw_space_n_remarks(f.s), 1);
	assert_non_null(strstr(pw_space_remark(f.s, 0), "kptr_restrict"));
	end(&f);
}

static void a_program_that_is_loaded_has_its_own_name(void **state)
{
	struct pw_event ev = { .type = PW_REC_KSYMBOL };
	struct fixture f;

	(void)state;
	begin(&f);
	write_file(&f, "kallsyms", kallsyms, strlen(kallsyms));
	ev.ksymbol.addr = 0xffffffffc0009000;
	ev.ksymbol.len = 0x100;
	ev.ksymbol.name = "bpf_prog_1";
	feed(&f, &ev);
	assert_kernel(&f, 0xffffffffc0009050, "bpf_prog_1", "[bpf]");
	assert_kernel(&f, 0xffffffffc0009100, "mod_func", "[a_module]");
	end(&f);
}

static void modes_that_are_no_process_are_told_apart(void **state)
{
	struct fixture f;
	struct pw_place p;

	(void)state;
	begin(&f);
	pw_space_find(f.s, 1, PERF_RECORD_MISC_HYPERVISOR, 1, 1, &p);
	assert_int_equal(p.piece->sym->kind, PW_PLACE_HYPERVISOR);
	pw_space_find(f.s, 1, PERF_RECORD_MISC_GUEST_KERNEL, 1, 1, &p);
	assert_string_equal(p.piece->sym->dso, "[guest.kernel]");
	pw_space_find(f.s, 1, PERF_RECORD_MISC_GUEST_USER, 1, 1, &p);
	assert_string_equal(p.piece->sym->dso, "[guest]");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_reach_to_the_next_one),
		cmocka_unit_test(lines_may_come_in_any_order),
		cmocka_unit_test(of_one_address_the_best_name_is_taken),
		cmocka_unit_test(a_run_ends_where_the_next_function_begins),
		cmocka_unit_test(symbols_move_to_where_the_recorder_saw_them),
		cmocka_unit_test(
			symbols_of_another_kernel_are_refused_and_told),
		cmocka_unit_test(hidden_addresses_are_told),
		cmocka_unit_test(a_program_that_is_loaded_has_its_own_name),
		cmocka_unit_test(modes_that_are_no_process_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
