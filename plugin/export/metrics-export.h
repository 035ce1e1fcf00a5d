/* SPDX-License-Identifier: GPL-2.0-only */
/* What the exports of metrics share. */
#ifndef EXPORT_METRICS_EXPORT_H
#define EXPORT_METRICS_EXPORT_H

#include <perfwasm/export.h>

struct metrics_writing {
	const struct pw_metrics *m;
	struct pw_metrics_span span;
	uint64_t epoch_ns; /* of the clock of the metrics; 0: not known */
	FILE *to;
};

#define PW_METRICS_EXPORT(id, name, help) \
	void metrics_write_##name(const struct metrics_writing *w);
#include <perfwasm/metrics-exports.def>
#undef PW_METRICS_EXPORT

/* Seconds, bytes, ratios: what others count in; *factor makes one of ours such
 * a number. "" for plain counts. */
const char *base_unit(enum pw_unit unit, double *factor);
/* Where a bin ends, in seconds: of the epoch, or since the start. */
double bin_end_s(const struct metrics_writing *w, uint32_t bin);

#endif
