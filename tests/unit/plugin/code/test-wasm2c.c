// SPDX-License-Identifier: GPL-2.0-only
/*
 * What wasm2c and a C compiler make of tests/data/artifacts/mix.wasm, linked
 * and not. Skipped where one of the programs is missing.
 */
#include <perfwasm/code.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define N_IMPORTS 2

static char dir[] = "/tmp/pw-wasm2c-XXXXXX";

static int run(const char *const *argv)
{
	int status = 0;

	assert_int_equal(pw_child_run(argv, UINT64_MAX, NULL, NULL, 0, &status,
				      NULL),
			 0);
	return status;
}

/* Without inlining, so that every function is there. */
static bool compile(const char *out, const char *how)
{
	char *c = pw_asprintf("%s/mix.c", dir);
	char *to = pw_asprintf("%s/%s", dir, out);
	const char *wasm2c[] = { "wasm2c",
				 "--no-debug-names",
				 "tests/data/artifacts/mix.wasm",
				 "-o",
				 c,
				 NULL };
	const char *cc[] = { "gcc", "-O1", "-fPIC", "-fno-inline", how, "-w",
			     c,     "-o",  to,      NULL };
	bool ok = !run(wasm2c) && !run(cc);

	free(c);
	free(to);
	return ok;
}

static bool have(const char *program)
{
	char *path = pw_find_program(program);

	free(path);
	if (!path)
		print_message("%s is not installed\n", program);
	return path;
}

struct object {
	struct pw_file file;
	struct pw_code *code;
	struct pw_minsn *insns;
	uint32_t n;
};

static void open_object(struct object *o, const char *name, uint32_t func)
{
	char *path = pw_asprintf("%s/%s", dir, name);
	const struct pw_code_func *f;

	memset(o, 0, sizeof(*o));
	assert_int_equal(pw_file_open(&o->file, path, NULL), 0);
	o->code = pw_code_open(o->file.data, o->file.size, N_IMPORTS, NULL);
	assert_non_null(o->code);
	f = pw_code_func_find(o->code, func);
	assert_non_null(f);
	assert_int_equal(pw_code_disasm(o->code, f, &o->insns, &o->n, NULL), 0);
	free(path);
}

static void close_object(struct object *o)
{
	free(o->insns);
	pw_code_close(o->code);
	pw_file_close(&o->file);
}

static bool calls(const struct object *o, const char *part)
{
	uint32_t i;

	for (i = 0; i < o->n; i++)
		if ((o->insns[i].is_call || o->insns[i].is_jump) &&
		    strstr(o->insns[i].operands, part))
			return true;
	return false;
}

static void functions_of_wasm2c_are_found_by_index(void **state)
{
	static const struct {
		const char *name, *how;
	} kinds[] = { { "mix.o", "-c" }, { "mix.so", "-shared" } };
	size_t k;

	(void)state;
	if (!have("wasm2c") || !have("gcc"))
		skip();
	assert_non_null(mkdtemp(dir));
	for (k = 0; k < 2; k++) {
		struct object o;

		if (!compile(kinds[k].name, kinds[k].how)) {
			print_message("gcc does not compile wasm2c's output\n");
			pw_remove_tree(dir, NULL);
			skip();
		}
		/* wasm2c counts imports; f2 calls the import m.twice */
		open_object(&o, kinds[k].name, 2);
		/* a linked object has no name for what is outside it */
		assert_true(k == 1 || calls(&o, "Z_mZ_twice"));
		assert_false(pw_code_has_map(o.code));
		assert_true(o.insns[0].wasm_off == PW_NO_OFF);
		close_object(&o);
	}
	pw_remove_tree(dir, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_wasm2c_are_found_by_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
