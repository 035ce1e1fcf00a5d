// SPDX-License-Identifier: GPL-2.0-only
/*
 * A cdict of perfwhiz, unpacked: it is packed here, as no fuzzer gets through
 * zlib. It is read or refused with a reason; whatever its rows say, the time of
 * all tasks is that of all CPUs, and a report can be made of it.
 */
#include <perfwasm/sched.h>

#include <stdlib.h>
#include <zlib.h>

static void check(struct pw_sched *s)
{
	struct pw_report *r = pw_report_new("sched", NULL);
	uint64_t tasks = 0, cpus = 0;

	for (uint32_t i = 0; i < pw_sched_n_tasks(s); i++)
		tasks += pw_sched_task(s, i)->run_ns;
	for (uint32_t i = 0; i < pw_sched_n_cpus(s); i++)
		cpus += pw_sched_cpu(s, i)->busy_ns +
			pw_sched_cpu(s, i)->idle_ns;
	if (tasks != cpus)
		abort();
	pw_sched_report(s, NULL, r);
	pw_report_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_err err = { .msg = "" };
	struct pw_sched *s = pw_sched_new(NULL, &err);
	uLongf n = compressBound(size);
	uint8_t *packed = pw_alloc(n);
	int ret;

	if (compress2(packed, &n, data, size, 1) != Z_OK)
		abort();
	ret = pw_sched_read_cdict(s, packed, n, &err);
	if (ret < 0 && (err.code <= 0 || !err.msg[0]))
		abort();
	pw_sched_end(s, NULL);
	check(s);
	pw_sched_free(s);
	free(packed);
	return 0;
}
