/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine that is none: a tree of what /proc and /sys show of CPUs and PMUs,
 * and a kernel that counts by given rates, on so many counters, in turns.
 */
#ifndef PMU_MACHINE_H
#define PMU_MACHINE_H

#include "../../../../plugin/pmu/pmu-counters.h"

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES "sys/bus/event_source/devices"

/* --- the tree ------------------------------------------------------------------------- */

__attribute__((unused)) static char *machine_root(void)
{
	char dir[] = "/tmp/pw-pmu-XXXXXX";

	assert(mkdtemp(dir));
	return pw_strdup(dir);
}

__attribute__((unused)) static void
machine_file(const char *root, const char *path, const char *text)
{
	char *full = pw_asprintf("%s/%s", root, path);
	char *slash = strrchr(full, '/');

	*slash = 0;
	assert(!pw_mkdirs(full, NULL));
	*slash = '/';
	assert(!pw_file_write(full, text, strlen(text), NULL));
	free(full);
}

__attribute__((unused)) static void machine_pmu(const char *root,
						const char *pmu,
						const char *file,
						const char *text)
{
	char *path = pw_asprintf(DEVICES "/%s/%s", pmu, file);

	machine_file(root, path, text);
	free(path);
}

/* Formats as the kernel's drivers show them. */
__attribute__((unused)) static void
machine_formats(const char *root, const char *pmu, const char *event)
{
	machine_pmu(root, pmu, "format/event", event);
	machine_pmu(root, pmu, "format/umask", "config:8-15\n");
	machine_pmu(root, pmu, "format/edge", "config:18\n");
	machine_pmu(root, pmu, "format/any", "config:21\n");
	machine_pmu(root, pmu, "format/inv", "config:23\n");
	machine_pmu(root, pmu, "format/cmask", "config:24-31\n");
}

__attribute__((unused)) static void machine_intel(const char *root)
{
	machine_pmu(root, "cpu", "type", "4\n");
	machine_formats(root, "cpu", "config:0-7\n");
	machine_pmu(root, "cpu", "events/cache-misses",
		    "event=0x2e,umask=0x41\n");
}

__attribute__((unused)) static void machine_amd(const char *root)
{
	machine_pmu(root, "cpu", "type", "4\n");
	machine_formats(root, "cpu", "config:0-7,32-35\n");
	machine_pmu(root, "amd_l3", "type", "11\n");
	machine_pmu(root, "amd_l3", "format/event", "config:0-7\n");
	machine_pmu(root, "amd_l3", "format/umask", "config:8-15\n");
	machine_pmu(root, "amd_l3", "cpumask", "0\n");
}

__attribute__((unused)) static void machine_arm(const char *root)
{
	machine_pmu(root, "armv8_pmuv3_0", "type", "8\n");
	machine_pmu(root, "armv8_pmuv3_0", "format/event", "config:0-15\n");
}

__attribute__((unused)) static void machine_msr(const char *root)
{
	machine_pmu(root, "msr", "type", "9\n");
	machine_pmu(root, "msr", "format/event", "config:0-63\n");
	machine_pmu(root, "msr", "events/tsc", "event=0x00\n");
	machine_pmu(root, "msr", "events/aperf", "event=0x01\n");
	machine_pmu(root, "msr", "events/mperf", "event=0x02\n");
}

__attribute__((unused)) static void machine_cpus(const char *root,
						 const char *list)
{
	const char *path = "sys/devices/system/cpu/online";
	char *full = pw_asprintf("%s/%s", root, path);
	FILE *f;

	/* in its place, for it is held open */
	if (access(full, F_OK))
		machine_file(root, path, list);
	f = fopen(full, "w");
	assert(f && fputs(list, f) >= 0 && !fclose(f));
	free(full);
}

/* --- the kernel ----------------------------------------------------------------------- */

#define MAX_FDS  4096
#define MAX_CPUS 8

struct fake_event {
	bool is_open, is_enabled;
	uint32_t type;
	uint64_t config;
	int cpu, leader, next; /* the group: a list */
	double enabled_ns, running_ns, count;
};

struct fake {
	struct pw_pmu_kernel ops;
	struct fake_event events[MAX_FDS];
	int n, n_open, max_open;
	uint32_t counters; /* that take any event */
	int refuse;        /* -errno for all; 0: none */
	uint64_t unknown;  /* config of an event that is not there */
	bool is_offline[MAX_CPUS], no_cores;
	double (*rate)(uint32_t type, uint64_t config, int cpu); /* a ns */
};

