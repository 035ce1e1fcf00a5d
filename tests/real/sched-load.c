// SPDX-License-Identifier: GPL-2.0-only
/*
 * sched-load FILE: threads that do what is known, and what each measured of
 * itself when it ended, a line each:
 *   NAME TID CPU_NS WALL_NS VOLUNTARY INVOLUNTARY OWN_NS
 * CPU and switches are those of the whole thread, WALL since it began; OWN is
 * the time that it meant to be off the CPU.
 *   burn-a, burn-b   busy on one CPU together
 *   ping, pong       wake each other through two pipes
 *   sleeper          sleeps
 *   writer           writes FILE and waits for the disk
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BURN_NS 400000000ull
#define TRIPS   3000
#define SLEEPS  40
#define NAP_NS  5000000ull
#define WRITES  30

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct job {
	const char *name;
	uint64_t (*run)(struct job *j);
	int from, to; /* pipes */
	const char *path;
};

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static uint64_t burn(struct job *j)
{
	volatile unsigned long x = 0;

	(void)j;
	pin(0);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < BURN_NS)
		for (int i = 0; i < 100000; i++)
			x += (unsigned long)i;
	return 0;
}

static uint64_t ping(struct job *j)
{
	char c = 0;

	for (int i = 0; i < TRIPS; i++)
		if (write(j->to, &c, 1) != 1 || read(j->from, &c, 1) != 1)
			exit(1);
	return 0;
}

static uint64_t pong(struct job *j)
{
	char c = 0;

	for (int i = 0; i < TRIPS; i++)
		if (read(j->from, &c, 1) != 1 || write(j->to, &c, 1) != 1)
			exit(1);
	return 0;
}

static uint64_t nap(struct job *j)
{
	const struct timespec t = { .tv_nsec = NAP_NS };
	uint64_t start = clock_ns(CLOCK_MONOTONIC);

	(void)j;
	for (int i = 0; i < SLEEPS; i++)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	return clock_ns(CLOCK_MONOTONIC) - start;
}

static uint64_t write_out(struct job *j)
{
	static char block[256 << 10];
	int fd = open(j->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	uint64_t own = 0, start;

	for (int i = 0; i < WRITES; i++) {
		if (write(fd, block, sizeof(block)) != sizeof(block))
			exit(1);
		start = clock_ns(CLOCK_MONOTONIC);
		fdatasync(fd);
		own += clock_ns(CLOCK_MONOTONIC) - start;
	}
	close(fd);
	return own;
}

static void *work(void *ctx)
{
	struct job *j = ctx;
	uint64_t start = clock_ns(CLOCK_MONOTONIC), own;
	struct rusage r;

	prctl(PR_SET_NAME, j->name);
	own = j->run(j);
	getrusage(RUSAGE_THREAD, &r);
	printf("%s %ld %llu %llu %ld %ld %llu\n", j->name, syscall(SYS_gettid),
	       (unsigned long long)clock_ns(CLOCK_THREAD_CPUTIME_ID),
	       (unsigned long long)(clock_ns(CLOCK_MONOTONIC) - start),
	       r.ru_nvcsw, r.ru_nivcsw, (unsigned long long)own);
	return NULL;
}

int main(int argc, char **argv)
{
	int there[2], back[2];
	struct job jobs[] = {
		{ "burn-a", burn, 0, 0, NULL },
		{ "burn-b", burn, 0, 0, NULL },
		{ "ping", ping, 0, 0, NULL },
		{ "pong", pong, 0, 0, NULL },
		{ "sleeper", nap, 0, 0, NULL },
		{ "writer", write_out, 0, 0, argc > 1 ? argv[1] : "out" },
	};
	const int n = sizeof(jobs) / sizeof(*jobs);
	pthread_t threads[sizeof(jobs) / sizeof(*jobs)];

	/* the whole line at once, whoever prints */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (pipe(there) || pipe(back))
		return 1;
	jobs[2].to = there[1];
	jobs[2].from = back[0];
	jobs[3].to = back[1];
	jobs[3].from = there[0];
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, &jobs[i]))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
