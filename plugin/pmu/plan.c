// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which events and figures are wanted: a family's and those that it stands on,
 * then the user's; which events each formula names, and each event's code.
 */
#include "pmu-impl.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void figure_set(char **field, const char *text)
{
	free(*field);
	*field = text ? pw_strdup(text) : NULL;
}

void plan_release(struct plan *p)
{
	for (uint32_t i = 0; i < p->n_events; i++) {
		free(p->events[i].name);
		free(p->events[i].text);
		free(p->events[i].missing);
	}
	for (uint32_t i = 0; i < p->n_figures; i++) {
		free(p->figures[i].name);
		free(p->figures[i].unit);
		free(p->figures[i].formula);
		free(p->figures[i].about);
		free(p->figures[i].missing);
	}
	free(p->events);
	free(p->figures);
	*p = (struct plan){ 0 };
}

/* --- filling ------------------------------------------------------------------------ */

struct event *plan_find_event(const struct plan *p, const char *name)
{
	for (uint32_t i = 0; i < p->n_events; i++)
		if (!strcmp(p->events[i].name, name))
			return &p->events[i];
	return NULL;
}

struct event *plan_event(struct plan *p, const char *name, const char *text,
			 uint32_t flags, uint32_t line)
{
	struct event *e = plan_find_event(p, name);

	if (!e) {
		p->events = pw_realloc(p->events,
				       (p->n_events + 1) * sizeof(*p->events));
		e = &p->events[p->n_events++];
		*e = (struct event){ .name = pw_strdup(name) };
	}
	figure_set(&e->text, text);
	e->device = -1;
	e->flags = flags;
	e->line = line;
	return e;
}

struct figure *plan_find_figure(const struct plan *p, const char *name)
{
	for (uint32_t i = 0; i < p->n_figures; i++)
		if (!strcmp(p->figures[i].name, name))
			return &p->figures[i];
	return NULL;
}

struct figure *plan_figure(struct plan *p, const char *name,
			   const char *formula, uint32_t line)
{
	struct figure *f = plan_find_figure(p, name);

	if (!f) {
		p->figures =
			pw_realloc(p->figures, (p->n_figures + 1) * sizeof(*f));
		f = &p->figures[p->n_figures++];
		*f = (struct figure){ .name = pw_strdup(name) };
	}
	figure_set(&f->formula, formula);
	f->group = -1;
	f->better = PW_BETTER_NEITHER;
	f->line = line;
	return f;
}

static void add_events(struct plan *p, const char *family)
{
	uint32_t n;
	const struct family_event *e = family_events(&n);

	for (; n--; e++)
		if (!strcmp(e->family, family))
			plan_event(p, e->name, e->code, e->flags, 0);
}

static void add_figures(struct plan *p, const char *family)
{
	uint32_t n;
	const struct family_figure *from = family_figures(&n);
	struct figure *f;

	for (; n--; from++) {
		if (strcmp(from->family, family))
			continue;
		f = plan_figure(p, from->name, from->formula, 0);
		figure_set(&f->unit, from->unit);
		figure_set(&f->about, from->about);
		f->better = from->better;
	}
}

void plan_family(struct plan *p, const struct family *f)
{
	if (*f->base)
		plan_family(p, family_find(f->base));
	add_events(p, f->name);
	add_figures(p, f->name);
	p->family = f;
}

/* --- formulas ------------------------------------------------------------------------- */

const char *formula_name(const char **text, size_t *len)
{
	const char *p = *text, *from;

	for (;;) {
		while (*p && !isalnum((unsigned char)*p) && *p != '_' &&
		       *p != '.')
			p++;
		if (!*p)
			break;
		for (from = p;
		     isalnum((unsigned char)*p) || *p == '_' || *p == '.';)
			p++;
		*text = p;
		*len = (size_t)(p - from);
		/* neither a number nor a function */
		if (!isdigit((unsigned char)*from) && *from != '.' &&
		    p[strspn(p, " \t")] != '(')
			return from;
	}
	*text = p;
	return NULL;
}

