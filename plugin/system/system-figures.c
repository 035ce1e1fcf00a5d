// SPDX-License-Identifier: GPL-2.0-only
/*
 * Columns with their units to figures with theirs.
 */
#include "system-figures.h"

#include <stdlib.h>

void figure_table_init(struct figure_table *t,
		       const struct pw_series_table *def)
{
	memset(t, 0, sizeof(*t));
	t->def = def;
	t->family = pw_strndup(def->name, strcspn(def->name, "."));
	t->is_values = def->n == 1 && !strcmp(def->columns[0].name, "value");
	for (uint32_t i = 0; i < def->n; i++) {
		struct pw_system_unit u = pw_system_unit(def->columns[i].unit);

		t->counts[i] = u.counts;
		t->factors[i] = u.factor;
		t->units[i] = u.unit;
	}
}

void figure_table_release(struct figure_table *t)
{
	free(t->family);
	memset(t, 0, sizeof(*t));
}

void figures_define(struct pw_metrics *m, const struct figure_table *t,
		    const char *instance, const char *metric, uint32_t *ids)
{
	for (uint32_t i = 0; i < t->def->n; i++)
		ids[i] = pw_metrics_series(m, t->family,
					   t->is_values
						   ? metric
						   : t->def->columns[i].name,
					   instance,
					   t->counts[i] ? PW_METRIC_COUNTER
							: PW_METRIC_LEVEL,
					   t->units[i]);
}

void figures_tell(struct pw_metrics *m, const struct figure_table *t,
		  const uint32_t *ids, const uint64_t *values)
{
	/* a level of -1 is one: temperatures, Tcp:MaxConn */
	for (uint32_t i = 0; i < t->def->n; i++)
		pw_metrics_value(m, ids[i],
				 (t->counts[i] ? (double)values[i]
					       : (double)(int64_t)values[i]) *
					 t->factors[i]);
}
