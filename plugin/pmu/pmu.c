// SPDX-License-Identifier: GPL-2.0-only
/* The counters of one machine: opened, told as tables of a series, read. */
#include "pmu-counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pw_pmu {
	char *root, *config, *state;
	struct plan plan;
	struct devices devices;
	struct counters counters;
	struct pw_series_table *tables;
	uint32_t threads; /* of a core */
	bool is_told;     /* facts are in the series */
};

/* --- tables ------------------------------------------------------------------------ */

static bool is_software(const struct pw_pmu *p, uint32_t group)
{
	const struct group *g = &p->counters.groups.list[group];

	return !strcmp(p->devices.list[g->device].name, "software");
}

/* Columns before those of events. */
static uint32_t n_times(const struct pw_pmu *p, uint32_t group)
{
	return is_software(p, group) ? 0 : 2;
}

static void make_table(struct pw_pmu *p, uint32_t group)
{
	const struct group *g = &p->counters.groups.list[group];
	struct pw_series_column *columns =
		pw_zalloc((g->n + 2) * sizeof(*columns));
	uint32_t n = n_times(p, group);
	const char *name;

	if (n) {
		columns[0] = (struct pw_series_column){ "enabled", "ns+" };
		columns[1] = (struct pw_series_column){ "running", "ns+" };
	}
	for (uint32_t i = 0; i < g->n; i++) {
		name = p->plan.events[g->events[i]].name;
		columns[n + i] = (struct pw_series_column){
			name, strcmp(name, "cpu_clock") ? "count+" : "ns+"
		};
	}
	p->tables[group] = (struct pw_series_table){
		n ? pw_asprintf(PW_PMU_TABLES "%u", group)
		  : pw_strdup(PW_PMU_TABLES "software"),
		columns, n + g->n
	};
}

static void make_tables(struct pw_pmu *p)
{
	p->tables = pw_zalloc((MAX_GROUPS + 1) * sizeof(*p->tables));
	for (uint32_t g = 0; g < p->counters.groups.n; g++)
		make_table(p, g);
}

const struct pw_series_table *pw_pmu_tables(const struct pw_pmu *p, uint32_t *n)
{
	*n = p->counters.groups.n;
	return p->tables;
}

/* --- what is counted, in a line ------------------------------------------------------ */

static const char *no_counters(const struct pw_pmu *p)
{
	if (p->devices.core < 0)
		return "this machine shows no PMU";
	for (uint32_t i = 0; i < p->plan.n_figures; i++)
		if (p->plan.figures[i].missing)
			return p->plan.figures[i].missing;
	return "no metric is known";
}

static uint32_t n_counted(const struct plan *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_figures; i++)
		n += !p->figures[i].missing;
	return n;
}

/* Groups of the cores' PMU. */
static uint32_t n_core_groups(const struct pw_pmu *p)
{
	uint32_t n = 0;

	for (uint32_t g = 0; g < p->counters.groups.n; g++)
		n += p->counters.groups.list[g].device == p->devices.core;
	return n;
}

static void tell_refused(const struct pw_pmu *p, struct pw_buf *b)
{
	const struct counters *c = &p->counters;
	uint32_t least = UINT32_MAX;

	if (!c->refused)
		return;
	for (uint32_t g = 0; g < c->groups.n; g++)
		if (!p->devices.list[c->groups.list[g].device].cpus.n &&
		    c->n_rows[g] < least)
			least = c->n_rows[g];
	pw_buf_printf(b, "; some of it on %u of %u CPUs only (%s%s)",
		      least == UINT32_MAX ? 0 : least, cpus_count(&c->online),
		      strerror(-c->refused),
		      c->refused == -EMFILE ? ": raise ulimit -n" : "");
}

static void make_state(struct pw_pmu *p)
{
	uint32_t n = n_counted(&p->plan), turns = n_core_groups(p);
	uint32_t groups = p->counters.groups.n;
	bool software = groups && is_software(p, 0);
	struct pw_buf b = { 0 };

	if (turns)
		pw_buf_printf(&b, "hardware counters of %s: %u metric%s, %s",
			      p->plan.family->title, n, n > 1 ? "s" : "",
			      turns > 1 ? "in groups that take turns"
					: "all at once");
	else
		pw_buf_printf(
			&b, "no hardware counters here (%s): %s",
			no_counters(p),
			software
				? "the kernel's software events are counted in their place"
				: "nothing is counted");
	if (!turns && n)
		pw_buf_printf(&b, ", and %u metric%s without them", n,
			      n > 1 ? "s" : "");
	if (!software && p->plan.n_events && p->plan.events[0].missing)
		pw_buf_printf(&b, "; no software events (%s)",
			      p->plan.events[0].missing);
	tell_refused(p, &b);
	p->state = pw_strdup(pw_buf_str(&b));
	pw_buf_release(&b);
}

