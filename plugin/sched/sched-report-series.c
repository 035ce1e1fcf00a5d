// SPDX-License-Identifier: GPL-2.0-only
/*
 * What figures that the kernel kept lack, and what it cost to keep them.
 */
#include <inttypes.h>

#include "sched-report.h"

static uint64_t total(const struct sched_view *v, enum pw_bpf_column c)
{
	return v->s->kernel->total[c];
}

void note_kernel(const struct sched_view *v, struct pw_node *n)
{
	const struct kernel_figures *k = v->s->kernel;
	uint64_t lost =
		total(v, PW_BPF_TOTAL_NO_SLOT) + total(v, PW_BPF_TOTAL_MISSED);

	pw_note(n, "kernel",
		"Kept by a program in the kernel and read out %" PRIu64
		" times: running times and counts between two readouts are drawn evenly, lengths at the later one.",
		k->n_readouts);
	if (k->is_filtered)
		pw_note(n, "some_tasks",
			"Tasks of the recorded program only; what all others did is in the CPUs' time alone.");
	if (lost)
		pw_note(n, "lost",
			"%" PRIu64
			" switches and wake-ups are in no task's figures: there were more tasks at a time than there was room for.",
			lost);
	if (total(v, PW_BPF_TOTAL_NO_BLOCK))
		pw_note(n, "no_block",
			"%" PRIu64
			" lengths are in no percentile and no heat map, and times on a CPU not in the core map: there was no room for more.",
			total(v, PW_BPF_TOTAL_NO_BLOCK));
	if (total(v, PW_BPF_TOTAL_NO_SWITCH))
		pw_note(n, "broken",
			"%" PRIu64
			" times another task left a CPU than had come there: a switch was not seen. That time counts to the one that had come.",
			total(v, PW_BPF_TOTAL_NO_SWITCH));
	if (total(v, PW_BPF_TOTAL_NO_PAIR))
		pw_note(n, "cut",
			"%" PRIu64
			" wake-ups, preemptions and successions are not counted by pair: there was no room for more.",
			total(v, PW_BPF_TOTAL_NO_PAIR));
	if (k->was_cut)
		pw_note(n, "was_cut",
			"The recorder did not come to its end: the last readout that is whole is the last one here.");
}

void show_kernel(const struct sched_view *v)
{
	struct pw_node *n = pw_section(pw_report_root(v->r), "kernel",
				       "The program in the kernel");
	uint64_t runs = total(v, PW_BPF_TOTAL_PROGRAM_RUNS);
	uint64_t ns = total(v, PW_BPF_TOTAL_PROGRAM_NS);

	pw_fact_int(n, "readouts", "Readouts",
		    (int64_t)v->s->kernel->n_readouts, PW_UNIT_COUNT);
	pw_fact_int(n, "missed", "Events without a task",
		    (int64_t)(total(v, PW_BPF_TOTAL_NO_SLOT) +
			      total(v, PW_BPF_TOTAL_MISSED)),
		    PW_UNIT_COUNT);
	if (!runs) {
		pw_note(n, "cost",
			"What it cost is not known: set kernel.bpf_stats_enabled=1 (sysctl, as root) while recording.");
		return;
	}
	pw_fact_int(n, "program_runs", "Its runs", (int64_t)runs,
		    PW_UNIT_COUNT);
	pw_fact_int(n, "program_ns", "Its time, in those of all tasks",
		    (int64_t)ns, PW_UNIT_NS);
	pw_fact_num(n, "program_share", "of the CPUs' time",
		    of_span(v, ns) / (v->s->n_cpus ? v->s->n_cpus : 1),
		    PW_UNIT_PERCENT);
}
