// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures that are made of others (derived.def): at the end of a reading, of
 * the instances of which something was told. One that is not told any more is
 * looked at once more, as its rates are then 0.
 */
#include "metrics-impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS_MAX 16

struct derived {
	const char *family, *name, *formula;
	struct pw_metric_def def;
};

enum { IS_STATE_LEVEL = false, IS_STATE_STATE = true, IS_STATE_RATE = false };
enum { IS_RATE_LEVEL = false, IS_RATE_STATE = false, IS_RATE_RATE = true };

static const struct derived table[] = {
#define PW_DERIVED(f, n, k, u, b, least, text, t, a) \
	{ #f,                                        \
	  #n,                                        \
	  text,                                      \
	  { .kind = PW_METRIC_LEVEL,                 \
	    .is_state = IS_STATE_##k,                \
	    .is_rate = IS_RATE_##k,                  \
	    .unit = PW_UNIT_##u,                     \
	    .better = PW_BETTER_##b,                 \
	    .matters = least,                        \
	    .title = t,                              \
	    .about = a } },
#include "derived.def"
#undef PW_DERIVED
};

#define N_DERIVED (sizeof(table) / sizeof(*table))

struct use {
	uint32_t idx; /* of the table */
	struct series *out;
	struct series *in[INPUTS_MAX];
};

static struct pw_formula *formula_of(struct pw_metrics *m, uint32_t idx)
{
	if (!m->formulas)
		m->formulas = pw_zalloc(N_DERIVED * sizeof(*m->formulas));
	if (!m->formulas[idx])
		m->formulas[idx] = pw_formula_new(table[idx].formula, NULL);
	return m->formulas[idx];
}

void formulas_free(struct pw_metrics *m)
{
	for (uint32_t i = 0; m->formulas && i < N_DERIVED; i++)
		pw_formula_free(m->formulas[i]);
	free(m->formulas);
}

/* --- which there are ------------------------------------------------------------- */

static struct series *input(const struct instance *i, const char *name)
{
	for (uint32_t k = 0; k < i->n; k++)
		if (!strcmp(i->series[k]->pub.name, name))
			return i->series[k];
	return NULL;
}

static bool has_use(const struct instance *i, uint32_t idx)
{
	for (uint32_t k = 0; k < i->n_uses; k++)
		if (i->uses[k].idx == idx)
			return true;
	return false;
}

static void add_use(struct pw_metrics *m, struct instance *i, uint32_t idx)
{
	struct pw_formula *f = formula_of(m, idx);
	struct use u = { .idx = idx };
	uint32_t n = f ? pw_formula_n_names(f) : 0;

	if (!n || n > INPUTS_MAX || has_use(i, idx) ||
	    input(i, table[idx].name))
		return;
	for (uint32_t k = 0; k < n; k++) {
		u.in[k] = input(i, pw_formula_name(f, k));
		if (!u.in[k])
			return;
	}
	u.out = series_derived(m, i, table[idx].name, &table[idx].def);
	i->uses = pw_realloc(i->uses, (i->n_uses + 1) * sizeof(*i->uses));
	i->uses[i->n_uses++] = u;
}

/* Metrics of an instance may come one by one. */
static void resolve(struct pw_metrics *m, struct instance *i)
{
	if (i->n == i->n_resolved)
		return;
	for (uint32_t idx = 0; idx < N_DERIVED; idx++)
		if (!strcmp(table[idx].family, i->family->name))
			add_use(m, i, idx);
	i->n_resolved = i->n;
}

/* --- values -------------------------------------------------------------------------- */

/* Of the family's latest reading. */
static double value_of(const struct series *s)
{
	bool told = s->x_reading == s->of->family->n_readings;

	if (s->state != SERIES_HELD)
		return NAN;
	if (s->pub.def->kind == PW_METRIC_LEVEL)
		return s->last;
	return told ? s->x * rate_scale(s) : 0;
}

static void evaluate(struct pw_metrics *m, struct instance *i)
{
	double values[INPUTS_MAX];

	resolve(m, i);
	for (uint32_t k = 0; k < i->n_uses; k++) {
		const struct use *u = &i->uses[k];
		struct pw_formula *f = formula_of(m, u->idx);

		for (uint32_t n = 0; n < pw_formula_n_names(f); n++)
			values[n] = value_of(u->in[n]);
		series_tell(m, u->out, pw_formula_eval(f, values));
	}
}

void instance_touch(struct instance *i)
{
	struct family *f = i->family;

	i->touched = f->n_readings;
	if (i->is_active)
		return;
	i->is_active = true;
	if (f->n_active == f->active_room) {
		f->active_room = f->active_room ? 2 * f->active_room : 8;
		f->active =
			pw_realloc(f->active,
				   f->active_room * sizeof(struct instance *));
	}
	f->active[f->n_active++] = i;
}

void instance_forget(struct instance *i)
{
	struct family *f = i->family;

	for (uint32_t k = 0; i->is_active && k < f->n_active; k++) {
		if (f->active[k] != i)
			continue;
		f->active[k] = f->active[--f->n_active];
		i->is_active = false;
	}
	free(i->uses);
}

void family_derive(struct pw_metrics *m, struct family *f)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < f->n_active; k++) {
		struct instance *i = f->active[k];

		evaluate(m, i);
		i->is_active = i->touched == f->n_readings;
		if (i->is_active)
			f->active[kept++] = i;
	}
	f->n_active = kept;
}
