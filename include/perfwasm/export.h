/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export: a profile in the forms that other programs read (exports.def), and
 * metrics (metrics-exports.def). Takes what the profile counted and, for time
 * lines, every sample as it comes. Knows nothing of captures, and computes
 * nothing but where a bar begins.
 */
#ifndef PERFWASM_EXPORT_H
#define PERFWASM_EXPORT_H

#include <perfwasm/metrics.h>
#include <perfwasm/profile.h>

enum pw_export_form {
#define PW_EXPORT(id, name, time_line, help) PW_EXPORT_##id,
#include <perfwasm/exports.def>
#undef PW_EXPORT
	PW_N_EXPORTS
};
const char *pw_export_form_name(enum pw_export_form f); /* "folded" */
const char *pw_export_form_help(enum pw_export_form f);

struct pw_exporter;

/*
 * Made before the profile: it sets on_sample and ctx of the profile's options
 * where the form wants every sample. Memory grows with their number, 32 bytes
 * each. The caller frees it after the profile.
 */
struct pw_exporter *pw_exporter_new(enum pw_export_form f,
				    struct pw_profile_opts *o);
void pw_exporter_free(struct pw_exporter *x);

struct pw_exporter_opts {
	/* folded, firefox, perfetto: this event's samples; UINT32_MAX: the
	 * main one. speedscope and pprof hold all events. */
	uint32_t event;
	bool by_period;    /* folded: sums of periods, not numbers of samples */
	const char *title; /* of what was recorded; NULL */
	/* of time 0 of the capture, in ns since 1970; 0: not known */
	uint64_t epoch_ns;
};

/*
 * Writes a profile that was fed to its end. o may be NULL. -ENODATA: nothing
 * was counted; -EIO: `to` takes no more.
 */
int pw_exporter_write(struct pw_exporter *x, const struct pw_profile *p,
		      const struct pw_exporter_opts *o, FILE *to,
		      struct pw_err *err);

/* --- metrics -------------------------------------------------------------------- */

enum pw_metrics_export_form {
#define PW_METRICS_EXPORT(id, name, help) PW_METRICS_EXPORT_##id,
#include <perfwasm/metrics-exports.def>
#undef PW_METRICS_EXPORT
	PW_N_METRICS_EXPORTS
};
/* "csv"; NULL: there is none of this number. */
const char *pw_metrics_export_name(enum pw_metrics_export_form f);
/*
 * Writes metrics that ended, by the bins of their time. epoch_ns: of time 0 of
 * their clock, since 1970; 0: not known, then times are since the start.
 * -ENODATA: there are none; -EIO: `to` takes no more.
 */
int pw_metrics_export(const struct pw_metrics *m, enum pw_metrics_export_form f,
		      uint64_t epoch_ns, FILE *to, struct pw_err *err);

#endif
