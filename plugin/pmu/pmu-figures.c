// SPDX-License-Identifier: GPL-2.0-only
/*
 * Formulas over the growth of counts: of each CPU, of all CPUs together (the
 * sums of their counts, not a mean of ratios), and of the whole capture.
 */
#include "pmu-figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct shown *shown_find(struct pw_pmu_reader *r, const char *name)
{
	struct shown *f;

	for (uint32_t i = 0; i < r->n_shown; i++)
		if (!strcmp(r->shown[i].name, name))
			return &r->shown[i];
	r->shown = pw_realloc(r->shown, (r->n_shown + 1) * sizeof(*f));
	f = &r->shown[r->n_shown++];
	*f = (struct shown){ .name = pw_strdup(name), .all = NONE };
	return f;
}

void shown_release(struct shown *f)
{
	pw_formula_free(f->f);
	free(f->name);
	free(f->unit);
	free(f->formula);
	free(f->about);
	free(f->better);
	free(f->inputs);
	free(f->whole);
	free(f->ids);
}

/* --- where its names come from ---------------------------------------------------------- */

static bool find_constant(const char *name, struct input *in)
{
	static const char *const names[] = { "seconds", "time", "width",
					     "threads" };

	in->table = NONE;
	for (int i = 0; i < 4; i++)
		if (!strcmp(names[i], name)) {
			in->constant = i;
			return true;
		}
	return false;
}

static bool find_column(const struct count_table *t, const char *name,
			uint32_t *column)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (!strcmp(t->columns[i], name)) {
			*column = i;
			return true;
		}
	return false;
}

/* All names that are events, in one table. */
static bool find_together(const struct pw_pmu_reader *r, struct shown *f,
			  uint32_t table)
{
	const struct count_table *t = &r->tables[table];
	uint32_t column;

	for (uint32_t i = 0; i < pw_formula_n_names(f->f); i++) {
		const char *name = pw_formula_name(f->f, i);

		if (find_constant(name, &f->inputs[i]))
			continue;
		if (!t->name || !find_column(t, name, &column))
			return false;
		f->inputs[i] =
			(struct input){ .table = table, .column = column };
	}
	f->main = table;
	return true;
}

static bool find_apart(const struct pw_pmu_reader *r, struct shown *f)
{
	for (uint32_t i = 0; i < pw_formula_n_names(f->f); i++) {
		const char *name = pw_formula_name(f->f, i);
		struct input *in = &f->inputs[i];

		if (find_constant(name, in))
			continue;
		for (in->table = 0; in->table < r->n_tables; in->table++)
			if (r->tables[in->table].name &&
			    find_column(&r->tables[in->table], name,
					&in->column))
				break;
		if (in->table == r->n_tables)
			return false;
		f->main = in->table;
	}
	return true;
}

struct unit {
	const char *unit, *title;
	double matters; /* the least difference that is worth one's time */
};

static const struct unit units[] = {
	{ "%", "a share", 0.01 },
	{ "pki", "in 1,000 instructions", 0.05 },
	{ "pkc", "in 1,000 cycles", 5 },
	{ "ghz", "GHz", 0.02 },
	{ "gips", "billions a second", 0.02 },
};

static void define(struct pw_metrics *m, const char *name, const char *unit,
		   enum pw_better better, const char *about)
{
	struct pw_metric_def def = { .kind = PW_METRIC_LEVEL,
				     .unit = PW_UNIT_NONE,
				     .matters = 0.02,
				     .better = better,
				     .title = *unit ? unit : "a ratio",
				     .about = about };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(units[i].unit, unit)) {
			def.title = units[i].title;
			def.matters = units[i].matters;
		}
	if (!strcmp(unit, "%"))
		def.unit = PW_UNIT_PERCENT;
	pw_metrics_define(m, "pmu", name, &def);
}

static void define_shown(struct pw_pmu_reader *r, const struct shown *f)
{
	enum pw_better better = PW_BETTER_NEITHER;
	char *about = pw_asprintf("%s%s%s", f->about ? f->about : "",
				  f->about ? " " : "", f->formula);

	if (f->better && !strcmp(f->better, "less"))
		better = PW_BETTER_LESS;
	else if (f->better && !strcmp(f->better, "more"))
		better = PW_BETTER_MORE;
	define(r->m, f->name, f->unit ? f->unit : "", better, about);
	free(about);
}

void pw_pmu_define(struct pw_metrics *m)
{
	uint32_t n;
	const struct family_figure *f = family_figures(&n);

	for (; n--; f++)
		define(m, f->name, f->unit, f->better, f->about);
}

static void compile(struct pw_pmu_reader *r, struct shown *f)
{
	bool found = false;
	uint32_t n;

	f->is_compiled = true;
	f->f = f->formula ? pw_formula_new(f->formula, NULL) : NULL;
	if (!f->f)
		return;
	n = pw_formula_n_names(f->f);
	f->inputs = pw_zalloc((n + 1) * sizeof(*f->inputs));
	f->whole = pw_zalloc((n + 1) * sizeof(*f->whole));
	for (uint32_t t = 0; t < r->n_tables && !found; t++)
		found = r->tables[t].name && find_together(r, f, t);
	if (found || find_apart(r, f)) {
		define_shown(r, f);
		return;
	}
	pw_formula_free(f->f);
	f->f = NULL;
}

/* --- values --------------------------------------------------------------------------------- */

