// SPDX-License-Identifier: GPL-2.0-only
/* Exports of metrics by name, and the units and times they share. */
#include "metrics-export.h"

#include <errno.h>
#include <string.h>

struct form {
	const char *name;
	void (*write)(const struct metrics_writing *w);
};

static const struct form forms[PW_N_METRICS_EXPORTS] = {
#define PW_METRICS_EXPORT(id, name, help) { #name, metrics_write_##name },
#include <perfwasm/metrics-exports.def>
#undef PW_METRICS_EXPORT
};

const char *pw_metrics_export_name(enum pw_metrics_export_form f)
{
	return f < PW_N_METRICS_EXPORTS ? forms[f].name : NULL;
}

const char *base_unit(enum pw_unit unit, double *factor)
{
	*factor = 1;
	switch (unit) {
	case PW_UNIT_NS:
		*factor = 1e-9;
		return "seconds";
	case PW_UNIT_MS:
		*factor = 1e-3;
		return "seconds";
	case PW_UNIT_BYTES:
		return "bytes";
	case PW_UNIT_RATIO:
	case PW_UNIT_PERCENT:
		return "ratio";
	default:
		return "";
	}
}

double bin_end_s(const struct metrics_writing *w, uint32_t bin)
{
	uint64_t ns = (bin + 1) * w->span.bin_ns;

	if (ns > w->span.to_ns - w->span.from_ns)
		ns = w->span.to_ns - w->span.from_ns;
	return w->epoch_ns ? (double)(w->epoch_ns + w->span.from_ns + ns) / 1e9
			   : (double)ns / 1e9;
}

int pw_metrics_export(const struct pw_metrics *m, enum pw_metrics_export_form f,
		      uint64_t epoch_ns, FILE *to, struct pw_err *err)
{
	struct metrics_writing w = { m, pw_metrics_get_span(m), epoch_ns, to };

	if (!pw_metrics_count(m))
		return pw_err_set(err, ENODATA,
				  "the capture has no metrics to export");
	forms[f].write(&w);
	if (fflush(to) || ferror(to))
		return pw_err_set(err, EIO, "cannot write: %s",
				  strerror(errno ?: EIO));
	return 0;
}
