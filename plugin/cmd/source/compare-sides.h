/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare-sides: captures and saved reports, read into the reports that are
 * compared. For compare, and for sched of several captures.
 */
#ifndef PW_CMD_COMPARE_SIDES_H
#define PW_CMD_COMPARE_SIDES_H

#include "capture-source.h"

#include <perfwasm/compare.h>

struct side {
	char *label;
	struct cmd_words runs; /* files; owned */
};

struct sides {
	struct side *v;
	uint32_t n;
	/* the report of a capture, from the source that was read */
	int (*make)(void *ctx, const struct source *s, struct pw_report *r,
		    struct pw_err *err);
	/* what s is to have before it is read; may be NULL */
	int (*prepare)(void *ctx, struct source *s, struct pw_err *err);
	void *ctx;
	const char *kind; /* key of the reports: "report" */
};

/* A side of its own: captures with commas between them. */
void sides_add(struct sides *s, const char *list);
/* One more run of the side `label`. */
void sides_add_run(struct sides *s, const char *label, const char *path);
void sides_release(struct sides *s);

/*
 * Reads all, each capture with the options of `like`, and compares them. Exit
 * code: CMD_DONE, CMD_FAILED after a message.
 */
int sides_compare(struct sides *s, const struct source *like,
		  const struct pw_compare_opts *o,
		  const struct cmd_opts *common);

#endif
