// SPDX-License-Identifier: GPL-2.0-only
/*
 * From code to the module and the artifact it came from:
 * tests/data/artifacts/mix.wat, whose functions are 2 choose, 3 poly and 4,
 * behind two imported ones.
 */
#include "space-fixture.h"

#define DATA "tests/data/artifacts/"

static const uint8_t code[64];

static void map_dump(struct fixture *f, struct pw_buf *b)
{
	write_file(f, "jit-7.dump", b->data, b->len);
	feed_mmap(f, 7, 0x100000, 0x1000, 0, "/x/jit-7.dump");
	pw_buf_release(b);
}

static void a_name_comes_from_the_module_by_its_index(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_place p;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(pw_space_add_module(f.s, DATA "mix.wasm", NULL), 0);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "wasm[0]::function[3]", 0x7000, code, 64);
	dump_load(&b, 10, 7, "JS:wasm-function[2]-2-turbofan", 0x8000, code,
		  64);
	dump_load(&b, 10, 7, "wasm[0]::function[99]", 0x9000, code, 64);
	map_dump(&f, &b);
	assert_place(&f, 7, 0x7000, "poly", PW_PLACE_WASM, 0);
	assert_place(&f, 7, 0x8000, "choose", PW_PLACE_WASM, 0);
	assert_int_equal(find(&f, 7, 0x7000, &p)->module, 0);
	assert_int_equal(p.piece->sym->func_idx, 3);
	/* the module has no such function: another one's */
	assert_int_equal(find(&f, 7, 0x9000, &p)->module, -1);
	assert_string_equal(p.piece->sym->name, "f99");
	assert_string_equal(pw_space_module_name(f.s, 0), "mix.wasm");
	end(&f);
}

static void an_index_without_imports_is_made_one_with_them(void **state)
{
	static const char map[] = "7000 40 [1/2].poly:::::L1\n"
				  "8000 40 aot_func#0\n";
	struct pw_place p;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(pw_space_add_module(f.s, DATA "mix.wasm", NULL), 0);
	write_file(&f, "perf-7.map", map, strlen(map));
	feed_mmap(&f, 7, 0x6000, 0x4000, 0, "//anon");
	assert_int_equal(find(&f, 7, 0x7000, &p)->func_idx, 3);
	assert_int_equal(find(&f, 7, 0x8000, &p)->func_idx, 2);
	assert_string_equal(p.piece->sym->name, "choose");
	end(&f);
}

static void a_whole_name_finds_the_index_that_is_not_told(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_place p;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(pw_space_add_module(f.s, DATA "mix.wasm", NULL), 0);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "JSC-WasmOMG: <?>.wasm-function[poly]", 0x7000,
		  code, 64);
	dump_load(&b, 10, 7, "JSC-WasmOMG: <?>.wasm-function[pol]", 0x8000,
		  code, 64);
	map_dump(&f, &b);
	assert_int_equal(find(&f, 7, 0x7000, &p)->func_idx, 3);
	assert_int_equal(p.piece->sym->module, 0);
	/* a part of a name is none */
	assert_int_equal(find(&f, 7, 0x8000, &p)->func_idx, -1);
	end(&f);
}

static void of_two_modules_names_decide_also_for_those_without(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_place p;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(pw_space_add_module(f.s,
					     "tests/data/modules/control.wasm",
					     NULL),
			 0);
	assert_int_equal(pw_space_add_module(f.s, DATA "mix.wasm", NULL), 1);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "wasm[0]::function[2]::choose", 0x7000, code, 64);
	dump_load(&b, 10, 7, "wasm[0]::function[3]::poly", 0x8000, code, 64);
	dump_load(&b, 10, 7, "wasm[0]::function[4]", 0x9000, code, 64);
	dump_load(&b, 10, 7, "wasm[1]::function[2]::other", 0xa000, code, 64);
	map_dump(&f, &b);
	assert_int_equal(find(&f, 7, 0x7000, &p)->module, 1);
	assert_int_equal(find(&f, 7, 0x9000, &p)->module, 1);
	assert_int_equal(find(&f, 7, 0xa000, &p)->module, -1);
	end(&f);
}

