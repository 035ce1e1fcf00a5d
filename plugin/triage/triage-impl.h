/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of a triage: perf at a session (attach.c) while requests run
 * (recorded-runs.c), then its capture, read once (read.c) with an eye on what each
 * thread is doing in the kernel (calls.c).
 */
#ifndef PLUGIN_TRIAGE_IMPL_H
#define PLUGIN_TRIAGE_IMPL_H

#include <perfwasm/capture.h>
#include <perfwasm/space.h>
#include <perfwasm/triage.h>

#include <uthash.h>

/* --- attach.c: perf at a session's processes --------------------------------------- */

struct attached {
	struct pw_child perf;
	int errors; /* a file that its messages go to */
};
/* perf record is at work when this returns. */
int attach_begin(struct attached *a, const pid_t *pids, size_t n_pids,
		 const char *data_path, const struct pw_triage_opts *o,
		 bool calls, struct pw_err *err);
/* Makes it write all it has; its file is whole then. */
int attach_end(struct attached *a, struct pw_err *err);
void attach_release(struct attached *a);

/* --- calls.c: threads in the kernel ---------------------------------------------------- */

#define NO_CALL (-1)

/* What one thread did in one kind of system call, or outside any. */
struct thread_call {
	struct call_key {
		uint32_t tid;
		int32_t nr;
	} key;
	uint64_t n, n_samples, n_waits, wait_ns;
	UT_hash_handle hh;
};

struct thread {
	uint32_t tid, pid;
	int32_t nr; /* inside this call, or NO_CALL */
	bool is_out, is_preempted;
	uint64_t out_ns;
	uint64_t ready_ns;          /* could have run */
	uint64_t n_samples, n_wasm; /* of the present run */
	bool is_caller;             /* made the call into the guest in a run */
	bool was_seen;              /* had samples in any */
	UT_hash_handle hh;
};

struct threads {
	struct thread *by_tid;
	struct thread_call *calls;
	uint32_t *guests; /* processes of callers */
	size_t n_guests;
};
struct thread *thread_get(struct threads *t, uint32_t pid, uint32_t tid);
struct thread_call *thread_call_get(struct threads *t, uint32_t tid,
				    int32_t nr);
void threads_release(struct threads *t);
/*
 * A run is over: the thread that made the call into the guest is the one with
 * most samples in wasm code, else the first of the process with most samples.
 */
void threads_elect(struct threads *t);
bool threads_is_guest(const struct threads *t, uint32_t pid);
/* All of the callers' processes into t->calls and the waits, over n_runs. */
void calls_sum_up(const struct threads *threads, uint64_t period_ns,
		  struct pw_triage *t);

/* --- read.c: a capture to sums ----------------------------------------------------------- */

/* When a call was in progress. */
struct window {
	uint64_t from_ns, to_ns;
};

/* Samples of a process at one instruction. */
struct spot {
	struct spot_key {
		uint32_t pid, piece;
		uint64_t off;
	} key;
	uint64_t n;
	UT_hash_handle hh;
};

struct reading {
	struct pw_space *space;
	struct pw_capture *capture;
	struct window *windows;   /* its own copy */
	size_t n_windows, window; /* and the one that comes next */
	struct threads threads;
	struct spot *spots;
	const struct pw_attr *enter, *exit; /* whose fields are known */
	struct pw_field enter_nr, exit_nr;
	uint64_t period_ns, last_ns;
	bool has_calls;
};
struct source {
	const char *dir, *data, *module, *artifact;
	const struct window *windows;
	size_t n_windows;
};
int reading_open(struct reading *r, const struct source *s, struct pw_err *err);
int reading_read(struct reading *r, struct pw_err *err);
/* The same event by event. */
void reading_event(struct reading *r, const struct pw_event *ev);
void reading_end(struct reading *r);
void reading_release(struct reading *r);
/* Joins what the reader of the figures must know, unless it is known. */
void remark_add(struct pw_triage *t, const char *fmt, ...) PW_PRINTF(2, 3);
/* The part of it that a triage keeps. */
void reading_sum_up(struct reading *r, struct pw_triage *t);

/* spent.c */
enum pw_spent spent_of(const struct pw_symbol *sym);

/* --- recorded-runs.c ----------------------------------------------------------------------- */

/* Runs and reads; the reading is the caller's on success. */
int record_and_read(struct pw_session *s, const struct pw_host_request *req,
		    const struct pw_triage_opts *o, bool calls,
		    struct reading *r, struct pw_triage *t,
		    struct pw_host_reply *reply, struct pw_err *err);

#endif