const char *pw_pmu_state(const struct pw_pmu *p)
{
	return p->state;
}

bool pw_pmu_has_counters(const struct pw_pmu *p)
{
	for (uint32_t g = 0; g < p->counters.groups.n; g++)
		if (!is_software(p, g))
			return true;
	return false;
}

/* --- opening ---------------------------------------------------------------------------- */

static bool file_says(const struct pw_pmu *p, const char *path,
		      const char *wanted)
{
	char *text = read_text(p->root, path);
	bool is = text && !strcmp(text, wanted);

	free(text);
	return is;
}

static int make_plan(struct pw_pmu *p, struct pw_err *err)
{
	char *cpuinfo = read_text(p->root, "proc/cpuinfo");
	int ret = 0;

	plan_family(&p->plan, family_by_cpuinfo(cpuinfo ? cpuinfo : ""));
	free(cpuinfo);
	devices_open(&p->devices, p->root);
	if (p->config)
		ret = plan_read(&p->plan, p->config, err);
	if (ret)
		return ret;
	ret = plan_resolve(&p->plan, &p->devices, err);
	if (ret && p->config)
		pw_err_prefix(err, "%s", p->config);
	return ret;
}

static void open_counters(struct pw_pmu *p, const struct pw_pmu_kernel *kernel)
{
	uint32_t most = p->plan.family->counters;

	/* the watchdog of hard lock-ups has one for itself */
	if (most > 1 && file_says(p, "proc/sys/kernel/nmi_watchdog", "1"))
		most--;
	p->threads =
		file_says(p, "sys/devices/system/cpu/smt/active", "1") ? 2 : 1;
	p->counters.kernel = kernel ? kernel : kernel_real();
	p->counters.root = p->root;
	p->counters.plan = &p->plan;
	p->counters.devices = &p->devices;
	counters_open(&p->counters, most);
}

struct pw_pmu *pw_pmu_open(const struct pw_pmu_opts *o, struct pw_err *err)
{
	struct pw_pmu *p = pw_zalloc(sizeof(*p));

	p->root = pw_strdup(o->root ? o->root : "/");
	p->config = o->config ? pw_strdup(o->config) : NULL;
	p->counters.online_fd = -1;
	if (make_plan(p, err)) {
		pw_pmu_close(p);
		return NULL;
	}
	open_counters(p, o->kernel);
	make_tables(p);
	make_state(p);
	return p;
}

void pw_pmu_close(struct pw_pmu *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; p->tables && i < p->counters.groups.n; i++) {
		free((char *)p->tables[i].name);
		free((struct pw_series_column *)p->tables[i].columns);
	}
	if (p->tables)
		counters_close(&p->counters);
	free(p->tables);
	plan_release(&p->plan);
	devices_close(&p->devices);
	free(p->root);
	free(p->config);
	free(p->state);
	free(p);
}

/* --- reading ------------------------------------------------------------------------------ */

struct target {
	struct pw_series_out *out;
	uint32_t first;
};

static void fact(struct pw_series_out *out, const char *kind, const char *name,
		 const char *value)
{
	char *key;

	if (!value)
		return;
	key = pw_asprintf("pmu/%s%s%s", kind, *name ? " " : "", name);
	pw_series_fact(out, key, value);
	free(key);
}

static void write_number(struct pw_series_out *out, const char *name,
			 uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	fact(out, "constant", name, text);
}

static void write_figure(struct pw_series_out *out, const struct figure *f)
{
	if (f->missing) {
		fact(out, "missing", f->name, f->missing);
		return;
	}
	fact(out, "metric", f->name, f->formula);
	fact(out, "unit", f->name, f->unit);
	if (f->better != PW_BETTER_NEITHER)
		fact(out, "better", f->name,
		     f->better == PW_BETTER_LESS ? "less" : "more");
	fact(out, "about", f->name, f->about);
}

