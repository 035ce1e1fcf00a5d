/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * findings: what the figures of a machine say of themselves, without another
 * capture beside them: rules over pw_metrics. A figure that was
 * not read fires no rule, nor does the recorder's own process. Knows nothing
 * of files and of comparing.
 */
#ifndef PERFWASM_FINDINGS_H
#define PERFWASM_FINDINGS_H

#include <perfwasm/metrics.h>
#include <perfwasm/report.h>

/* Of least weight first. */
enum pw_severity {
	PW_SEVERITY_HINT,    /* worth knowing when something is looked for */
	PW_SEVERITY_NOTABLE, /* costs time that somebody may miss */
	PW_SEVERITY_SERIOUS, /* work is lost or stands still */
	PW_N_SEVERITIES
};
/* "hint", "notable", "serious" */
const char *pw_severity_name(enum pw_severity s);

struct pw_findings_found {
	uint32_t n[PW_N_SEVERITIES];
	uint32_t n_rules;   /* there are */
	uint32_t n_unasked; /* rules whose figures or facts were not read */
};

/*
 * Adds section "findings" to the report: table `findings` with severity, what
 * it is, the figure and its instance, its value and the limit, when it was so,
 * what it means and what to look at next; the weightiest first. At most three
 * instances of a rule have a row, the worst; the others are counted in it.
 * Without findings a note says so. After pw_metrics_end().
 */
struct pw_findings_found pw_findings(const struct pw_metrics *m,
				     struct pw_report *r);

/* --- for comparisons ------------------------------------------------------------ */

/* What a change of a figure means and where to look next, in a sentence or two
 * each; NULL where nothing is known. */
struct pw_advice {
	const char *meaning, *next;
};
struct pw_advice pw_findings_advice(const char *family, const char *metric);

#endif
