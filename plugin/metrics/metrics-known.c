// SPDX-License-Identifier: GPL-2.0-only
/* metrics.def: what is known of a figure by its name. */
#include "metrics-impl.h"

#include <fnmatch.h>

struct known {
	const char *family, *metric;
	int kind, unit; /* TOLD: as told */
	struct pw_metric_def def;
};

enum { TOLD = -1 };
enum {
	KIND_TOLD = TOLD,
	KIND_COUNTER = PW_METRIC_COUNTER,
	KIND_LEVEL = PW_METRIC_LEVEL
};
enum { PW_UNIT_TOLD = TOLD };

static const struct known known[] = {
#define PW_METRIC(f, m, k, u, b, least, t, a) \
	{ f,                                  \
	  m,                                  \
	  KIND_##k,                           \
	  PW_UNIT_##u,                        \
	  { .better = PW_BETTER_##b,          \
	    .matters = least,                 \
	    .title = t,                       \
	    .about = a } },
#include "metrics.def"
#undef PW_METRIC
};

struct pw_metric_def metric_known(const char *family, const char *metric,
				  enum pw_metric_kind kind, enum pw_unit unit)
{
	struct pw_metric_def def = { .kind = kind, .unit = unit };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const struct known *k = &known[i];

		if (fnmatch(k->family, family, 0) ||
		    fnmatch(k->metric, metric, 0))
			continue;
		def = k->def;
		def.kind =
			k->kind == TOLD ? kind : (enum pw_metric_kind)k->kind;
		def.unit = k->unit == TOLD ? unit : (enum pw_unit)k->unit;
		break;
	}
	return def;
}
