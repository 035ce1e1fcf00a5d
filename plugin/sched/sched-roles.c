// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that are the same from run to run: a map from tids and names of tasks to
 * roles, and which tasks the options want.
 */
#include <errno.h>
#include <stdlib.h>

#include "sched-impl.h"

/* --- the map ----------------------------------------------------------------------- */

#define LINE_MAX_BYTES  4096u
#define PERFWHIZ_FIELDS 7

static char *trim(char *s)
{
	size_t n;

	while (*s == ' ' || *s == '\t')
		s++;
	n = strlen(s);
	while (n && strchr(" \t\r\n", s[n - 1]))
		s[--n] = 0;
	return s;
}

static bool is_number(const char *s, uint32_t *v)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);

	if (*s < '0' || *s > '9' || *end || n >= PW_NO_PID)
		return false;
	*v = (uint32_t)n;
	return true;
}

static struct role_rule *rule_add(struct pw_sched *s, char *role)
{
	struct role_rule *r;

	s->rules = pw_realloc(s->rules, (s->n_rules + 1) * sizeof(*s->rules));
	r = &s->rules[s->n_rules++];
	memset(r, 0, sizeof(*r));
	r->tid = PW_NO_PID;
	r->role = role;
	return r;
}

static int compile(regex_t *re, const char *pattern, bool whole,
		   struct pw_err *err)
{
	char *all = whole ? pw_asprintf("^(%s)$", pattern) : pw_strdup(pattern);
	char why[120];
	int ret = regcomp(re, all, REG_EXTENDED | REG_NOSUB);

	free(all);
	if (!ret)
		return 0;
	regerror(ret, re, why, sizeof(why));
	return pw_err_set(err, EINVAL,
			  "'%s' is no extended regular expression: %s", pattern,
			  why);
}

/* The line of perfwhiz's map: tid, instance, type, uuid, chain type, chain id,
 * nvf. False: it is none. */
static bool of_perfwhiz(struct pw_sched *s, char *line)
{
	char *f[PERFWHIZ_FIELDS], *p = line;
	uint32_t tid, chain;
	int n;

	for (n = 0; n < PERFWHIZ_FIELDS && p; n++)
		f[n] = strsep(&p, ",");
	if (n < PERFWHIZ_FIELDS || !is_number(trim(f[0]), &tid))
		return false;
	if (is_number(trim(f[5]), &chain))
		rule_add(s, pw_asprintf("%s.%02u.%s", trim(f[6]), chain,
					trim(f[2])))
			->tid = tid;
	else
		rule_add(s, pw_asprintf("%s.%s.%s", trim(f[6]), trim(f[5]),
					trim(f[2])))
			->tid = tid;
	return true;
}

static int of_ours(struct pw_sched *s, char *line, struct pw_err *err)
{
	char *comma = strrchr(line, ',');
	struct role_rule *r;
	uint32_t tid;
	int ret;

	if (!comma || !*trim(comma + 1))
		return pw_err_set(
			err, EINVAL,
			"expected 'TID,ROLE' or 'REGEX,ROLE', found '%s'",
			line);
	*comma = 0;
	line = trim(line);
	r = rule_add(s, pw_strdup(trim(comma + 1)));
	if (is_number(line, &tid)) {
		r->tid = tid;
		return 0;
	}
	ret = compile(&r->re, line, true, err);
	if (ret) {
		free(r->role);
		s->n_rules--;
	}
	return ret;
}

static int read_line(struct pw_sched *s, char *line, struct pw_err *err)
{
	char *copy, *hash = strchr(line, '#');
	bool is_theirs;

	if (hash)
		*hash = 0;
	line = trim(line);
	/* what perfwhiz writes in front */
	if (!*line || !strncmp(line, "tid,", 4))
		return 0;
	copy = pw_strdup(line);
	is_theirs = of_perfwhiz(s, copy);
	free(copy);
	return is_theirs ? 0 : of_ours(s, line, err);
}

int roles_read(struct pw_sched *s, const char *map, struct pw_err *err)
{
	unsigned int nr = 0;
	int ret = 0;

	while (!ret && *map) {
		size_t n = strcspn(map, "\n");
		char *line = pw_strndup(map, n);

		nr++;
		if (n > LINE_MAX_BYTES)
			ret = pw_err_set(err, EINVAL, "it has %zu bytes", n);
		else
			ret = read_line(s, line, err);
		if (ret)
			pw_err_prefix(err, "line %u of the map", nr);
		free(line);
		map += n + (map[n] != 0);
	}
	return ret;
}

/* --- names --------------------------------------------------------------------------- */

/* "ksoftirqd/3" without what is CPU and number of a kernel thread. */
static size_t system_length(const char *comm)
{
	const char *slash = strchr(comm, '/');

	if (slash && (slash[1] == 'u' || (slash[1] >= '0' && slash[1] <= '9')))
		return (size_t)(slash - comm);
	return strlen(comm);
}

