// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: the names of events.def are libpfm's, and software events, which
 * every machine has, are counted the way hardware events would be.
 */
#include <perfwasm/explain.h>
#include <perfwasm/pmu.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void libpfm_knows_every_event(void **state)
{
	uint32_t n;
	const struct pw_explain_event *e = pw_explain_events(&n);

	(void)state;
	assert_true(n > 20);
	for (; n--; e++)
		if (!pw_pmu_knows(e->pmu, e->name))
			fail_msg("%s::%s is not known to libpfm", e->pmu,
				 e->name);
	assert_false(pw_pmu_knows("skl", "LD_BLOCKS:NO_SUCH"));
	assert_false(pw_pmu_knows("skl", "NO_SUCH"));
	assert_false(pw_pmu_knows("no_such", "LD_BLOCKS:STORE_FORWARD"));
}

static void either_a_pmu_or_a_reason(void **state)
{
	char why[200];
	const char *pmu = pw_explain_pmu(why, sizeof(why));

	(void)state;
	assert_int_equal(pmu == NULL, strlen(why) > 0);
}

#define PAGES 300

static void touch_pages(void)
{
	size_t size = PAGES * 4096;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += 4096)
		p[i] = 1;
	munmap(p, size);
}

static int event(const struct pw_events *c, const char *name)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (!strcmp(c->event[i], name))
			return (int)i;
	return -1;
}

static void children_count_while_it_runs(void **state)
{
	uint64_t before[PW_EVENTS_MAX], after[PW_EVENTS_MAX];
	struct pw_events c;
	struct pw_err err;
	int faults, status;
	pid_t pid;

	(void)state;
	if (pw_events_open(&c, "perf", &err)) {
		print_message("%s\n", err.msg);
		skip();
	}
	faults = event(&c, "PAGE-FAULTS");
	assert_true(faults >= 0);
	touch_pages(); /* stands still */
	pw_events_read(&c, before);
	assert_int_equal(before[faults], 0);
	pw_events_run(&c, true);
	pid = fork();
	if (!pid) {
		touch_pages();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	pw_events_run(&c, false);
	pw_events_read(&c, after);
	assert_true(after[faults] >= PAGES);
	touch_pages();
	pw_events_read(&c, before);
	assert_true(before[faults] < after[faults] + PAGES);
	pw_events_close(&c);
}

static void an_unknown_pmu_is_refused(void **state)
{
	struct pw_events c;
	struct pw_err err = { .msg = "" };

	(void)state;
	if (!pw_events_open(&c, "no_such", &err)) {
		/* where there is a PMU, cycles can be counted all the same */
		pw_events_close(&c);
		return;
	}
	assert_non_null(strstr(err.msg, "no_such"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libpfm_knows_every_event),
		cmocka_unit_test(either_a_pmu_or_a_reason),
		cmocka_unit_test(children_count_while_it_runs),
		cmocka_unit_test(an_unknown_pmu_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
