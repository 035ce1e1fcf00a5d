// SPDX-License-Identifier: GPL-2.0-only
/*
 * A pass from its making to its end, and what it keeps of its capture.
 */
#include <errno.h>
#include <stdlib.h>

#include "sched-impl.h"

/* --- options ------------------------------------------------------------------------ */

static int bad_cpus(const char *cpus, struct pw_err *err)
{
	return pw_err_set(err, EINVAL,
			  "expected CPUs such as 0-3,8, found '%s'", cpus);
}

static int cpus_read(struct pw_sched *s, const char *cpus, struct pw_err *err)
{
	const char *p = cpus;
	unsigned long a, b;
	char *end;

	s->want_cpu = pw_zalloc(PW_SCHED_MAX_CPUS);
	s->has_cpus = true;
	do {
		a = b = strtoul(p, &end, 10);
		if (end == p)
			return bad_cpus(cpus, err);
		if (*end == '-') {
			p = end + 1;
			b = strtoul(p, &end, 10);
			if (end == p)
				return bad_cpus(cpus, err);
		}
		if (a > b || b >= PW_SCHED_MAX_CPUS)
			return bad_cpus(cpus, err);
		memset(s->want_cpu + a, 1, b - a + 1);
		p = end + 1;
	} while (*end == ',');
	return *end ? bad_cpus(cpus, err) : 0;
}

static int options_read(struct pw_sched *s, const struct pw_sched_opts *o,
			struct pw_err *err)
{
	int ret = 0;

	s->from_ns = o->from_ns;
	s->to_ns = o->to_ns ? o->to_ns : UINT64_MAX;
	s->merge_sys_tasks = o->merge_sys_tasks;
	s->append_tid = o->append_tid;
	s->on_run = o->on_run;
	s->on_in = o->on_in;
	s->ctx = o->ctx;
	if (o->cpus)
		ret = cpus_read(s, o->cpus, err);
	if (!ret && o->task)
		ret = task_filter_read(s, o->task, err);
	if (!ret && o->map)
		ret = roles_read(s, o->map, err);
	return ret;
}

struct pw_sched *pw_sched_new(const struct pw_sched_opts *o, struct pw_err *err)
{
	struct pw_sched *s = pw_zalloc(sizeof(*s));

	s->axis = (struct pw_axis){ .n_max = N_BINS, .shift = FIRST_SHIFT };
	s->first_ns = PW_NO_TIME;
	s->to_ns = UINT64_MAX;
	tasks_init(s);
	if (!o || !options_read(s, o, err))
		return s;
	pw_sched_free(s);
	return NULL;
}

static void facts_free(struct pw_sched *s)
{
	free(s->hostname);
	free(s->osrelease);
	free(s->cpudesc);
	free(s->arch);
	free(s->command);
	for (uint32_t i = 0; i < s->n_more; i++) {
		free((char *)s->more[i].key);
		free((char *)s->more[i].value);
	}
	free(s->more);
}

void pw_sched_free(struct pw_sched *s)
{
	if (!s)
		return;
	roles_release(s);
	tasks_release(s);
	heats_release(s, s->all_heat);
	facts_free(s);
	for (uint32_t i = 0; i < s->n_cgroups; i++)
		free(s->cgroups[i].path);
	free(s->cgroups);
	free(s->field_remark);
	free(s->pairs);
	free(s->pair_slots);
	free(s->exits);
	free(s->next_exit);
	free(s->kernel);
	free(s->bound);
	free(s->want_cpu);
	free(s);
}

/* --- the end ------------------------------------------------------------------------- */

/* What was kept beside the events may have told it. */
static void take(char **to, const char *text)
{
	if (!text)
		return;
	free(*to);
	*to = pw_strdup(text);
}

static void keep_facts(struct pw_sched *s, const struct pw_capture *c)
{
	const struct pw_capture_facts *f = pw_capture_facts(c);

	s->counts = *pw_capture_counts(c);
	s->has_capture = true;
	take(&s->hostname, f->hostname);
	take(&s->osrelease, f->osrelease);
	take(&s->cpudesc, f->cpudesc);
	take(&s->arch, f->arch);
	s->command = pw_capture_command(f);
	s->n_cpus_online = f->n_cpus_online;
	s->total_mem_kb = f->total_mem_kb;
	s->more = pw_zalloc((f->n_more + 1) * sizeof(*s->more));
	for (s->n_more = 0; s->n_more < f->n_more; s->n_more++)
		s->more[s->n_more] =
			(struct pw_fact){ pw_strdup(f->more[s->n_more].key),
					  pw_strdup(f->more[s->n_more].value) };
}

void pw_sched_end(struct pw_sched *s, const struct pw_capture *c)
{
	states_end(s);
	for (uint32_t i = 0; i < s->n_tasks; i++) {
		struct task *t = s->tasks[i];

		if (t->cgroup)
			t->pub.cgroup = s->cgroups[t->cgroup - 1].path;
		t->pub.role = role_name(s, &t->pub);
		t->pub.is_kept = task_is_wanted(s, &t->pub);
	}
	if (c && !s->has_capture)
		keep_facts(s, c);
}

uint64_t pw_sched_first_ns(const struct pw_sched *s)
{
	return s->first_ns;
}

uint64_t pw_sched_last_ns(const struct pw_sched *s)
{
	return s->last_ns;
}
