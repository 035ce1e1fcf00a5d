// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mutants of programs that nobody of this project wrote: Wasmtime's validator
 * accepts them, and they are the original but for one place. The sample is
 * PERF_WASM_MUTANTS a module (20), drawn with a fixed seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ftw.h>
#include <unistd.h>

#include "corpus-check.h"

enum { N_LINES = 20 };

struct paths {
	char *path[200];
	unsigned n;
};

struct sample {
	struct pw_mutation *mut;
	uint64_t max, seen;
	struct pw_rng rng;
};

static struct validator validator;
static bool have_validator;

static unsigned mutants_per_module(void)
{
	const char *s = getenv("PERF_WASM_MUTANTS");

	return s && *s ? (unsigned)strtoul(s, NULL, 10) : 20;
}

static char *corpus(const char *below)
{
	const char *dir = getenv("PERF_WASM_CORPUS");

	return pw_asprintf("%s/%s", dir && *dir ? dir : "../shared/corpus",
			   below);
}

/* Prints why and skips, or returns the corpus folder. */
static char *corpus_or_skip(const char *below)
{
	char *dir = corpus(below);

	if (!have_validator) {
		print_message(
			"no libwasmtime.so: name one in PERF_WASM_LIBWASMTIME or run perf wasm runtimes add wasmtime@newest\n");
		free(dir);
		skip();
	}
	if (access(dir, R_OK)) {
		print_message("no corpus at %s: name it in PERF_WASM_CORPUS\n",
			      dir);
		free(dir);
		skip();
	}
	return dir;
}

/* Every mutation has the same chance to be in the sample (Vitter's
 * algorithm R). */
static int draw(void *ctx, const struct pw_mutation *mut)
{
	struct sample *s = ctx;
	uint64_t at = s->seen++;

	if (at >= s->max)
		at = pw_rng_below(&s->rng, at + 1);
	if (at < s->max)
		s->mut[at] = *mut;
	return 0;
}

static void check_mutant(const char *name, const struct pw_module *m,
			 const struct pw_mutation *mut, struct pw_buf *out)
{
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size);
	struct pw_buf line = { 0 };
	struct pw_err err = { 0 };
	const char *why;
	char *said;

	out->len = 0;
	pw_mutation_print(m, mut, &line);
	if (pw_mutation_apply(m, mut, out, &err))
		fail_msg("%s: %s: %s", name, pw_buf_str(&line), err.msg);
	why = mutant_differs(bytes, size, out->data, out->len,
			     mut->func_idx -
				     pw_module_n_imported(m, PW_EXT_FUNC),
			     mut);
	if (why)
		fail_msg("%s: %s: differs in %s", name, pw_buf_str(&line), why);
	said = validator_judge(&validator, out->data, out->len);
	if (said)
		fail_msg("%s: %s: %s", name, pw_buf_str(&line), said);
	pw_buf_release(&line);
}

/* The line of a mutation names it and no other. */
static void check_line(const char *name, const struct pw_module *m,
		       const struct pw_mutation *mut)
{
	struct pw_buf line = { 0 };
	struct pw_mutation again;
	struct pw_err err = { 0 };

	pw_mutation_print(m, mut, &line);
	if (pw_mutation_parse(m, pw_buf_str(&line), &again, &err))
		fail_msg("%s: %s: %s", name, pw_buf_str(&line), err.msg);
	if (again.off != mut->off || again.old_size != mut->old_size ||
	    again.new_size != mut->new_size ||
	    memcmp(again.new_bytes, mut->new_bytes, mut->new_size))
		fail_msg("%s: %s names another mutation", name,
			 pw_buf_str(&line));
	pw_buf_release(&line);
}

static int by_hash(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The first of n hashes is the original's. */
static void check_distinct(const char *name, uint64_t *hashes, unsigned n)
{
	qsort(hashes, n, sizeof(*hashes), by_hash);
	for (unsigned i = 1; i < n; i++)
		if (hashes[i - 1] == hashes[i])
			fail_msg(
				"%s: two mutants are the same, or one is the original",
				name);
}

static void check_mutants(const char *name, const struct pw_module *m,
			  const struct pw_mutation *mut, unsigned n)
{
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size);
	uint64_t *hashes = pw_alloc((n + 1) * sizeof(*hashes));
	struct pw_buf out = { 0 };

	hashes[0] = pw_hash(bytes, size, 0);
	for (unsigned i = 0; i < n; i++) {
		check_mutant(name, m, &mut[i], &out);
		if (i < N_LINES)
			check_line(name, m, &mut[i]);
		hashes[i + 1] = pw_hash(out.data, out.len, 0);
	}
	check_distinct(name, hashes, n + 1);
	free(hashes);
	pw_buf_release(&out);
}

