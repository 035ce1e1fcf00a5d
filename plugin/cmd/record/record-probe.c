// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which events can be recorded here, found by asking the kernel for them. What
 * cannot be had is told, with what stands in and how to mend it.
 */
#include "../doctor/doctor.h"
#include "record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int paranoid_level(void)
{
	struct pw_file f;
	int level = 2;

	if (pw_file_open(&f, "/proc/sys/kernel/perf_event_paranoid", NULL))
		return level;
	if (f.size)
		level = atoi((const char *)f.data);
	pw_file_close(&f);
	return level;
}

static int refused(int why, struct pw_err *err)
{
	if (why == EACCES || why == EPERM)
		return pw_err_set(
			err, why,
			"the kernel lets you sample nothing (kernel.perf_event_paranoid is %d, or a container forbids it): as root, sysctl kernel.perf_event_paranoid=1",
			paranoid_level());
	return pw_err_set(
		err, why,
		"the kernel samples nothing here: %s; it needs CONFIG_PERF_EVENTS",
		strerror(why));
}

/* cycles where the machine counts them, else the clock. */
static int choose_clock(struct record *r, struct pw_err *err)
{
	bool pmu =
		!try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false);
	uint32_t type = pmu ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	uint64_t config =
		pmu ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK;
	int user = pmu ? 0 : try_event(type, config, false);

	if (user)
		return refused(user, err);
	r->no_kernel = try_event(type, config, true);
	if (!pmu)
		record_note(
			r,
			"no hardware counters here: samples come from the CPU clock, not from cycles");
	if (r->no_kernel)
		record_note(
			r,
			"the kernel is not sampled (kernel.perf_event_paranoid is %d): as root, sysctl kernel.perf_event_paranoid=1",
			paranoid_level());
	if (pmu)
		cmd_words_add(&r->events,
			      r->no_kernel ? "cycles:Pu" : "cycles:P");
	else
		cmd_words_add(&r->events,
			      r->no_kernel ? "cpu-clock:u" : "cpu-clock");
	return 0;
}

/* --- the scheduler ------------------------------------------------------------ */

/* The number of a tracepoint, or why there is none: -errno. */
static int tracepoint_id(const char *dir, const char *name)
{
	char *path = pw_asprintf("%s/events/sched/%s/id", dir, name);
	FILE *f = fopen(path, "re");
	int id = -errno;

	free(path);
	if (!f)
		return id;
	if (fscanf(f, "%d", &id) != 1)
		id = -EIO;
	fclose(f);
	return id;
}

static int try_sched(void)
{
	static const char *const dirs[] = { "/sys/kernel/tracing",
					    "/sys/kernel/debug/tracing" };
	int why = -ENOENT;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		int id = tracepoint_id(dirs[i], "sched_switch");

		if (id > 0)
			return -try_event(PERF_TYPE_TRACEPOINT, (uint64_t)id,
					  true);
		if (id != -ENOENT)
			why = id;
	}
	return why;
}

/* Switch records tell when a task went and came; the tracepoints why, and who
 * woke it. */
static void choose_sched(struct record *r)
{
	int why = try_sched();

	cmd_words_add(&r->more, "--switch-events");
	cmd_words_add(&r->more, "--sample-cpu");
	r->graph = true; /* else all that waits is in the kernel's schedule() */
	if (!why) {
		cmd_words_add(&r->events, "sched:sched_switch");
		cmd_words_add(&r->events, "sched:sched_wakeup");
		if (!r->all_cpus)
			record_note(
				r,
				"wake-ups by other programs and by the kernel are seen with --all-cpus only");
		return;
	}
	if (why == -ENOENT)
		record_note(
			r,
			"tracefs is not mounted: switches are recorded without their reason, and no wake-ups; as root, mount -t tracefs nodev /sys/kernel/tracing");
	else
		record_note(
			r,
			"scheduler events are not yours to record (%s): switches are recorded without their reason, and no wake-ups; as root, sysctl kernel.perf_event_paranoid=-1 and mount -o remount,mode=755 /sys/kernel/tracing",
			strerror(-why));
}

/*
 * What perf is told with -F or -c holds for all its events, and of switches each
 * one counts. So it is told with the clock, which keeps its name.
 */
static void bind_to_clock(struct record *r)
{
	const char *clock = r->events.v[0];
	const char *many = r->freq ?: r->count;
	int n = (int)strcspn(clock, ":");
	char *event;

	if (!many || many[strspn(many, "0123456789")])
		return;
	event = pw_asprintf("%.*s/%s=%s,name=%.*s/%s", n, clock,
			    r->freq ? "freq" : "period", many, n, clock,
			    clock[n] ? clock + n + 1 : "");
	cmd_words_add(&r->owned, event);
	r->events.v[0] = event;
	r->freq = r->count = NULL;
}

int record_choose_events(struct record *r, struct pw_err *err)
{
	bool is_ours = !r->events.n;
	int ret = 0;

	if (is_ours)
		ret = choose_clock(r, err);
	if (!ret && is_ours && r->sched)
		bind_to_clock(r);
	if (!ret && r->sched)
		choose_sched(r);
	return ret;
}
