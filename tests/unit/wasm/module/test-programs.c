// SPDX-License-Identifier: GPL-2.0-only
/*
 * Real programs (PERF_WASM_CORPUS/wasm/sightglass): each decodes and walks
 * with types, its instructions cover its bodies without a gap, and their
 * offsets lead back to their function. A component among them says so.
 */
#include <ftw.h>
#include "spec-suite.h"

static uint32_t n_modules, n_components, n_insns;

static void walk_func(const struct pw_module *m, struct pw_walk *w,
		      uint32_t idx)
{
	const struct pw_func *f = pw_module_func(m, idx);
	uint64_t off = f->code_off;
	struct pw_insn insn;
	struct pw_err err = { 0 };
	uint32_t found;
	int rc;

	assert_int_equal(pw_walk_start(w, idx, &err), 0);
	while ((rc = pw_walk_next(w, &insn, &err)) > 0) {
		if (insn.off != off)
			fail_msg("a gap at %llu", (unsigned long long)off);
		off += insn.size;
		n_insns++;
	}
	if (rc)
		fail_msg("function %u: %s", idx, err.msg);
	assert_int_equal(off, f->body_off + f->body_size);
	assert_true(pw_module_func_at(m, off - 1, &found));
	assert_int_equal(found, idx);
}

static void read_program(const char *path)
{
	struct pw_file f = { 0 };
	struct pw_err err = { 0 };
	struct pw_module *m;
	struct pw_walk *w;

	assert_int_equal(pw_file_open(&f, path, &err), 0);
	m = pw_module_decode(f.data, f.size, &err);
	if (!m && err.code == ENOTSUP && strstr(err.msg, "component")) {
		n_components++;
		pw_file_close(&f);
		return;
	}
	if (!m || pw_module_check_bodies(m, &err))
		fail_msg("%s: %s", path, err.msg);
	w = pw_walk_new(m);
	for (uint32_t i = pw_module_n_imported(m, PW_EXT_FUNC);
	     i < pw_module_n(m, PW_EXT_FUNC); i++)
		walk_func(m, w, i);
	pw_walk_free(w);
	pw_module_free(m);
	pw_file_close(&f);
	n_modules++;
}

static int visit(const char *path, const struct stat *st, int type,
		 struct FTW *ftw)
{
	size_t len = strlen(path);

	(void)st;
	(void)ftw;
	if (type == FTW_F && len > 5 && !strcmp(path + len - 5, ".wasm"))
		read_program(path);
	return 0;
}

static void real_programs_are_read_whole(void **state)
{
	char dir[4096];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/wasm/sightglass", corpus_dir());
	nftw(dir, visit, 10, FTW_PHYS);
	if (!n_modules) {
		print_message("%s holds no modules\n", dir);
		skip();
	}
	print_message("%u modules, %u components, %u instructions\n", n_modules,
		      n_components, n_insns);
	assert_true(n_modules >= 27);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_programs_are_read_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
