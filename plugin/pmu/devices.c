// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMUs of this machine: what /sys/bus/event_source/devices shows of those
 * that are asked for, and which of them counts for the cores.
 */
#include "pmu-impl.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES "sys/bus/event_source/devices"

static char *device_text(const struct devices *d, const char *name,
			 const char *file)
{
	char *path = pw_asprintf(DEVICES "/%s/%s", name, file), *text;

	text = read_text(d->root, path);
	free(path);
	return text;
}

/* Calls f for each PMU there is. */
static void each_folder(const struct devices *d,
			void (*f)(void *ctx, const char *name), void *ctx)
{
	char *path = pw_asprintf("%s/" DEVICES, d->root);
	DIR *dir = opendir(path);
	const struct dirent *e;

	free(path);
	while (dir && (e = readdir(dir)))
		if (*e->d_name != '.')
			f(ctx, e->d_name);
	if (dir)
		closedir(dir);
}

/* --- the cores' -------------------------------------------------------------------- */

/* Of machines with two kinds of cores the larger kind's. */
static int core_rank(const char *name)
{
	static const char *const begins[] = { "armv8_", "armv9_" };

	if (!strcmp(name, "cpu"))
		return 4;
	if (!strcmp(name, "cpu_core"))
		return 3;
	for (size_t i = 0; i < 2; i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return 2;
	return 0;
}

struct best {
	char *name;
	int rank;
};

static void try_core(void *ctx, const char *name)
{
	struct best *b = ctx;
	int rank = core_rank(name);

	if (rank < b->rank || !rank ||
	    (rank == b->rank && b->name && strcmp(name, b->name) > 0))
		return;
	free(b->name);
	b->name = pw_strdup(name);
	b->rank = rank;
}

/* --- looking one up ------------------------------------------------------------------ */

static int add_device(struct devices *d, const char *name, uint32_t type)
{
	struct device *v;

	d->list = pw_realloc(d->list, (d->n + 1) * sizeof(*d->list));
	v = &d->list[d->n];
	*v = (struct device){ .name = pw_strdup(name), .type = type };
	return (int)d->n++;
}

static void try_name(void *ctx, const char *name)
{
	pw_strings_add(ctx, pw_strdup(name));
}

static int no_device(const struct devices *d, const char *name,
		     struct pw_err *err)
{
	char **names = NULL;
	struct pw_buf list = { 0 };
	int ret;

	each_folder(d, try_name, &names);
	for (size_t i = 0; names && names[i] && i < 12; i++)
		pw_buf_printf(&list, "%s%s", i ? ", " : "", names[i]);
	ret = pw_err_set(err, ENODEV,
			 "this machine has no PMU \"%s\" (it has: %s)", name,
			 list.len ? pw_buf_str(&list) : "none");
	pw_buf_release(&list);
	pw_strings_free(names);
	return ret;
}

/* Whether one such file is there; those of uncores tell one CPU a socket. */
static void read_cpus(const struct devices *d, struct device *v)
{
	static const char *const files[] = { "cpumask", "cpus" };
	char *text;

	for (size_t i = 0; i < 2 && !v->cpus.n; i++) {
		text = device_text(d, v->name, files[i]);
		if (text)
			cpus_parse(&v->cpus, text);
		free(text);
	}
}

static int open_device(struct devices *d, const char *name, struct pw_err *err)
{
	char *text = strchr(name, '/') ? NULL : device_text(d, name, "type");
	int i;

	if (!text)
		return no_device(d, name, err);
	i = add_device(d, name, (uint32_t)strtoul(text, NULL, 10));
	free(text);
	read_cpus(d, &d->list[i]);
	return i;
}

int devices_find(struct devices *d, const char *name, struct pw_err *err)
{
	if (!strcmp(name, "core") || !strcmp(name, "cpu"))
		return d->core >= 0
			       ? d->core
			       : pw_err_set(
					 err, ENODEV,
					 "this machine shows no PMU of its cores");
	for (uint32_t i = 0; i < d->n; i++)
		if (!strcmp(d->list[i].name, name))
			return (int)i;
	if (!strcmp(name, "software"))
		return add_device(d, name, PERF_TYPE_SOFTWARE);
	return open_device(d, name, err);
}

void devices_open(struct devices *d, const char *root)
{
	struct best best = { 0 };

	*d = (struct devices){ .root = root, .core = -1 };
	each_folder(d, try_core, &best);
	if (best.name)
		d->core = open_device(d, best.name, NULL);
	free(best.name);
}

void devices_close(struct devices *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		free(d->list[i].name);
		cpus_release(&d->list[i].cpus);
	}
	free(d->list);
	*d = (struct devices){ .core = -1 };
}
