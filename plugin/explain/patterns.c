// SPDX-License-Identifier: GPL-2.0-only
/* The patterns by name, from patterns.def. */
#include "explain-impl.h"

static const struct {
	const char *id, *name, *probe, *help;
} patterns[] = {
#define PW_PATTERN(id, name, weight, probe, help) { #id, name, probe, help },
#include <perfwasm/patterns.def>
#undef PW_PATTERN
};

const char *pw_pattern_id(enum pw_pattern p)
{
	return patterns[p].id;
}

const char *pw_pattern_name(enum pw_pattern p)
{
	return patterns[p].name;
}

const char *pw_pattern_help(enum pw_pattern p)
{
	return patterns[p].help;
}

const char *pw_pattern_probe(enum pw_pattern p)
{
	return patterns[p].probe;
}
