// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts about CPUs: stat, softirqs, interrupts, schedstat, pressure,
 * frequency, idle states, heat. Formats: Documentation/filesystems/proc.rst,
 * Documentation/scheduler/sched-stats.rst and Documentation/accounting/psi.rst
 * of Linux.
 */
#include "system-impl.h"

/* --- stat ------------------------------------------------------------------------- */

static void cpu_line(struct span name, struct span line, const struct sink *k)
{
	uint64_t v[10];

	if (take_numbers(&line, v, 10) < 4)
		return;
	/* the kernel counts guests' time twice; but it reads the two at
	 * different moments */
	v[0] -= v[8] < v[0] ? v[8] : v[0];
	v[1] -= v[9] < v[1] ? v[9] : v[1];
	k->row(k->ctx, TABLE_CPU, name, NO_SPAN, v);
}

void parse_stat(struct part *p, const struct sink *k)
{
	static const char *const names[] = { "ctxt",          "processes",
					     "intr",          "softirq",
					     "procs_running", "procs_blocked" };
	uint64_t v[6] = { 0 };
	struct span line, word;
	bool any = false;

	while (take_line(&p->left, &line)) {
		if (!take_word(&line, &word))
			continue;
		if (span_is(word, "cpu"))
			cpu_line(SPAN("all"), line, k);
		else if (span_starts(word, "cpu"))
			cpu_line(word, line, k);
		for (uint32_t i = 0; i < 6; i++)
			if (span_is(word, names[i]))
				any |= take_numbers(&line, &v[i], 1) > 0;
	}
	if (any)
		k->row(k->ctx, TABLE_KERNEL, NO_SPAN, NO_SPAN, v);
}

/* --- tables with a column a CPU -------------------------------------------------------- */

/* The names of the columns: CPUs that are online. */
struct heads {
	struct span line;
};

static struct heads take_heads(struct part *p)
{
	struct heads h = { NO_SPAN };

	take_line(&p->left, &h.line);
	return h;
}

/* "CPU12" as "cpu12". */
static struct span cpu_name(struct span head, struct joined *j)
{
	head.s += 3;
	head.n -= 3;
	return join(j, SPAN("cpu"), "", head);
}

/* Numbers of a line, one a head; gives how many there were. */
static uint32_t cpu_values(const struct heads *h, struct span *line,
			   enum table table, struct span metric, bool zeros,
			   const struct sink *k)
{
	struct span heads = h->line, head;
	struct joined j;
	uint32_t n = 0;
	uint64_t v;

	while (take_word(&heads, &head) && take_numbers(line, &v, 1)) {
		n++;
		if (span_starts(head, "CPU") && (v || zeros))
			sink_value(k, table, cpu_name(head, &j), metric, v);
	}
	return n;
}

void parse_softirqs(struct part *p, const struct sink *k)
{
	struct heads h = take_heads(p);
	struct span line, name;

	while (take_line(&p->left, &line)) {
		if (!take_until(&line, ':', &name))
			continue;
		take_word(&name, &name);
		cpu_values(&h, &line, TABLE_SOFTIRQS, name, true, k);
	}
}

/* "36:  0  3429477 PCI-MSIX-0000:00:02.0  1-edge  virtio1-req.0": what is
 * behind the numbers ends in the device. Lines of one number are of no CPU. */
static void interrupt_line(struct span name, struct span line,
			   const struct heads *h, const struct sink *k)
{
	struct span all = line, rest = line, word, device = NO_SPAN,
		    heads = h->line;
	uint64_t v;
	struct joined j;

	if (!name.n || *name.s < '0' || *name.s > '9') {
		bool lone =
			take_word(&heads, &word) && take_word(&heads, &word) &&
			take_numbers(&rest, &v, 1) && !take_word(&rest, &word);

		if (lone && v)
			sink_value(k, TABLE_INTERRUPTS, NO_SPAN, name, v);
		if (!lone)
			cpu_values(h, &all, TABLE_INTERRUPTS, name, false, k);
		return;
	}
	while (take_word(&heads, &word) && take_numbers(&rest, &v, 1))
		;
	/* devices that share a line are parted by ", " */
	while (take_word(&rest, &word))
		device = device.n && device.s[device.n - 1] == ','
				 ? (struct span){ device.s,
						  (uint32_t)(word.s + word.n -
							     device.s) }
				 : word;
	cpu_values(h, &all, TABLE_INTERRUPTS, join(&j, name, " ", device),
		   false, k);
}