__attribute__((unused)) static bool fake_fixed(const struct fake_event *e)
{
	return e->type == PERF_TYPE_SOFTWARE || e->type == 9 ||
	       e->config == 0xc0 || e->config == 0x3c || !(e->config & 0xff);
}

__attribute__((unused)) static bool fake_follows(const struct fake_event *e)
{
	return e->type == 4 && !(e->config & 0xff) && e->config >= 0x8000;
}

__attribute__((unused)) static int
fake_open(void *ctx, struct perf_event_attr *attr, int cpu, int group_fd)
{
	struct fake *k = ctx;
	struct fake_event e = { .is_open = true,
				.type = attr->type,
				.config = attr->config,
				.cpu = cpu,
				.leader = group_fd < 0 ? k->n : group_fd };
	uint32_t general = !fake_fixed(&e);

	if (k->refuse)
		return k->refuse;
	if (cpu >= MAX_CPUS || k->is_offline[cpu])
		return -ENODEV;
	if ((k->unknown && e.config == k->unknown) ||
	    (k->no_cores && e.type == 4))
		return -ENOENT;
	if (k->max_open && k->n_open >= k->max_open)
		return -EMFILE;
	if (fake_follows(&e) &&
	    (group_fd < 0 || k->events[group_fd].config != 0x400))
		return -EINVAL;
	for (int i = 0; i < k->n; i++)
		if (k->events[i].is_open && k->events[i].leader == e.leader)
			general += !fake_fixed(&k->events[i]);
	if (general > k->counters)
		return -EINVAL;
	assert(k->n < MAX_FDS);
	assert(attr->disabled == (group_fd < 0));
	assert(group_fd < 0 ||
	       (k->events[group_fd].is_open && k->events[group_fd].cpu == cpu));
	k->events[k->n] = e;
	k->n_open++;
	return k->n++;
}

__attribute__((unused)) static int fake_enable(void *ctx, int fd)
{
	struct fake *k = ctx;

	assert(k->events[fd].leader == fd);
	k->events[fd].is_enabled = true;
	/* no time at all has never passed */
	k->events[fd].enabled_ns = k->events[fd].running_ns = 1;
	return 0;
}

__attribute__((unused)) static void fake_close(void *ctx, int fd)
{
	struct fake *k = ctx;

	assert(k->events[fd].is_open);
	k->events[fd].is_open = false;
	k->n_open--;
}

__attribute__((unused)) static ssize_t fake_read(void *ctx, int fd, void *to,
						 size_t size_bytes)
{
	struct fake *k = ctx;
	uint64_t *out = to, n = 0;

	assert(k->events[fd].is_open);
	for (int i = fd; i < k->n; i++)
		if (k->events[i].is_open && k->events[i].leader == fd)
			out[3 + n++] = (uint64_t)k->events[i].count;
	assert(size_bytes == (3 + n) * sizeof(*out));
	out[0] = n;
	out[1] = (uint64_t)k->events[fd].enabled_ns;
	out[2] = (uint64_t)k->events[fd].running_ns;
	return (ssize_t)size_bytes;
}

__attribute__((unused)) static void fake_init(struct fake *k, uint32_t counters,
					      double (*rate)(uint32_t, uint64_t,
							     int))
{
	*k = (struct fake){ .counters = counters, .rate = rate };
	k->ops = (struct pw_pmu_kernel){ fake_open, fake_enable, fake_read,
					 fake_close, k };
}

__attribute__((unused)) static int fake_n_turns(const struct fake *k, int cpu,
						uint32_t type)
{
	int n = 0;

	for (int i = 0; i < k->n; i++)
		n += k->events[i].is_open && k->events[i].leader == i &&
		     k->events[i].cpu == cpu && k->events[i].type == type;
	return n;
}

/* Time passes. Groups of the cores' PMU take turns, each an equal part. */
__attribute__((unused)) static void fake_pass(struct fake *k, double ns)
{
	for (int i = 0; i < k->n; i++) {
		struct fake_event *e = &k->events[i];
		const struct fake_event *leader = &k->events[e->leader];
		bool turns = leader->type == 4 || leader->type == 8;
		double part =
			turns ? ns / fake_n_turns(k, e->cpu, leader->type) : ns;

		if (!e->is_open || !leader->is_enabled || k->is_offline[e->cpu])
			continue;
		e->enabled_ns += ns;
		e->running_ns += part;
		e->count += part * k->rate(e->type, e->config, e->cpu);
	}
}

#endif
