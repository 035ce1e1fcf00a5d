/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sandbox: what of bubblewrap works on this machine and the command line
 * that puts a host program inside. Internal to wasm/measure.
 */
#ifndef MEASURE_SANDBOX_H
#define MEASURE_SANDBOX_H

#include "words.h"

#include <perfwasm/measure.h>

/* Where a session's host sees nothing but itself. */
#define SANDBOX_CWD "/empty"

/* What can be had. Without bwrap nothing can. */
struct sandbox {
	char *bwrap;
	bool own_users; /* namespaces of its own */
	bool own_pids;  /* so that all of it dies with its first process */
	bool own_net;
	bool has_size; /* options of newer releases */
	bool has_no_users;
};

/*
 * Tries. Always fills *sb with the best there is; 0 when nothing is lacking,
 * else -errno and what is lacking, why and what to do.
 */
int sandbox_probe(struct sandbox *sb, struct pw_err *err);
void sandbox_release(struct sandbox *sb);

/* Adds the words before a program's own; rt and opts may be NULL. */
void sandbox_wrap(const struct sandbox *sb, const struct pw_runtime *rt,
		  const struct pw_session_opts *opts, struct words *w);
/* The cleaned environment; everything temporary goes to `tmp`. */
void sandbox_environment(struct words *w, const char *tmp);

#endif
