// SPDX-License-Identifier: GPL-2.0-only
/* perf_event_open(2), and the open files that it needs. */
#include "pmu-counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int real_open(void *ctx, struct perf_event_attr *attr, int cpu,
		     int group_fd)
{
	long fd = syscall(SYS_perf_event_open, attr, -1, cpu, group_fd,
			  PERF_FLAG_FD_CLOEXEC);

	(void)ctx;
	return fd < 0 ? -errno : (int)fd;
}

static int real_enable(void *ctx, int fd)
{
	(void)ctx;
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) ? -errno
								     : 0;
}

static ssize_t real_read(void *ctx, int fd, void *to, size_t size_bytes)
{
	ssize_t n = read(fd, to, size_bytes);

	(void)ctx;
	return n < 0 ? -errno : n;
}

static void real_close(void *ctx, int fd)
{
	(void)ctx;
	close(fd);
}

const struct pw_pmu_kernel *kernel_real(void)
{
	static const struct pw_pmu_kernel real = { real_open, real_enable,
						   real_read, real_close,
						   NULL };

	return &real;
}

void kernel_allow_files(uint64_t n)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur >= n)
		return;
	/* the hard limit, too, where we may */
	if (l.rlim_max < n &&
	    !setrlimit(RLIMIT_NOFILE, &(struct rlimit){ n, n }))
		return;
	l.rlim_cur = n < l.rlim_max ? n : l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
}
