// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is a capture's counts of a PMU, in steps: F and a line, a fact
 * "NAME=TEXT"; R, a row: a byte for the CPU, two for each column's growth; D and
 * a CPU: it went; anything else ends the readout. The first two bytes are the
 * numbers of columns of two tables. Whatever it is, figures come out of it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfwasm/metrics.h>
#include <perfwasm/pmu.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define N_COLUMNS 8

static const struct pw_series_column columns[N_COLUMNS] = {
	{ "enabled", "ns+" },
	{ "running", "ns+" },
	{ "instructions", "count+" },
	{ "cycles", "count+" },
	{ "a", "count+" },
	{ "b", "count+" },
	{ "slots", "count+" },
	{ "c", "count+" },
};

struct input {
	const uint8_t *data;
	size_t size;
};

static unsigned next(struct input *in)
{
	if (!in->size)
		return 0;
	in->size--;
	return *in->data++;
}

static void fact(struct input *in, struct pw_series_out *out)
{
	const uint8_t *end = in->size ? memchr(in->data, '\n', in->size) : NULL;
	size_t len = end ? (size_t)(end - in->data) : in->size;
	char *name = pw_strndup((const char *)in->data, len);
	char *text = strchr(name, '=');

	in->data += len + !!end;
	in->size -= len + !!end;
	if (text) {
		*text++ = 0;
		pw_series_fact(out, name, text);
	}
	free(name);
}

static void row(struct input *in, struct pw_series_out *out, const uint32_t *n,
		uint64_t (*values)[N_COLUMNS])
{
	unsigned which = next(in), table = which & 1, cpu = which >> 1;

	for (uint32_t i = 0; i < n[table]; i++) {
		values[table][i] += next(in);
		values[table][i] -= next(in) / 64;
	}
	pw_series_row(out, table, cpu, values[table]);
}

static void steps(struct input *in, struct pw_series_out *out,
		  const uint32_t *n)
{
	uint64_t values[2][N_COLUMNS] = { 0 }, time_ns = 1;
	unsigned which;

	pw_series_begin(out, time_ns);
	for (int i = 0; in->size && i < 2000; i++)
		switch (next(in)) {
		case 'F':
			fact(in, out);
			break;
		case 'R':
			row(in, out, n, values);
			break;
		case 'D':
			which = next(in);
			pw_series_drop(out, which & 1, which >> 1);
			break;
		default:
			pw_series_end(out, NULL);
			pw_series_begin(out, time_ns += 1000000);
		}
	pw_series_end(out, NULL);
}

static void read_back(const char *path)
{
	struct pw_metrics *m = pw_metrics_new();
	struct pw_pmu_reader *r = pw_pmu_reader_new(m);
	struct pw_series *s = pw_series_open(path, NULL);
	struct pw_series_item item;
	uint64_t last = 0;

	while (s && pw_series_next(s, &item, NULL) > 0) {
		if (item.kind == PW_SERIES_READOUT && last)
			pw_pmu_reader_end(r, last);
		last = item.time_ns;
		pw_pmu_reader_item(r, s, &item);
	}
	if (last)
		pw_pmu_reader_end(r, last);
	pw_pmu_reader_sum_up(r);
	pw_pmu_reader_free(r);
	pw_metrics_end(m);
	pw_metrics_free(m);
	pw_series_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint32_t n[2] = { 1 + next(&in) % N_COLUMNS,
			  1 + next(&in) % N_COLUMNS };
	const struct pw_series_table tables[] = {
		{ "pmu.1", columns, n[0] },
		{ "pmu.software", columns, n[1] },
	};
	int fd = memfd_create("counts", 0);
	char path[32];
	struct pw_series_out *out;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	out = pw_series_create(path, tables, 2, NULL);
	if (!out)
		abort();
	steps(&in, out, n);
	pw_series_finish(out, NULL);
	read_back(path);
	close(fd);
	return 0;
}
