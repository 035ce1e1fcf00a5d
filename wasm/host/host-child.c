// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request inside its own process: the guest's descriptors, its limits and
 * the clocks around compilation and call. Knows no runtime. The limits that
 * need an outside view (wall time, memory) are the parent's, host-loop.c.
 */
#include "host-parts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define NS 1000000000ull

static int open_output(const struct pw_host_request *req)
{
	if (req->stdout_path)
		return open(req->stdout_path,
			    O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
			    0644);
	if (req->digest)
		return memfd_create("output", MFD_CLOEXEC);
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

int host_run_init(struct pw_host_run *run, const struct pw_host_request *req,
		  struct pw_err *err)
{
	memset(run, 0, sizeof(*run));
	run->req = req;
	run->reply.id = req->id;
	run->data_from_bytes = pw_host_data_bytes(0);
	run->out_fd = open_output(req);
	if (run->out_fd < 0)
		return pw_err_set(err, errno,
				  "cannot write the guest's output to %s: %s",
				  req->stdout_path, strerror(errno));
	return 0;
}

void pw_host_fail(struct pw_host_run *run, enum pw_outcome outcome,
		  const char *fmt, ...)
{
	char *s = run->reply.message;
	va_list ap;

	run->reply.outcome = outcome;
	va_start(ap, fmt);
	vsnprintf(s, sizeof(run->reply.message), fmt, ap);
	va_end(ap);
	for (; *s; s++) {
		if (iscntrl((unsigned char)*s))
			*s = ' ';
	}
}

/* --- clocks --- */

void pw_host_compile_begin(struct pw_host_run *run)
{
	run->compile_from_ns = pw_cpu_ns();
}

void pw_host_compile_end(struct pw_host_run *run)
{
	run->reply.compile_ns = pw_cpu_ns() - run->compile_from_ns;
}

/* --- limits --- */

static void limit_soft(int what, uint64_t value)
{
	struct rlimit l;

	if (getrlimit(what, &l))
		return;
	l.rlim_cur = value < l.rlim_max ? value : l.rlim_max;
	setrlimit(what, &l);
}

/* The thread's clock, not the process's: an armed timer makes the kernel read
 * its clock from the last tick only. Time of other threads is the parent's to
 * see. */
static void arm_cpu_limit(struct pw_host_run *run)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL,
			       .sigev_signo = SIGXCPU };
	uint64_t ns = run->req->cpu_limit_ns;
	struct itimerspec at = { .it_value = { .tv_sec = ns / NS,
					       .tv_nsec = ns % NS } };

	if (!ns || timer_create(CLOCK_THREAD_CPUTIME_ID, &ev, &run->cpu_timer))
		return;
	run->cpu_timer_set = true;
	timer_settime(run->cpu_timer, 0, &at, NULL);
}

static void disarm_cpu_limit(struct pw_host_run *run)
{
	if (run->cpu_timer_set)
		timer_delete(run->cpu_timer);
	run->cpu_timer_set = false;
}

/* --- descriptors --- */

/* Input that cannot be opened is empty input: the caller has made the file. */
static void place_fds(struct pw_host_run *run)
{
	const char *path = run->req->stdin_path ?: "/dev/null";
	int in = open(path, O_RDONLY | O_CLOEXEC);

	if (in >= 0) {
		dup2(in, 0);
		close(in);
	}
	dup2(run->out_fd, 1);
	dup2(run->out_fd, 2);
}

static void keep_fds(struct pw_host_run *run)
{
	for (int i = 0; i < 3; i++)
		run->kept_fds[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
}

static void restore_fds(struct pw_host_run *run)
{
	for (int i = 0; i < 3; i++) {
		if (run->kept_fds[i] < 0)
			continue;
		dup2(run->kept_fds[i], i);
		close(run->kept_fds[i]);
	}
}

/* --- the call --- */

void pw_host_watch(struct pw_host_run *run, pid_t pid, uint64_t used_cpu_ns)
{
	struct pw_buf line = { 0 };
	ssize_t n;

	pw_buf_printf(&line, "watch");
	pw_protocol_add_u64(&line, "pid", (uint64_t)pid);
	pw_protocol_add_u64(&line, "compile_ns", run->reply.compile_ns);
	pw_protocol_add_u64(&line, "cpu_ns", used_cpu_ns);
	pw_buf_add_u8(&line, '\n');
	n = write(PW_HOST_FD, line.data, line.len);
	(void)n; /* without the parent we are dead anyway */
	pw_buf_release(&line);
}

void pw_host_limit_self(struct pw_host_run *run)
{
	const struct pw_host_request *req = run->req;

	place_fds(run);
	if (req->output_limit_bytes)
		limit_soft(RLIMIT_FSIZE, req->output_limit_bytes);
	if (req->cpu_limit_ns)
		limit_soft(RLIMIT_CPU, (req->cpu_limit_ns + NS - 1) / NS);
	limit_soft(RLIMIT_CORE, 0);
}

static void set_registers(const struct pw_host_run *run)
{
	if (run->req->clean_registers)
		host_registers_clear();
	else
		host_registers_fill();
}

void pw_host_start_begin(struct pw_host_run *run)
{
	pw_host_watch(run, getpid(), pw_cpu_ns());
	set_registers(run);
}

void pw_host_call_begin(struct pw_host_run *run)
{
	const struct pw_host_request *req = run->req;

	keep_fds(run);
	place_fds(run);
	if (req->output_limit_bytes)
		limit_soft(RLIMIT_FSIZE, req->output_limit_bytes);
	if (req->samples_path)
		run->samples = host_samples_begin(req->sample_period_ns);
	pw_host_watch(run, getpid(), pw_cpu_ns());
	arm_cpu_limit(run);
	run->call_from_wall_ns = pw_now_ns();
	run->call_from_cpu_ns = pw_cpu_ns();
	set_registers(run);
}

void pw_host_call_end(struct pw_host_run *run)
{
	uint64_t limit = run->req->memory_limit_bytes, now;

	run->reply.cpu_ns = pw_cpu_ns() - run->call_from_cpu_ns;
	run->reply.wall_ns = pw_now_ns() - run->call_from_wall_ns;
	run->reply.begin_ns = run->call_from_wall_ns;
	disarm_cpu_limit(run);
	host_samples_end(run->samples);
	limit_soft(RLIMIT_FSIZE, RLIM_INFINITY);
	restore_fds(run);
	now = pw_host_data_bytes(0);
	if (limit && now > run->data_from_bytes + limit)
		pw_host_fail(run, PW_OUT_MEMORY,
			     "wanted more memory than it was given");
}
