/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * measure: one sandboxed run; repeated, interleaved and raced runs. Guests
 * are hostile by assumption. Knows runtimes only by their host protocol;
 * decides nothing about what a time means.
 */
#ifndef PERFWASM_MEASURE_H
#define PERFWASM_MEASURE_H

#include <perfwasm/runtime.h>
#include <perfwasm/stats.h>

/* --- a session: one live host inside a sandbox ------------------------------ */

struct pw_session;

struct pw_session_opts {
	/* A directory of the caller's, seen by the host at the same path and
	 * writable: modules go in, artifacts come out. */
	const char *box_dir;
	/* Directories of the user to be seen (for preopens), NULL-ended. */
	const char *const *dirs;
	/* Refuse to run without bubblewrap; otherwise the lack of it is only
	 * told by pw_sandbox_probe(). */
	bool need_sandbox;
};

/* 0 when bubblewrap works here; else -errno and a sentence: what it means
 * and what to do. Probed once a process. */
int pw_sandbox_probe(struct pw_err *err);

/* The runtime is borrowed for the session's life. */
struct pw_session *pw_session_open(const struct pw_runtime *rt,
				   const struct pw_session_opts *opts,
				   struct pw_err *err);
/* Kills the host's whole process group. */
void pw_session_close(struct pw_session *s);
/*
 * Runs one request. Whatever the guest does is an outcome in *reply and 0 is
 * returned; the host is started again when it died or did not answer within
 * the limits. < 0 only when no host can be had, or -EINTR after
 * pw_measure_interrupt().
 */
int pw_session_run(struct pw_session *s, const struct pw_host_request *req,
		   struct pw_host_reply *reply, struct pw_err *err);
const char *pw_session_version(const struct pw_session *s);

/* Async-signal-safe: every run in progress ends soon with -EINTR. */
void pw_measure_interrupt(void);
bool pw_measure_interrupted(void);

/* --- many runs ------------------------------------------------------------------ */

/* The times of one contestant, one entry a run that ended as the first did. */
struct pw_series {
	double *cpu_ms;
	size_t n;
	enum pw_outcome outcome; /* of the last run */
	struct pw_host_reply last;
};
void pw_series_release(struct pw_series *s);

struct pw_contestant {
	struct pw_session *session;
	struct pw_host_request req;
	struct pw_series series; /* out */
};

struct pw_interleave_opts {
	size_t min_rounds, max_rounds;
	/* stop when the interval of the ratio of the medians of contestants
	 * 0 and 1 is narrower than this share of the ratio; 0: never */
	double ratio_width;
	uint64_t budget_ns; /* stop starting rounds after this much wall time;
			       0: none */
	uint64_t seed;
};

/*
 * Runs contestants in turn, A B C A B C ..., rounds times. A contestant whose
 * outcome is not ok (or exit) is not run again. 0, or -errno as
 * pw_session_run.
 */
int pw_interleave(struct pw_contestant *c, size_t n_contestants,
		  const struct pw_interleave_opts *opts, struct pw_err *err);

/* The ratio of two series: median a / median b with its 95 % interval. */
struct pw_ratio {
	double ratio;
	struct pw_interval ci;
	size_t n_a, n_b;
};
struct pw_ratio pw_series_ratio(const struct pw_series *a,
				const struct pw_series *b, uint64_t seed);

#endif
