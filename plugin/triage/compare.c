// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two triages side by side: in which kind of code the suspect takes more
 * time, and on which road it came there. Numbers only; words are
 * sentences.c's.
 */
#include "sides.h"
#include "triage-impl.h"

#include <stdlib.h>
#include <string.h>

/* Below and above these shares of the excess it is "nearly none" and "nearly
 * all". */
#define NEARLY_NONE 0.25
#define NEARLY_ALL  0.75
/* An excess below this share of the suspect's time is none. */
#define NO_EXCESS 0.02

static const struct {
	const char *name;
	enum call_use use;
} uses[] = {
#define PW_SYSTEM_CALL(name, use) { name, CALL_##use },
#include "system-calls.def"
#undef PW_SYSTEM_CALL
};

enum call_use call_use(const char *name)
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (!strcmp(uses[i].name, name))
			return uses[i].use;
	return CALL_WORK;
}

const struct pw_triage_call *call_find(const struct pw_triage *t,
				       const char *name)
{
	for (size_t i = 0; t && i < t->n_calls; i++)
		if (!strcmp(t->calls[i].name, name))
			return &t->calls[i];
	return NULL;
}

/* --- times of an undisturbed run ------------------------------------------------- */

static double sampled_ns(const struct pw_triage *t)
{
	double sum = 0;

	for (int k = 0; t && k < PW_N_SPENT; k++)
		sum += k == PW_SPENT_WAITING ? 0 : (double)t->spent_ns[k];
	return sum;
}

double side_cpu_ns(const struct pw_triage_side *s)
{
	return s->cpu_ns > 0 || !s->t ? s->cpu_ns : (double)s->t->cpu_ns;
}

double side_wall_ns(const struct pw_triage_side *s)
{
	return s->wall_ns > 0 || !s->t ? s->wall_ns : (double)s->t->wall_ns;
}

void side_spent(const struct pw_triage_side *s, double ns[PW_N_SPENT])
{
	double sampled = sampled_ns(s->t), cpu = side_cpu_ns(s);

	memset(ns, 0, PW_N_SPENT * sizeof(*ns));
	if (!(sampled > 0)) {
		ns[PW_SPENT_CODE] = cpu;
	} else {
		for (int k = 0; k < PW_N_SPENT; k++)
			ns[k] = (double)s->t->spent_ns[k] *
				(k == PW_SPENT_WAITING ? 1 : cpu / sampled);
	}
	if (s->t)
		ns[PW_SPENT_WAITING] = (double)s->t->spent_ns[PW_SPENT_WAITING];
	/* what is recorded waits longer */
	if (s->t && s->wall_ns > 0 && s->wall_ns < (double)s->t->wall_ns)
		ns[PW_SPENT_WAITING] *= s->wall_ns / (double)s->t->wall_ns;
}

/* --- the road --------------------------------------------------------------------- */

/* Of the kernel's time, that in system calls that instructions cannot make. */
static double host_share_of_kernel(const struct pw_triage *t)
{
	double in_kernel = t ? (double)t->spent_ns[PW_SPENT_KERNEL] : 0;
	double by_host = 0;

	if (!t || !t->has_calls || !(in_kernel > 0))
		return 1;
	for (size_t i = 0; i < t->n_calls; i++)
		if (call_use(t->calls[i].name) != CALL_MEMORY)
			by_host += (double)t->calls[i].ns;
	return by_host < in_kernel ? by_host / in_kernel : 1;
}

static double above_zero(double x)
{
	return x > 0 ? x : 0;
}

static enum pw_excess road(const struct pw_triage *t, bool has_imports,
			   const struct pw_triage_gap *gap)
{
	const double *ex = gap->excess_ns;
	double kernel = above_zero(ex[PW_SPENT_KERNEL]);
	double share = host_share_of_kernel(t);
	double host = above_zero(ex[PW_SPENT_HOST]) +
		      above_zero(ex[PW_SPENT_WAITING]) + share * kernel;
	double builtin =
		above_zero(ex[PW_SPENT_BUILTIN]) + (1 - share) * kernel;

	if (!has_imports)
		return PW_EXCESS_BUILTIN;
	if (host >= gap->outside_ns / 2 && host > builtin)
		return PW_EXCESS_HOST;
	return builtin >= gap->outside_ns / 2 ? PW_EXCESS_BUILTIN
					      : PW_EXCESS_UNKNOWN;
}

/* --- the whole ------------------------------------------------------------------------ */

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

void pw_triage_compare(const struct pw_triage_side *suspect,
		       const struct pw_triage_side *oracle, bool has_imports,
		       struct pw_triage_gap *gap)
{
	double s[PW_N_SPENT], o[PW_N_SPENT], outside = 0, all = 0, inside;

	memset(gap, 0, sizeof(*gap));
	side_spent(suspect, s);
	side_spent(oracle, o);
	for (int k = 0; k < PW_N_SPENT; k++) {
		gap->excess_ns[k] = s[k] - o[k];
		outside += k == PW_SPENT_CODE ? 0 : gap->excess_ns[k];
		all += s[k];
	}
	inside = above_zero(gap->excess_ns[PW_SPENT_CODE]);
	gap->outside_ns = above_zero(outside);
	gap->total_ns = inside + gap->outside_ns;
	gap->cpu_ratio = ratio(side_cpu_ns(suspect), side_cpu_ns(oracle));
	gap->wall_ratio = ratio(side_wall_ns(suspect), side_wall_ns(oracle));
	if (gap->total_ns <= NO_EXCESS * all)
		gap->where = PW_EXCESS_NONE;
	else if (gap->outside_ns < NEARLY_NONE * gap->total_ns)
		gap->where = PW_EXCESS_CODE;
	else if (gap->outside_ns < NEARLY_ALL * gap->total_ns)
		gap->where = PW_EXCESS_MIXED;
	else
		gap->where = road(suspect->t, has_imports, gap);
}

/* --- calls of other runs ---------------------------------------------------------------- */

static double factor(uint64_t want, uint64_t have)
{
	return have ? (double)want / (double)have : 0;
}

void pw_triage_take_calls(struct pw_triage *t, const struct pw_triage *c)
{
	double cpu = factor(t->spent_ns[PW_SPENT_KERNEL],
			    c->spent_ns[PW_SPENT_KERNEL]);
	double wait = factor(t->spent_ns[PW_SPENT_WAITING],
			     c->spent_ns[PW_SPENT_WAITING]);

	for (size_t i = 0; i < t->n_calls; i++)
		free(t->calls[i].name);
	free(t->calls);
	t->has_calls = c->has_calls;
	t->n_calls = c->n_calls;
	t->calls = pw_zalloc((c->n_calls + 1) * sizeof(*t->calls));
	for (size_t i = 0; i < c->n_calls; i++) {
		t->calls[i] = c->calls[i];
		t->calls[i].name = pw_strdup(c->calls[i].name);
		t->calls[i].ns = (uint64_t)((double)c->calls[i].ns * cpu);
		t->calls[i].wait_ns =
			(uint64_t)((double)c->calls[i].wait_ns * wait);
	}
	if (c->remark)
		remark_add(t, "%s", c->remark);
}
