// SPDX-License-Identifier: GPL-2.0-only
/*
 * system-load FILE BEFORE AFTER: a known load of a machine, one kind after the
 * other; FILE is written on the disk that is meant. Copies what /proc says into
 * the folders BEFORE and AFTER, tells lines "NAME VALUE" of what it did, then
 * "done", and stays until its standard input ends, so that it can be looked at.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	PAGES = 16384,
	DISK_BYTES = 16 << 20,
	BLOCK = 1 << 20,
	NET_BYTES = 64 << 20,
	ROUNDS = 4000,
	FORKS = 150,
	BURN_MS = 700,
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void tell(const char *name, long long value)
{
	printf("%s %lld\n", name, value);
}

static long long cpu_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* --- what /proc says beside ------------------------------------------------------- */

static void copy(const char *from, const char *dir)
{
	char to[512], buf[65536];
	const char *name = from + 1;
	FILE *in = fopen(from, "r"), *out;
	size_t n;

	if (!in)
		return;
	snprintf(to, sizeof(to), "%s/%s", dir, name);
	for (char *c = to + strlen(dir) + 1; *c; c++)
		if (*c == '/')
			*c = ':';
	out = fopen(to, "w");
	if (!out)
		die(to);
	while ((n = fread(buf, 1, sizeof(buf), in)))
		fwrite(buf, 1, n, out);
	fclose(in);
	fclose(out);
}

static void copy_all(const char *dir)
{
	static const char *const files[] = {
		"/proc/stat",        "/proc/softirqs",
		"/proc/interrupts",  "/proc/vmstat",
		"/proc/net/netstat", "/proc/net/snmp",
		"/proc/net/dev",     "/proc/net/softnet_stat",
		"/proc/diskstats",   "/proc/pressure/cpu",
		"/proc/pressure/io", "/proc/pressure/memory",
		"/proc/schedstat",   "/sys/devices/system/node/node0/numastat",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		copy(files[i], dir);
}

/* --- loads ------------------------------------------------------------------------- */

static void touch_memory(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		p[i * page] = 1;
	tell("pages", PAGES);
	/* it stays, to be seen as resident */
}

static void use_disk(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT, 0600);
	char *block = aligned_alloc(4096, BLOCK);

	if (fd < 0 || !block)
		die(path);
	memset(block, 7, BLOCK);
	for (int at = 0; at < DISK_BYTES; at += BLOCK)
		if (pwrite(fd, block, BLOCK, at) != BLOCK)
			die(path);
	fsync(fd);
	for (int at = 0; at < DISK_BYTES; at += BLOCK)
		if (pread(fd, block, BLOCK, at) != BLOCK)
			die(path);
	close(fd);
	unlink(path);
	free(block);
	tell("disk_bytes", DISK_BYTES);
}

static int connected(int *other)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t n = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int a = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&at, n) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&at, &n) ||
	    connect(a, (struct sockaddr *)&at, n))
		die("loopback");
	*other = accept(listener, NULL, NULL);
	close(listener);
	return a;
}

static void use_loopback(void)
{
	static char buf[65536];
	int to, from = connected(&to);

	if (!fork()) {
		close(from);
		while (read(to, buf, sizeof(buf)) > 0)
			;
		_exit(0);
	}
	close(to);
	for (long long left = NET_BYTES; left > 0;) {
		ssize_t n = write(from, buf, sizeof(buf));

		if (n <= 0)
			die("loopback");
		left -= n;
	}
	close(from);
	wait(NULL);
	tell("net_bytes", NET_BYTES);
}

static void switch_tasks(void)
{
	int there[2], back[2];
	char c = 0;

	if (pipe(there) || pipe(back))
		die("pipe");
	if (!fork()) {
		close(there[1]);
		while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
			;
		_exit(0);
	}
	for (int i = 0; i < ROUNDS; i++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			die("pipe");
	close(there[1]);
	wait(NULL);
	tell("switches", 2 * ROUNDS);
}

static void make_processes(void)
{
	for (int i = 0; i < FORKS; i++) {
		if (!fork())
			_exit(0);
		wait(NULL);
	}
	tell("forks", FORKS);
}

static void burn(void)
{
	volatile unsigned long x = 0;
	long long until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + BURN_MS * 1000000LL;

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		for (int i = 0; i < 100000; i++)
			x += (unsigned long)i;
	tell("burnt_ns", BURN_MS * 1000000LL);
}

/* What the kernel charged to this process and thread so far. */
static void tell_own(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	tell("user_us", r.ru_utime.tv_sec * 1000000LL + r.ru_utime.tv_usec);
	tell("system_us", r.ru_stime.tv_sec * 1000000LL + r.ru_stime.tv_usec);
	tell("minor_faults", r.ru_minflt);
	tell("switches_of_thread", r.ru_nvcsw + r.ru_nivcsw);
	tell("thread_ns", cpu_ns(CLOCK_THREAD_CPUTIME_ID));
}

int main(int argc, char **argv)
{
	cpu_set_t last;
	char c;

	if (argc != 4)
		return 2;
	CPU_ZERO(&last);
	CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
	copy_all(argv[2]);
	tell("pid", getpid());
	touch_memory();
	use_disk(argv[1]);
	use_loopback();
	switch_tasks();
	make_processes();
	if (sched_setaffinity(0, sizeof(last), &last))
		die("sched_setaffinity");
	tell("pinned", sysconf(_SC_NPROCESSORS_ONLN) - 1);
	burn();
	copy_all(argv[3]);
	tell_own();
	puts("done");
	fflush(stdout);
	return read(0, &c, 1) < 0;
}
