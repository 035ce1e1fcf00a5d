// SPDX-License-Identifier: GPL-2.0-only
/* Whether the user's file can be used, formulas and all. */
#include "pmu-impl.h"

#include <perfwasm/stats.h>

#include <stdlib.h>

static int check_formula(const struct figure *f, struct pw_err *err)
{
	struct pw_formula *formula = pw_formula_new(f->formula, err);

	if (formula) {
		pw_formula_free(formula);
		return 0;
	}
	pw_err_prefix(err, "line %u: metric \"%s\"", f->line, f->name);
	return err ? -err->code : -1;
}

int pw_pmu_check(const char *config, struct pw_err *err)
{
	struct plan p = { 0 };
	int ret;

	plan_family(&p, family_find("common"));
	ret = plan_read(&p, config, err);
	for (uint32_t i = 0; i < p.n_figures && !ret; i++)
		if (p.figures[i].line)
			ret = check_formula(&p.figures[i], err);
	plan_release(&p);
	return ret;
}