void parse_interrupts(struct part *p, const struct sink *k)
{
	struct heads h = take_heads(p);
	struct span line, name;

	while (take_line(&p->left, &line)) {
		if (!take_until(&line, ':', &name))
			continue;
		take_word(&name, &name);
		interrupt_line(name, line, &h, k);
	}
}

/* --- the scheduler ------------------------------------------------------------------------ */

/* cpuN: yields, an old count, schedules, to idle, wake-ups, local ones, run,
 * wait, slices; the times in ns since version 14. */
void parse_schedstat(struct part *p, const struct sink *k)
{
	struct span line, word;
	uint64_t v[9];

	while (take_line(&p->left, &line)) {
		if (!take_word(&line, &word) || !span_starts(word, "cpu") ||
		    take_numbers(&line, v, 9) < 9)
			continue;
		memmove(v + 1, v + 2, 7 * sizeof(*v));
		k->row(k->ctx, TABLE_SCHEDSTAT, word, NO_SPAN, v);
	}
}

void pressure_line(struct span *line, struct span *name, uint64_t *total_us)
{
	struct span word;

	*total_us = 0;
	if (!take_word(line, name))
		return;
	while (take_word(line, &word))
		if (span_starts(word, "total=")) {
			word.s += 6;
			word.n -= 6;
			span_number(word, total_us);
		}
}

void parse_psi(struct part *p, const struct sink *k)
{
	struct span line, name;
	uint64_t v[2] = { 0 }, total;
	bool any = false;

	while (take_line(&p->left, &line)) {
		pressure_line(&line, &name, &total);
		if (span_is(name, "some"))
			v[0] = total;
		else if (span_is(name, "full"))
			v[1] = total;
		else
			continue;
		any = true;
	}
	if (any)
		k->row(k->ctx, TABLE_PSI, p->name, NO_SPAN, v);
}

/* --- files of one number --------------------------------------------------------------------- */

static bool lone_number(struct part *p, uint64_t *v)
{
	struct span line;

	return take_line(&p->left, &line) && take_numbers(&line, v, 1);
}

/* The instance without its last part, which is the name of the file. */
static struct span owner(const struct part *p)
{
	struct span s = p->instance;

	s.n -= s.n > p->name.n ? p->name.n + 1 : s.n;
	return s;
}

static void one(struct part *p, enum table table, struct span instance,
		struct span metric, const struct sink *k)
{
	uint64_t v;

	if (lone_number(p, &v))
		sink_value(k, table, instance, metric, v);
}

void parse_frequency(struct part *p, const struct sink *k)
{
	one(p, TABLE_FREQUENCY, p->instance, NO_SPAN, k);
}

void parse_thermal(struct part *p, const struct sink *k)
{
	one(p, TABLE_THERMAL, p->instance, NO_SPAN, k);
}

void parse_power(struct part *p, const struct sink *k)
{
	one(p, TABLE_POWER, p->instance, NO_SPAN, k);
}

void parse_throttle(struct part *p, const struct sink *k)
{
	struct span name = p->name;

	name.n -= (uint32_t)strlen("_throttle_count");
	one(p, TABLE_THROTTLE, owner(p), name, k);
}

void parse_rdma(struct part *p, const struct sink *k)
{
	one(p, TABLE_RDMA, owner(p), p->name, k);
}

void parse_idle_time(struct part *p, const struct sink *k)
{
	one(p, TABLE_IDLE, p->instance, SPAN("time"), k);
}

void parse_idle_usage(struct part *p, const struct sink *k)
{
	one(p, TABLE_IDLE_COUNT, p->instance, SPAN("entries"), k);
}