static void write_facts(const struct pw_pmu *p, struct pw_series_out *out)
{
	const struct groups *groups = &p->counters.groups;

	fact(out, "state", "", p->state);
	fact(out, "family", "", p->plan.family->title);
	fact(out, "config", "", p->config);
	write_number(out, "width", p->plan.family->width);
	write_number(out, "threads", p->threads);
	for (uint32_t g = 0; g < groups->n; g++)
		for (uint32_t i = 0; i < groups->list[g].n; i++) {
			const struct event *e =
				&p->plan.events[groups->list[g].events[i]];

			if (!(e->flags & EVENT_ALWAYS))
				fact(out, "event", e->name, e->text);
		}
	for (uint32_t i = 0; i < p->plan.n_figures && n_counted(&p->plan); i++)
		write_figure(out, &p->plan.figures[i]);
}

static void row_gone(void *ctx, uint32_t group, uint32_t cpu)
{
	struct target *t = ctx;

	pw_series_drop(t->out, t->first + group, cpu);
}

static bool read_row(struct pw_pmu *p, uint32_t group, struct row *r,
		     const struct target *t)
{
	struct reading now;
	uint64_t values[GROUP_EVENTS + 2];
	uint32_t n = n_times(p, group);
	char name[24];

	if (!counters_read(&p->counters, group, r, &now))
		return false;
	values[0] = now.enabled_ns;
	values[1] = now.running_ns;
	memcpy(values + n, now.values,
	       p->counters.groups.list[group].n * sizeof(*values));
	pw_series_row(t->out, t->first + group, r->cpu, values);
	if (!r->is_told) {
		snprintf(name, sizeof(name), "cpu%u", r->cpu);
		pw_series_text(t->out, t->first + group, r->cpu, "instance",
			       name);
		r->is_told = true;
	}
	return true;
}

bool pw_pmu_read(struct pw_pmu *p, struct pw_series_out *out, uint32_t first)
{
	struct target t = { out, first };
	struct counters *c = &p->counters;
	bool whole = true;

	if (!p->is_told)
		write_facts(p, out);
	p->is_told = true;
	counters_cpus(c, row_gone, &t);
	for (uint32_t g = 0; g < c->groups.n; g++)
		for (uint32_t i = 0; i < c->n_rows[g]; i++)
			whole &= read_row(p, g, &c->rows[g][i], &t);
	return whole;
}

void pw_pmu_again(struct pw_pmu *p)
{
	struct counters *c = &p->counters;

	p->is_told = false;
	for (uint32_t g = 0; g < c->groups.n; g++)
		for (uint32_t i = 0; i < c->n_rows[g]; i++)
			c->rows[g][i].is_told = false;
}

/* --- which figures ------------------------------------------------------------------------- */

uint32_t pw_pmu_n_figures(const struct pw_pmu *p)
{
	return p->plan.n_figures;
}

struct pw_pmu_figure pw_pmu_figure(const struct pw_pmu *p, uint32_t i)
{
	const struct figure *f = &p->plan.figures[i];

	return (struct pw_pmu_figure){ f->name, f->unit ? f->unit : "",
				       f->formula, f->about ? f->about : "",
				       f->missing };
}

static void describe_figures(const struct pw_pmu *p, struct pw_buf *out)
{
	for (uint32_t i = 0; i < pw_pmu_n_figures(p); i++) {
		struct pw_pmu_figure f = pw_pmu_figure(p, i);

		pw_buf_printf(out, "  %s%s%s = %s\n", f.name,
			      *f.unit ? ", " : "", f.unit, f.formula);
		if (*f.about)
			pw_buf_printf(out, "      %s\n", f.about);
		/* of a machine without counters the first line says it */
		if (f.missing && n_core_groups(p))
			pw_buf_printf(out, "      not counted here: %s\n",
				      f.missing);
	}
}

void pw_pmu_describe(const struct pw_pmu *p, struct pw_buf *out)
{
	pw_buf_printf(out, "%s\n\nMetrics of %s:\n\n", p->state,
		      p->plan.family->title);
	describe_figures(p, out);
	pw_buf_printf(
		out,
		"\nMore of them by a file, --pmu-config FILE:\n\n"
		"  [event l3_misses]\n"
		"  code = cpu/event=0x2e,umask=0x41/\n\n"
		"  [metric my-l3-mpki]\n"
		"  formula = l3_misses / instructions * 1000\n"
		"  unit = pki\n"
		"  about = Lines that the last cache lacked.\n\n"
		"A code is PMU/term=number,.../ as below /sys/bus/event_source/devices, or a\n"
		"name of libpfm4. APerf's JSON files are read, too.\n");
}
