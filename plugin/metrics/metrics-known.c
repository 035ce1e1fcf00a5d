// SPDX-License-Identifier: GPL-2.0-only
/* metrics.def: what is known of a figure by its name. */
#include "metrics-impl.h"

#include <fnmatch.h>

struct known {
	const char *family, *metric;
	int kind, unit, is_state; /* TOLD: as told */
	struct pw_metric_def def;
};

enum { TOLD = -1 };
enum {
	KIND_TOLD = TOLD,
	KIND_COUNTER = PW_METRIC_COUNTER,
	KIND_LEVEL = PW_METRIC_LEVEL,
	KIND_STATE = PW_METRIC_LEVEL
};
enum { IS_TOLD = -1, IS_COUNTER = false, IS_LEVEL = false, IS_STATE = true };
enum { PW_UNIT_TOLD = TOLD };

static const struct known known[] = {
#define PW_METRIC(f, m, k, u, b, least, t, a) \
	{ f,                                  \
	  m,                                  \
	  KIND_##k,                           \
	  PW_UNIT_##u,                        \
	  IS_##k,                             \
	  { .better = PW_BETTER_##b, .matters = least, .title = t, .about = a } },
#include "metrics.def"
#undef PW_METRIC
};

static bool is_said(const struct known *k, const char *family,
		    const char *metric)
{
	return !fnmatch(k->family, family, 0) && !fnmatch(k->metric, metric, 0);
}

struct pw_metric_def metric_known(const char *family, const char *metric,
				  enum pw_metric_kind kind, enum pw_unit unit)
{
	const struct known *k = known,
			   *end = known + sizeof(known) / sizeof(*known);
	struct pw_metric_def def;

	while (k < end && !is_said(k, family, metric))
		k++;
	if (k == end)
		return (struct pw_metric_def){ .kind = kind,
					       .unit = unit,
					       .is_state = kind ==
							   PW_METRIC_LEVEL };
	def = k->def;
	def.kind = k->kind == TOLD ? kind : (enum pw_metric_kind)k->kind;
	def.unit = k->unit == TOLD ? unit : (enum pw_unit)k->unit;
	def.is_state =
		k->is_state == TOLD ? kind == PW_METRIC_LEVEL : k->is_state;
	return def;
}
