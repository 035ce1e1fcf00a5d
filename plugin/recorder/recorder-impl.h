/* SPDX-License-Identifier: GPL-2.0-only */
/* recorder: what the parts of the program share. */
#ifndef RECORDER_IMPL_H
#define RECORDER_IMPL_H

#include <perfwasm/pmu.h>
#include <perfwasm/recorder.h>
#include <perfwasm/system.h>

struct recorder_opts {
	const char *dir;  /* of the capture; it is there */
	const char *name; /* of it, as the user gave it */
	uint64_t interval_ns, period_ns, ring_ns, trigger_for_ns;
	char **sources, **skip, **tasks, **triggers; /* NULL-ended, or NULL */
	const char *pmu_config;
	pid_t pid;      /* record while it runs; 0: none */
	bool is_beside; /* another one tells the user how it ended */
	bool is_quiet;
	char **command; /* NULL-ended; empty: none */
};

struct recorder {
	struct recorder_opts o;
	struct pw_system *system;
	struct pw_pmu *pmu;              /* NULL: it is not asked for */
	struct pw_system_extra counters; /* what it is to the system */
	struct ring *ring;               /* NULL: everything is kept */
	struct triggers *triggers;       /* NULL: none */
	bool has_failed;                 /* and the user knows */
	bool is_full;                    /* no more can be written */
};

/* --- recorder-options.c ---------------------------------------------------------- */

/* Ends the process for a command line that is none of ours. */
void recorder_opts_init(struct recorder_opts *o, int argc, char **argv);
void recorder_opts_release(struct recorder_opts *o);

/* --- recorder-say.c: words for the user and the capture ----------------------------- */

/* A sentence on standard error, unless quiet, and a note in the capture. */
void recorder_note(const struct recorder *r, const char *fmt, ...)
	PW_PRINTF(2, 3);
/* The same of what must be known: quiet or not. */
void recorder_fault(const struct recorder *r, const char *fmt, ...)
	PW_PRINTF(2, 3);
/* Standard error alone, unless quiet. */
void recorder_tell(const struct recorder *r, const char *fmt, ...)
	PW_PRINTF(2, 3);
/* To the command beside which we run, on standard output: "ring N<tab>WHY", the
 * capture DIR.N is there with this ring's pieces; "written N", and our part of it
 * is done; "broken N", it failed, which was told. */
void recorder_hand_on(const struct recorder *r, const char *fmt, ...)
	PW_PRINTF(2, 3);
/* Into the facts of a directory. */
void recorder_fact(const char *dir, const char *key, const char *value);

/* --- recorder-pmu.c --------------------------------------------------------------- */

/* Opens the counters and says what is counted; nothing when they are not among
 * the sources that are wanted. */
int recorder_pmu_open(struct recorder *r, struct pw_err *err);

/* --- recorder-ring.c: the last TIME ------------------------------------------------- */

/* Makes DIR/ring. *path: of its first piece, the caller's. */
struct ring *ring_open(const struct recorder_opts *o, char **path,
		       struct pw_err *err);
/* After each tick: begins a new piece when it is time, forgets old ones. */
void ring_tick(struct recorder *r);
/* Writes what it holds to DIR.N, for this reason, in a process of its own. */
void ring_write(struct recorder *r, const char *why);
/* When a child ended: whether it was one of these. */
bool ring_reap(struct recorder *r, pid_t pid, int status);
/* The series is closed: what it holds becomes the capture DIR. */
void ring_end(struct recorder *r);
void ring_close(struct ring *ring);

/* --- recorder-triggers.c -------------------------------------------------------------- */

/* Watches for them. NULL and *ret 0 when there are none. */
struct triggers *triggers_open(const struct recorder_opts *o,
			       struct pw_system *system, int *ret,
			       struct pw_err *err);
/* After each tick: the texts of those that have come true, until the next one;
 * NULL: none has. */
const char *triggers_tick(struct triggers *t, struct pw_system *system,
			  uint64_t now_ns);
/* The text of one whose figure has not been there for long, each once; NULL: all
 * were. */
const char *triggers_absent(struct triggers *t, uint64_t now_ns);
void triggers_close(struct triggers *t);

/* --- recorder-memory.c: where it lies ------------------------------------------------------ */

/* Once everything that a reading touches is there. Changes no address and no
 * content, and may do nothing. */
void recorder_gather_memory(void);

/* --- recorder-life.c --------------------------------------------------------------------- */

/* Records to the end; the exit status. */
int recorder_run(struct recorder *r);

#endif
