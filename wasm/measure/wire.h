/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wire: lines to and from a host that may do anything. Bounded in time, in
 * the length of a line and in what is kept of standard error. Internal to
 * wasm/measure.
 */
#ifndef MEASURE_WIRE_H
#define MEASURE_WIRE_H

#include <perfwasm/measure.h>

/* How late an interrupt or a silent death may be seen. */
#define WAIT_SLICE_MS 50

struct wire {
	struct pw_child child;
	int status;        /* of the child, once `ended` */
	bool ended;        /* the child */
	bool silent;       /* its stdout is at its end */
	struct pw_buf in;  /* what it said, from the present line on */
	size_t line_bytes; /* of the line that was given out last */
	struct pw_buf err; /* the last it said on stderr */
	uint64_t n_err_bytes;
};

/* Takes over c, whose three pipes must be open. */
void wire_init(struct wire *w, const struct pw_child *c);
/* Kills what is left of the child, and its group. */
void wire_release(struct wire *w);

/*
 * Both give 0 or: -EINTR after pw_measure_interrupt(), -ETIMEDOUT at the
 * deadline, -EPIPE when the child has ended or closed its end, -EMSGSIZE when
 * a line is longer than any honest one, -EOVERFLOW when stderr is flooded.
 * The line is without its newline and valid until the next call.
 */
int wire_send(struct wire *w, const void *data, size_t n, uint64_t deadline);
int wire_line(struct wire *w, uint64_t deadline, const char **line);
/* The child is alive, has said all it was asked, and nothing more. */
bool wire_is_quiet(struct wire *w);
/* How the child ended, waiting a moment for it; and its last words. "" when
 * there are none. The caller frees. */
char *wire_last_words(struct wire *w);
/* -ETIMEDOUT: still running. */
int wire_wait(struct wire *w, uint64_t timeout_ns);

#endif
