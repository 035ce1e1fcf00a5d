// SPDX-License-Identifier: GPL-2.0-only
/*
 * An event's text to what perf_event_open(2) takes. What its terms mean, the
 * device's own folder says: format/TERM tells the bits of a number
 * ("config:0-7,32-35"), events/NAME has other terms for it
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices-format).
 */
#include "pmu-impl.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* --- bits ------------------------------------------------------------------------------ */

static uint64_t *config_of(struct pw_pmu_code *c, const char *format,
			   const char **bits)
{
	static const struct {
		const char *name;
		size_t off;
	} fields[] = {
		{ "config1:", offsetof(struct pw_pmu_code, config1) },
		{ "config2:", offsetof(struct pw_pmu_code, config2) },
		{ "config:", offsetof(struct pw_pmu_code, config) },
	};

	for (size_t i = 0; i < 3; i++)
		if (!strncmp(format, fields[i].name, strlen(fields[i].name))) {
			*bits = format + strlen(fields[i].name);
			return (uint64_t *)((char *)c + fields[i].off);
		}
	return NULL;
}

/* The lowest bits of value to where the format says; what is left of it. */
static uint64_t deposit(uint64_t *config, const char *bits, uint64_t value)
{
	unsigned long from, to;
	char *end;

	while (*bits) {
		from = to = strtoul(bits, &end, 10);
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (end == bits || from > to || to > 63)
			return UINT64_MAX;
		for (; from <= to; from++, value >>= 1)
			if (value & 1)
				*config |= 1ULL << from;
			else
				*config &= ~(1ULL << from);
		bits = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return UINT64_MAX;
	}
	return value;
}

/* --- the kernel's own, which have no format --------------------------------------------- */

struct known {
	const char *name;
	uint64_t config;
};

static const struct known software[] = {
	{ "cpu-clock", PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_COUNT_SW_TASK_CLOCK },
	{ "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "page-faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS },
	{ 0 },
};

static const struct known hardware[] = {
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES },
	{ 0 },
};

static int known_term(const struct known *k, const char *device,
		      const char *term, struct pw_pmu_code *out,
		      struct pw_err *err)
{
	const char *names[16];
	size_t n = 0;
	char *near;
	int ret;

	for (; k->name; k++) {
		if (!strcmp(k->name, term)) {
			out->config = k->config;
			return 0;
		}
		names[n++] = k->name;
	}
	near = pw_did_you_mean('"', term, names, n);
	ret = pw_err_set(err, ENOENT, "\"%s\" has no event \"%s\"%s", device,
			 term, near);
	free(near);
	return ret;
}

/* --- terms -------------------------------------------------------------------------------- */

struct parse {
	const struct devices *d;
	const struct device *device;
	struct pw_pmu_code *out;
	struct pw_err *err;
	int depth; /* of events named by events */
};

static char *folder_text(const struct parse *p, const char *folder,
			 const char *name)
{
	char *path = pw_asprintf("sys/bus/event_source/devices/%s/%s/%s",
				 p->device->name, folder, name);
	char *text = strchr(name, '/') ? NULL : read_text(p->d->root, path);

	free(path);
	return text;
}

static int set_term(struct parse *p, const char *name, uint64_t value)
{
	const char *bits;
	char *format;
	uint64_t *config, left = UINT64_MAX;

	if (!strcmp(name, "config") || !strcmp(name, "config1") ||
	    !strcmp(name, "config2"))
		format = pw_asprintf("%s:0-63", name);
	else
		format = folder_text(p, "format", name);
	if (!format)
		return pw_err_set(
			p->err, ENOENT,
			"PMU \"%s\" has no term \"%s\" (its folder \"format\" lists them)",
			p->device->name, name);
	config = config_of(p->out, format, &bits);
	if (config)
		left = deposit(config, bits, value);
	free(format);
	if (!left)
		return 0;
	return pw_err_set(p->err, EINVAL,
			  "0x%llx does not fit into \"%s\" of PMU \"%s\"",
			  (unsigned long long)value, name, p->device->name);
}

