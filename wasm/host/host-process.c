// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel says about a process: its memory, its CPU time, and what
 * its death by a signal means. Knows nothing of requests.
 */
#include "host-parts.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* /proc/PID/statm, in pages: size resident shared text lib data dirty. Data
 * is data and stack; address space that is only reserved is not in it. */
uint64_t pw_host_data_bytes(pid_t pid)
{
	char path[64], text[256];
	unsigned long long data = 0;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	else
		strcpy(path, "/proc/self/statm");
	pw_file_peek(AT_FDCWD, path, text, sizeof(text));
	if (sscanf(text, "%*u %*u %*u %*u %*u %llu", &data) != 1)
		return 0;
	return data * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t pw_host_cpu_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

enum pw_outcome pw_host_signal_outcome(int sig, char *dst, size_t size)
{
	switch (sig) {
	case SIGXCPU:
		snprintf(dst, size, "used all the CPU time it was given");
		return PW_OUT_CPU;
	case SIGXFSZ:
		snprintf(dst, size, "wrote more than it may");
		return PW_OUT_OUTPUT;
	default:
		snprintf(dst, size, "died of signal %d (%s)", sig,
			 strsignal(sig));
		return PW_OUT_CRASH;
	}
}

void pw_host_last_words(int fd, char *dst, size_t size)
{
	char text[4096], *line, *rest = text;
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	size_t len = 0;

	text[n > 0 ? n : 0] = 0;
	dst[0] = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (!*line || !strncmp(line, "note: ", 6) || len + 1 >= size)
			continue;
		snprintf(dst + len, size - len, "%s%s", len ? " " : "", line);
		len = strlen(dst);
	}
}
