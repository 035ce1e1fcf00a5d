// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of the PMU, as three generations of APerf wrote them, a line each:
 *
 *   3;ipc;COUNT;COUNT;ENABLED;RUNNING     a figure's events on CPU 3, by the
 *                                         order of the alphabet
 *   3;Cycles;COUNT;ENABLED;RUNNING        an event, counted alone
 *   3 ipc;COUNT COUNT;COUNT COUNT;SCALE   sums over and below a line, times
 *                                         SCALE
 *
 * Counts are of one interval; ENABLED and RUNNING, in seconds, of all. Which
 * figures there are, and their formulas, pmu_config.json says. Told are figures,
 * not counts: a CPU's, and "all" of the sums over CPUs.
 */
#include "aperf-impl.h"

#include <perfwasm/pmu.h>
#include <perfwasm/stats.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define MOST_EVENTS  32
#define MOST_FIGURES 128
#define MOST_CPUS    8192
#define ALL_CPUS     UINT32_MAX
#define MOST_COUNTED (1 << 18)

struct figure {
	char *name;
	struct pw_formula *formula;
	uint32_t n;
	/* the alphabet's place of the formula's i-th name */
	uint32_t place[MOST_EVENTS];
	double sums[MOST_EVENTS]; /* of all CPUs, in this reading */
	bool is_counted;
};

/* Times of a group or event on a CPU at its reading before; the counts of an
 * event alone in this reading, there and under ALL_CPUS their sum. */
struct counted {
	UT_hash_handle hh;
	double enabled, running;
	uint32_t cpu;
	double value; /* scaled; NAN: not in this reading */
	char key[];   /* "3;ipc" */
};

struct pmu {
	struct figure *figures;
	uint32_t n;
	struct counted *counted;
};

struct pmu *pmu_new(void)
{
	return pw_zalloc(sizeof(struct pmu));
}

void pmu_free(struct pmu *p)
{
	struct counted *c, *next;

	HASH_ITER (hh, p->counted, c, next) {
		HASH_DEL(p->counted, c);
		free(c);
	}
	for (uint32_t i = 0; i < p->n; i++) {
		free(p->figures[i].name);
		pw_formula_free(p->figures[i].formula);
	}
	free(p->figures);
	free(p);
}

/* --- formulas ---------------------------------------------------------------------- */

static void add_figure(struct pmu *p, const char *name, const char *formula)
{
	struct pw_formula *f = pw_formula_new(formula, NULL);
	struct figure *x;

	if (!f || pw_formula_n_names(f) > MOST_EVENTS || p->n >= MOST_FIGURES) {
		pw_formula_free(f);
		return;
	}
	p->figures = pw_realloc(p->figures, (p->n + 1) * sizeof(*p->figures));
	x = &p->figures[p->n++];
	*x = (struct figure){ .name = pw_strdup(name),
			      .formula = f,
			      .n = pw_formula_n_names(f) };
	for (uint32_t i = 0; i < x->n; i++)
		for (uint32_t k = 0; k < x->n; k++)
			x->place[i] += strcmp(pw_formula_name(f, k),
					      pw_formula_name(f, i)) < 0;
}

void pmu_configure(struct pmu *p, const struct pw_buf *bytes)
{
	json_t *all =
		json_loadb((const char *)bytes->data, bytes->len, 0, NULL);
	json_t *metrics = json_object_get(all, "metrics"), *formula;
	const char *name;

	json_object_foreach (metrics, name, formula)
		if (json_is_string(formula))
			add_figure(p, name, json_string_value(formula));
	json_decref(all);
}

static struct figure *figure_named(struct pmu *p, const char *name)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (!strcmp(p->figures[i].name, name))
			return &p->figures[i];
	return NULL;
}

static double evaluate(const struct figure *f, const double *by_alphabet)
{
	double values[MOST_EVENTS];

	for (uint32_t i = 0; i < f->n; i++)
		values[i] = by_alphabet[f->place[i]];
	return pw_formula_eval(f->formula, values);
}

/* --- telling ------------------------------------------------------------------------- */

static void tell(struct recording *r, const char *name, uint32_t cpu,
		 double value)
{
	char instance[24] = "all";

	if (isnan(value))
		return;
	if (cpu != ALL_CPUS)
		snprintf(instance, sizeof(instance), "cpu%u", cpu);
	pw_metrics_value(r->m,
			 pw_metrics_series(r->m, "pmu", name, instance,
					   PW_METRIC_LEVEL, PW_UNIT_NONE),
			 value);
}

/* --- lines ----------------------------------------------------------------------------- */

struct fields {
	char *copy, *at[MOST_EVENTS + 8];
	uint32_t n;
};

static void split(struct fields *f, struct text line)
{
	char *rest, *word;

	*f = (struct fields){ .copy = text_copy(line) };
	for (word = strtok_r(f->copy, ";", &rest);
	     word && f->n < sizeof(f->at) / sizeof(f->at[0]);
	     word = strtok_r(NULL, ";", &rest))
		f->at[f->n++] = word;
}

static bool cpu_of(const char *s, uint32_t *cpu)
{
	uint64_t v;

	if (!text_number((struct text){ s, strlen(s) }, &v) || v >= MOST_CPUS)
		return false;
	*cpu = (uint32_t)v;
	return true;
}

static double number(const char *s)
{
	char *end;
	double v = strtod(s, &end);

	return end != s && !*end && v >= 0 ? v : NAN;
}

static struct counted *counted_of(struct pmu *p, uint32_t cpu, const char *name)
{
	char *key = pw_asprintf("%u;%s", cpu, name);
	struct counted *c;

