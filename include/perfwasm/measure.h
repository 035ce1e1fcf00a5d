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
	/* A directory of the caller's, absolute, seen by the host at the same
	 * path and writable: modules go in, artifacts come out. */
	const char *box_dir;
	/* Absolute directories of the user to be seen (for preopens),
	 * NULL-ended; where two overlap, the writable one counts. */
	const char *const *dirs, *const *writable_dirs;
	/* Refuse to run without all of the sandbox; otherwise the lack of it
	 * is only told by pw_sandbox_probe(). */
	bool need_sandbox;
	/* How long a host may take to start, and to answer beyond a request's
	 * wall limit; 0: 60 s and 5 s. */
	uint64_t start_limit_ns, grace_ns;
};

/*
 * 0 when the whole sandbox works here; else -errno and a sentence: what is
 * lacking, why and what to do. Tries; takes some milliseconds.
 *
 * Inside, a host has users, processes, network, IPC, host name and mounts of
 * its own, no capabilities, a clean environment and an empty working folder.
 * It sees the system's programs and libraries and what its runtime needs,
 * read-only, an empty /tmp and the box. Nothing of it outlives the session.
 * Without bubblewrap only the clean environment, the limits and the last
 * sentence hold, and the working folder is the box.
 */
int pw_sandbox_probe(struct pw_err *err);

/* The runtime is borrowed for the session's life, the options only for the
 * call. NULL with *err filled. */
struct pw_session *pw_session_open(const struct pw_runtime *rt,
				   const struct pw_session_opts *opts,
				   struct pw_err *err);
/* Kills the host's whole process group. */
void pw_session_close(struct pw_session *s);
/*
 * Runs one request; its wall limit 0 means an hour. Whatever the guest does
 * is an outcome in *reply and 0 is returned; the host is started again when
 * it died or did not answer within the limits. A host's death is a crash of
 * this guest when it happens to a new host, too. < 0 only when no host can be
 * had, or -EINTR after pw_measure_interrupt(). Not for two threads at once;
 * the thread that runs must outlive the host it started.
 */
int pw_session_run(struct pw_session *s, const struct pw_host_request *req,
		   struct pw_host_reply *reply, struct pw_err *err);
const char *pw_session_version(const struct pw_session *s);
/*
 * The process that stands for the host, as this machine numbers it: the
 * sandbox around it, its keeper, or the host itself. Everything of the session
 * is below it. 0: none lives. Another one after a host was started again.
 */
pid_t pw_session_pid(const struct pw_session *s);
/* That process and all below it, parents first: at most max into pids; their
 * number. What they start later is not in it. */
size_t pw_session_pids(const struct pw_session *s, pid_t *pids, size_t max);

/* Async-signal-safe: every run in progress ends soon with -EINTR. */
void pw_measure_interrupt(void);
bool pw_measure_interrupted(void);

/* --- how a guest is called ------------------------------------------------------ */

/* What a user says of a guest; all borrowed, lists NULL-ended or NULL. */
struct pw_guest {
	const char *invoke; /* NULL: _start */
	const char *const *argv;
	const char *const *env;
	const char *const *read_only_dirs; /* preopened before `dirs` */
	const char *const *dirs; /* preopened: "DIR" or "DIR::GUEST" */
	bool dirs_writable;      /* by every mutant, too */
	const char *stdin_path;
	uint64_t wall_limit_ns, memory_limit_bytes; /* of one run */
};

/* The limits that nobody chose: 120 s of wall time, 4 GiB. */
void pw_guest_init(struct pw_guest *g);
/* An identity (see pw_journal_claim()) with all that may change what the guest
 * does: not how long it may take. */
uint64_t pw_guest_hash(const struct pw_guest *g, uint64_t h);

/* The same as a session and its requests take it. Zeroed storage is empty. */
struct pw_guest_box {
	const struct pw_guest *guest; /* borrowed */
	char *dir;                    /* the session's box_dir, absolute */
	char **seen, **writable;      /* directories, absolute, NULL-ended */
	char **mounts;                /* as the guest calls them */
	char *stdin_path;             /* a copy in the box */
};

/* Makes `dir` an empty directory, resolves the guest's and copies its input. */
int pw_guest_box_open(struct pw_guest_box *box, const struct pw_guest *guest,
		      const char *dir, struct pw_err *err);
/* Removes the directory, too. */
void pw_guest_box_release(struct pw_guest_box *box);
/* Shows a directory, absolute, to sessions that are opened later. */
void pw_guest_box_see(struct pw_guest_box *box, const char *dir,
		      bool is_writable);
/* Copies a file into the box; its path, the caller frees. NULL with *err. */
char *pw_guest_box_bring(const struct pw_guest_box *box, const char *path,
			 const char *name, struct pw_err *err);
struct pw_session *pw_guest_session(const struct pw_guest_box *box,
				    const struct pw_runtime *rt,
				    struct pw_err *err);
/* A request to run this module, with a digest; sightglass's marks around the
 * hot part of a benchmark are offered as functions that do nothing. */
void pw_guest_request(const struct pw_guest_box *box, const char *module_path,
		      struct pw_host_request *req);

/* --- many runs ------------------------------------------------------------------ */

/* The times of one contestant, one entry a run that ended as the first did
 * (outcome and exit code). Zeroed storage is an empty series. */
struct pw_series {
	double *cpu_ms;
	double *wall_ms; /* of the same runs; may be NULL in a series that
			    nobody measured */
	size_t n;
	enum pw_outcome outcome; /* of the last run */
	struct pw_host_reply last;
	size_t n_runs; /* also those that ended otherwise */
	enum pw_outcome first_outcome;
	int first_exit_code;
};
void pw_series_release(struct pw_series *s);

struct pw_contestant {
	struct pw_session *session;
	struct pw_host_request req;
	struct pw_series series; /* added to; zero it before the first use */
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
 * Runs contestants in turn, A B C A B C ..., one round at least. A contestant
 * whose outcome is not ok (or exit) is not run again. 0, or -errno as
 * pw_session_run; what was measured until then stays in the series.
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
