// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which events are counted at the same time. A figure is right when all its
 * events are of one group, so groups are made of figures; the fewer groups,
 * the longer each counts. What fits together the kernel alone knows (how many
 * counters a virtual machine has, which event needs which counter), so each
 * event is tried there.
 */
#include "pmu-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct maker {
	struct groups *g;
	struct plan *p;
	uint32_t counters;
	const struct trial *t;
};

static bool group_has(const struct group *g, uint16_t event)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (g->events[i] == event)
			return true;
	return false;
}

static uint32_t lacks(const struct group *g, const struct figure *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++)
		n += !group_has(g, f->events[i]);
	return n;
}

static int add_event(struct maker *m, uint32_t g, uint16_t event)
{
	struct group *to = &m->g->list[g];
	const struct event *e = &m->p->events[event];
	bool general = !(e->flags & EVENT_FIXED);
	int ret;

	if (group_has(to, event))
		return 0;
	if (to->n == GROUP_EVENTS || (to->n && to->device != e->device) ||
	    (general && to->general >= m->counters))
		return -ENOSPC;
	ret = m->t->add(m->t->ctx, g, to->n, e);
	if (ret)
		return ret;
	to->device = e->device;
	to->general += general;
	to->events[to->n++] = event;
	return 0;
}

static void shrink(struct maker *m, uint32_t g, const struct group *before)
{
	m->t->drop(m->t->ctx, g, before->n);
	m->g->list[g] = *before;
}

/* All events of the figure, or none. Those that must lead go first. */
static bool add_figure(struct maker *m, uint32_t g, const struct figure *f)
{
	struct group before = m->g->list[g];

	for (int leads = 1; leads >= 0; leads--)
		for (uint32_t i = 0; i < f->n; i++) {
			const struct event *e = &m->p->events[f->events[i]];

			if (!!(e->flags & EVENT_LEADS) != leads)
				continue;
			if (add_event(m, g, f->events[i])) {
				shrink(m, g, &before);
				return false;
			}
		}
	return true;
}

/* The index of a new, empty group, or -1. */
static int new_group(struct maker *m)
{
	if (m->g->n == MAX_GROUPS)
		return -1;
	m->g->list[m->g->n] = (struct group){ .device = -1 };
	return (int)m->g->n++;
}

/* Into the group that has most of its events. */
static int place_figure(struct maker *m, const struct figure *f)
{
	int fresh;

	for (uint32_t want = 0; want < f->n; want++)
		for (uint32_t g = 0; g < m->g->n; g++)
			if (lacks(&m->g->list[g], f) == want &&
			    add_figure(m, g, f))
				return (int)g;
	fresh = new_group(m);
	if (fresh >= 0 && add_figure(m, (uint32_t)fresh, f))
		return fresh;
	if (fresh >= 0)
		m->g->n--;
	return -1;
}

/* --- events that no group has together ------------------------------------------------- */

static const char *refusal(int error)
{
	switch (-error) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return "this machine's counters do not know it";
	case EINVAL:
		return "the kernel refuses its code";
	case EACCES:
	case EPERM:
		return "not permitted: root, CAP_PERFMON or kernel.perf_event_paranoid=0 is needed";
	case EMFILE:
	case ENFILE:
		return "no more open files: raise ulimit -n";
	case ENOSPC:
		return "no group is left";
	default:
		return strerror(-error);
	}
}

static void place_event(struct maker *m, uint16_t event)
{
	struct event *e = &m->p->events[event];
	int fresh, ret;

	for (uint32_t g = 0; g < m->g->n; g++)
		if (!add_event(m, g, event))
			return;
	fresh = new_group(m);
	ret = fresh < 0 ? -ENOSPC : add_event(m, (uint32_t)fresh, event);
	if (!ret)
		return;
	if (fresh >= 0)
		m->g->n--;
	figure_set(&e->missing, refusal(ret));
}

static bool missing_event(const struct plan *p, struct figure *f)
{
	const struct event *e;
	char *why;

	for (uint32_t i = 0; i < f->n; i++) {
		e = &p->events[f->events[i]];
		if (!e->missing)
			continue;
		why = pw_asprintf("event %s: %s", e->name, e->missing);
		figure_set(&f->missing, why);
		free(why);
		return true;
	}
	return false;
}

/* Tried alone before the rest of its figure takes up counters. */
static void try_alone(struct maker *m, const struct figure *f)
{
	struct group none = { .device = -1 };
	int fresh;

	for (uint32_t i = 0; i < f->n; i++) {
		struct event *e = &m->p->events[f->events[i]];
		int ret;

		if (e->missing || e->tried)
			continue;
		fresh = new_group(m);
		if (fresh < 0)
			return;
		ret = add_event(m, (uint32_t)fresh, f->events[i]);
		/* what may only follow a leader says nothing alone */
		e->tried = true;
		if (ret && !(e->flags & EVENT_FOLLOWS))
			figure_set(&e->missing, refusal(ret));
		shrink(m, (uint32_t)fresh, &none);
		m->g->n--;
	}
}

/* --- fewer groups -------------------------------------------------------------------------- */

/* All of one group into another, or none. */
static bool add_group(struct maker *m, uint32_t to, uint32_t from)
{
	struct group before = m->g->list[to];
	const struct group add = m->g->list[from];

	for (uint32_t i = 0; i < add.n; i++)
		if (add_event(m, to, add.events[i])) {
			shrink(m, to, &before);
			return false;
		}
	return true;
}

static void remove_group(struct maker *m, uint32_t g)
{
	uint32_t last = m->g->n - 1;

	m->t->drop(m->t->ctx, g, 0);
	if (g != last)
		m->t->move(m->t->ctx, g, last);
	m->g->list[g] = m->g->list[last];
	m->g->n--;
	for (uint32_t i = 0; i < m->p->n_figures; i++)
		if (m->p->figures[i].group == (int)last)
			m->p->figures[i].group = (int)g;
}

static bool join_groups(struct maker *m, uint32_t to, uint32_t from)
{
	if (m->g->list[to].device != m->g->list[from].device ||
	    !add_group(m, to, from))
		return false;
	for (uint32_t i = 0; i < m->p->n_figures; i++)
		if (m->p->figures[i].group == (int)from)
			m->p->figures[i].group = (int)to;
	remove_group(m, from);
	return true;
}

/* Small ones that were left over fit into each other. */
static bool join_any(struct maker *m)
{
	for (uint32_t a = 0; a < m->g->n; a++)
		for (uint32_t b = m->g->n; b-- > a + 1;)
			if (join_groups(m, a, b) || join_groups(m, b, a))
				return true;
	return false;
}

void groups_make(struct groups *g, struct plan *p, uint32_t counters,
		 const struct trial *t)
{
	struct maker m = { g, p, counters, t };

	for (uint32_t i = 0; i < p->n_events; i++)
		if (p->events[i].flags & EVENT_ALWAYS && !p->events[i].missing)
			place_event(&m, (uint16_t)i);
	for (uint32_t i = 0; i < p->n_figures; i++) {
		struct figure *f = &p->figures[i];

		try_alone(&m, f);
		if (missing_event(p, f))
			continue;
		f->group = place_figure(&m, f);
		for (uint32_t k = 0; f->group < 0 && k < f->n; k++)
			place_event(&m, f->events[k]);
		missing_event(p, f);
	}
	/* what the user named without a formula is counted, too */
	for (uint32_t i = 0; i < p->n_events; i++)
		if (p->events[i].line && !p->events[i].missing)
			place_event(&m, (uint16_t)i);
	while (join_any(&m))
		;
}
