// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of system-sources.def: sources, paths with their parsers, and the
 * tables of a series.
 */
#include "system-impl.h"

#define PW_TABLE(source, id, name) \
	static const struct pw_series_column columns_##id[] = {
#define PW_COLUMN(table, name, unit) { name, unit },
#define PW_END() \
	}        \
	; /* of PW_TABLE */
/* clang-format off */
#include <perfwasm/system-sources.def>
/* clang-format on */

static const struct pw_series_table tables[] = {
#define PW_TABLE(source, id, name) \
	{ name, columns_##id, sizeof(columns_##id) / sizeof(*columns_##id) },
#include <perfwasm/system-sources.def>
};

static const enum pw_system_source_id sources_of_tables[] = {
#define PW_TABLE(source, id, name) PW_SYSTEM_##source,
#include <perfwasm/system-sources.def>
};

static const struct path_def paths[] = {
#define PW_PATH(source, name, path) { PW_SYSTEM_##source, path, parse_##name },
#include <perfwasm/system-sources.def>
	{ .pattern = NULL },
};

static const struct pw_system_source sources[] = {
#define PW_SOURCE(id, name, every_ms, flags) { name, every_ms * 1000000ULL },
#include <perfwasm/system-sources.def>
};

static const char *const flags_of_sources[] = {
#define PW_SOURCE(id, name, every_ms, flags) flags,
#include <perfwasm/system-sources.def>
};

const struct pw_system_source *pw_system_sources(uint32_t *n)
{
	*n = PW_SYSTEM_N_SOURCES;
	return sources;
}

bool pw_system_is_work(const char *column)
{
	return strcmp(column, "idle") && strcmp(column, "iowait") &&
	       strcmp(column, "steal");
}

uint32_t source_flags(enum pw_system_source_id s)
{
	return (strchr(flags_of_sources[s], 'F') ? SOURCE_LAST : 0) |
	       (strchr(flags_of_sources[s], 'T') ? SOURCE_TASKS : 0) |
	       (strchr(flags_of_sources[s], 'I') ? SOURCE_IDLES : 0) |
	       (strchr(flags_of_sources[s], 'Z') ? SOURCE_ZERO : 0);
}

enum pw_system_source_id table_source(enum table t)
{
	return sources_of_tables[t];
}

const struct pw_series_table *table_def(enum table t)
{
	return &tables[t];
}

const struct path_def *path_defs(void)
{
	return paths;
}
