/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf: the scheduler's figures, kept by a program in the kernel and read out
 * into a series now and then: what a recording of every switch would tell of
 * each task, in a size that does not grow with the number of switches. Needs
 * CAP_BPF and CAP_PERFMON, or root, and a kernel with BTF. What is in the
 * series: Kbuild-notes/formats.md and sched-columns.def.
 */
#ifndef PERFWASM_BPF_H
#define PERFWASM_BPF_H

#include <perfwasm/series.h>

enum pw_bpf_table {
#define PW_TABLE(id, name) PW_BPF_##id,
#include <perfwasm/sched-columns.def>
	PW_BPF_N_TABLES
};

/* PW_BPF_TASK_TID and so on, each counted from 0 in its table, and
 * PW_BPF_N_TASK, how many it has. */
#define PW_TABLE(id, name)               PW_BPF_NO_##id = -1,
#define PW_COLUMN(table, id, name, unit) PW_BPF_##table##_##id,
#define PW_END(table)                    PW_BPF_N_##table,
enum pw_bpf_column {
#include <perfwasm/sched-columns.def>
};

struct pw_bpf_opts {
	bool is_filtered; /* only what pw_bpf_add_process() and
			     pw_bpf_add_children() name; else all tasks */
	bool has_stacks;  /* where in its code a task waited */
	/* How many of them there can be at a time; 0: 16384 tasks, and enough
	 * of the others. What finds no place is counted. */
	uint32_t max_tasks, max_blocks, max_pairs, max_waits, max_stacks;
};

struct pw_bpf;

/* Loads the program and lets it count. NULL: not allowed or not possible
 * here; the message says what to do. The caller closes. */
struct pw_bpf *pw_bpf_open(const struct pw_bpf_opts *opts, struct pw_err *err);
void pw_bpf_close(struct pw_bpf *b);

/* With a filter: a process that runs, all its threads, and what it begins. */
int pw_bpf_add_process(struct pw_bpf *b, uint32_t pid, struct pw_err *err);
/* With a filter: what the children (generations 1) or grandchildren (2) of the
 * calling thread begin from now on, but not they themselves. */
int pw_bpf_add_children(struct pw_bpf *b, uint32_t generations,
			struct pw_err *err);

/* The tables of the series, for pw_series_create(). */
const struct pw_series_table *pw_bpf_tables(uint32_t *n);
/* One readout, of now. `is_last`: what tasks do just now is counted as far as
 * it has gone. */
int pw_bpf_read(struct pw_bpf *b, struct pw_series_out *s, bool is_last,
		struct pw_err *err);

/*
 * Between readouts: goes on in a new file, whose first readout, the next one,
 * holds all there is, of now, so that it can be read alone. On failure all stays
 * as it was.
 */
int pw_bpf_rotate(struct pw_bpf *b, struct pw_series_out *s, const char *path,
		  struct pw_err *err);

/* A fact of the first readout of such a file: its rows are of before it. */
#define PW_BPF_FACT_COUNTED "counted"
#define PW_BPF_FACT_EARLIER "since earlier"

/* What the program cost since it was loaded: 0 runs unless the kernel counts
 * them (kernel.bpf_stats_enabled=1). */
struct pw_bpf_cost {
	uint64_t runs, ns;
	uint64_t missed; /* events that came while it ran; counted always */
};
void pw_bpf_cost(const struct pw_bpf *b, struct pw_bpf_cost *cost);

#endif