static double constant(const struct pw_pmu_reader *r, int which, double seconds,
		       double time)
{
	switch (which) {
	case SECONDS:
		return seconds;
	case TIME:
		return time;
	case WIDTH:
		return r->width;
	default:
		return r->threads;
	}
}

static double seconds_of(const struct count_table *t, const struct counts *c)
{
	double clock =
		t->is_software && t->n && !strcmp(t->columns[0], "cpu_clock")
			? c->growth[0]
			: c->enabled;

	return clock / 1e9;
}

/* Adds a CPU's growth to sums; false: some of it is not known. */
static bool add_inputs(const struct pw_pmu_reader *r, const struct shown *f,
		       uint32_t cpu, double time, double *values)
{
	const struct counts *c = counts_find(&r->tables[f->main], cpu);
	double seconds = c ? seconds_of(&r->tables[f->main], c) : NAN;
	bool is_known = c;

	for (uint32_t i = 0; i < pw_formula_n_names(f->f); i++) {
		const struct input *in = &f->inputs[i];

		if (in->table == NONE) {
			values[i] = constant(r, in->constant, seconds, time);
			continue;
		}
		c = counts_find(&r->tables[in->table], cpu);
		values[i] = c ? c->growth[in->column] : NAN;
		is_known &= !isnan(values[i]);
	}
	return is_known;
}

static uint32_t *id_of(struct shown *f, uint32_t cpu)
{
	if (cpu >= f->n_ids) {
		f->ids = pw_realloc(f->ids, (cpu + 1) * sizeof(*f->ids));
		memset(f->ids + f->n_ids, 0xff,
		       (cpu + 1 - f->n_ids) * sizeof(*f->ids));
		f->n_ids = cpu + 1;
	}
	return &f->ids[cpu];
}

static void tell(struct pw_pmu_reader *r, const struct shown *f, uint32_t *id,
		 const char *instance, double value)
{
	if (*id == NONE && isnan(value))
		return;
	if (*id == NONE)
		*id = pw_metrics_series(r->m, "pmu", f->name, instance,
					PW_METRIC_LEVEL, PW_UNIT_NONE);
	pw_metrics_value(r->m, *id, value);
}

static void add_to(const struct shown *f, double *sums, const double *values)
{
	for (uint32_t i = 0; i < pw_formula_n_names(f->f); i++)
		if (f->inputs[i].table != NONE ||
		    f->inputs[i].constant == SECONDS)
			sums[i] += values[i];
		else
			sums[i] = values[i];
}

void shown_tell(struct pw_pmu_reader *r, struct shown *f, double time)
{
	double *values, *all;
	bool any = false;
	uint32_t n;

	if (!f->is_compiled)
		compile(r, f);
	if (!f->f)
		return;
	n = pw_formula_n_names(f->f);
	values = pw_zalloc(2 * (n + 1) * sizeof(*values));
	all = values + n + 1;
	for (uint32_t i = 0; i < r->tables[f->main].n_rows; i++) {
		uint32_t cpu = r->tables[f->main].rows[i].cpu;
		char name[24];

		snprintf(name, sizeof(name), "cpu%u", cpu);
		if (!add_inputs(r, f, cpu, time, values)) {
			tell(r, f, id_of(f, cpu), name, NAN);
			continue;
		}
		tell(r, f, id_of(f, cpu), name, pw_formula_eval(f->f, values));
		add_to(f, all, values);
		any = true;
	}
	tell(r, f, &f->all, "all", any ? pw_formula_eval(f->f, all) : NAN);
	if (any)
		add_to(f, f->whole, all);
	f->whole_time += any ? time : 0;
	free(values);
}

void shown_gone(struct pw_pmu_reader *r, struct shown *f, uint32_t cpu)
{
	if (cpu >= f->n_ids || f->ids[cpu] == NONE)
		return;
	pw_metrics_gone(r->m, f->ids[cpu]);
	f->ids[cpu] = NONE;
}

/* --- of the whole capture ----------------------------------------------------------------- */

static void tell_counted(const struct pw_pmu_reader *r, const struct shown *f,
			 struct pw_buf *text)
{
	const struct count_table *t = &r->tables[f->main];
	bool apart = false;

	for (uint32_t i = 0; i < pw_formula_n_names(f->f); i++)
		apart |= f->inputs[i].table != NONE &&
			 f->inputs[i].table != f->main;
	if (apart)
		pw_buf_printf(text,
			      ", its events were not counted at the same time");
	else if (t->first && t->enabled > 0)
		pw_buf_printf(text, ", counted %.3g %% of the time (group %s)",
			      100 * t->running / t->enabled, t->name + 4);
}

void shown_sum_up(struct pw_pmu_reader *r, struct shown *f)
{
	struct pw_buf text = { 0 };
	double value;

	if (!f->f)
		return;
	for (uint32_t i = 0; i < pw_formula_n_names(f->f); i++)
		if (f->inputs[i].table == NONE && f->inputs[i].constant == TIME)
			f->whole[i] = f->whole_time;
	value = pw_formula_eval(f->f, f->whole);
	if (isnan(value))
		pw_buf_printf(&text, "not known");
	else
		pw_buf_printf(&text, "%.4g", value);
	tell_counted(r, f, &text);
	pw_metrics_fact(r->m, "pmu", f->name, f->formula);
	pw_metrics_fact(r->m, "pmu_whole", f->name, pw_buf_str(&text));
	pw_buf_release(&text);
}
