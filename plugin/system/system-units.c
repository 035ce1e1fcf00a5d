// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of system-units.def: what a column's unit says.
 */
#include <perfwasm/system.h>

#include <string.h>

static const struct {
	const char *name;
	struct pw_system_unit is;
} units[] = {
#define PW_SYSTEM_UNIT(name, factor, unit) \
	{ name, { factor, PW_UNIT_##unit, false } },
#include "system-units.def"
};

struct pw_system_unit pw_system_unit(const char *name)
{
	struct pw_system_unit u = { 1, PW_UNIT_NONE, false };
	size_t n = strlen(name);
	bool counts = n && name[n - 1] == '+';

	n -= counts;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == n &&
		    !memcmp(units[i].name, name, n))
			u = units[i].is;
	u.counts = counts;
	return u;
}
