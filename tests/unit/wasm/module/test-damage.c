// SPDX-License-Identifier: GPL-2.0-only
/*
 * Damaged modules: cut at every byte, and with bytes changed at random (from
 * a printed seed), they give an error or a module, never a crash, and errors
 * keep within the input. Whatever decodes is walked, printed and spliced.
 */
#include <dirent.h>
#include "spec-suite.h"

#define SMALL 10000 /* bytes: beyond this cutting everywhere takes long */
#define SEED  20240229

static void use(const struct pw_module *m)
{
	struct pw_walk *w = pw_walk_new(m);
	struct pw_buf out = { 0 };
	struct pw_insn insn;
	char name[50];

	for (uint32_t i = 0; i < pw_module_n(m, PW_EXT_FUNC); i++) {
		pw_module_func_name(m, i, name, sizeof(name));
		if (pw_walk_start(w, i, NULL) < 0)
			continue;
		while (pw_walk_next(w, &insn, NULL) > 0)
			pw_insn_print(m, &insn, &out);
		out.len = 0;
	}
	pw_splice_exports(m, &out, NULL);
	pw_walk_free(w);
	pw_buf_release(&out);
}

static void read_damaged(const uint8_t *bytes, size_t size)
{
	struct pw_err err = { 0 }, slow = { 0 };
	struct pw_module *m = pw_module_decode(bytes, size, &err);
	int rc;

	if (!m) {
		assert_true(err.code > 0 && err.msg[0]);
		assert_true(err.off <= size);
		return;
	}
	rc = pw_module_check_bodies(m, &err);
	if (rc)
		assert_true(err.off <= size);
	if (walk_all(m, &slow) != rc)
		fail_msg("the walker and the fast check disagree: %s | %s",
			 slow.msg, err.msg);
	use(m);
	pw_module_free(m);
}

/* A copy of exact size, so that a sanitizer sees reads behind it. */
static void read_cut(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	memcpy(copy, bytes, size);
	read_damaged(copy, size);
	free(copy);
}

static void cut_everywhere(const uint8_t *bytes, size_t size)
{
	for (size_t n = 0; n <= size; n++)
		read_cut(bytes, n);
}

static void change_bytes(const uint8_t *bytes, size_t size, uint32_t times)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct pw_rng rng;

	pw_rng_init(&rng, SEED + size);
	for (uint32_t i = 0; size && i < times; i++) {
		memcpy(copy, bytes, size);
		for (uint32_t k = pw_rng_below(&rng, 3) + 1; k--;)
			copy[pw_rng_below(&rng, size)] ^=
				1u << pw_rng_below(&rng, 8);
		if (pw_rng_below(&rng, 2))
			copy[pw_rng_below(&rng, size)] = pw_rng_u64(&rng);
		read_damaged(copy, size);
	}
	free(copy);
}

static void damage(const uint8_t *bytes, size_t size)
{
	if (size > SMALL)
		return;
	cut_everywhere(bytes, size);
	change_bytes(bytes, size, 400);
}

/* All modules of a folder, how many. */
static uint32_t damage_dir(const char *dir)
{
	char path[4096];
	struct dirent *e;
	uint32_t n = 0;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d))) {
		struct pw_file f = { 0 };
		size_t len = strlen(e->d_name);

		if (len < 5 || strcmp(e->d_name + len - 5, ".wasm"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		assert_int_equal(pw_file_open(&f, path, NULL), 0);
		damage(f.data, f.size);
		pw_file_close(&f);
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

static void damaged_modules_of_ours_do_no_harm(void **state)
{
	(void)state;
	print_message("seed %u\n", SEED);
	assert_true(damage_dir("tests/data/modules") >= 5);
}

static void damage_suite_module(void *ctx, const struct suite_module *sm)
{
	uint32_t *i = ctx;

	/* every eighth, and few changes: the suite's modules are alike */
	if (sm->kind != SUITE_VALID || sm->size > 2000 || (*i)++ % 8)
		return;
	cut_everywhere(sm->bytes, sm->size);
	change_bytes(sm->bytes, sm->size, 40);
}

static void damaged_modules_of_the_suite_do_no_harm(void **state)
{
	uint32_t i = 0;

	(void)state;
	if (!each_suite_module(damage_suite_module, &i))
		skip();
}

static void damaged_programs_do_no_harm(void **state)
{
	char dir[4096];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/wasm/sightglass/shootout", corpus_dir());
	if (!damage_dir(dir)) {
		print_message("%s is not there\n", dir);
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_modules_of_ours_do_no_harm),
		cmocka_unit_test(damaged_modules_of_the_suite_do_no_harm),
		cmocka_unit_test(damaged_programs_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
