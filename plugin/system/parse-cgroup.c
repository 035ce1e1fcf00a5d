// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts of a control group of version 2. Formats:
 * Documentation/admin-guide/cgroup-v2.rst of Linux.
 */
#include "system-cgroup.h"

/* "usage_usec 5", "nr_throttled 0": times lose their unit. */
static void cpu_stat(struct part *p, const struct sink *k)
{
	struct span line, name;
	uint64_t v;

	while (take_line(&p->left, &line)) {
		if (!take_word(&line, &name) || !take_numbers(&line, &v, 1))
			continue;
		if (span_ends(name, "_usec")) {
			name.n -= 5;
			sink_value(k, TABLE_CGROUP_TIME, p->instance, name, v);
		} else {
			sink_value(k, TABLE_CGROUP_COUNT, p->instance, name, v);
		}
	}
}

static void memory_events(struct part *p, const struct sink *k)
{
	struct span line, name;
	struct joined j;
	uint64_t v;

	while (take_line(&p->left, &line))
		if (take_word(&line, &name) && take_numbers(&line, &v, 1))
			sink_value(k, TABLE_CGROUP_COUNT, p->instance,
				   join(&j, SPAN("memory"), "_", name), v);
}

/* "some avg10=... total=5", of cpu.pressure "cpu_some". */
static void pressure(struct part *p, const struct sink *k)
{
	struct span line, name, what = p->name;
	struct joined j;
	uint64_t us;

	what.n -= (uint32_t)strlen(".pressure");
	while (take_line(&p->left, &line)) {
		pressure_line(&line, &name, &us);
		if (name.n)
			sink_value(k, TABLE_CGROUP_TIME, p->instance,
				   join(&j, what, "_", name), us);
	}
}

static void level(struct part *p, enum table table, const char *name,
		  const struct sink *k)
{
	struct span line;
	uint64_t v;

	if (take_line(&p->left, &line) && take_numbers(&line, &v, 1))
		sink_value(k, table, p->instance,
			   (struct span){ name, (uint32_t)strlen(name) }, v);
}

static void memory_current(struct part *p, const struct sink *k)
{
	level(p, TABLE_CGROUP_BYTES, "memory", k);
}

static void swap_current(struct part *p, const struct sink *k)
{
	level(p, TABLE_CGROUP_BYTES, "swap", k);
}

static void pids_current(struct part *p, const struct sink *k)
{
	level(p, TABLE_CGROUP_LEVEL, "pids", k);
}

/* "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6" */
static void io_stat(struct part *p, const struct sink *k)
{
	static const char *const names[] = { "rbytes", "wbytes", "rios",
					     "wios",   "dbytes", "dios" };
	struct span line, device, word, name;
	struct joined j;

	while (take_line(&p->left, &line)) {
		uint64_t v[6] = { 0 }, x;

		if (!take_word(&line, &device))
			continue;
		while (take_word(&line, &word))
			for (uint32_t i = 0; i < 6; i++) {
				struct span value = word;

				if (take_until(&value, '=', &name) &&
				    span_is(name, names[i]) &&
				    span_number(value, &x))
					v[i] = x;
			}
		k->row(k->ctx, TABLE_CGROUP_IO,
		       join(&j, p->instance, " ", device), NO_SPAN, v);
	}
}

static const struct cgroup_file files[] = {
	{ "cpu.stat", cpu_stat },
	{ "memory.current", memory_current },
	{ "memory.swap.current", swap_current },
	{ "memory.events", memory_events },
	{ "pids.current", pids_current },
	{ "io.stat", io_stat },
	{ "cpu.pressure", pressure },
	{ "memory.pressure", pressure },
	{ "io.pressure", pressure },
};

_Static_assert(sizeof(files) / sizeof(*files) == N_CGROUP_FILES,
	       "N_CGROUP_FILES is how many there are");

const struct cgroup_file *cgroup_file(uint32_t i)
{
	return &files[i];
}
