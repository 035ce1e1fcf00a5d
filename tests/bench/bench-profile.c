// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench-profile [FILE]: a capture to a report, as perf report does it, with
 * CPU time and peak memory. Without a file 3 million samples with 20 callers
 * each are made: 16 tasks that run for 64 samples at a time, 3,000 functions
 * of a perf map, 400 chains a task, 4 of them in a run, each of which ends at
 * one of 16 instructions.
 */
#include <perfwasm/profile.h>

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define N_SAMPLES   3000000u
#define N_TASKS     16u
#define N_FUNCTIONS 3000u
#define N_CHAINS    400u
#define N_CALLERS   20u
#define CODE        0x7f0000000000ull
#define FUNC_BYTES  256u

static void add_map(struct pw_space *s)
{
	struct pw_buf b = { 0 };
	char path[] = "/tmp/bench-profile-XXXXXX";
	int fd = mkstemp(path);
	uint32_t i, pid;

	if (fd < 0)
		return;
	for (i = 0; i < N_FUNCTIONS; i++)
		pw_buf_printf(&b, "%llx %x [%u/%u].f%u:::::L0\n",
			      CODE + (uint64_t)i * FUNC_BYTES, FUNC_BYTES, i,
			      N_FUNCTIONS, i);
	pw_file_write(path, b.data, b.len, NULL);
	for (pid = 1; pid <= N_TASKS; pid++)
		pw_space_add_perfmap(s, path, pid, NULL);
	remove(path);
	pw_buf_release(&b);
}

static uint64_t address(struct pw_rng *r)
{
	return CODE + pw_rng_below(r, N_FUNCTIONS * FUNC_BYTES);
}

/* All of the chains that N_SAMPLES samples take turns with. */
static uint64_t *make_chains(struct pw_rng *r)
{
	size_t n = (size_t)N_TASKS * N_CHAINS * (N_CALLERS + 2), i;
	uint64_t *c = pw_alloc(n * sizeof(*c));

	for (i = 0; i < n; i++)
		c[i] = i % (N_CALLERS + 2) ? address(r)
					   : (uint64_t)PERF_CONTEXT_USER;
	return c;
}

static void push_all(struct pw_profile *p)
{
	uint32_t event = pw_profile_add_event(p, "cycles"), i;
	struct pw_rng r;
	uint64_t *chains;
	uint32_t task = 0, at = 0;

	pw_rng_init(&r, 1);
	chains = make_chains(&r);
	for (i = 0; i < N_SAMPLES; i++) {
		uint64_t *chain;
		struct pw_push s;

		if (i % 64 == 0) {
			task = (uint32_t)pw_rng_below(&r, N_TASKS);
			at = (uint32_t)pw_rng_below(&r, N_CHAINS - 4);
		}
		chain = chains + (task * N_CHAINS + at + pw_rng_below(&r, 4)) *
					 (N_CALLERS + 2);
		s = (struct pw_push){ .event = event,
				      .pid = task + 1,
				      .tid = task + 1,
				      .time_ns = 1000 + i,
				      .ip = (chain[1] & ~63ull) +
					    4 * pw_rng_below(&r, 16),
				      .period = 1,
				      .cpumode = PERF_RECORD_MISC_USER,
				      .callchain = chain,
				      .n_callchain = N_CALLERS + 2 };

		chain[1] = s.ip;
		pw_profile_push(p, &s);
	}
	pw_profile_end(p, NULL);
	free(chains);
}

static int read_all(struct pw_profile *p, const char *path, struct pw_err *err)
{
	struct pw_capture *c = pw_capture_open(path, NULL, err);
	int ret = c ? pw_profile_capture(p, c, err) : -1;

	pw_capture_close(c);
	return ret;
}

static int report(struct pw_profile *p)
{
	struct pw_profile_report_opts o = { .max_rows = 30 };
	struct pw_report *r = pw_report_new("report", NULL);
	FILE *out = fopen("/dev/null", "we");
	struct pw_render_opts ro = { .width = 120 };
	int ret = pw_profile_report(p, &o, r, NULL);

	if (!ret && out)
		ret = pw_render_text(r, &ro, out);
	if (out)
		fclose(out);
	pw_report_free(r);
	return ret;
}

int main(int argc, char **argv)
{
	struct pw_space *s = pw_space_new(NULL);
	struct pw_profile *p = pw_profile_new(s, NULL);
	struct pw_err err = { 0 };
	struct rusage usage;
	uint64_t start, fed;
	const char *dot = argc > 1 ? strrchr(argv[1], '.') : NULL;
	/* make bench gives modules */
	bool own = argc < 2 || (dot && !strcmp(dot, ".wasm"));
	uint64_t n = 0;
	uint32_t i;
	int ret = 0;

	if (own)
		add_map(s);
	start = pw_cpu_ns();
	if (own)
		push_all(p);
	else
		ret = read_all(p, argv[1], &err);
	fed = pw_cpu_ns();
	if (!ret)
		ret = report(p);
	if (ret)
		fprintf(stderr, "%s\n", err.msg);
	for (i = 0; i < pw_profile_n_events(p); i++)
		n += pw_profile_event_info(p, i)->total.samples;
	getrusage(RUSAGE_SELF, &usage);
	printf("profile_samples %llu count\n", (unsigned long long)n);
	printf("profile_cpu %.0f ms\n", (double)(fed - start) / 1e6);
	printf("profile_report_cpu %.0f ms\n",
	       (double)(pw_cpu_ns() - fed) / 1e6);
	printf("profile_peak %.0f MiB\n", (double)usage.ru_maxrss / 1024);
	pw_profile_free(p);
	pw_space_free(s);
	return ret ? 1 : 0;
}
