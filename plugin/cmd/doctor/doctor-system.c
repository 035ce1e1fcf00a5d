// SPDX-License-Identifier: GPL-2.0-only
/*
 * What of the system can be recorded here: all sources are read once, as the
 * recorder would.
 */
#include "doctor.h"

#include <perfwasm/metrics.h>
#include <perfwasm/system.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_once(const char *path, struct pw_metrics *m, struct pw_err *err)
{
	const struct pw_system_opts opts = { .path = path,
					     .interval_ns = 1000000000 };
	struct pw_system *s = pw_system_open(&opts, err);
	int ret = s ? pw_system_tick(s, err) : -EINVAL;

	pw_system_close(s, NULL);
	if (!ret)
		ret = pw_system_read(path, m, err);
	pw_metrics_end(m);
	return ret;
}

/* What is not there is no fault; what may not be read is told. */
static enum health judge(const struct pw_metrics *m, struct pw_buf *found)
{
	struct pw_buf refused = { 0 };
	uint32_t n = pw_metrics_n_sources(m), n_read = 0;
	enum health health = HEALTH_OK;

	for (uint32_t i = 0; i < n; i++) {
		struct pw_metrics_read r = pw_metrics_get_source(m, i);
		bool may = !r.state || (strcmp(r.state, strerror(EACCES)) &&
					strcmp(r.state, strerror(EPERM)));

		n_read += !r.state;
		if (!may)
			pw_buf_printf(&refused, "%s%s", refused.len ? ", " : "",
				      r.source);
	}
	pw_buf_printf(found, "%u of %u sources can be read", n_read, n);
	if (refused.len) {
		pw_buf_printf(found, "; not yours to read: %s",
			      pw_buf_str(&refused));
		health = HEALTH_LIMITED;
	}
	pw_buf_release(&refused);
	return n_read ? health : HEALTH_MISSING;
}

enum health probe_system(struct pw_buf *found)
{
	char path[] = "/tmp/perf-wasm-XXXXXX";
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_metrics *m = pw_metrics_new();
	enum health health = HEALTH_MISSING;
	char *recorder = pw_own_path("libexec/perf-wasm/system-recorder");
	int fd = mkstemp(path);

	if (!recorder)
		pw_buf_printf(found, "the recorder is not installed");
	else if (fd < 0)
		pw_buf_printf(found, "%s: %s", path, strerror(errno));
	else if (read_once(path, m, &err))
		pw_buf_printf(found, "%s", err.msg);
	else
		health = judge(m, found);
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	free(recorder);
	pw_metrics_free(m);
	return health;
}
