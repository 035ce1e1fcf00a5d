/* SPDX-License-Identifier: GPL-2.0-only */
/* A replay as its files share it: replay-bundle.c runs, replay-code.c looks into the
 * machine code, present-replay.c tells. */
#ifndef BUNDLE_REPLAY_H
#define BUNDLE_REPLAY_H

#include "contents.h"

/* As many findings and oracles are replayed at most. */
#define FINDINGS_MAX 20
#define ORACLES_MAX  8

struct replay_finding {
	const char *notation; /* borrowed from the bundle */
	uint32_t code_func;   /* function index of the accused code */
	double then_closed, closed;
	bool ran;
	uint32_t n_accused, n_present; /* instructions, of them still there */
	struct pw_series series;
};

struct replay_runner {
	const char *spec;
	struct pw_runtime rt;
	struct pw_session *session;
	struct pw_series series;
};

struct replay {
	const struct pw_replay_opts *o;
	struct pw_guest guest;
	struct replay_list {
		const char **v;
		uint32_t n;
	} argv, env;
	struct pw_guest_box box;
	char *stdin_file;
	char *hunted; /* the module in the box */
	struct replay_runner suspect, oracles[ORACLES_MAX];
	uint32_t n_oracles;
	struct replay_finding findings[FINDINGS_MAX];
	uint32_t n_findings;
	double min_gap;
	struct pw_ratio then_gap, gap; /* to the first oracle */
	bool has_gap;
	bool code_known; /* the suspect showed its code */
	bool holds;
};

char *replay_path(const struct replay *r, const char *name);
/* Which accused instructions are still in the suspect's code. */
int replay_code(struct replay *r, struct pw_err *err);
void replay_present(const struct replay *r, struct pw_report *report);

#endif
