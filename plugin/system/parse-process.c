// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts of a process or thread: stat, schedstat and io. Formats: proc(5) and
 * Documentation/scheduler/sched-stats.rst of Linux.
 */
#include "system-process.h"

#include <unistd.h>

/* Numbers of the fields are those of proc(5), which counts from 1. */
enum {
	FIELD_FIRST = 4, /* ppid; pid, name and state are before it */
	FIELD_MINOR = 10,
	FIELD_MAJOR = 12,
	FIELD_USER = 14,
	FIELD_SYSTEM = 15,
	FIELD_THREADS = 20,
	FIELD_START = 22,
	FIELD_VIRTUAL = 23,
	FIELD_RESIDENT = 24,
	FIELD_CPU = 39,
	FIELD_IO_DELAY = 42,
	N_FIELDS
};

/* A name may hold anything, so its end is the last parenthesis. */
static bool split(struct span text, struct span *pid, struct span *name,
		  struct span *rest)
{
	const char *open = text.n ? memchr(text.s, '(', text.n) : NULL;
	const char *close = text.n ? memrchr(text.s, ')', text.n) : NULL;

	if (!open || !close || close < open)
		return false;
	*pid = (struct span){ text.s, (uint32_t)(open - text.s) };
	*name = (struct span){ open + 1, (uint32_t)(close - open - 1) };
	*rest = (struct span){ close + 1,
			       (uint32_t)(text.s + text.n - close - 1) };
	return take_word(pid, pid);
}

bool parse_task(struct span text, struct task_stat *t)
{
	struct span rest, state;
	uint64_t f[N_FIELDS] = { 0 };

	memset(t, 0, sizeof(*t));
	if (!split(text, &t->pid, &t->name, &rest) ||
	    !take_word(&rest, &state) ||
	    take_numbers(&rest, f + FIELD_FIRST, N_FIELDS - FIELD_FIRST) <=
		    FIELD_RESIDENT - FIELD_FIRST)
		return false;
	t->state = *state.s;
	t->parent = f[FIELD_FIRST];
	t->user = f[FIELD_USER];
	t->system = f[FIELD_SYSTEM];
	t->minor_faults = f[FIELD_MINOR];
	t->major_faults = f[FIELD_MAJOR];
	t->threads = f[FIELD_THREADS];
	t->start = f[FIELD_START];
	t->virtual_kib = f[FIELD_VIRTUAL] / 1024;
	t->resident_kib =
		f[FIELD_RESIDENT] * ((uint64_t)sysconf(_SC_PAGESIZE) / 1024);
	t->cpu = f[FIELD_CPU];
	t->io_delay = f[FIELD_IO_DELAY];
	return true;
}

/* The name in a line of text: no control characters. */
struct span task_instance(struct joined *j, struct span ids, struct span name)
{
	struct span both = join(j, ids, " ", name);

	for (uint32_t i = 0; i < j->n; i++)
		if ((unsigned char)j->s[i] < 0x20 || j->s[i] == 0x7f)
			j->s[i] = '?';
	return both;
}

void process_values(const struct task_stat *t, uint64_t *v)
{
	memcpy(v,
	       (uint64_t[]){ t->user, t->system, t->minor_faults,
			     t->major_faults, t->io_delay, t->threads,
			     t->virtual_kib, t->resident_kib },
	       8 * sizeof(*v));
}

void parse_process_stat(struct part *p, const struct sink *k)
{
	struct task_stat t;
	struct joined j;
	uint64_t v[8];

	if (!parse_task(p->left, &t))
		return;
	process_values(&t, v);
	k->row(k->ctx, TABLE_PROCESS, task_instance(&j, t.pid, t.name), NO_SPAN,
	       v);
}

bool parse_task_sched(struct span text, uint64_t v[3])
{
	struct span line;

	memset(v, 0, 3 * sizeof(*v));
	return take_line(&text, &line) && take_numbers(&line, v, 3) == 3;
}

bool parse_task_io(struct span text, uint64_t v[7])
{
	static const char *const names[] = { "rchar",
					     "wchar",
					     "syscr",
					     "syscw",
					     "read_bytes",
					     "write_bytes",
					     "cancelled_write_bytes" };
	struct span line, name;
	uint64_t x;
	bool any = false;

	memset(v, 0, 7 * sizeof(*v));
	while (take_line(&text, &line)) {
		if (!take_until(&line, ':', &name) ||
		    !take_numbers(&line, &x, 1))
			continue;
		for (uint32_t i = 0; i < 7; i++)
			if (span_is(name, names[i])) {
				v[i] = x;
				any = true;
			}
	}
	return any;
}
