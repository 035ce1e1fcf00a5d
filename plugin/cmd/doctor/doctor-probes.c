// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probes of `perf wasm doctor`: each looks at one thing of this machine
 * by trying it where that is cheap. What it means is in checks.def.
 */
#include "doctor.h"

#include <perfwasm/bpf.h>
#include <perfwasm/measure.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- programs -------------------------------------------------------------- */

/* The first line that `program arg` prints, within five seconds. */
static enum health probe_program(struct pw_buf *found, const char *program,
				 const char *arg)
{
	const char *const argv[] = { program, arg, NULL };
	struct pw_buf out = { 0 }, errout = { 0 };
	char *path = pw_find_program(program);
	int status = 0;

	if (!path) {
		pw_buf_printf(found, "%s is not on PATH", program);
		return HEALTH_MISSING;
	}
	if (pw_child_run(argv, 5000000000, &out, &errout, 65536, &status,
			 NULL) ||
	    status) {
		pw_buf_printf(found, "%s %s fails", path, arg);
		status = 1;
	} else {
		const char *line = pw_buf_str(&out);

		pw_buf_printf(found, "%.*s at %s", (int)strcspn(line, "\n"),
			      line, path);
	}
	pw_buf_release(&out);
	pw_buf_release(&errout);
	free(path);
	return status ? HEALTH_MISSING : HEALTH_OK;
}

enum health probe_perf(struct pw_buf *found)
{
	return probe_program(found, "perf", "--version");
}

enum health probe_wasm2c(struct pw_buf *found)
{
	return probe_program(found, "wasm2c", "--version");
}

enum health probe_node(struct pw_buf *found)
{
	return probe_program(found, "node", "--version");
}

enum health probe_cc(struct pw_buf *found)
{
	return probe_program(found, "cc", "--version");
}

enum health probe_door(struct pw_buf *found)
{
	char *path = pw_find_program("perf-wasm");
	char *own = pw_own_path("bin/perf-wasm");
	struct stat a, b;
	enum health health = HEALTH_OK;

	if (!path) {
		pw_buf_printf(found, "perf-wasm is not on PATH");
		health = HEALTH_MISSING;
	} else if (own && !stat(path, &a) && !stat(own, &b) &&
		   (a.st_ino != b.st_ino || a.st_dev != b.st_dev)) {
		pw_buf_printf(found, "another one is first on PATH: %s", path);
		health = HEALTH_LIMITED;
	} else {
		pw_buf_printf(found, "%s", path);
	}
	free(path);
	free(own);
	return health;
}

/* --- the kernel -------------------------------------------------------------- */

/* pid and cpu as perf_event_open(2) takes them. */
static int try_open(uint32_t type, uint64_t config, bool kernel, pid_t pid,
		    int cpu)
{
	struct perf_event_attr attr = { .type = type,
					.size = sizeof(attr),
					.config = config,
					.sample_period = 1000000,
					.disabled = 1,
					.exclude_kernel = !kernel,
					.exclude_hv = 1 };
	long fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

int try_event(uint32_t type, uint64_t config, bool kernel)
{
	return try_open(type, config, kernel, 0, -1);
}

int try_all_programs(void)
{
	return try_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false, -1,
			0);
}

enum health probe_paranoid(struct pw_buf *found)
{
	struct pw_file f;
	int user =
		try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false);
	int kernel =
		try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true);

	if (!pw_file_open(&f, "/proc/sys/kernel/perf_event_paranoid", NULL)) {
		pw_buf_printf(found, "%d: ", atoi((const char *)f.data));
		pw_file_close(&f);
	}
	if (user) {
		pw_buf_printf(found, "sampling is refused (%s)",
			      strerror(user));
		return HEALTH_MISSING;
	}
	pw_buf_printf(found, "programs%s can be sampled",
		      kernel ? "" : " and the kernel");
	return kernel ? HEALTH_LIMITED : HEALTH_OK;
}

enum health probe_pmu(struct pw_buf *found)
{
	int ret =
		try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false);

	if (!ret) {
		pw_buf_printf(found, "cycles can be counted");
		return HEALTH_OK;
	}
	pw_buf_printf(found, "cycles cannot be counted (%s)",
		      ret == ENOENT || ret == EOPNOTSUPP ? "none here"
							 : strerror(ret));
	return HEALTH_LIMITED;
}

enum health probe_tracefs(struct pw_buf *found)
{
	static const char *const dirs[] = { "/sys/kernel/tracing",
					    "/sys/kernel/debug/tracing" };
	const char *why = "not mounted";

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		char *path = pw_asprintf("%s/events/sched/sched_switch/format",
					 dirs[i]);
		bool readable = !access(path, R_OK);

		if (!readable && errno == EACCES)
			why = "not readable for you";
		free(path);
		if (readable) {
			pw_buf_printf(found, "%s", dirs[i]);
			return HEALTH_OK;
		}
	}
	pw_buf_printf(found, "%s", why);
	return HEALTH_MISSING;
}

/* Loads the program, small, and lets it count for a moment. */
enum health probe_bpf(struct pw_buf *found)
{
	const struct pw_bpf_opts opts = { .max_tasks = 64 };
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_bpf *b = pw_bpf_open(&opts, &err);

	pw_buf_printf(found, "%s",
		      b ? "the scheduler can be watched" : err.msg);
	pw_bpf_close(b);
	return b ? HEALTH_OK : HEALTH_MISSING;
}

/* --- what hunts need ------------------------------------------------------------ */

enum health probe_runtimes(struct pw_buf *found)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_runtime_row *rows;
	size_t n, n_usable = 0, n_libraries = 0;

	if (pw_runtime_list(&rows, &n, &err)) {
		pw_buf_printf(found, "%s", err.msg);
		return HEALTH_MISSING;
	}
	for (size_t i = 0; i < n; i++) {
		if (rows[i].status)
			continue;
		n_usable++;
		n_libraries += !strcmp(rows[i].kind, "library");
	}
	pw_runtime_rows_free(rows, n);
	pw_buf_printf(found, "%zu of %zu usable", n_usable, n);
	/* one library is two contestants: it has optimisation levels */
	if (n_usable >= 2)
		return n_libraries ? HEALTH_OK : HEALTH_LIMITED;
	return n_libraries ? HEALTH_LIMITED : HEALTH_MISSING;
}

enum health probe_sandbox(struct pw_buf *found)
{
	struct pw_err err = { .off = PW_NO_OFF };

	if (!pw_sandbox_probe(&err)) {
		pw_buf_printf(found, "bubblewrap works");
		return HEALTH_OK;
	}
	pw_buf_printf(found, "%s", err.msg);
	return HEALTH_LIMITED;
}
