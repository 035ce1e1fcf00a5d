// SPDX-License-Identifier: GPL-2.0-only
/* A triage's findings in words that can be pasted into an issue. */
#include "sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Calls that come less often than this for each of the unit are left out. */
#define SELDOM     0.05
#define CALLS_TOLD 4
/* Fewer calls are those of a runtime's start and end. */
#define OFTEN 50

/* --- where ------------------------------------------------------------------------ */

static void add_kinds(struct pw_buf *b, const struct pw_triage_gap *gap)
{
	const char *sep = "";

	for (int k = 0; k < PW_N_SPENT; k++) {
		double ns = gap->excess_ns[k];

		if (k == PW_SPENT_CODE || ns < 0.05 * gap->outside_ns)
			continue;
		pw_buf_printf(b, "%s%s %.0f ms", sep, pw_spent_label(k),
			      ns / 1e6);
		sep = ", ";
	}
}

static const char *road_words(enum pw_excess where)
{
	switch (where) {
	case PW_EXCESS_BUILTIN:
		return "; it is the runtime's work for single instructions, or for memory, not for functions that the module imports";
	case PW_EXCESS_HOST:
		return "; the module's calls of imported functions lead there, not its own instructions";
	default:
		return "";
	}
}

char *where_sentence(const struct pw_triage_side *suspect,
		     const struct pw_triage_side *oracle,
		     const struct pw_triage_gap *gap)
{
	struct pw_buf b = { 0 };
	char *s;

	if (gap->where == PW_EXCESS_NONE) {
		pw_buf_printf(&b, "%s takes no more time than %s",
			      suspect->spec, oracle->spec);
	} else {
		pw_buf_printf(
			&b,
			"Of the %.0f ms that %s takes more than %s, %.0f ms are in generated code and %.0f ms outside",
			gap->total_ns / 1e6, suspect->spec, oracle->spec,
			(gap->total_ns - gap->outside_ns) / 1e6,
			gap->outside_ns / 1e6);
		if (gap->where != PW_EXCESS_CODE) {
			pw_buf_printf(&b, " (");
			add_kinds(&b, gap);
			pw_buf_printf(&b, ")%s", road_words(gap->where));
		}
	}
	s = pw_strdup(pw_buf_str(&b));
	pw_buf_release(&b);
	return s;
}

/* --- system calls ---------------------------------------------------------------------- */

/* What the others are counted for: the work that is done most often. */
static const struct pw_triage_call *unit_of(const struct pw_triage *t)
{
	const struct pw_triage_call *best = NULL;

	for (size_t i = 0; i < t->n_calls; i++) {
		const struct pw_triage_call *c = &t->calls[i];

		if (call_use(c->name) == CALL_WORK && c->n >= OFTEN &&
		    (!best || c->n > best->n ||
		     (c->n == best->n && c->ns > best->ns)))
			best = c;
	}
	return best;
}

static bool is_worth_telling(const struct pw_triage_call *c,
			     const struct pw_triage_call *unit)
{
	return c != unit && c->n && (double)c->n >= SELDOM * (double)unit->n;
}

static void add_calls(struct pw_buf *b, const struct pw_triage *t,
		      const struct pw_triage_call *unit)
{
	size_t told = 0;

	for (size_t i = 0; i < t->n_calls && told < CALLS_TOLD; i++) {
		const struct pw_triage_call *c = &t->calls[i];

		if (!is_worth_telling(c, unit))
			continue;
		pw_buf_printf(b, "%s%.1f %s", told++ ? ", " : "",
			      (double)c->n / (double)unit->n, c->name);
	}
	if (told)
		pw_buf_printf(b, " for each %s (", unit->name);
	else
		pw_buf_printf(b, "%s and little else (", unit->name);
	pw_buf_printf(b, "%llu %s", (unsigned long long)unit->n, unit->name);
	for (size_t i = 0, k = 0; i < t->n_calls && k < told; i++) {
		if (!is_worth_telling(&t->calls[i], unit))
			continue;
		k++;
		pw_buf_printf(b, ", %llu %s", (unsigned long long)t->calls[i].n,
			      t->calls[i].name);
	}
	pw_buf_printf(b, ")");
}

/* What the suspect calls often and the oracle never, or seldom. */
static void add_lacks(struct pw_buf *b, const struct pw_triage *suspect,
		      const struct pw_triage *oracle,
		      const struct pw_triage_call *unit)
{
	for (size_t i = 0; i < suspect->n_calls; i++) {
		const struct pw_triage_call *c = &suspect->calls[i], *o;

		if (call_use(c->name) == CALL_WORK ||
		    (double)c->n < (double)unit->n / 2)
			continue;
		o = call_find(oracle, c->name);
		if (!o || (double)o->n < SELDOM * (double)unit->n)
			pw_buf_printf(b, "%s %s", o ? ", hardly any" : ", no",
				      c->name);
	}
}

char *pw_triage_calls_sentence(const struct pw_triage_side *suspect,
			       const struct pw_triage_side *oracle)
{
	const struct pw_triage_call *unit = NULL, *other = NULL;
	struct pw_buf b = { 0 };
	char *s;

	if (suspect->t && suspect->t->has_calls)
		unit = unit_of(suspect->t);
	if (oracle->t && oracle->t->has_calls)
		other = unit_of(oracle->t);
	if (unit) {
		pw_buf_printf(&b, "In one run %s makes ", suspect->spec);
		add_calls(&b, suspect->t, unit);
	}
	if (unit && other) {
		pw_buf_printf(&b, "; %s makes ", oracle->spec);
		add_calls(&b, oracle->t, other);
		add_lacks(&b, suspect->t, oracle->t, unit);
	}
	s = pw_strdup(pw_buf_str(&b));
	pw_buf_release(&b);
	return s;
}

/* --- host functions ---------------------------------------------------------------------- */

char *cost_sentence(const struct pw_triage_side *suspect,
		    const struct pw_triage_side *oracle,
		    const struct pw_host_cost *c)
{
	double n = (double)c->n;

	if (!c->n || c->cpu_ns < 0)
		return pw_strdup("");
	if (c->oracle_cpu_ns < 0)
		return pw_asprintf(
			"%llu calls of %s cost %.2f us of CPU time each on %s",
			(unsigned long long)c->n, c->name, c->cpu_ns / n / 1e3,
			suspect->spec);
	return pw_asprintf(
		"%llu calls of %s cost %.2f us of CPU time each on %s, %.2f us on %s",
		(unsigned long long)c->n, c->name, c->cpu_ns / n / 1e3,
		suspect->spec, c->oracle_cpu_ns / n / 1e3, oracle->spec);
}
