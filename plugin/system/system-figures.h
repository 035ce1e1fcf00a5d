/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of tables as figures of pw_metrics: from a series or from texts.
 */
#ifndef SYSTEM_FIGURES_H
#define SYSTEM_FIGURES_H

#include <perfwasm/metrics.h>

#include "system-impl.h"

/* What a table's columns are. */
struct figure_table {
	const struct pw_series_table *def;
	char *family;   /* the name up to the dot */
	bool is_values; /* its only column is a value with a name */
	bool counts[PW_SERIES_MAX_COLUMNS];
	double factors[PW_SERIES_MAX_COLUMNS];
	enum pw_unit units[PW_SERIES_MAX_COLUMNS];
};

/* def is borrowed. */
void figure_table_init(struct figure_table *t,
		       const struct pw_series_table *def);
void figure_table_release(struct figure_table *t);
/* The numbers of a row's figures, one for each column, into ids. */
void figures_define(struct pw_metrics *m, const struct figure_table *t,
		    const char *instance, const char *metric, uint32_t *ids);
void figures_tell(struct pw_metrics *m, const struct figure_table *t,
		  const uint32_t *ids, const uint64_t *values);

#endif
