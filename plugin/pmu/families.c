// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which family a CPU is of, and the tables of what families count. Nothing of
 * this machine is looked at: the text of /proc/cpuinfo comes from outside.
 */
#include "pmu-impl.h"

#include <stdlib.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(*(a)))

static const struct family families[] = {
#define PW_PMU_FAMILY(name, base, counters, width, title) \
	{ name, base, title, counters, width },
#include "pmu-families.def"
};

static const struct x86 {
	const char *name, *vendor;
	unsigned long family, first, last; /* family 0: any */
} x86[] = {
#define PW_PMU_X86(name, vendor, family, first, last) \
	{ name, vendor, family, first, last },
#include "pmu-families.def"
};

static const struct arm {
	const char *name;
	unsigned long implementer, first, last; /* implementer 0: any */
} arm[] = {
#define PW_PMU_ARM(name, implementer, part, last) \
	{ name, implementer, part, last },
#include "pmu-families.def"
};

static const struct family_event events[] = {
#define PW_PMU_EVENT(family, name, code, flags, pfm) \
	{ family, #name, code, pfm, flags },
#define FIXED   EVENT_FIXED
#define LEADS   (EVENT_LEADS | EVENT_FIXED)
#define FOLLOWS (EVENT_FOLLOWS | EVENT_FIXED)
#define ALWAYS  (EVENT_ALWAYS | EVENT_FIXED)
#include "pmu-events.def"
};

static const struct family_figure figures[] = {
#define PW_PMU_FIGURE(family, name, unit, better, formula, about) \
	{ family, name, unit, formula, about, PW_BETTER_##better },
#include "pmu-figures.def"
};

const struct family_event *family_events(uint32_t *n)
{
	*n = N(events);
	return events;
}

const struct family_figure *family_figures(uint32_t *n)
{
	*n = N(figures);
	return figures;
}

const struct family *family_get(uint32_t i)
{
	return i < N(families) ? &families[i] : NULL;
}

const struct family *family_find(const char *name)
{
	for (size_t i = 0; i < N(families); i++)
		if (!strcmp(families[i].name, name))
			return &families[i];
	return NULL;
}

/* --- the first processor of /proc/cpuinfo --------------------------------------------- */

/* The value of a line "KEY<white>: VALUE", or NULL. */
static const char *field(const char *text, const char *key)
{
	size_t len = strlen(key);
	const char *line = text, *after;

	while (line) {
		after = line + len;
		if (!strncmp(line, key, len) &&
		    after[strspn(after, " \t")] == ':')
			return after + strspn(after, " \t") + 1;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return NULL;
}

static unsigned long number(const char *text, const char *key)
{
	const char *value = field(text, key);

	return value ? strtoul(value, NULL, 0) : 0;
}

static const char *x86_name(const char *text, const char *vendor)
{
	unsigned long family = number(text, "cpu family");
	unsigned long model = number(text, "model");
	const struct x86 *x;
	size_t len;

	vendor += strspn(vendor, " \t");
	for (x = x86; x < x86 + N(x86); x++) {
		len = strlen(x->vendor);
		if (!strncmp(vendor, x->vendor, len) &&
		    (!x->family || (x->family == family && x->first <= model &&
				    model <= x->last)))
			return x->name;
	}
	return "x86";
}

static const char *arm_name(const char *text)
{
	unsigned long implementer = number(text, "CPU implementer");
	unsigned long part = number(text, "CPU part");

	for (size_t i = 0; i < N(arm); i++)
		if (!arm[i].implementer ||
		    (arm[i].implementer == implementer &&
		     arm[i].first <= part && part <= arm[i].last))
			return arm[i].name;
	return "arm";
}

const struct family *family_by_cpuinfo(const char *cpuinfo)
{
	const char *vendor = field(cpuinfo, "vendor_id");

	if (vendor)
		return family_find(x86_name(cpuinfo, vendor));
	if (field(cpuinfo, "CPU implementer"))
		return family_find(arm_name(cpuinfo));
	return family_find("generic");
}