/* The text of an artifact. */
struct text {
	struct pw_file file;
	struct pw_code *code;
	const uint8_t *bytes;
	uint64_t size;
};

static void text_open(struct text *t, const char *path)
{
	assert_int_equal(pw_file_open(&t->file, path, NULL), 0);
	t->code = pw_code_open(t->file.data, t->file.size, 2, NULL);
	assert_non_null(t->code);
	t->bytes = pw_code_text(t->code, &t->size);
}

static void text_close(struct text *t)
{
	pw_code_close(t->code);
	pw_file_close(&t->file);
}

static void dump_func(struct pw_buf *b, const struct text *t, uint32_t idx,
		      const char *name, uint64_t base)
{
	const struct pw_code_func *f = pw_code_func_find(t->code, idx);

	assert_non_null(f);
	dump_load(b, 10, 7, name, base + f->text_off, t->bytes + f->text_off,
		  f->size_bytes);
}

/* The map's own word where it has one. */
static void check_offsets(struct fixture *f, const struct text *t, uint32_t idx,
			  uint64_t base)
{
	const struct pw_code_func *func = pw_code_func_find(t->code, idx);
	struct pw_minsn *insns;
	uint32_t i, n, n_known = 0;

	assert_int_equal(pw_code_disasm(t->code, func, &insns, &n, NULL), 0);
	for (i = 0; i < n; i++) {
		enum pw_off_source source;
		struct pw_place p;
		uint64_t off;

		find(f, 7, base + insns[i].text_off, &p);
		assert_int_equal(p.off, insns[i].text_off - func->text_off);
		assert_int_equal(p.piece->sym->func_idx, idx);
		off = pw_space_wasm_off(f->s, p.piece, p.off, &source);
		assert_int_equal(source == PW_OFF_ADDRMAP,
				 insns[i].wasm_off != PW_NO_OFF);
		if (source == PW_OFF_ADDRMAP)
			assert_true(off == insns[i].wasm_off);
		n_known += source == PW_OFF_ADDRMAP;
	}
	assert_true(n_known > n / 4);
	free(insns);
}

/* Wasmtime 11 to 14 do not tell of a module's first function. */
static void a_function_that_the_dump_left_out_is_found(void **state)
{
	const uint64_t base = 0x7f0000001000;
	struct pw_buf b = { 0 };
	struct text t;
	struct fixture f;

	(void)state;
	begin(&f);
	text_open(&t, DATA "mix-13.0.0.elf");
	assert_int_equal(pw_space_add_module(f.s, DATA "mix.wasm", NULL), 0);
	assert_int_equal(pw_space_add_artifact(f.s, DATA "mix-13.0.0.elf", -1,
					       NULL),
			 0);
	dump_begin(&b, 7);
	dump_func(&b, &t, 3, "wasm[0]::function[3]", base);
	dump_func(&b, &t, 4, "wasm[0]::function[4]", base);
	map_dump(&f, &b);
	assert_place(&f, 7, base + 5, "choose", PW_PLACE_WASM, 5);
	check_offsets(&f, &t, 2, base);
	check_offsets(&f, &t, 3, base);
	/* nor are the trampolines in this dump */
	assert_place(&f, 7, base + 0x1b9,
		     "wasm[0]::array_to_wasm_trampoline[3]",
		     PW_PLACE_TRAMPOLINE, 0);
	assert_place(&f, 7, base - 1, "[unknown]", PW_PLACE_UNKNOWN, base - 1);
	text_close(&t);
	end(&f);
}

