// SPDX-License-Identifier: GPL-2.0-only
/* Which conditions have just come true. */
#include "recorder-impl.h"

#include <stdlib.h>

/* The slowest clock of what comes and goes is processes' of an idle machine, 6 s,
 * and a rate takes two readings. */
#define ABSENT_NS 15000000000ULL

struct watched {
	struct pw_trigger trigger;
	uint32_t watch[PW_TRIGGER_MAX_PARTS];
	uint64_t since_ns; /* it holds; 0: it does not */
	bool has_fired;    /* since it does */
	bool was_there;    /* its figure; or it was told that it is not */
};

struct triggers {
	struct watched *all;
	uint32_t n;
	uint64_t for_ns, from_ns; /* from_ns: of the first tick */
	struct pw_buf fired;      /* the texts of those that just did */
};

static void watch(struct watched *w, struct pw_system *system)
{
	const struct pw_trigger *t = &w->trigger;

	for (uint32_t i = 0; i < t->n_parts; i++)
		w->watch[i] = pw_system_watch(system, t->family,
					      t->parts[i].metric, t->instance);
}

struct triggers *triggers_open(const struct recorder_opts *o,
			       struct pw_system *system, int *ret,
			       struct pw_err *err)
{
	struct triggers *t;
	uint32_t n = 0;

	*ret = 0;
	while (o->triggers && o->triggers[n])
		n++;
	if (!n)
		return NULL;
	t = pw_zalloc(sizeof(*t));
	t->all = pw_zalloc(n * sizeof(*t->all));
	t->for_ns = o->trigger_for_ns;
	for (uint32_t i = 0; !*ret && i < n; i++) {
		t->n++;
		*ret = pw_trigger_parse(&t->all[i].trigger, o->triggers[i],
					err);
		if (!*ret)
			watch(&t->all[i], system);
	}
	return t;
}

/* False, too, where a figure is not there. */
static bool holds(struct watched *w, struct pw_system *system)
{
	double values[PW_TRIGGER_MAX_PARTS];

	for (uint32_t i = 0; i < w->trigger.n_parts; i++)
		if (!pw_system_watched(system, w->watch[i], &values[i]))
			return false;
	w->was_there = true;
	return pw_trigger_holds(&w->trigger, values);
}

const char *triggers_absent(struct triggers *t, uint64_t now_ns)
{
	if (!t)
		return NULL;
	t->from_ns = t->from_ns ?: now_ns;
	if (now_ns - t->from_ns < ABSENT_NS)
		return NULL;
	for (uint32_t i = 0; i < t->n; i++)
		if (!t->all[i].was_there) {
			t->all[i].was_there = true;
			return t->all[i].trigger.text;
		}
	return NULL;
}

const char *triggers_tick(struct triggers *t, struct pw_system *system,
			  uint64_t now_ns)
{
	if (t)
		t->fired.len = 0;
	for (uint32_t i = 0; t && i < t->n; i++) {
		struct watched *w = &t->all[i];

		if (!holds(w, system)) {
			w->since_ns = 0;
			w->has_fired = false;
			continue;
		}
		w->since_ns = w->since_ns ?: now_ns;
		if (!w->has_fired && now_ns - w->since_ns >= t->for_ns) {
			w->has_fired = true;
			pw_buf_printf(&t->fired, "%s%s",
				      t->fired.len ? ", " : "",
				      w->trigger.text);
		}
	}
	return t && t->fired.len ? pw_buf_str(&t->fired) : NULL;
}

void triggers_close(struct triggers *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->n; i++)
		pw_trigger_release(&t->all[i].trigger);
	pw_buf_release(&t->fired);
	free(t->all);
	free(t);
}
