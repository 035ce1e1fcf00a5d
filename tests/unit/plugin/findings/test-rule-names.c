// SPDX-License-Identifier: GPL-2.0-only
/* Rules name figures that the recorder has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <perfwasm/system.h>

#include "../../../../plugin/findings/rule.h"

enum table {
#define PW_TABLE(source, id, name) TABLE_##id,
#include <perfwasm/system-sources.def>
	N_TABLES
};

static const char *const tables[N_TABLES] = {
#define PW_TABLE(source, id, name) [TABLE_##id] = name,
#include <perfwasm/system-sources.def>
};

static const struct {
	enum table table;
	const char *name;
} columns[] = {
#define PW_COLUMN(table, name, unit) { TABLE_##table, name },
#include <perfwasm/system-sources.def>
};

/* "cgroup.time" is of family cgroup. */
static bool is_of(enum table t, const char *family)
{
	size_t n = strlen(family);

	return !strncmp(tables[t], family, n) &&
	       (!tables[t][n] || tables[t][n] == '.');
}

/* A table whose rows are figures has the column "value" alone: any name goes. */
static bool is_there(const char *family, const char *name)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (is_of(columns[i].table, family) &&
		    (!strcmp(columns[i].name, "value") ||
		     !strcmp(columns[i].name, name)))
			return true;
	return false;
}

static void check(const struct rule *r, const char *figure)
{
	struct figure_name f;

	if (!figure)
		return;
	figure_name_init(&f, figure);
	/* counters of the PMU, and what is made of others */
	if (strcmp(f.family, "pmu") != 0 && strcmp(f.names[0], "busy") != 0)
		for (uint32_t i = 0; i < f.n; i++)
			if (!is_there(f.family, f.names[i]))
				fail_msg("%s: there is no %s.%s", r->key,
					 f.family, f.names[i]);
	figure_name_release(&f);
}

static void rules_name_figures_that_the_recorder_has(void **state)
{
	uint32_t n;
	const struct rule *r = rules_all(&n);

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		check(&r[i], r[i].figure);
		check(&r[i], r[i].per);
		check(&r[i], r[i].only);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_name_figures_that_the_recorder_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