bool formula_constant(const char *name, size_t len)
{
	static const char *const names[] = { "seconds", "time", "width",
					     "threads" };

	for (size_t i = 0; i < 4; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return true;
	return false;
}

static int at_line(struct pw_err *err, const char *what, const char *name,
		   uint32_t line)
{
	if (!line)
		pw_err_prefix(err, "%s \"%s\"", what, name);
	else
		pw_err_prefix(err, "line %u: %s \"%s\"", line, what, name);
	return err ? -err->code : -EINVAL;
}

static int unknown_event(const struct plan *p, const struct figure *f,
			 const char *name, struct pw_err *err)
{
	const char **names = pw_alloc((p->n_events + 1) * sizeof(*names));
	char *near;

	for (uint32_t i = 0; i < p->n_events; i++)
		names[i] = p->events[i].name;
	near = pw_did_you_mean('"', name, names, p->n_events);
	pw_err_set(err, EINVAL, "its formula names \"%s\", which is no event%s",
		   name, near);
	free(near);
	free(names);
	return at_line(err, "metric", f->name, f->line);
}

static int add_to_figure(struct figure *f, uint16_t event, struct pw_err *err)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->events[i] == event)
			return 0;
	if (f->n == GROUP_EVENTS) {
		pw_err_set(err, EINVAL, "its formula names more than %d events",
			   GROUP_EVENTS);
		return at_line(err, "metric", f->name, f->line);
	}
	f->events[f->n++] = event;
	return 0;
}

/* APerf's files say "Instructions" of events that its own files have: here they
 * begin with small letters, and a formula is given our name. */
static const struct event *other_case(const struct plan *p, struct figure *f,
				      const char *at, size_t len)
{
	char *name = pw_strndup(at, len);
	const struct event *found = NULL;

	for (uint32_t i = 0; i < p->n_events && !found; i++)
		if (!strcasecmp(p->events[i].name, name))
			found = &p->events[i];
	free(name);
	if (found)
		memcpy(f->formula + (at - f->formula), found->name, len);
	return found;
}

static int find_name(const struct plan *p, struct figure *f, const char *at,
		     size_t len, struct pw_err *err)
{
	char *name = pw_strndup(at, len);
	const struct event *e = plan_find_event(p, name);
	int ret = 0;

	if (!e && !formula_constant(at, len))
		e = other_case(p, f, at, len);
	if (e)
		ret = add_to_figure(f, (uint16_t)(e - p->events), err);
	else if (!formula_constant(at, len))
		ret = unknown_event(p, f, name, err);
	free(name);
	return ret;
}

static int find_names(const struct plan *p, struct figure *f,
		      struct pw_err *err)
{
	const char *text = f->formula, *at;
	size_t len;
	int ret = 0;

	f->n = 0;
	while (!ret && (at = formula_name(&text, &len)))
		ret = find_name(p, f, at, len, err);
	if (!ret && !f->n) {
		pw_err_set(err, EINVAL, "its formula names no event");
		ret = at_line(err, "metric", f->name, f->line);
	}
	return ret;
}

/* --- codes -------------------------------------------------------------------------------- */

static int find_code(struct event *e, struct devices *d, struct pw_err *err)
{
	struct pw_err why = { 0 };

	e->device = code_parse(d, e->text, &e->code, &why);
	if (e->device >= 0)
		return 0;
	e->device = -1;
	/* the user's file may be for several machines: a PMU that is not here
	 * is no fault of its text */
	if (!e->line || why.code == ENODEV) {
		figure_set(&e->missing, why.msg);
		return 0;
	}
	pw_err_set(err, why.code, "%s", why.msg);
	return at_line(err, "event", e->name, e->line);
}

static bool is_used(const struct plan *p, uint32_t event)
{
	for (uint32_t i = 0; i < p->n_figures; i++)
		for (uint32_t k = 0; k < p->figures[i].n; k++)
			if (p->figures[i].events[k] == event)
				return true;
	return p->events[event].line || p->events[event].flags & EVENT_ALWAYS;
}

int plan_resolve(struct plan *p, struct devices *d, struct pw_err *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < p->n_figures && !ret; i++)
		ret = find_names(p, &p->figures[i], err);
	for (uint32_t i = 0; i < p->n_events && !ret; i++)
		if (is_used(p, i))
			ret = find_code(&p->events[i], d, err);
	return ret;
}
