// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench-capture [FILE]: reads a perf.data file from its first record to its
 * last, decoded and in the order of time, and prints the rate. Without a file
 * it reads one of a million samples that it makes in memory.
 */
#include <perfwasm/capture.h>

#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>

#define N_MADE   1000000u
#define ROUND    4000u
#define N_FRAMES 12u

static void add_header(struct pw_buf *b)
{
	static const uint64_t words[] = { 104, 80 + 48, 104, 80 + 48, 232 };

	pw_buf_add(b, "PERFILE2", 8);
	for (size_t i = 0; i < 5; i++)
		pw_buf_add_u64(b, words[i]);
	while (b->len < 104)
		pw_buf_add_u64(b, 0);
}

/* A software clock, with call chains. */
static void add_attr(struct pw_buf *b)
{
	uint8_t attr[128] = { 0 };
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
				     .size = 112,
				     .sample_type = PERF_SAMPLE_IP |
						    PERF_SAMPLE_TID |
						    PERF_SAMPLE_TIME |
						    PERF_SAMPLE_CALLCHAIN,
				     .sample_id_all = 1 };

	memcpy(attr, &a, 112);
	pw_buf_add(b, attr, sizeof(attr));
}

static void add_sample(struct pw_buf *b, uint64_t time_ns)
{
	uint32_t i;

	pw_buf_add_u32(b, PERF_RECORD_SAMPLE);
	pw_buf_add_u32(b, 2 | (8 + 8 * (4 + N_FRAMES)) << 16);
	pw_buf_add_u64(b, 0x401000 + time_ns % 4096);
	pw_buf_add_u32(b, 1000);
	pw_buf_add_u32(b, 1000 + (uint32_t)(time_ns & 1));
	pw_buf_add_u64(b, time_ns);
	pw_buf_add_u64(b, N_FRAMES);
	for (i = 0; i < N_FRAMES; i++)
		pw_buf_add_u64(b, 0x401000 + i);
}

/* As from two CPUs: each round has the one's samples, then the other's. */
static void make(struct pw_buf *b)
{
	uint32_t i, k;

	add_header(b);
	add_attr(b);
	for (i = 0; i < N_MADE; i += ROUND) {
		for (k = 0; k < ROUND; k += 2)
			add_sample(b, 1000 + i + k);
		for (k = 1; k < ROUND; k += 2)
			add_sample(b, 1000 + i + k);
		pw_buf_add_u32(b, PW_REC_FINISHED_ROUND);
		pw_buf_add_u32(b, 8 << 16);
	}
}

static int run(struct pw_capture *c, struct pw_err *err)
{
	uint64_t start = pw_cpu_ns(), n = 0, frames = 0, ns;
	const struct pw_capture_counts *counts = pw_capture_counts(c);
	struct pw_event ev;
	struct rusage use;
	int ret;

	while ((ret = pw_capture_next(c, &ev, err)) > 0) {
		n++;
		if (ev.type == PW_REC_SAMPLE)
			frames += ev.sample.n_callchain;
	}
	ns = pw_cpu_ns() - start;
	getrusage(RUSAGE_SELF, &use);
	printf("capture_records %llu records\n", (unsigned long long)n);
	printf("capture_frames %llu frames\n", (unsigned long long)frames);
	printf("capture_out_of_order %llu records\n",
	       (unsigned long long)counts->out_of_order);
	printf("capture_cpu %.1f ms\n", (double)ns / 1e6);
	printf("capture_rate %.2f Mevents/s\n", (double)n * 1e3 / (double)ns);
	printf("capture_rss %ld KiB\n", use.ru_maxrss);
	return ret;
}

int main(int argc, char **argv)
{
	struct pw_buf made = { 0 };
	struct pw_err err = { 0 };
	struct pw_capture *c;
	const char *dot = argc > 1 ? strrchr(argv[1], '.') : NULL;
	bool own = argc < 2 || (dot && !strcmp(dot, ".wasm"));
	int ret = 1;

	if (own) {
		make(&made);
		c = pw_capture_open_bytes(made.data, made.len, NULL, &err);
	} else {
		c = pw_capture_open(argv[1], NULL, &err);
	}
	if (c)
		ret = run(c, &err);
	if (ret)
		fprintf(stderr, "bench-capture: %s\n", err.msg);
	pw_capture_close(c);
	pw_buf_release(&made);
	return ret != 0;
}
