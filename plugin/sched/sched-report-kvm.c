// SPDX-License-Identifier: GPL-2.0-only
/* Virtual CPUs: time in the guest and in the host, and exits by reason. */
#include <stdlib.h>

#include "sched-report.h"

static void vcpus_table(const struct sched_view *v, struct pw_node *n)
{
	struct pw_node *t = pw_table(n, "vcpus", "Virtual CPUs");
	int name = pw_column(t, "task", "Task", PW_UNIT_NONE, PW_COL_KEY);
	int tid = number_column(t, "tid", "Tid", PW_UNIT_NONE);
	int guest = number_column(t, "guest", "In guest", PW_UNIT_NS);
	int host = number_column(t, "host", "In host", PW_UNIT_NS);
	int wait = number_column(t, "wait", "of it off CPU", PW_UNIT_NS);
	int share = number_column(t, "share", "Guest", PW_UNIT_PERCENT);
	int exits = number_column(t, "exits", "Exits", PW_UNIT_COUNT);

	pw_column_compared(t, guest, PW_AMOUNT_TOTAL, PW_BETTER_NEITHER);
	pw_column_compared(t, exits, PW_AMOUNT_TOTAL, PW_BETTER_LESS);
	for (uint32_t i = 0; i < v->n_tasks; i++) {
		const struct pw_sched_task *p = &v->tasks[i]->pub;

		if (!p->n_exits)
			continue;
		pw_row(t);
		pw_cell_str(t, name, p->role);
		pw_cell_int(t, tid, p->tid);
		pw_cell_int(t, guest, (int64_t)p->guest_ns);
		pw_cell_int(t, host, (int64_t)p->host_ns);
		pw_cell_int(t, wait, (int64_t)p->kvm_wait_ns);
		pw_cell_num(t, share, of_span(v, p->guest_ns));
		pw_cell_int(t, exits, (int64_t)p->n_exits);
	}
}

static int more(const void *a, const void *b)
{
	const struct pw_sched_exit *x = *(struct pw_sched_exit *const *)a;
	const struct pw_sched_exit *y = *(struct pw_sched_exit *const *)b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->reason < y->reason ? -1 : x->reason > y->reason;
}

static char *reason_of(const struct pw_sched_exit *e)
{
	const char *name = pw_kvm_exit_name(e->isa, e->reason);

	return name ? pw_strdup(name) : pw_asprintf("reason %#x", e->reason);
}

static void exits_table(const struct sched_view *v, struct pw_node *n,
			struct pw_sched_exit *const *by, uint32_t n_by)
{
	struct pw_node *t = pw_table(n, "exits", "Exits by reason"), *chart;
	int name = pw_column(t, "task", "Task", PW_UNIT_NONE, PW_COL_KEY);
	int tid = number_column(t, "tid", "Tid", PW_UNIT_NONE);
	int reason = pw_column(t, "reason", "Reason", PW_UNIT_NONE, PW_COL_KEY);
	int times = number_column(t, "times", "Exits", PW_UNIT_COUNT);
	int host = number_column(t, "host", "In host", PW_UNIT_NS);
	int wait = number_column(t, "wait", "of it off CPU", PW_UNIT_NS);
	int each = number_column(t, "each", "Each", PW_UNIT_NS);

	pw_column_compared(t, times, PW_AMOUNT_TOTAL, PW_BETTER_LESS);
	for (uint32_t i = 0; i < n_by; i++) {
		const struct pw_sched_exit *e = by[i];
		const struct pw_sched_task *p = &v->s->tasks[e->task]->pub;
		char *why = reason_of(e);

		pw_row(t);
		pw_cell_str(t, name, p->role);
		pw_cell_int(t, tid, p->tid);
		pw_cell_str(t, reason, why);
		pw_cell_int(t, times, (int64_t)e->n);
		pw_cell_int(t, host, (int64_t)e->host_ns);
		pw_cell_int(t, wait, (int64_t)e->wait_ns);
		pw_cell_num(t, each,
			    e->n ? (double)(e->host_ns - e->wait_ns) /
					    (double)e->n
				 : 0);
		free(why);
	}
	chart = pw_chart(t, PW_CHART_BARS, "Exits by reason", 0);
	pw_chart_role(chart, PW_ROLE_LABEL, name);
	pw_chart_role(chart, PW_ROLE_X, times);
	pw_chart_role(chart, PW_ROLE_GROUP, reason);
}

void show_kvm(const struct sched_view *v)
{
	const struct pw_sched *s = v->s;
	struct pw_sched_exit **by =
		pw_alloc((s->n_exits + 1) * sizeof(struct pw_sched_exit *));
	uint32_t n_by = 0;
	struct pw_node *n;

	for (uint32_t i = 0; i < s->n_exits; i++)
		if (s->tasks[s->exits[i].task]->pub.is_kept)
			by[n_by++] = &s->exits[i];
	if (n_by) {
		qsort(by, n_by, sizeof(struct pw_sched_exit *), more);
		n = pw_section(pw_report_root(v->r), "kvm", "KVM");
		vcpus_table(v, n);
		exits_table(v, n, by, n_by);
	}
	free(by);
}
