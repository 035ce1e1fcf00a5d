/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorder: the process that records the metrics of a system (plugin/system)
 * into a capture: small enough to stay for days. What it shares with the
 * command that starts it is here; the rest is its program, system-recorder,
 * whose command line opens system-recorder.c.
 */
#ifndef PERFWASM_RECORDER_H
#define PERFWASM_RECORDER_H

#include <perfwasm/base.h>

/* --- facts of a capture --------------------------------------------------------- */

/* Adds the line "KEY<tab>VALUE" of a capture's file `facts` (formats.md). */
void pw_fact_print(struct pw_buf *out, const char *key, const char *value);

/* --- conditions ------------------------------------------------------------------- */

/*
 * "FAMILY.METRIC > NUMBER" or "<", as system-sources.def names them, and
 * "[INSTANCE]" behind the metric where there are several. What only grows is
 * looked at per second; a time's number has a unit, % of the clock or ms a
 * second, others may have K, M or G (1024 bytes each). Of family cpu it is the
 * share of all CPUs, or of the one in brackets; cpu.busy is all but idle, iowait
 * and steal.
 */
#define PW_TRIGGER_MAX_PARTS 16

struct pw_trigger {
	char *text; /* as it was given */
	char *family, *metric, *instance;
	/* What must be watched: the value is the sum of those that count, by
	 * the sum of all where it is a share. */
	struct {
		const char *metric;
		bool counts;
	} parts[PW_TRIGGER_MAX_PARTS];
	uint32_t n_parts;
	bool is_share, is_less;
	double limit;
};

/* EINVAL with what was expected. Storage is the caller's. */
int pw_trigger_parse(struct pw_trigger *t, const char *text,
		     struct pw_err *err);
void pw_trigger_release(struct pw_trigger *t);
/* Whether the values of its parts fulfil it. */
bool pw_trigger_holds(const struct pw_trigger *t, const double *values);
/* For a list: the names of families, NULL behind the last, and of one's
 * metrics, with ", " between them. */
const char *pw_trigger_family(uint32_t i);
void pw_trigger_metrics(const char *family, struct pw_buf *out);

#endif
