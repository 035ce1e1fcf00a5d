// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much speaks for each pattern: the instructions accused, the fast code,
 * the samples, hardware counters and probes. The formula is the contract of
 * pw_explanation.confidence.
 */
#include "explain-impl.h"

#include <string.h>

static const double weights[] = {
#define PW_PATTERN(id, name, weight, probe, help) weight,
#include <perfwasm/patterns.def>
#undef PW_PATTERN
};

/* Multiplies what is left of the doubt. */
static void speak(double *doubt, double weight)
{
	*doubt *= 1 - weight;
}

static bool any_accused(const struct match *m, const struct pw_explanation *x)
{
	for (uint32_t i = 0; i < m->in->n_accused; i++)
		if (match_has(m, x->pattern, m->in->accused[i]))
			return true;
	return false;
}

/* A sample lands on the instruction behind the slow one. */
static double samples_near(const struct match *m,
			   const struct pw_explanation *x)
{
	const double *share = m->in->slow.share;
	double sum = 0;

	for (uint32_t i = 0; share && i < m->in->slow.n; i++)
		if (match_has(m, x->pattern, i) ||
		    (i && match_has(m, x->pattern, i - 1)))
			sum += share[i];
	return sum;
}

/* --- counters --------------------------------------------------------------------- */

#define AGREES      0.25
#define CONTRADICTS 0.02

static const struct pw_explain_count *
count_of(const struct pw_explain_input *in, const char *event)
{
	for (uint32_t i = 0; i < in->n_counts; i++)
		if (!strcmp(in->counts[i].event, event))
			return &in->counts[i];
	return NULL;
}

/* The share of the extra cycles that the extra counts explain: > 0 agrees,
 * < 0 contradicts, 0 says nothing. */
static int ask_event(struct match *m, const struct pw_explain_event *e)
{
	const struct pw_explain_count *c = count_of(m->in, e->name);
	const struct pw_explain_count *cycles = count_of(m->in, "cycles");
	double more, share;

	if (!c || !cycles || cycles->slow <= cycles->fast)
		return 0;
	more = (double)c->slow - (double)c->fast;
	share = more * e->cycles / (double)(cycles->slow - cycles->fast);
	if (share >= CONTRADICTS && share < AGREES)
		return 0;
	match_say(m, e->pattern,
		  "Counted %llu of %s against %llu in the fast run: %s.",
		  (unsigned long long)c->slow, e->name,
		  (unsigned long long)c->fast,
		  share >= AGREES ? "they account for the extra cycles"
				  : "they do not account for the extra cycles");
	return share >= AGREES ? 1 : -1;
}

static void say_ipc(struct match *m, enum pw_pattern p)
{
	const struct pw_explain_count *c = count_of(m->in, "cycles");
	const struct pw_explain_count *n = count_of(m->in, "instructions");

	if (c && n && c->slow && c->fast)
		match_say(
			m, p,
			"Instructions a cycle: %.2f against %.2f in the fast run.",
			(double)n->slow / (double)c->slow,
			(double)n->fast / (double)c->fast);
}

static int ask_counters(struct match *m, enum pw_pattern p)
{
	const struct pw_explain_event *events;
	uint32_t n;
	int says = 0;

	if (!m->in->pmu)
		return 0;
	events = pw_explain_events(&n);
	for (uint32_t i = 0; i < n; i++)
		if (events[i].pattern == p &&
		    !strcmp(events[i].pmu, m->in->pmu))
			says += ask_event(m, &events[i]);
	if (says)
		say_ipc(m, p);
	return says;
}

/* --- the sum ------------------------------------------------------------------------ */

static const struct pw_explain_probe *probe_of(const struct match *m,
					       enum pw_pattern p)
{
	for (uint32_t i = 0; i < m->in->n_probes; i++)
		if (m->in->probes[i].pattern == p)
			return &m->in->probes[i];
	return NULL;
}

static void tell_probe(struct match *m, struct pw_explanation *x,
		       const struct pw_explain_probe *probe)
{
	x->probed = true;
	x->result = probe->result;
	if (probe->how)
		match_say(m, x->pattern, "%s", probe->how);
}

/* The callee may do less for the same call in the fast run. */
static bool spent_in_callee(const struct match *m, enum pw_pattern p)
{
	return p == PW_PATTERN_library_call && m->in->outside >= 0.3;
}

/* Whether the fast code has as much of a pattern. */
static bool shared(const struct match *m, const struct pw_explanation *x,
		   const struct match *fast)
{
	return m->in->fast.code && x->n_insns &&
	       fast->list[x->pattern].n_insns >= x->n_insns;
}

static void tell_samples(struct match *m, const struct pw_explanation *x,
			 double near)
{
	if (spent_in_callee(m, x->pattern))
		match_say(
			m, x->pattern,
			"%.0f %% of the samples are outside the generated code.",
			m->in->outside * 100);
	if (near >= 0.005)
		match_say(
			m, x->pattern,
			"%.0f %% of the samples are on %s or the next instruction.",
			near * 100, x->n_insns == 1 ? "it" : "these");
}

static double cut_of(const struct match *m, const struct pw_explanation *x,
		     const struct match *fast, double near, int counters,
		     const struct pw_explain_probe *probe)
{
	bool confirmed = probe && probe->result == PW_PROBE_CONFIRMED;
	double cut = 1;

	if (shared(m, x, fast) && !confirmed &&
	    x->pattern != PW_PATTERN_placement &&
	    !spent_in_callee(m, x->pattern))
		cut /= 2;
	if (m->in->slow.share && x->n_insns && near < 0.01 &&
	    !spent_in_callee(m, x->pattern))
		cut /= 2;
	if (counters < 0)
		cut /= 2;
	if (probe && probe->result == PW_PROBE_REFUTED)
		cut /= 5;
	return cut;
}

static void weigh_one(struct match *m, struct pw_explanation *x,
		      const struct match *fast)
{
	const struct pw_explain_probe *probe = probe_of(m, x->pattern);
	double doubt = 1, near = samples_near(m, x);
	int counters = ask_counters(m, x->pattern);

	speak(&doubt, weights[x->pattern]);
	if (any_accused(m, x))
		speak(&doubt, 0.4);
	if (m->in->fast.code && x->n_insns && !shared(m, x, fast))
		speak(&doubt, 0.3);
	if (near >= 0.1)
		speak(&doubt, 0.2);
	if (spent_in_callee(m, x->pattern))
		speak(&doubt, 0.5);
	if (counters > 0)
		speak(&doubt, 0.5);
	if (probe && probe->result == PW_PROBE_CONFIRMED)
		speak(&doubt, 0.9);
	tell_samples(m, x, near);
	if (probe)
		tell_probe(m, x, probe);
	x->confidence = (1 - doubt) * cut_of(m, x, fast, near, counters, probe);
}

void weigh(struct match *slow, const struct match *fast)
{
	slow->weighing = true;
	for (uint32_t p = 0; p < PW_N_PATTERNS; p++)
		if (slow->list[p].n_evidence)
			weigh_one(slow, &slow->list[p], fast);
}