static int parse_terms(struct parse *p, char *terms);

/* A word without a number: another name of terms, or a bit that is to be set. */
static int word_term(struct parse *p, const char *word)
{
	char *terms = p->depth ? NULL : folder_text(p, "events", word), *bit;
	int ret;

	if (terms) {
		p->depth++;
		ret = parse_terms(p, terms);
		p->depth--;
		free(terms);
		return ret;
	}
	bit = folder_text(p, "format", word);
	if (!bit)
		return pw_err_set(
			p->err, ENOENT,
			"PMU \"%s\" has no event \"%s\" (its folder \"events\" lists them)",
			p->device->name, word);
	free(bit);
	return set_term(p, word, 1);
}

static int parse_terms(struct parse *p, char *terms)
{
	char *save = NULL, *term, *equals, *end;
	unsigned long long value;
	int ret = 0;

	for (term = strtok_r(terms, ",", &save); term && !ret;
	     term = strtok_r(NULL, ",", &save)) {
		equals = strchr(term, '=');
		if (!equals) {
			ret = word_term(p, term);
			continue;
		}
		*equals = 0;
		errno = 0;
		value = strtoull(equals + 1, &end, 0);
		if (errno || end == equals + 1 || *end || equals[1] == '-')
			return pw_err_set(p->err, EINVAL,
					  "\"%s\" of term \"%s\" is no number",
					  equals + 1, term);
		ret = set_term(p, term, value);
	}
	return ret;
}

/* --- the whole ------------------------------------------------------------------------------ */

/* The kernel's names for events of the cores. Where there are two kinds of
 * cores the upper half says which (perf_event_open(2), extended types). */
static int hardware_code(struct devices *d, const char *term,
			 struct pw_pmu_code *out, struct pw_err *err)
{
	int i = devices_find(d, "core", err), ret;

	if (i < 0)
		return i;
	out->type = PERF_TYPE_HARDWARE;
	ret = known_term(hardware, "hardware", term, out, err);
	if (!strcmp(d->list[i].name, "cpu_core"))
		out->config |= (uint64_t)d->list[i].type << 32;
	return ret ? ret : i;
}

static int software_code(struct devices *d, const char *term,
			 struct pw_pmu_code *out, struct pw_err *err)
{
	int ret = known_term(software, "software", term, out, err);

	out->type = PERF_TYPE_SOFTWARE;
	return ret ? ret : devices_find(d, "software", err);
}

static int raw_code(struct devices *d, const char *device, char *terms,
		    struct pw_pmu_code *out, struct pw_err *err)
{
	struct parse p = { .d = d, .out = out, .err = err };
	int i, ret;

	if (!strcmp(device, "hardware"))
		return hardware_code(d, terms, out, err);
	if (!strcmp(device, "software"))
		return software_code(d, terms, out, err);
	i = devices_find(d, device, err);
	if (i < 0)
		return i;
	p.device = &d->list[i];
	out->type = p.device->type;
	ret = parse_terms(&p, terms);
	return ret ? ret : i;
}

int code_parse(struct devices *d, const char *text, struct pw_pmu_code *out,
	       struct pw_err *err)
{
	char *copy = pw_strdup(text), *slash = strchr(copy, '/'), *end;
	int ret;

	*out = (struct pw_pmu_code){ 0 };
	if (slash) {
		*slash = 0;
		end = strchr(slash + 1, '/');
		if (!end || end[1])
			ret = pw_err_set(
				err, EINVAL,
				"\"%s\" should read PMU/term=number,.../",
				text);
		else {
			*end = 0;
			ret = raw_code(d, copy, slash + 1, out, err);
		}
	} else if (strchr(copy, '=')) {
		ret = raw_code(d, "core", copy, out, err);
	} else {
		ret = code_by_name(d, text, out, err);
	}
	free(copy);
	return ret;
}
