// SPDX-License-Identifier: GPL-2.0-only
/* Reads the metrics of a capture: see metrics-source.h. */
#include "metrics-source.h"

#include "capture-source.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define USUAL "perf-wasm.data"

static int read_into(struct pw_metrics *m, const char *path, struct pw_err *err)
{
	int ret;

	if (!path && access(USUAL, F_OK))
		return pw_err_set(
			err, ENOENT,
			"there is no " USUAL
			" here: name a capture, or make one with 'perf wasm record --system -- COMMAND'");
	path = path ? path : USUAL;
	if (access(path, F_OK))
		return pw_err_set(err, errno, "%s: there is no such capture",
				  path);
	ret = cmd_system_read(path, m, err);
	if (ret == -ENOENT)
		return pw_err_set(
			err, ENOENT,
			"%s: there are no metrics in it: they are recorded by 'perf wasm record --system'",
			path);
	/* refused at its first byte: it is something else */
	if (ret == -EINVAL && err && !err->off)
		return pw_err_set(
			err, EINVAL,
			"%s: expected what 'perf wasm record --system' or aperf recorded, found another file; 'perf wasm report' and 'perf wasm sched' read perf.data",
			path);
	return ret;
}

struct pw_metrics *cmd_metrics_read(const char *path, uint64_t from_ns,
				    uint64_t to_ns, struct pw_err *err)
{
	struct pw_metrics *m = pw_metrics_new();

	pw_metrics_window(m, from_ns, to_ns);
	if (!read_into(m, path, err)) {
		pw_metrics_end(m);
		return m;
	}
	pw_metrics_free(m);
	return NULL;
}

uint64_t cmd_metrics_epoch_ns(const struct pw_metrics *m)
{
	const char *real = pw_metrics_find_fact(m, "recorder", "real time");
	struct pw_metrics_span span = pw_metrics_get_span(m);
	unsigned long long s, ns;

	/* 31 years: their clock is the real one, as APerf's */
	if (span.from_ns > 1000000000000000000ull)
		return 1;
	/* told when the first reading began */
	if (!real || sscanf(real, "%llu.%9llu", &s, &ns) != 2 ||
	    s * 1000000000ull < span.from_ns)
		return 0;
	return s * 1000000000ull + ns - span.from_ns;
}
