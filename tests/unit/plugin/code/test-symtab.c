// SPDX-License-Identifier: GPL-2.0-only
/* Functions of native files: those of this very program, and of files made
 * by hand. */
#include "elf-writer.h"

#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* Whose address is looked up. */
__attribute__((noinline)) static int a_function_to_be_found(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static int base_of(struct dl_phdr_info *info, size_t size, void *to)
{
	(void)size;
	*(uint64_t *)to = info->dlpi_addr; /* the program comes first */
	return 1;
}

static void a_function_of_this_program_has_its_name(void **state)
{
	struct pw_symtab *t = pw_symtab_open("/proc/self/exe", NULL, NULL);
	uint64_t base = 0, addr = (uint64_t)(uintptr_t)a_function_to_be_found;
	struct pw_native_func f;

	(void)state;
	assert_non_null(t);
	assert_int_equal(a_function_to_be_found(1), 2);
	dl_iterate_phdr(base_of, &base);
	assert_true(pw_symtab_find(t, addr - base + 1, &f));
	assert_string_equal(f.name, "a_function_to_be_found");
	assert_true(f.addr == addr - base);
	assert_memory_equal(pw_symtab_bytes(t, f.addr, f.size_bytes),
			    (void *)(uintptr_t)addr, f.size_bytes);
	pw_symtab_close(t);
}

static void calls_into_libraries_have_the_name_of_what_they_call(void **state)
{
	struct pw_symtab *t = pw_symtab_open("/proc/self/exe", NULL, NULL);
	struct pw_native_func f;
	uint32_t i, n = 0;

	(void)state;
	for (i = 0; pw_symtab_func(t, i, &f); i++) {
		size_t len = strlen(f.name);

		n += len > 4 && !strcmp(f.name + len - 4, "@plt");
	}
	assert_true(n > 0);
	pw_symtab_close(t);
}

static const uint8_t nops[64] = { 0x90 };

static struct pw_symtab *of_symbols(const struct elf_sym *syms, size_t n,
				    struct pw_buf *b)
{
	struct elf_recipe r = { .text = nops,
				.text_size = sizeof(nops),
				.text_addr = 0x1000,
				.n_syms = n };
	struct pw_symtab *t;

	memcpy(r.syms, syms, n * sizeof(*syms));
	elf_write(&r, b);
	t = pw_symtab_open_bytes(b->data, b->len, NULL);
	assert_non_null(t);
	return t;
}

static void assert_name(const struct pw_symtab *t, uint64_t addr,
			const char *want)
{
	struct pw_native_func f;

	if (!want) {
		assert_false(pw_symtab_find(t, addr, &f));
		return;
	}
	assert_true(pw_symtab_find(t, addr, &f));
	assert_string_equal(f.name, want);
}

static void an_address_is_in_the_function_that_covers_it(void **state)
{
	static const struct elf_sym syms[] = {
		{ .name = "b", .value = 0x1010, .size = 8 },
		{ .name = "a", .value = 0x1000, .size = 16 },
	};
	struct pw_buf b = { 0 };
	struct pw_symtab *t = of_symbols(syms, 2, &b);

	(void)state;
	assert_int_equal(pw_symtab_n(t), 2);
	assert_name(t, 0xfff, NULL);
	assert_name(t, 0x1000, "a");
	assert_name(t, 0x100f, "a");
	assert_name(t, 0x1010, "b");
	assert_name(t, 0x1018, NULL);
	pw_symtab_close(t);
	pw_buf_release(&b);
}

static void a_function_within_another_ends_where_it_ends(void **state)
{
	static const struct elf_sym syms[] = {
		{ .name = "outer", .value = 0x1000, .size = 48 },
		{ .name = "inner", .value = 0x1010, .size = 8 },
	};
	struct pw_buf b = { 0 };
	struct pw_symtab *t = of_symbols(syms, 2, &b);

	(void)state;
	assert_name(t, 0x1014, "inner");
	assert_name(t, 0x1018, "outer");
	pw_symtab_close(t);
	pw_buf_release(&b);
}

static void of_several_names_perf_s_choice_is_taken(void **state)
{
	static const struct elf_sym syms[] = {
		{ .name = "__name", .value = 0x1000, .size = 8 },
		{ .name = "name", .value = 0x1000, .size = 8 },
		{ .name = "longer_name", .value = 0x1000, .size = 8 },
	};
	struct pw_buf b = { 0 };
	struct pw_symtab *t = of_symbols(syms, 3, &b);

	(void)state;
	assert_int_equal(pw_symtab_n(t), 1);
	assert_name(t, 0x1000, "longer_name");
	pw_symtab_close(t);
	pw_buf_release(&b);
}

static void what_is_no_elf_file_is_refused(void **state)
{
	static const uint8_t text[] = "this is no ELF file at all";
	struct pw_err err = { 0 };

	(void)state;
	assert_null(pw_symtab_open_bytes(text, sizeof(text), &err));
	assert_int_equal(err.code, EINVAL);
	assert_null(pw_symtab_open_bytes(text, 0, &err));
	assert_null(pw_symtab_open("/no/such/file", NULL, &err));
	assert_int_equal(err.code, ENOENT);
}

static void any_cut_of_a_file_is_survived(void **state)
{
	static const struct elf_sym syms[] = {
		{ .name = "a", .value = 0x1000, .size = 16 },
	};
	struct pw_buf b = { 0 };
	struct pw_native_func f;
	size_t n;

	(void)state;
	pw_symtab_close(of_symbols(syms, 1, &b));
	for (n = 0; n < b.len; n++) {
		uint8_t *part = pw_alloc(n + 1);
		struct pw_symtab *t;

		memcpy(part, b.data, n);
		t = pw_symtab_open_bytes(part, n, NULL);
		if (t)
			pw_symtab_find(t, 0x1000, &f);
		pw_symtab_close(t);
		free(part);
	}
	pw_buf_release(&b);
}

static void assert_plain(const char *name, const char *want)
{
	char *s = pw_demangle(name);

	if (want)
		assert_string_equal(s, want);
	else
		assert_null(s);
	free(s);
}

static void names_are_as_the_source_has_them(void **state)
{
	(void)state;
	assert_plain("main", NULL);
	assert_plain("_ZN4node5StartEiPPc", "node::Start");
	assert_plain("_ZNK3Foo3barEv", "Foo::bar");
	assert_plain("_ZN3FooclEv", "Foo::operator()");
	/* a template's type and its parameters go, its arguments stay */
	assert_plain("_Z3mapIiEvT_", "map<int>");
	assert_plain("_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f");
	assert_plain("_ZN3foo3barEi.constprop.0", "foo::bar");
	assert_plain("_ZN4core3fmt5write17h0123456789abcdefE",
		     "core::fmt::write");
	assert_plain("_ZN36_$LT$impl$u20$a..B$u20$for$u20$c$GT$1d"
		     "17h0123456789abcdefE",
		     "<impl a::B for c>::d");
	assert_plain("_RNvCskwGfYPst2Cb_3foo16example_function",
		     "foo::example_function");
	assert_plain("_RINvNtC3std3mem8align_ofdE",
		     "std::mem::align_of::<f64>");
	assert_plain("_RNvC1a4main.llvm.1234", "a::main");
	assert_plain("_RNvC1a", NULL);
	assert_plain("_R", NULL);
}

/* Each type is a pair of the one before it: a text of 2^40 bytes. */
static void no_short_name_has_an_endless_text(void **state)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct pw_buf b = { 0 };
	size_t before = 0, now;
	unsigned int i;

	(void)state;
	pw_buf_printf(&b, "_RINvC1a1f");
	for (i = 0; i < 40; i++) {
		now = b.len - 2;
		if (!i)
			pw_buf_printf(&b, "TuuE");
		else
			pw_buf_printf(&b, "TB%c%c_B%c%c_E",
				      digits[(before - 1) / 62],
				      digits[(before - 1) % 62],
				      digits[(before - 1) / 62],
				      digits[(before - 1) % 62]);
		before = now;
		if (i == 2) {
			char *s = pw_asprintf("%sE", pw_buf_str(&b));

			assert_plain(
				s,
				"a::f::<((), ()), (((), ()), ((), ())), "
				"((((), ()), ((), ())), (((), ()), ((), ())))>");
			free(s);
		}
	}
	pw_buf_printf(&b, "E");
	assert_plain(pw_buf_str(&b), NULL);
	pw_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_of_this_program_has_its_name),
		cmocka_unit_test(
			calls_into_libraries_have_the_name_of_what_they_call),
		cmocka_unit_test(an_address_is_in_the_function_that_covers_it),
		cmocka_unit_test(a_function_within_another_ends_where_it_ends),
		cmocka_unit_test(of_several_names_perf_s_choice_is_taken),
		cmocka_unit_test(what_is_no_elf_file_is_refused),
		cmocka_unit_test(any_cut_of_a_file_is_survived),
		cmocka_unit_test(names_are_as_the_source_has_them),
		cmocka_unit_test(no_short_name_has_an_endless_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
