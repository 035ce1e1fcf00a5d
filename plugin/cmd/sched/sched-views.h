/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched-views: what `perf wasm sched` shows besides its report: tables as perf
 * sched has them, and lines that are printed while a capture is read.
 */
#ifndef PW_CMD_SCHED_VIEWS_H
#define PW_CMD_SCHED_VIEWS_H

#include "../cmd.h"

#include <perfwasm/sched.h>

/* --- sched-views.c: reports ------------------------------------------------------ */

/* As perf sched latency: by name, delays of what was woken or preempted. */
void sched_view_latency(const struct pw_sched *s, bool by_tid,
			struct pw_report *r);
/* Tids and names by their switches. */
void sched_view_list(const struct pw_sched *s, struct pw_report *r);
/* Who ran next after tasks with this name or tid. -ENOENT: there is none. */
int sched_view_successors(const struct pw_sched *s, const char *task,
			  struct pw_report *r, struct pw_err *err);

/* --- sched-stream.c: lines ---------------------------------------------------------- */

struct sched_stream {
	FILE *to;
	bool is_begun;
	uint64_t n_lines;
	/* of the map: who is on each CPU, and the short name of each task */
	uint32_t *on_cpu;
	uint32_t n_cpus;
	struct short_name *names;
	uint32_t n_names, cap_names;
};
/* Call-backs of pw_sched_opts; ctx is a struct sched_stream. */
void sched_stream_run(void *ctx, const struct pw_sched_run *r);
void sched_stream_map(void *ctx, const struct pw_sched_run *r);
void sched_stream_release(struct sched_stream *s);

#endif
