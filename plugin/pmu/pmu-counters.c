// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of events on every CPU. The first CPU decides what a group is, for
 * the kernel takes there only what it can count at once; the others get the
 * same. All of a group is read at once, by its first event.
 */
#include "pmu-counters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- one group on one CPU ------------------------------------------------------------ */

static int open_nth(const struct counters *c, struct row *r, uint32_t n,
		    const struct event *e)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = e->code.type,
		.config = e->code.config,
		.config1 = e->code.config1,
		.config2 = e->code.config2,
		.disabled = !n, /* the others follow the first */
		.read_format = PERF_FORMAT_GROUP |
			       PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = c->kernel->open(c->kernel->ctx, &attr, (int)r->cpu,
				 n ? r->fds[0] : -1);

	if (fd < 0)
		return fd;
	r->fds[n] = fd;
	return 0;
}

/* From the last to the first: a first one that goes leaves the rest alone. */
static void close_from(const struct counters *c, struct row *r, uint32_t n)
{
	for (uint32_t i = GROUP_EVENTS; i-- > n;) {
		if (r->fds[i] >= 0)
			c->kernel->close(c->kernel->ctx, r->fds[i]);
		r->fds[i] = -1;
	}
}

static struct row *add_row(struct counters *c, uint32_t group, uint32_t cpu)
{
	struct row *r;

	c->rows[group] =
		pw_realloc(c->rows[group], (c->n_rows[group] + 1) * sizeof(*r));
	r = &c->rows[group][c->n_rows[group]++];
	*r = (struct row){ .cpu = cpu };
	memset(r->fds, 0xff, sizeof(r->fds));
	return r;
}

static int open_row(struct counters *c, uint32_t group, struct row *r)
{
	const struct group *g = &c->groups.list[group];
	int ret = 0;

	for (uint32_t i = 0; i < g->n && !ret; i++)
		ret = open_nth(c, r, i, &c->plan->events[g->events[i]]);
	if (!ret)
		ret = c->kernel->enable(c->kernel->ctx, r->fds[0]);
	if (ret) {
		close_from(c, r, 0);
		/* a CPU that went meanwhile is no fault */
		c->refused = ret == -ENODEV ? c->refused : ret;
	}
	r->enabled_ns = 0;
	return ret;
}

/* --- the first CPU ---------------------------------------------------------------------- */

static bool counts_on(const struct counters *c, int device, uint32_t cpu)
{
	const struct device *d = &c->devices->list[device];

	return cpus_has(&c->online, cpu) &&
	       (!d->cpus.n || cpus_has(&d->cpus, cpu));
}

static uint32_t first_cpu(const struct counters *c, int device)
{
	uint32_t cpu = cpus_next(&c->online, 0);

	while (cpu != UINT32_MAX && !counts_on(c, device, cpu))
		cpu = cpus_next(&c->online, cpu + 1);
	return cpu;
}

static int try_add(void *ctx, uint32_t g, uint32_t n, const struct event *e)
{
	struct counters *c = ctx;
	uint32_t cpu = first_cpu(c, e->device);

	if (cpu == UINT32_MAX)
		return -ENODEV;
	if (!n && !c->n_rows[g])
		add_row(c, g, cpu);
	c->rows[g][0].cpu = n ? c->rows[g][0].cpu : cpu;
	return open_nth(c, &c->rows[g][0], n, e);
}

static void try_drop(void *ctx, uint32_t g, uint32_t n)
{
	struct counters *c = ctx;

	if (c->n_rows[g])
		close_from(c, &c->rows[g][0], n);
}

static void try_move(void *ctx, uint32_t to, uint32_t from)
{
	struct counters *c = ctx;
	struct row *spare = c->rows[to];
	uint32_t n = c->n_rows[to];

	c->rows[to] = c->rows[from];
	c->n_rows[to] = c->n_rows[from];
	c->rows[from] = spare;
	c->n_rows[from] = n;
}

/* --- the others ------------------------------------------------------------------------- */