/* How many mutants of a module were judged. */
static unsigned check_module(const char *name, const uint8_t *bytes,
			     size_t size, unsigned max)
{
	struct sample s = { .max = max };
	struct pw_err err = { 0 };
	struct pw_module *m = pw_module_decode(bytes, size, &err);
	unsigned n;

	if (!m)
		fail_msg("%s: %s", name, err.msg);
	s.mut = pw_alloc(max * sizeof(*s.mut));
	pw_rng_init(&s.rng, 1);
	if (pw_mutate_each(m, NULL, draw, &s, &err))
		fail_msg("%s: %s at %llu", name, err.msg,
			 (unsigned long long)err.off);
	n = (unsigned)(s.seen < max ? s.seen : max);
	check_mutants(name, m, s.mut, n);
	if (getenv("PERF_WASM_VERBOSE"))
		print_message("%s: %u of %llu\n", name, n,
			      (unsigned long long)s.seen);
	free(s.mut);
	pw_module_free(m);
	return n;
}

/* A component holds core modules, each whole in a section of id 1. */
static unsigned check_file(const char *name, const uint8_t *bytes, size_t size)
{
	static const uint8_t component[] = { 0, 'a', 's', 'm', 13, 0, 1, 0 };
	struct raw r = { bytes + 8, bytes + size };
	unsigned n = 0;

	if (size < 8 || memcmp(bytes, component, 8))
		return check_module(name, bytes, size, mutants_per_module());
	while (r.p < r.end) {
		uint8_t id = *r.p++;
		struct raw part = raw_sized(&r);

		if (id == 1)
			n += check_module(name, part.p, raw_left(&part),
					  mutants_per_module());
	}
	return n;
}

/* --- the programs ------------------------------------------------------------- */

/* nftw() has no argument for its callback. */
static struct paths found;

static int add_path(const char *path, const struct stat *st, int type,
		    struct FTW *ftw)
{
	size_t n = strlen(path);

	(void)st;
	(void)ftw;
	if (type == FTW_F && n > 5 && !strcmp(path + n - 5, ".wasm") &&
	    found.n < 200)
		found.path[found.n++] = pw_strdup(path);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void mutants_of_real_programs_validate(void **st)
{
	char *dir = corpus_or_skip("wasm/sightglass");
	unsigned n = 0;

	(void)st;
	nftw(dir, add_path, 16, FTW_PHYS);
	qsort(found.path, found.n, sizeof(*found.path), by_name);
	assert_true(found.n > 0);
	for (unsigned i = 0; i < found.n; i++) {
		struct pw_file f = { 0 };
		struct pw_err err = { 0 };

		if (pw_file_open(&f, found.path[i], &err))
			fail_msg("%s", err.msg);
		n += check_file(found.path[i], f.data, f.size);
		pw_file_close(&f);
		free(found.path[i]);
	}
	print_message("%u mutants of %u programs\n", n, found.n);
	free(dir);
}

/* --- the specification's modules ------------------------------------------------- */

struct tally {
	unsigned modules, mutants, unknown;
};

static void check_spec_module(struct tally *t, const char *name,
			      const uint8_t *bytes, size_t size)
{
	struct pw_module *m = pw_module_decode(bytes, size, NULL);
	char *said = validator_judge(&validator, bytes, size);

	/* proposals that one of the two does not have */
	if (said || !m || pw_module_check_bodies(m, NULL)) {
		t->unknown++;
	} else {
		t->modules++;
		t->mutants +=
			check_module(name, bytes, size, mutants_per_module());
	}
	free(said);
	pw_module_free(m);
}

static void mutants_of_the_specifications_modules_validate(void **st)
{
	char *dir = corpus_or_skip("wasm/spec");
	char *tsv = pw_asprintf("%s/modules.tsv", dir);
	char *bin = pw_asprintf("%s/modules.bin", dir);
	struct tally t = { 0 };
	struct pw_file f = { 0 };
	FILE *list = fopen(tsv, "r");
	char line[4096], name[200];
	size_t off, size;

	(void)st;
	assert_non_null(list);
	assert_int_equal(pw_file_open(&f, bin, NULL), 0);
	while (fgets(line, sizeof(line), list))
		if (sscanf(line, "valid\t%199[^\t]\t%zu\t%zu", name, &off,
			   &size) == 3 &&
		    off <= f.size && size <= f.size - off)
			check_spec_module(&t, name, f.data + off, size);
	print_message(
		"%u mutants of %u modules, %u modules not known to both\n",
		t.mutants, t.modules, t.unknown);
	assert_true(t.modules > 1000);
	fclose(list);
	pw_file_close(&f);
	free(tsv);
	free(bin);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutants_of_real_programs_validate),
		cmocka_unit_test(
			mutants_of_the_specifications_modules_validate),
	};
	char *lib = find_library();

	have_validator = lib && load_validator(&validator, lib);
	free(lib);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
