/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guest-options: the options of commands that run many guests: what each guest
 * gets, a progress line, and what Ctrl-C does.
 */
#ifndef PW_CMD_GUEST_OPTIONS_H
#define PW_CMD_GUEST_OPTIONS_H

#include "../cmd.h"

#include <perfwasm/campaign.h>

struct guest_opts {
	struct pw_guest guest; /* its lists are those below */
	struct cmd_words argv, env, mounts;
};

/* A child of a command's argp; its input is a struct guest_opts. */
extern const struct argp guest_argp;
void guest_release(struct guest_opts *g);

/* A line on standard error that the next one replaces; nothing when it is no
 * terminal. "" removes it. */
void guest_progress(const char *fmt, ...) PW_PRINTF(1, 2);
/* SIGINT, SIGTERM and SIGHUP end runs; says when there is no whole sandbox. */
void guest_begin(const struct cmd_opts *common);
/* "NAME-FILE-HASH": a directory of its own for each command line. */
char *guest_default_dir(const char *name, const char *path, uint64_t hash);
/* Ends a command: its report, or why there is none. */
int guest_end(int ret, struct pw_report *r, const char *dir,
	      const struct cmd_opts *common, const struct pw_err *err);

#endif
