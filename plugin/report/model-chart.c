// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds the charts of a table: which column plays which role.
 */
#include "model.h"

#include <utlist.h>

static const char *const kinds[] = {
	[PW_CHART_BARS] = "bars",   [PW_CHART_LINES] = "lines",
	[PW_CHART_HEAT] = "heat",   [PW_CHART_SPANS] = "spans",
	[PW_CHART_FLAME] = "flame",
};

static const char *const roles[PW_N_ROLES] = {
	[PW_ROLE_X] = "x",           [PW_ROLE_X2] = "x2",
	[PW_ROLE_Y] = "y",           [PW_ROLE_Y2] = "y2",
	[PW_ROLE_LABEL] = "label",   [PW_ROLE_GROUP] = "group",
	[PW_ROLE_VALUE] = "value",   [PW_ROLE_VALUE2] = "value2",
	[PW_ROLE_PARENT] = "parent",
};

const char *chart_kind_name(enum pw_chart_kind kind)
{
	return kinds[kind];
}

const char *chart_role_name(enum pw_chart_role role)
{
	return roles[role];
}

const char *chart_flag_name(unsigned flag)
{
	switch (flag) {
	case PW_CHART_LOG_X:
		return "log_x";
	case PW_CHART_LOG_Y:
		return "log_y";
	case PW_CHART_BESIDE:
		return "beside";
	default:
		return "time";
	}
}

struct pw_node *pw_chart(struct pw_node *table, enum pw_chart_kind kind,
			 const char *title, unsigned flags)
{
	struct pw_node *n = pw_zalloc(sizeof(*n));

	n->kind = NODE_CHART;
	n->title = title ? pw_strdup(title) : NULL;
	n->chart.kind = kind;
	n->chart.flags = flags;
	for (int i = 0; i < PW_N_ROLES; i++)
		n->chart.cols[i] = -1;
	DL_APPEND(table->table.charts, n);
	return n;
}

void pw_chart_role(struct pw_node *chart, enum pw_chart_role role, int col)
{
	chart->chart.cols[role] = col;
}

void pw_table_only_drawn(struct pw_node *table)
{
	table->table.only_drawn = true;
}