	HASH_FIND_STR(p->counted, key, c);
	if (!c && HASH_COUNT(p->counted) < MOST_COUNTED) {
		c = pw_zalloc(sizeof(*c) + strlen(key) + 1);
		strcpy(c->key, key);
		c->cpu = cpu;
		c->value = NAN;
		HASH_ADD_STR(p->counted, key, c);
	}
	free(key);
	return c;
}

/* What a count is to be multiplied by: it was counted in a part of the interval
 * only. NAN: in none of it. */
static double scale_of(struct counted *c, double enabled, double running)
{
	double e = enabled - c->enabled, n = running - c->running;

	c->enabled = enabled;
	c->running = running;
	return e > 0 && n > 0 ? e / n : NAN;
}

static void take_group(struct recording *r, struct figure *f,
		       const struct fields *x, uint32_t cpu, struct counted *c)
{
	double counts[MOST_EVENTS];
	double scale =
		scale_of(c, number(x->at[x->n - 2]), number(x->at[x->n - 1]));

	if (isnan(scale) || x->n != f->n + 4)
		return;
	for (uint32_t i = 0; i < f->n; i++)
		counts[i] = number(x->at[i + 2]) * scale;
	tell(r, f->name, cpu, evaluate(f, counts));
	for (uint32_t i = 0; i < f->n; i++)
		f->sums[i] += counts[i];
	f->is_counted = true;
}

static void take_new(struct recording *r, const struct fields *x)
{
	struct figure *f = figure_named(r->pmu, x->at[1]);
	struct counted *c;
	uint32_t cpu;

	if (!cpu_of(x->at[0], &cpu))
		return;
	c = counted_of(r->pmu, cpu, x->at[1]);
	if (c && f)
		take_group(r, f, x, cpu, c);
	else if (c && x->n == 5)
		c->value = number(x->at[2]) *
			   scale_of(c, number(x->at[3]), number(x->at[4]));
}

static double sum_of(char *list)
{
	char *rest, *word;
	double sum = 0;

	for (word = strtok_r(list, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		sum += number(word);
	return sum;
}

/* "3 ipc;1 2;3;1000": its sums stand in place of two events. */
static void take_old(struct recording *r, const struct fields *x)
{
	char *rest, *cpu_text = strtok_r(x->at[0], " ", &rest);
	char *name = strtok_r(NULL, " ", &rest);
	double over = sum_of(x->at[1]), below = sum_of(x->at[2]);
	double scale = number(x->at[3]);
	struct figure *f;
	uint32_t cpu;

	if (!name || !cpu_of(cpu_text, &cpu) || isnan(over + below + scale))
		return;
	f = figure_named(r->pmu, name);
	if (!f) {
		add_figure(r->pmu, name, "over / below");
		f = figure_named(r->pmu, name);
	}
	if (!f || f->n != 2)
		return;
	tell(r, name, cpu, below > 0 ? over * scale / below : NAN);
	/* "below" is the first of the alphabet */
	f->sums[0] += below;
	f->sums[1] += over * scale;
	f->is_counted = true;
}

/* --- events that were counted alone ---------------------------------------------------- */

static void tell_alone(struct recording *r, const struct figure *f,
		       uint32_t cpu)
{
	double values[MOST_EVENTS];

	for (uint32_t i = 0; i < f->n; i++) {
		const struct counted *c =
			counted_of(r->pmu, cpu, pw_formula_name(f->formula, i));

		values[i] = c ? c->value : NAN;
	}
	tell(r, f->name, cpu, pw_formula_eval(f->formula, values));
}

/* Of each event that was counted alone, and the CPUs where; false: none was. */
static bool sum_up(struct pmu *p, bool *is_counted)
{
	struct counted *c, *all;
	bool any = false;

	for (c = p->counted; c; c = c->hh.next) {
		if (c->cpu == ALL_CPUS || isnan(c->value))
			continue;
		is_counted[c->cpu] = any = true;
		all = counted_of(p, ALL_CPUS, strchr(c->key, ';') + 1);
		if (all)
			all->value = isnan(all->value) ? c->value
						       : all->value + c->value;
	}
	return any;
}

static void tell_events(struct recording *r)
{
	bool is_counted[MOST_CPUS] = { false };

	if (!sum_up(r->pmu, is_counted))
		return;
	for (uint32_t i = 0; i < r->pmu->n; i++) {
		const struct figure *f = &r->pmu->figures[i];

		for (uint32_t cpu = 0; cpu < MOST_CPUS; cpu++)
			if (is_counted[cpu])
				tell_alone(r, f, cpu);
		tell_alone(r, f, ALL_CPUS);
	}
}

/* --- a reading ------------------------------------------------------------------------------ */

static void begin(struct pmu *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		p->figures[i].is_counted = false;
		memset(p->figures[i].sums, 0, sizeof(p->figures[i].sums));
	}
	for (struct counted *c = p->counted; c; c = c->hh.next)
		c->value = NAN;
}

static void finish(struct recording *r)
{
	struct pmu *p = r->pmu;

	for (uint32_t i = 0; i < p->n; i++)
		if (p->figures[i].is_counted)
			tell(r, p->figures[i].name, ALL_CPUS,
			     evaluate(&p->figures[i], p->figures[i].sums));
	tell_events(r);
}

int take_pmu(struct recording *r, const struct record *x, struct pw_err *err)
{
	struct text rest = x->texts[0], line;

	(void)err;
	begin(r->pmu);
	pw_metrics_begin(r->m, "pmu", x->time_ns);
	while (next_line(&rest, &line)) {
		struct fields f;

		split(&f, line);
		if (f.n == 4 && strchr(f.at[0], ' '))
			take_old(r, &f);
		else if (f.n >= 5)
			take_new(r, &f);
		free(f.copy);
	}
	finish(r);
	return 0;
}