/* Of a module of one function such a dump has trampolines only. */
static void a_trampoline_tells_where_the_functions_are(void **state)
{
	const uint64_t base = 0x7f0000001000;
	static const char name[] = "wasm[0]::array_to_wasm_trampoline[3]";
	struct pw_buf b = { 0 };
	struct text t;
	struct fixture f;
	unsigned int n;

	(void)state;
	text_open(&t, DATA "mix-13.0.0.elf");
	for (n = 1; n <= 2; n++) {
		struct pw_place p;
		unsigned int i;

		begin(&f);
		for (i = 0; i < n; i++)
			assert_int_equal(pw_space_add_artifact(f.s,
							       DATA
							       "mix-13.0.0.elf",
							       -1, NULL),
					 0);
		b.len = 0;
		dump_begin(&b, 7);
		dump_load(&b, 10, 7, name, base + 0x1b9, t.bytes + 0x1b9, 61);
		write_file(&f, "jit-7.dump", b.data, b.len);
		feed_mmap(&f, 7, base - 0x1000, 4096, 0, "/tmp/jit-7.dump");
		find(&f, 7, base + 5, &p);
		/* two that have it tell nothing */
		assert_int_equal(p.piece->sym->kind,
				 n == 1 ? PW_PLACE_WASM : PW_PLACE_UNKNOWN);
		assert_int_equal(p.piece->sym->func_idx, n == 1 ? 2 : -1);
		end(&f);
	}
	pw_buf_release(&b);
	text_close(&t);
}

/* Newer ones call a function that has a name by that name and no more. */
/* Two compilations of a function: another address in it, and another code. */
static void
offsets_that_were_found_hold_for_code_of_the_same_shape(void **state)
{
	/* movabs $1, %rax; ret */
	static const uint8_t was[] = {
		0x48, 0xb8, 1, 0, 0, 0, 0, 0, 0, 0, 0xc3
	};
	/* movabs $2, %rax; ret */
	static const uint8_t same[] = {
		0x48, 0xb8, 2, 0, 0, 0, 0, 0, 0, 0, 0xc3
	};
	/* mov $1, %eax; ret */
	static const uint8_t other[] = { 0xb8, 1, 0, 0, 0, 0xc3 };
	static const struct pw_code_offset offs[] = { { 0, 0x40 },
						      { 10, PW_NO_OFF } };
	struct pw_code *c =
		pw_code_open_raw(62, "f", was, sizeof(was), false, NULL);
	enum pw_off_source source;
	struct pw_minsn *insns;
	struct pw_buf b = { 0 };
	struct pw_place p;
	struct fixture f;
	uint32_t n;

	(void)state;
	assert_non_null(c);
	assert_int_equal(pw_code_disasm(c, pw_code_func(c, 0), &insns, &n,
					NULL),
			 0);
	begin(&f);
	assert_int_equal(pw_space_add_module(f.s, DATA "mix.wasm", NULL), 0);
	pw_space_add_offsets(f.s, 0, 3, pw_code_shape(insns, n), offs, 2);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "JS:poly-3-turbofan", 0x7000, same, sizeof(same));
	dump_load(&b, 10, 7, "JS:poly-3-liftoff", 0x8000, other, sizeof(other));
	map_dump(&f, &b);
	find(&f, 7, 0x7000, &p);
	assert_int_equal(pw_space_wasm_off(f.s, p.piece, 0, &source), 0x40);
	assert_int_equal(source, PW_OFF_PROVENANCE);
	assert_true(pw_space_wasm_off(f.s, p.piece, 10, &source) != 0x40);
	find(&f, 7, 0x8000, &p);
	pw_space_wasm_off(f.s, p.piece, 0, &source);
	assert_int_not_equal(source, PW_OFF_PROVENANCE);
	free(insns);
	pw_code_close(c);
	end(&f);
}

static void a_bare_name_is_known_by_its_bytes(void **state)
{
	const uint64_t base = 0x7f0000001000;
	struct pw_buf b = { 0 };
	struct text t;
	struct fixture f;

	(void)state;
	begin(&f);
	text_open(&t, DATA "mix-50.0.1.elf");
	assert_int_equal(pw_space_add_module(f.s, DATA "mix.wasm", NULL), 0);
	assert_int_equal(pw_space_add_artifact(f.s, DATA "mix-50.0.1.elf", 0,
					       NULL),
			 0);
	dump_begin(&b, 7);
	dump_func(&b, &t, 3, "poly", base);
	map_dump(&f, &b);
	assert_place(&f, 7, base + 0xa4, "poly", PW_PLACE_WASM, 4);
	check_offsets(&f, &t, 3, base);
	check_offsets(&f, &t, 2, base);
	text_close(&t);
	end(&f);
}

