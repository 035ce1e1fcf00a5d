/* SPDX-License-Identifier: GPL-2.0-only */
/* ring: what record-ring.c and record-captures.c share. */
#ifndef PW_CMD_RECORD_RING_H
#define PW_CMD_RECORD_RING_H

#include "record.h"

struct ring_piece {
	uint32_t number;
	uint64_t begin_ns;
};

/* The oldest first; the last one grows. */
struct ring_pieces {
	struct ring_piece *at;
	uint32_t n, cap, last; /* last: its number */
};

/* DIR.N, which the recorder made. */
struct ring_capture {
	uint32_t number;
	char *why;
	bool is_linked;  /* our pieces are in it */
	bool is_written; /* the recorder has done its part */
	bool is_broken;  /* or has failed at it, and said so */
};

struct record_ring {
	char *dir; /* DIR/ring */
	uint64_t keep_ns, piece_ns;
	struct ring_pieces samples, sched;
	pid_t perf;        /* 0: it takes no samples */
	bool has_ended;    /* perf, so that its number may be another's */
	int watch;         /* an inotify of dir, or -1 */
	unsigned asked;    /* so often perf was asked for a new piece */
	uint64_t asked_ns; /* at last */
	/* that are not whole yet, the oldest first */
	struct ring_capture *captures;
	size_t n_captures;
	pid_t writer;       /* of the first of them; 0: none is at work */
	struct pw_buf said; /* by the recorder, since its last whole line */
};

/* Paths of pieces; the caller frees. */
char *ring_samples_path(const char *dir, uint32_t number);
char *ring_sched_path(const char *dir, uint32_t number);

/* --- record-ring.c --- */

/* To end its piece; not again until it has answered, or has not for long. */
void ring_ask_perf(struct record_ring *ring);

/* --- record-captures.c --- */

/* The pieces until now, into all captures that lack them. */
void ring_link_captures(struct record *r);
/* All captures, with what there is; returns when they are written. */
void ring_finish_captures(struct record *r);
/* Makes DIR/sched.series of the pieces in `from`, which go. */
int ring_join_sched(const char *from, const char *dir, struct pw_err *err);

#endif
