// SPDX-License-Identifier: GPL-2.0-only
/*
 * The user's events and metrics as an INI file:
 *   [event NAME]   code = PMU/term=number,.../ or a name of libpfm
 *                  fixed = yes      it has a counter of its own
 *   [metric NAME]  formula = ..., unit = ..., better = less or more,
 *                  about = ...
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

struct ini {
	struct plan *p;
	struct pw_err *err;
	const char *text;
	uint32_t line;
	int ret;
};

/* As fgets, of the text; lines are counted since inih does not tell them. */
static char *next_line(char *to, int size, void *ctx)
{
	struct ini *i = ctx;
	size_t n = strcspn(i->text, "\n");

	if (!*i->text)
		return NULL;
	n += i->text[n] == '\n';
	i->line++;
	if (n > (size_t)size - 1) {
		i->ret = pw_err_set(i->err, EINVAL,
				    "line %u: longer than %d characters",
				    i->line, size - 2);
		return NULL;
	}
	memcpy(to, i->text, n);
	to[n] = 0;
	i->text += n;
	return to;
}

static int fault(struct ini *i, const char *what, const char *name,
		 const char *const *known, size_t n)
{
	char *near = pw_did_you_mean('"', name, known, n);

	i->ret = pw_err_set(i->err, EINVAL, "line %u: %s \"%s\"%s", i->line,
			    what, name, near);
	free(near);
	return 0;
}

static int event_key(struct ini *i, const char *event, const char *key,
		     const char *value)
{
	static const char *const keys[] = { "code", "fixed" };
	struct event *e = plan_find_event(i->p, event);

	if (!strcmp(key, "code")) {
		plan_event(i->p, event, value, 0, i->line);
	} else if (!strcmp(key, "fixed")) {
		if (!e || !e->line)
			return fault(i, "\"code\" comes before it in event",
				     event, NULL, 0);
		e->flags |= strcmp(value, "no") ? EVENT_FIXED : 0;
	} else {
		return fault(i, "an event has no key", key, keys, 2);
	}
	return 1;
}

static bool is_one_of(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static int better(struct ini *i, struct figure *f, const char *value)
{
	static const char *const words[] = { "less", "more" };

	if (!is_one_of(value, words, 2))
		return fault(i, "better is less or more, not", value, words, 2);
	f->better = *value == 'l' ? PW_BETTER_LESS : PW_BETTER_MORE;
	return 1;
}

static int metric_key(struct ini *i, const char *metric, const char *key,
		      const char *value)
{
	static const char *const keys[] = { "formula", "unit", "better",
					    "about" };
	struct figure *f;

	if (!strcmp(key, "formula")) {
		f = plan_figure(i->p, metric, value, i->line);
		figure_set(&f->unit, NULL);
		figure_set(&f->about, NULL);
		return 1;
	}
	f = plan_find_figure(i->p, metric);
	if (!is_one_of(key, keys, 4))
		return fault(i, "a metric has no key", key, keys, 4);
	if (!f || !f->line)
		return fault(i, "\"formula\" comes before it in metric", metric,
			     NULL, 0);
	if (!strcmp(key, "better"))
		return better(i, f, value);
	figure_set(*key == 'u' ? &f->unit : &f->about, value);
	return 1;
}

static int pair(void *ctx, const char *section, const char *key,
		const char *value)
{
	static const char *const kinds[] = { "event", "metric" };
	struct ini *i = ctx;
	size_t len = strcspn(section, " \t");
	const char *name = section + len + strspn(section + len, " \t");

	if (i->ret)
		return 0;
	if (len == 5 && !memcmp(section, "event", len)) {
		if (!config_event_name(name))
			return fault(
				i,
				"an event's name is letters, digits and _, not",
				name, NULL, 0);
		return event_key(i, name, key, value);
	}
	if (len == 6 && !memcmp(section, "metric", len) && *name)
		return metric_key(i, name, key, value);
	return fault(i, "sections are [event NAME] and [metric NAME], not",
		     section, kinds, 2);
}

int config_ini(struct plan *p, const char *text, struct pw_err *err)
{
	struct ini i = { .p = p, .err = err, .text = text };
	int line = ini_parse_stream(next_line, &i, pair, &i);

	if (i.ret)
		return i.ret;
	if (line)
		return pw_err_set(
			err, EINVAL,
			"line %d: expected [event NAME], [metric NAME] or KEY = VALUE",
			line);
	return 0;
}
