// SPDX-License-Identifier: GPL-2.0-only
/* What a change of a figure means, for comparisons: advice.def, and where that
 * has nothing, the rule that the figure is in. */
#include "rule.h"

#include <fnmatch.h>
#include <string.h>

static const struct {
	const char *family, *metric;
	struct pw_advice advice;
} advices[] = {
#define PW_ADVICE(family, metric, meaning, next) \
	{ family, metric, { meaning, next } },
#include "advice.def"
#undef PW_ADVICE
};

static struct pw_advice of_rules(const char *family, const char *metric)
{
	const struct pw_metric x = { .family = family, .name = metric };
	struct pw_advice a = { 0 };
	uint32_t n;
	const struct rule *r = rules_all(&n);

	for (uint32_t i = 0; i < n && !a.meaning; i++) {
		struct figure_name f;

		if (!r[i].figure)
			continue;
		figure_name_init(&f, r[i].figure);
		if (figure_name_has(&f, &x))
			a = (struct pw_advice){ r[i].meaning, r[i].next };
		figure_name_release(&f);
	}
	return a;
}

struct pw_advice pw_findings_advice(const char *family, const char *metric)
{
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
		if (!fnmatch(advices[i].family, family, 0) &&
		    !fnmatch(advices[i].metric, metric, FNM_EXTMATCH))
			return advices[i].advice;
	return of_rules(family, metric);
}
