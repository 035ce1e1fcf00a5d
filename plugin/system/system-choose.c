// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which sources are read and how often: what the options ask for.
 */
#include "system-record.h"

#include <errno.h>

enum { MIN_INTERVAL_NS = 10000000 };

static int find_source(const struct pw_system_opts *o, const char *name)
{
	uint32_t n;
	const struct pw_system_source *all = pw_system_sources(&n);

	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(all[i].name, name))
			return (int)i;
	for (uint32_t i = 0; i < o->n_extra; i++)
		if (!strcmp(o->extra[i].name, name))
			return (int)(n + i);
	return -1;
}

static int no_source(const struct pw_system_opts *o, const char *name,
		     struct pw_err *err)
{
	struct pw_buf b = { 0 };
	uint32_t n;
	const struct pw_system_source *all = pw_system_sources(&n);

	for (uint32_t i = 0; i < n; i++)
		pw_buf_printf(&b, "%s%s", i ? ", " : "", all[i].name);
	for (uint32_t i = 0; i < o->n_extra; i++)
		pw_buf_printf(&b, ", %s", o->extra[i].name);
	pw_err_set(err, EINVAL, "there is no source '%s'; there are %s", name,
		   pw_buf_str(&b));
	pw_buf_release(&b);
	return -EINVAL;
}

static int mark(struct pw_system *s, const struct pw_system_opts *o,
		const char *const *names, bool wanted, struct pw_err *err)
{
	for (; names && *names; names++) {
		int i = find_source(o, *names);

		if (i < 0)
			return no_source(o, *names, err);
		if (i < PW_SYSTEM_N_SOURCES)
			s->sources[i].wanted = wanted;
		else
			s->extras[i - PW_SYSTEM_N_SOURCES].wanted = wanted;
	}
	return 0;
}

int choose_sources(struct pw_system *s, const struct pw_system_opts *o,
		   struct pw_err *err)
{
	uint32_t n;
	const struct pw_system_source *all = pw_system_sources(&n);
	int ret;

	if (o->interval_ns < MIN_INTERVAL_NS)
		return pw_err_set(err, EINVAL, "an interval is at least 10 ms");
	for (uint32_t i = 0; i < n; i++) {
		s->sources[i].wanted = !o->only;
		s->sources[i].every_ns = all[i].every_ns;
	}
	for (uint32_t i = 0; i < o->n_extra; i++) {
		s->extras[i].wanted = !o->only;
		s->extras[i].every_ns = o->extra[i].every_ns;
	}
	ret = mark(s, o, o->only, true, err);
	if (!ret)
		ret = mark(s, o, o->skip, false, err);
	for (uint32_t i = 0; i < n; i++)
		if (source_flags(i) & SOURCE_TASKS && !s->tasks)
			s->sources[i].wanted = false;
	return ret;
}
