// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of sched-columns.def, as a series wants them.
 */
#include "bpf-impl.h"

#define PW_TABLE(id, name) \
	static const struct pw_series_column columns_##id[] = {
#define PW_COLUMN(table, id, name, unit) { name, unit },
#define PW_END(table) \
	}             \
	; /* of PW_TABLE */
/* clang-format off */
#include <perfwasm/sched-columns.def>
/* clang-format on */

static const struct pw_series_table tables[] = {
#define PW_TABLE(id, name) { name, columns_##id, PW_BPF_N_##id },
#include <perfwasm/sched-columns.def>
};

const struct pw_series_table *pw_bpf_tables(uint32_t *n)
{
	*n = PW_BPF_N_TABLES;
	return tables;
}
