/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host-parts: what the parts of a host program's frame share: its side of the
 * protocol, and what surrounds a call.
 */
#ifndef HOST_PARTS_H
#define HOST_PARTS_H

#include <perfwasm/host.h>

/* --- host-protocol.c ------------------------------------------------------------ */

/* A parsed request; `req` points into the rest. */
struct host_request {
	struct pw_host_request req;
	char *line;   /* the decoded strings */
	char **lists; /* arg, env and dir arrays, one after another */
};
int host_request_parse(struct host_request *r, const char *line,
		       struct pw_err *err);
void host_request_release(struct host_request *r);
void host_reply_print(const struct pw_host_reply *r, struct pw_buf *out);

/* --- host-child.c ----------------------------------------------------------------- */

/* Makes a run ready in a new child: output opened, the process measured. */
int host_run_init(struct pw_host_run *run, const struct pw_host_request *req,
		  struct pw_err *err);

/* --- host-registers.c ------------------------------------------------------------- */

/* One of them is the last thing that pw_host_start_begin() and
 * pw_host_call_begin() do; see host-registers.c. */
void host_registers_fill(void);
void host_registers_clear(void);

/* --- host-sample.c ------------------------------------------------------------------ */

/* Around the call, by pw_host_call_begin() and _end() when samples are asked;
 * NULL when this kernel lets us sample in no way. */
struct pw_host_samples *host_samples_begin(uint64_t period_ns);
void host_samples_end(struct pw_host_samples *s);
void host_samples_free(struct pw_host_samples *s);

#endif
