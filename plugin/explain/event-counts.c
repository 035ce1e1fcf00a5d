// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware counters: names become events by libpfm, events are counted by
 * the kernel for this process and its children. What counts mean is weigh.c's
 * knowledge.
 */
#include "explain-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/pfmlib_perf_event.h>

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
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	char *full = pw_asprintf("%s::%s", pmu, name);
	int ret = pfm_get_os_event_encoding(full, PFM_PLM3, PFM_OS_PERF_EVENT,
					    &arg);

	free(full);
	return ret == PFM_SUCCESS ? open_event(&attr) : -1;
}

/* --- what there is ------------------------------------------------------------------ */

static const char *known_pmu(const char *name)
{
	uint32_t n;
	const struct pw_explain_event *e = pw_explain_events(&n);

	for (; n--; e++)
		if (!strcmp(e->pmu, name))
			return e->pmu;
	return NULL;
}

static const char *present_pmu(void)
{
	const char *found = NULL;
	pfm_pmu_info_t info;

	for (int i = 0; i < PFM_PMU_MAX && !found; i++) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm_get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS &&
		    info.is_present)
			found = known_pmu(info.name);
	}
	return found;
}

const char *pw_explain_pmu(char *why, size_t size)
{
	const char *pmu = NULL;
	int fd;

	*why = 0;
	if (pfm_initialize() == PFM_SUCCESS)
		pmu = present_pmu();
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

static bool event_has(const pfm_pmu_info_t *pmu, int idx, const char *name,
		      const char *mask)
{
	pfm_event_attr_info_t attr;
	pfm_event_info_t info = { .size = sizeof(info) };

	(void)pmu;
	if (pfm_get_event_info(idx, PFM_OS_NONE, &info) != PFM_SUCCESS ||
	    strcmp(info.name, name))
		return false;
	for (int a = 0; *mask && a < info.nattrs; a++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		if (pfm_get_event_attr_info(idx, a, PFM_OS_NONE, &attr) ==
			    PFM_SUCCESS &&
		    !strcmp(attr.name, mask))
			return true;
	}
	return !*mask;
}

bool pw_events_known(const char *pmu, const char *event)
{
	const char *colon = strchr(event, ':');
	char *name = colon ? pw_strndup(event, (size_t)(colon - event))
			   : pw_strdup(event);
	bool known = false;
	pfm_pmu_info_t info;

	if (pfm_initialize() != PFM_SUCCESS)
		goto out;
	for (int i = 0; i < PFM_PMU_MAX && !known; i++) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm_get_pmu_info((pfm_pmu_t)i, &info) != PFM_SUCCESS ||
		    strcmp(info.name, pmu))
			continue;
		for (int e = info.first_event; e != -1 && !known;
		     e = pfm_get_event_next(e))
			known = event_has(&info, e, name,
					  colon ? colon + 1 : "");
	}
out:
	free(name);
	return known;
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
	if (pfm_initialize() != PFM_SUCCESS)
		return pw_err_set(err, ENOTSUP, "libpfm knows no PMU here");
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
