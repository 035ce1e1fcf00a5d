// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many mutants a second of CPU time: listed only, and listed and made
 * into a buffer that is used again. Of a real program of about 200 KB from
 * the corpus. Other arguments (big modules) are not used.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfwasm/mutate.h>

enum { N_MADE = 200000 };

struct ctx {
	const struct pw_module *m;
	struct pw_buf mutant;
	uint64_t n;
	struct pw_err err;
};

static int count(void *ctx, const struct pw_mutation *mut)
{
	(void)mut;
	((struct ctx *)ctx)->n++;
	return 0;
}

static int make(void *ctx, const struct pw_mutation *mut)
{
	struct ctx *c = ctx;

	c->mutant.len = 0;
	if (pw_mutation_apply(c->m, mut, &c->mutant, &c->err))
		return -1;
	return ++c->n == N_MADE;
}

static int bench(struct ctx *c)
{
	uint64_t t0 = pw_cpu_ns(), t1;
	uint64_t n_listed;

	if (pw_mutate_each(c->m, NULL, count, c, &c->err))
		return -1;
	t1 = pw_cpu_ns();
	n_listed = c->n;
	printf("mutate_list_per_second %.0f mutants/s\n",
	       (double)n_listed * 1e9 / (double)(t1 - t0));
	c->n = 0;
	t0 = pw_cpu_ns();
	if (pw_mutate_each(c->m, NULL, make, c, &c->err) < 0)
		return -1;
	t1 = pw_cpu_ns();
	printf("mutate_make_per_second %.0f mutants/s\n",
	       (double)c->n * 1e9 / (double)(t1 - t0));
	printf("mutate_listed %llu mutants\n", (unsigned long long)n_listed);
	return 0;
}

int main(void)
{
	const char *dir = getenv("PERF_WASM_CORPUS");
	char *path = pw_asprintf("%s/wasm/sightglass/bz2/benchmark.wasm",
				 dir ? dir : "../shared/corpus");
	struct ctx c = { .m = NULL };
	struct pw_file file = { 0 };
	int rc = 0;

	if (access(path, R_OK)) {
		fprintf(stderr,
			"bench-mutate: no %s: name the corpus in PERF_WASM_CORPUS\n",
			path);
		free(path);
		return 0;
	}
	if (pw_file_open(&file, path, &c.err) ||
	    !(c.m = pw_module_decode(file.data, file.size, &c.err)) ||
	    bench(&c)) {
		fprintf(stderr, "bench-mutate: %s: %s\n", path, c.err.msg);
		rc = 1;
	}
	pw_module_free((struct pw_module *)c.m);
	pw_buf_release(&c.mutant);
	pw_file_close(&file);
	free(path);
	return rc;
}
