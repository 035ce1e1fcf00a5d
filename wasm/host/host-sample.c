// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process that samples its own call: where the thread is, every period of
 * its CPU time. By perf_event_open (clock event, so no PMU is needed), read
 * by a thread of its own; where the kernel refuses that, by ITIMER_PROF.
 * Knows addresses only; whose code they are is the caller's to say.
 */
#include "host-parts.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define DEFAULT_PERIOD_NS 100000
#define MIN_PERIOD_NS     10000
#define MAX_PAGES         256
#define MAX_TICKS         (1 << 20)

struct pw_host_samples {
	uint64_t period_ns;
	uint64_t *ips;
	size_t n, cap;
	uint64_t from_cpu_ns, cpu_ns;
	/* perf_event_open */
	int fd, stop_fd;
	struct perf_event_mmap_page *ring;
	size_t ring_bytes; /* of data */
	pthread_t reader;
	/* ITIMER_PROF */
	bool ticking;
};

/* A signal handler has nothing else to hold on to. */
static struct pw_host_samples *ticking_samples;

static void add_ip(struct pw_host_samples *s, uint64_t ip)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 4096;
		s->ips = pw_realloc(s->ips, s->cap * sizeof(*s->ips));
	}
	s->ips[s->n++] = ip;
}

/* --- the ring --- */

static void copy_out(const struct pw_host_samples *s, uint64_t at, void *dst,
		     size_t n)
{
	const uint8_t *data = (uint8_t *)s->ring + s->ring->data_offset;

	for (size_t i = 0; i < n; i++)
		((uint8_t *)dst)[i] = data[(at + i) % s->ring_bytes];
}

static void drain(struct pw_host_samples *s)
{
	uint64_t head = __atomic_load_n(&s->ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = s->ring->data_tail;

	while (tail < head) {
		struct {
			struct perf_event_header header;
			uint64_t ip;
		} rec;

		copy_out(s, tail, &rec.header, sizeof(rec.header));
		if (rec.header.type == PERF_RECORD_SAMPLE) {
			copy_out(s, tail, &rec, sizeof(rec));
			add_ip(s, rec.ip);
		}
		if (!rec.header.size)
			break;
		tail += rec.header.size;
	}
	__atomic_store_n(&s->ring->data_tail, tail, __ATOMIC_RELEASE);
}

static void *reader_main(void *arg)
{
	struct pw_host_samples *s = arg;
	struct pollfd p[2] = { { .fd = s->fd, .events = POLLIN },
			       { .fd = s->stop_fd, .events = POLLIN } };

	while (!(p[1].revents & POLLIN)) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
		drain(s);
	}
	return NULL;
}

static int open_clock_event(uint64_t period_ns, bool with_kernel)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
		.exclude_kernel = !with_kernel,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = 8 * 4096,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static bool map_ring(struct pw_host_samples *s)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t n = MAX_PAGES; n >= 16; n /= 2) {
		s->ring = mmap(NULL, (1 + n) * page, PROT_READ | PROT_WRITE,
			       MAP_SHARED, s->fd, 0);
		s->ring_bytes = n * page;
		if (s->ring != MAP_FAILED)
			return true;
	}
	s->ring = NULL;
	return false;
}

static bool start_reader(struct pw_host_samples *s)
{
	sigset_t all, old;
	int rc;

	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&s->reader, NULL, reader_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return !rc;
}

static bool begin_event(struct pw_host_samples *s)
{
	s->fd = open_clock_event(s->period_ns, true);
	if (s->fd < 0)
		s->fd = open_clock_event(s->period_ns, false);
	if (s->fd < 0)
		return false;
	if (!map_ring(s) || !start_reader(s)) {
		close(s->fd);
		s->fd = -1;
		return false;
	}
	ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
	return true;
}

static void end_event(struct pw_host_samples *s)
{
	uint64_t one = 1;

	ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
	if (write(s->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(s->reader, NULL);
	drain(s);
	close(s->fd);
	close(s->stop_fd);
}

/* --- the timer --- */

static uint64_t context_ip(const ucontext_t *u)
{
#if defined(__x86_64__)
	return (uint64_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return u->uc_mcontext.pc;
#else
	(void)u;
	return 0;
#endif
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
	struct pw_host_samples *s = ticking_samples;

	(void)sig;
	(void)info;
	if (s && s->n < s->cap)
		s->ips[s->n++] = context_ip(context);
}

static bool begin_timer(struct pw_host_samples *s)
{
	struct sigaction act = { .sa_sigaction = on_tick,
				 .sa_flags =
					 SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	long usec = (long)(s->period_ns / 1000);
	struct itimerval every = { .it_interval = { usec / 1000000,
						    usec % 1000000 } };

	every.it_value = every.it_interval;
	s->cap = MAX_TICKS;
	s->ips = pw_alloc(s->cap * sizeof(*s->ips));
	s->ticking = true;
	ticking_samples = s;
	return !sigaction(SIGPROF, &act, NULL) &&
	       !setitimer(ITIMER_PROF, &every, NULL);
}

static void end_timer(struct pw_host_samples *s)
{
	struct itimerval never = { 0 };

	setitimer(ITIMER_PROF, &never, NULL);
	signal(SIGPROF, SIG_IGN);
	ticking_samples = NULL;
	/* the kernel's ticks are coarser than what was asked */
	if (s->n)
		s->period_ns = s->cpu_ns / s->n;
}

/* --- the whole --- */

struct pw_host_samples *host_samples_begin(uint64_t period_ns)
{
	struct pw_host_samples *s = pw_zalloc(sizeof(*s));

	s->period_ns = period_ns ?: DEFAULT_PERIOD_NS;
	if (s->period_ns < MIN_PERIOD_NS)
		s->period_ns = MIN_PERIOD_NS;
	s->from_cpu_ns = pw_cpu_ns();
	if (begin_event(s) || begin_timer(s))
		return s;
	host_samples_free(s);
	return NULL;
}

void host_samples_end(struct pw_host_samples *s)
{
	if (!s)
		return;
	s->cpu_ns = pw_cpu_ns() - s->from_cpu_ns;
	if (s->ticking)
		end_timer(s);
	else
		end_event(s);
}

void host_samples_free(struct pw_host_samples *s)
{
	if (!s)
		return;
	if (s->ring)
		munmap(s->ring, s->ring_bytes + (size_t)sysconf(_SC_PAGESIZE));
	free(s->ips);
	free(s);
}

int pw_host_samples_write(struct pw_host_run *run, uint64_t text_addr,
			  uint64_t text_size, struct pw_err *err)
{
	const struct pw_host_samples *s = run->samples;
	struct pw_buf out = { 0 };
	int rc;

	if (!s)
		return pw_err_set(
			err, ENOTSUP,
			"this kernel lets the host sample itself in no way");
	pw_buf_printf(&out, "period_ns %llu\n",
		      (unsigned long long)s->period_ns);
	for (size_t i = 0; i < s->n; i++) {
		uint64_t off = s->ips[i] - text_addr;

		if (text_size && off < text_size)
			pw_buf_printf(&out, "%llx\n", (unsigned long long)off);
		else
			pw_buf_add(&out, "-\n", 2);
	}
	rc = pw_file_write(run->req->samples_path, out.data, out.len, err);
	pw_buf_release(&out);
	return rc;
}