static bool has_row(const struct counters *c, uint32_t group, uint32_t cpu)
{
	for (uint32_t i = 0; i < c->n_rows[group]; i++)
		if (c->rows[group][i].cpu == cpu)
			return true;
	return false;
}

static void open_cpus(struct counters *c, uint32_t group)
{
	int device = c->groups.list[group].device;

	for (uint32_t cpu = cpus_next(&c->online, 0); cpu != UINT32_MAX;
	     cpu = cpus_next(&c->online, cpu + 1))
		if (counts_on(c, device, cpu) && !has_row(c, group, cpu) &&
		    open_row(c, group, add_row(c, group, cpu)))
			c->n_rows[group]--;
}

/* Whether the list of CPUs is another than before. */
static bool read_online(struct counters *c)
{
	char text[sizeof(c->online_text)];
	ssize_t n = pread(c->online_fd, text, sizeof(text) - 1, 0);

	while (n > 0 && text[n - 1] == '\n')
		n--;
	if (n <= 0)
		return false;
	text[n] = 0;
	if (!strcmp(text, c->online_text))
		return false;
	strcpy(c->online_text, text);
	cpus_release(&c->online);
	return cpus_parse(&c->online, text);
}

static uint64_t count_files(const struct counters *c)
{
	uint64_t n = 0;

	for (uint32_t g = 0; g < c->groups.n; g++)
		n += c->groups.list[g].n;
	return n * cpus_count(&c->online) + 256;
}

/* What is left of attempts. */
static void drop_spare_rows(struct counters *c)
{
	for (uint32_t g = c->groups.n; g < MAX_GROUPS; g++)
		c->n_rows[g] = 0;
}

void counters_open(struct counters *c, uint32_t most)
{
	struct trial trial = { try_add, try_drop, try_move, c };
	char *path = pw_asprintf("%s/sys/devices/system/cpu/online", c->root);

	c->online_fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (!read_online(c))
		cpus_parse(&c->online, "0");
	groups_make(&c->groups, c->plan, most, &trial);
	drop_spare_rows(c);
	kernel_allow_files(count_files(c));
	for (uint32_t g = 0; g < c->groups.n; g++) {
		c->kernel->enable(c->kernel->ctx, c->rows[g][0].fds[0]);
		open_cpus(c, g);
	}
}

void counters_close(struct counters *c)
{
	for (uint32_t g = 0; g < MAX_GROUPS; g++) {
		for (uint32_t i = 0; i < c->n_rows[g]; i++)
			close_from(c, &c->rows[g][i], 0);
		free(c->rows[g]);
	}
	if (c->online_fd >= 0)
		close(c->online_fd);
	cpus_release(&c->online);
}

/* --- while it counts ---------------------------------------------------------------------- */

void counters_cpus(struct counters *c,
		   void (*gone)(void *ctx, uint32_t group, uint32_t cpu),
		   void *ctx)
{
	if (!read_online(c))
		return;
	for (uint32_t g = 0; g < c->groups.n; g++) {
		for (uint32_t i = c->n_rows[g]; i-- > 0;) {
			struct row *r = &c->rows[g][i];

			if (counts_on(c, c->groups.list[g].device, r->cpu))
				continue;
			close_from(c, r, 0);
			gone(ctx, g, r->cpu);
			*r = c->rows[g][--c->n_rows[g]];
		}
		open_cpus(c, g);
	}
}

bool counters_read(struct counters *c, uint32_t group, struct row *r,
		   struct reading *out)
{
	uint32_t n = c->groups.list[group].n;
	size_t size = offsetof(struct reading, values) + n * sizeof(uint64_t);

	if (r->fds[0] < 0 || c->kernel->read(c->kernel->ctx, r->fds[0], out,
					     size) != (ssize_t)size)
		return false;
	/* a CPU that went and came between two readings counts no more, and
	 * its clock stands still */
	if (r->enabled_ns && out->enabled_ns == r->enabled_ns) {
		close_from(c, r, 0);
		open_row(c, group, r);
		return false;
	}
	r->enabled_ns = out->enabled_ns;
	return true;
}