static void a_bare_name_is_known_by_its_company(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_place p;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(pw_space_add_module(f.s, DATA "mix.wasm", NULL), 0);
	dump_begin(&b, 7);
	dump_load(&b, 10, 7, "poly", 0x7000, code, 64);
	dump_load(&b, 10, 7, "wasm[0]::function[4]", 0x8000, code, 64);
	map_dump(&f, &b);
	assert_place(&f, 7, 0x7000, "poly", PW_PLACE_WASM, 0);
	assert_int_equal(find(&f, 7, 0x7000, &p)->func_idx, 3);
	assert_int_equal(p.piece->sym->engine, PW_ENGINE_WASMTIME);
	end(&f);
}

static void an_artifact_that_a_process_maps_is_one(void **state)
{
	struct text t;
	struct pw_place p;
	struct fixture f;
	uint64_t off;

	(void)state;
	begin(&f);
	text_open(&t, DATA "mix-50.0.1.elf");
	write_file(&f, "mix.cwasm", t.file.data, t.file.size);
	off = (uint64_t)(t.bytes - t.file.data);
	assert_int_equal(pw_space_add_module(f.s, DATA "mix.wasm", NULL), 0);
	feed_mmap(&f, 7, 0x10000, t.file.size, 0, "/x/mix.cwasm");
	assert_place(&f, 7, 0x10000 + off + 0xa4, "poly", PW_PLACE_WASM, 4);
	find(&f, 7, 0x10000 + off + 0xa4, &p);
	assert_int_equal(p.piece->sym->module, 0);
	assert_string_equal(p.piece->sym->dso, "/x/mix.cwasm");
	text_close(&t);
	end(&f);
}

static void machine_code_and_wasm_text_of_a_piece_can_be_had(void **state)
{
	const uint64_t base = 0x7f0000001000;
	const struct pw_code_func *func;
	const struct pw_code *c;
	struct pw_buf b = { 0 };
	struct pw_place p;
	struct text t;
	struct fixture f;
	char text[32];
	uint64_t at;

	(void)state;
	begin(&f);
	text_open(&t, DATA "mix-13.0.0.elf");
	assert_int_equal(pw_space_add_module(f.s, DATA "mix.wasm", NULL), 0);
	dump_begin(&b, 7);
	dump_func(&b, &t, 3, "wasm[0]::function[3]", base);
	map_dump(&f, &b);
	find(&f, 7, base + 0x90, &p);
	c = pw_space_code(f.s, p.piece, &func, &at, NULL);
	assert_non_null(c);
	assert_int_equal(at, 0);
	assert_int_equal(func->size_bytes, 112);
	/* f64.convert_i32_s of the loop */
	for (at = 0; at < 200; at++)
		if (pw_space_insn(f.s, 0, at, text, sizeof(text)) ==
		    PW_OP_f64_convert_i32_s)
			break;
	assert_true(at < 200);
	assert_string_equal(text, "f64.convert_i32_s");
	assert_int_equal(pw_space_insn(f.s, 0, 1 << 20, text, sizeof(text)),
			 PW_N_OPS);
	text_close(&t);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_comes_from_the_module_by_its_index),
		cmocka_unit_test(
			an_index_without_imports_is_made_one_with_them),
		cmocka_unit_test(a_whole_name_finds_the_index_that_is_not_told),
		cmocka_unit_test(
			of_two_modules_names_decide_also_for_those_without),
		cmocka_unit_test(a_function_that_the_dump_left_out_is_found),
		cmocka_unit_test(a_trampoline_tells_where_the_functions_are),
		cmocka_unit_test(
			offsets_that_were_found_hold_for_code_of_the_same_shape),
		cmocka_unit_test(a_bare_name_is_known_by_its_bytes),
		cmocka_unit_test(a_bare_name_is_known_by_its_company),
		cmocka_unit_test(an_artifact_that_a_process_maps_is_one),
		cmocka_unit_test(
			machine_code_and_wasm_text_of_a_piece_can_be_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