static const char *keep(struct pw_sched *s, char *name)
{
	s->names = pw_realloc(s->names, (s->n_names + 1) * sizeof(char *));
	return s->names[s->n_names++] = name;
}

const char *role_name(struct pw_sched *s, const struct pw_sched_task *t)
{
	size_t n = strlen(t->comm);

	for (uint32_t i = 0; i < s->n_rules; i++)
		if (s->rules[i].tid == t->tid && t->tid != PW_NO_PID)
			return s->rules[i].role;
	for (uint32_t i = 0; i < s->n_rules; i++)
		if (s->rules[i].tid == PW_NO_PID &&
		    !regexec(&s->rules[i].re, t->comm, 0, NULL, 0))
			return s->rules[i].role;
	if (t->tid == PW_NO_PID)
		return t->comm;
	if (s->merge_sys_tasks)
		n = system_length(t->comm);
	if (s->append_tid)
		return keep(s, pw_asprintf("%.*s:%u", (int)n, t->comm, t->tid));
	if (!n)
		return keep(s, pw_asprintf(":%u", t->tid));
	return t->comm[n] ? keep(s, pw_strndup(t->comm, n)) : t->comm;
}

bool task_is_wanted(const struct pw_sched *s, const struct pw_sched_task *t)
{
	if (!s->has_task)
		return true;
	if (s->has_task_tid)
		return t->tid == s->task_tid && !t->is_idle;
	return !regexec(&s->task_re, t->comm, 0, NULL, 0) ||
	       (t->role && !regexec(&s->task_re, t->role, 0, NULL, 0));
}

int task_filter_read(struct pw_sched *s, const char *task, struct pw_err *err)
{
	char *fixed = NULL;
	int ret;

	s->has_task_tid = is_number(task, &s->task_tid);
	if (!s->has_task_tid) {
		/* as a shell has it, and perfwhiz took it */
		if (*task == '*')
			fixed = pw_asprintf(".%s", task);
		ret = compile(&s->task_re, fixed ? fixed : task, false, err);
		free(fixed);
		if (ret)
			return ret;
	}
	s->has_task = true;
	return 0;
}

/* --- sums ------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct task *x = *(struct task *const *)a;
	const struct task *y = *(struct task *const *)b;
	int d = strcmp(x->pub.role, y->pub.role);

	return d ? d : x->idx < y->idx ? -1 : x->idx > y->idx;
}

static int by_time(const void *a, const void *b)
{
	const struct pw_sched_task *x = a, *y = b;

	if (x->run_ns != y->run_ns)
		return x->run_ns > y->run_ns ? -1 : 1;
	return strcmp(x->role, y->role);
}

static bool has_role(const struct pw_sched_task *t)
{
	return t->is_kept && !t->is_idle &&
	       (t->n_in || t->run_ns || t->n_exits);
}

static void roles_make(struct pw_sched *s)
{
	struct task **by = pw_alloc((s->n_tasks + 1) * sizeof(struct task *));
	struct pw_sched_task *r = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_tasks; i++)
		if (has_role(&s->tasks[i]->pub))
			by[n++] = s->tasks[i];
	qsort(by, n, sizeof(struct task *), by_name);
	s->roles = pw_zalloc((n + 1) * sizeof(*s->roles));
	for (uint32_t i = 0; i < n; i++) {
		const struct pw_sched_task *t = &by[i]->pub;

		if (!r || strcmp(r->role, t->role)) {
			r = &s->roles[s->n_roles++];
			r->comm = r->role = t->role;
			r->tid = t->tid;
			r->pid = t->pid;
			r->cgroup = t->cgroup;
			r->is_kept = true;
		} else {
			r->tid = PW_NO_PID;
			r->pid = r->pid == t->pid ? t->pid : PW_NO_PID;
		}
		task_merge(r, t);
	}
	free(by);
	qsort(s->roles, s->n_roles, sizeof(*s->roles), by_time);
	s->has_roles = true;
}

uint32_t pw_sched_n_roles(struct pw_sched *s)
{
	if (!s->has_roles)
		roles_make(s);
	return s->n_roles;
}

const struct pw_sched_task *pw_sched_role(struct pw_sched *s, uint32_t i)
{
	pw_sched_n_roles(s);
	return &s->roles[i];
}

void roles_release(struct pw_sched *s)
{
	for (uint32_t i = 0; i < s->n_roles; i++) {
		pw_hist_release(&s->roles[i].run);
		pw_hist_release(&s->roles[i].latency);
		pw_hist_release(&s->roles[i].preempted);
		pw_hist_release(&s->roles[i].sleep);
	}
	free(s->roles);
	for (uint32_t i = 0; i < s->n_rules; i++) {
		if (s->rules[i].tid == PW_NO_PID)
			regfree(&s->rules[i].re);
		free(s->rules[i].role);
	}
	free(s->rules);
	for (uint32_t i = 0; i < s->n_names; i++)
		free(s->names[i]);
	free(s->names);
	if (s->has_task && !s->has_task_tid)
		regfree(&s->task_re);
}
