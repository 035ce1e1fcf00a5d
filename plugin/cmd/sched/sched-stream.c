// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines of `perf wasm sched --view timehist` and `--view map`, printed while the
 * capture is read, so that its size does not matter. Columns as in perf sched.
 */
#include "sched-views.h"

#include <stdlib.h>
#include <string.h>

#define TASK_WIDTH 30

/* Names are the recorded program's. */
static void print_task(FILE *to, const struct pw_sched_run *r, int width)
{
	char *name = pw_visible(r->comm), *all;

	if (r->is_idle)
		all = pw_strdup("<idle>");
	else if (r->pid == PW_NO_PID || r->pid == r->tid)
		all = pw_asprintf("%s[%u]", name, r->tid);
	else
		all = pw_asprintf("%s[%u/%u]", name, r->tid, r->pid);
	fprintf(to, "%-*s", width, all);
	free(all);
	free(name);
}

/* --- timehist -------------------------------------------------------------------- */

static char state_letter(const struct pw_sched_run *r)
{
	static const char letters[PW_N_OFF_REASONS] = {
		[PW_OFF_PREEMPTED] = 'R', [PW_OFF_WAKING] = 'R',
		[PW_OFF_SLEEPING] = 'S',  [PW_OFF_BLOCKED] = 'D',
		[PW_OFF_OTHER] = '?',
	};

	if (r->is_idle)
		return 'I';
	return r->is_ended ? 'X' : letters[r->reason];
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

void sched_stream_run(void *ctx, const struct pw_sched_run *r)
{
	struct sched_stream *s = ctx;

	if (!s->is_begun) {
		fprintf(s->to, "%15s %-6s  %-*s  %9s  %9s  %9s  state\n",
			"time, s", "cpu", TASK_WIDTH, "task[tid/pid]",
			"wait, ms", "delay, ms", "run, ms");
		s->is_begun = true;
	}
	s->n_lines++;
	fprintf(s->to, "%15.6f [%04u]  ", (double)r->time_ns / 1e9, r->cpu);
	print_task(s->to, r, TASK_WIDTH);
	fprintf(s->to, "  %9.3f  %9.3f  ", ms(r->wait_ns), ms(r->delay_ns));
	if (r->is_edge)
		fprintf(s->to, "%9s", "?");
	else
		fprintf(s->to, "%9.3f", ms(r->run_ns));
	fprintf(s->to, "  %c\n", state_letter(r));
}

/* --- map --------------------------------------------------------------------------- */

/* "A0" to "Z9", then again: as perf sched map names tasks. */
struct short_name {
	uint32_t tid;
	char name[3];
};
#define IDLE 0u

/* The place of a tid in names, which is a table of cap_names (a power of two). */
static struct short_name *slot_of(struct short_name *names, uint32_t cap,
				  uint32_t tid)
{
	uint32_t i = tid * 2654435761u & (cap - 1);

	while (names[i].name[0] && names[i].tid != tid)
		i = (i + 1) & (cap - 1);
	return &names[i];
}

static void names_grow(struct sched_stream *s)
{
	uint32_t cap = s->cap_names ? 2 * s->cap_names : 64;
	struct short_name *names = pw_zalloc(cap * sizeof(*names));

	for (uint32_t i = 0; i < s->cap_names; i++)
		if (s->names[i].name[0])
			*slot_of(names, cap, s->names[i].tid) = s->names[i];
	free(s->names);
	s->names = names;
	s->cap_names = cap;
}

/* The short name; is_new: it was given just now. */
static const char *name_of(struct sched_stream *s, uint32_t tid, bool *is_new)
{
	struct short_name *n;

	*is_new = false;
	if (tid == IDLE)
		return ".";
	if (2 * s->n_names >= s->cap_names)
		names_grow(s);
	n = slot_of(s->names, s->cap_names, tid);
	if (!n->name[0]) {
		n->tid = tid;
		n->name[0] = (char)('A' + s->n_names % 26);
		n->name[1] = (char)('0' + s->n_names / 26 % 10);
		s->n_names++;
		*is_new = true;
	}
	return n->name;
}

static void cpus_grow(struct sched_stream *s, uint32_t cpu)
{
	if (cpu < s->n_cpus)
		return;
	s->on_cpu = pw_realloc(s->on_cpu, (cpu + 1) * sizeof(*s->on_cpu));
	while (s->n_cpus <= cpu)
		s->on_cpu[s->n_cpus++] = PW_NO_PID;
}

void sched_stream_map(void *ctx, const struct pw_sched_run *r)
{
	struct sched_stream *s = ctx;
	bool is_new, ignored;
	const char *name;

	cpus_grow(s, r->cpu);
	s->on_cpu[r->cpu] = r->is_idle ? IDLE : r->tid;
	s->n_lines++;
	name_of(s, s->on_cpu[r->cpu], &is_new);
	for (uint32_t i = 0; i < s->n_cpus; i++) {
		name = s->on_cpu[i] == PW_NO_PID
			       ? " "
			       : name_of(s, s->on_cpu[i], &ignored);
		fprintf(s->to, " %s%-2s", i == r->cpu ? "*" : " ", name);
	}
	fprintf(s->to, "  %12.6f", (double)r->time_ns / 1e9);
	if (is_new) {
		fprintf(s->to, "  %s => ", name_of(s, r->tid, &ignored));
		print_task(s->to, r, 0);
	}
	fputc('\n', s->to);
}

void sched_stream_release(struct sched_stream *s)
{
	free(s->on_cpu);
	free(s->names);
}
