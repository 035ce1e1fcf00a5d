// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware counters: names become events in plugin/pmu, events are counted by
 * the kernel for this process and its children. What counts mean is weigh.c's
 * knowledge.
 */
#include "explain-impl.h"

#include <perfwasm/pmu.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a machine without counters has. */
static const char *const software[] = { "PAGE-FAULTS", "TASK-CLOCK" };

static int open_event(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->inherit = 1;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	attr->read_format =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static int open_hardware(uint64_t config)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = config };

	return open_event(&attr);
}

static int open_named(const char *pmu, const char *name)
{
	struct perf_event_attr attr = { .type = 0 };
	struct pw_pmu_code code;
	char *full = pw_asprintf("%s::%s", pmu, name);
	int ret = pw_pmu_encode(full, &code, NULL);

	free(full);
	if (ret)
		return -1;
	attr.type = code.type;
	attr.config = code.config;
	attr.config1 = code.config1;
	attr.config2 = code.config2;
	return open_event(&attr);
}

/* --- what there is ------------------------------------------------------------------ */

static const char *present_pmu(void)
{
	uint32_t n;
	const struct pw_explain_event *e = pw_explain_events(&n);

	for (; n--; e++)
		if (pw_pmu_is_here(e->pmu))
			return e->pmu;
	return NULL;
}

const char *pw_explain_pmu(char *why, size_t size)
{
	const char *pmu = present_pmu();
	int fd;

	*why = 0;
	fd = open_hardware(PERF_COUNT_HW_CPU_CYCLES);
	if (fd < 0)
		snprintf(why, size,
			 "no hardware counters here (%s), so none is evidence",
			 errno == ENOENT || errno == EOPNOTSUPP
				 ? "this machine shows no PMU"
				 : strerror(errno));
	else if (!pmu)
		snprintf(
			why, size,
			"no events are listed for this processor, so no counter is evidence");
	if (fd >= 0)
		close(fd);
	return *why ? NULL : pmu;
}

/* --- counting ------------------------------------------------------------------------ */

static void take(struct pw_events *c, const char *event, int fd)
{
	if (fd < 0)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		if (!strcmp(c->event[i], event) || c->n == PW_EVENTS_MAX) {
			close(fd);
			return;
		}
	c->event[c->n] = event;
	c->fd[c->n++] = fd;
}

int pw_events_open(struct pw_events *c, const char *pmu, struct pw_err *err)
{
	const struct pw_explain_event *e;
	uint32_t n;

	c->n = 0;
	for (n = 0; !strcmp(pmu, "perf") && n < 2; n++)
		take(c, software[n], open_named(pmu, software[n]));
	if (strcmp(pmu, "perf")) {
		take(c, "cycles", open_hardware(PERF_COUNT_HW_CPU_CYCLES));
		take(c, "instructions",
		     open_hardware(PERF_COUNT_HW_INSTRUCTIONS));
	}
	for (e = pw_explain_events(&n); n--; e++)
		if (!strcmp(e->pmu, pmu))
			take(c, e->name, open_named(pmu, e->name));
	return c->n ? 0
		    : pw_err_set(err, ENOTSUP,
				 "no event of %s can be counted here: %s", pmu,
				 strerror(errno));
}

void pw_events_run(struct pw_events *c, bool on)
{
	for (uint32_t i = 0; i < c->n; i++)
		ioctl(c->fd[i],
		      on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void pw_events_read(const struct pw_events *c, uint64_t *counts)
{
	for (uint32_t i = 0; i < c->n; i++) {
		struct {
			uint64_t count, enabled, running;
		} v = { 0, 0, 0 };

		counts[i] = 0;
		if (read(c->fd[i], &v, sizeof(v)) != (ssize_t)sizeof(v))
			continue;
		counts[i] = v.running && v.running < v.enabled
				    ? (uint64_t)((double)v.count *
						 (double)v.enabled /
						 (double)v.running)
				    : v.count;
	}
}

void pw_events_close(struct pw_events *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		close(c->fd[i]);
	c->n = 0;
}
