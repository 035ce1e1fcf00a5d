// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way of a record: which event is it, where lie its fields, whom does it
 * concern. There are millions, so the fields of an event are found once.
 */
#include <errno.h>

#include <linux/perf_event.h>

#include "sched-impl.h"

/* --- events of the capture ------------------------------------------------------------ */

static const struct {
	const char *name;
	const char *fields[FIELDS_MAX];
} kinds[N_EVENT_KINDS] = {
#define PW_SCHED_EVENT(id, event, ...) \
	[EV_##id] = { .name = event, .fields = { __VA_ARGS__ } },
#include "sched-events.def"
#undef PW_SCHED_EVENT
};

static enum event_kind kind_of(const char *name)
{
	for (int k = 1; k < N_EVENT_KINDS; k++)
		if (!strcmp(kinds[k].name, name))
			return (enum event_kind)k;
	return EV_NONE;
}

/* Where the formats are: a capture, or a text. */
struct formats {
	struct pw_capture *c;
	const char *text;
	size_t size;
};

static int field_of(const struct formats *from, const struct pw_attr *a,
		    const char *name, struct pw_field *f, struct pw_err *err)
{
	if (from->c)
		return pw_capture_field(from->c, a, name, f, err);
	if (from->text)
		return pw_field_of_format(from->text, from->size, name, f, err);
	return pw_err_set(err, ENOENT, "there is no format");
}

static int find_fields(struct bound *b, const struct formats *from,
		       const struct pw_attr *a, struct pw_err *err)
{
	char name[32];
	int ret;

	for (int i = 0; i < FIELDS_MAX && kinds[b->kind].fields[i]; i++) {
		const char *want = kinds[b->kind].fields[i];
		size_t n = strcspn(want, "?");

		snprintf(name, sizeof(name), "%.*s", (int)n, want);
		ret = field_of(from, a, name, &b->f[i], err);
		if (ret)
			memset(&b->f[i], 0, sizeof(b->f[i]));
		if (ret && !want[n])
			return ret;
	}
	return 0;
}

/* What events there are says what others are good for. */
static void know(struct pw_sched *s, enum event_kind k)
{
	s->has_waking |= k == EV_WAKING;
	s->has_wake |= k == EV_WAKING || k == EV_WAKEUP;
	s->has_switch |= k == EV_SWITCH;
	s->has_migrate |= k == EV_MIGRATE;
}

static struct bound *bound_of(struct pw_sched *s, const struct pw_attr *a)
{
	if (a->idx >= s->n_bound) {
		s->bound =
			pw_realloc(s->bound, (a->idx + 1) * sizeof(*s->bound));
		memset(s->bound + s->n_bound, 0,
		       (a->idx + 1 - s->n_bound) * sizeof(*s->bound));
		s->n_bound = a->idx + 1;
	}
	return &s->bound[a->idx];
}

static int bind(struct pw_sched *s, const struct formats *from,
		const struct pw_attr *a, struct pw_err *err)
{
	struct bound *b = bound_of(s, a);
	int ret = 0;

	b->is_asked = true;
	b->kind = kind_of(a->name);
	if (b->kind != EV_NONE)
		ret = find_fields(b, from, a, err);
	if (ret)
		b->kind = EV_NONE;
	know(s, b->kind);
	return ret;
}

/* Both kinds of switches at once: of single tasks, unless a record of a whole
 * CPU says otherwise. */
static void know_recorded(struct pw_sched *s, const struct pw_attr *a)
{
	if (a->flags & PW_ATTR_CONTEXT_SWITCH && !s->of_cpus)
		s->of_tasks = true;
}

static struct bound *bind_first(struct pw_sched *s, struct pw_capture *c,
				const struct pw_attr *a)
{
	const struct formats from = { .c = c };
	struct pw_err err;

	for (uint32_t i = 0; c && i < pw_capture_n_attrs(c); i++) {
		know(s, kind_of(pw_capture_attr(c, i)->name));
		know_recorded(s, pw_capture_attr(c, i));
	}
	if (bind(s, &from, a, &err) && !s->field_remark)
		s->field_remark = pw_asprintf("%s: %s", a->name, err.msg);
	return &s->bound[a->idx];
}

int pw_sched_set_format(struct pw_sched *s, const struct pw_attr *a,
			const char *format, size_t size, struct pw_err *err)
{
	const struct formats from = { .text = format, .size = size };

	if (kind_of(a->name) == EV_NONE)
		return pw_err_set(err, ENOENT,
				  "%s tells nothing of who ran when", a->name);
	return bind(s, &from, a, err);
}

static inline uint64_t number(const struct pw_field *f,
			      const struct pw_sample *s)
{
	uint32_t v;

	if (f->size != 4 || f->swap || f->off + 4 > s->raw_size)
		return pw_field_u64(f, s->raw, s->raw_size);
	memcpy(&v, s->raw + f->off, sizeof(v));
	return v;
}

static inline uint32_t tid_in(const struct pw_field *f,
			      const struct pw_sample *s)
{
	return (uint32_t)number(f, s);
}

/* A name, where it differs from the one that is known. */
static inline void take_comm(struct task *t, const struct pw_field *f,
			     const struct pw_sample *s)
{
	const char *text;
	uint32_t n;

	if (f->size == COMM_BYTES && !f->is_dynamic &&
	    f->off + COMM_BYTES <= s->raw_size &&
	    !memcmp(t->comm, s->raw + f->off, COMM_BYTES))
		return;
	if (!f->size || t->pub.is_idle || t->idx <= TASK_IRQ)
		return;
	text = pw_field_text(f, s->raw, s->raw_size, &n);
	if (n)
		task_set_comm(t, text, n);
}

/* --- tracepoints ------------------------------------------------------------------------- */

static void on_switch(struct pw_sched *s, const struct bound *b, struct cpu *c,
		      const struct pw_event *ev)
{
	const struct pw_sample *raw = &ev->sample;
	struct task *prev = task_on(s, c, tid_in(&b->f[0], raw));
	struct task *next = task_on(s, c, tid_in(&b->f[2], raw));

	if (ev->tid == prev->pub.tid && !prev->pub.is_idle &&
	    prev->idx > TASK_IRQ)
		prev->pub.pid = ev->pid;
	take_comm(prev, &b->f[3], raw);
	take_comm(next, &b->f[4], raw);
	state_switch(s, c, ev->time_ns, prev,
		     pw_field_u64(&b->f[1], raw->raw, raw->raw_size), next);
}

/* common_flags: in an interrupt, hard or soft. */
#define FLAGS_IRQ 0x18u

static void on_wake(struct pw_sched *s, const struct bound *b, struct cpu *c,
		    const struct pw_event *ev)
{
	struct task *t, *waker;

	if (b->kind == EV_WAKEUP && s->has_waking)
		return;
	t = task_of(s, tid_in(&b->f[0], &ev->sample));
	if (pw_field_u64(&b->f[2], ev->sample.raw, ev->sample.raw_size) &
	    FLAGS_IRQ)
		waker = s->tasks[TASK_IRQ];
	else
		waker = task_on(s, c, ev->tid);
	take_comm(t, &b->f[1], &ev->sample);
	state_wake(s, ev->time_ns, t, waker);
}

static void on_stat(struct pw_sched *s, const struct bound *b,
		    const struct pw_event *ev)
{
	struct task *t = task_of(s, tid_in(&b->f[0], &ev->sample));
	uint64_t ns =
		pw_field_u64(&b->f[1], ev->sample.raw, ev->sample.raw_size);

	if (!in_window(s, ev->time_ns))
		return;
	switch (b->kind) {
	case EV_STAT_RUNTIME:
		t->pub.stat_runtime_ns += ns;
		return;
	case EV_STAT_SLEEP:
		t->pub.stat_sleep_ns += ns;
		return;
	case EV_STAT_IOWAIT:
		t->pub.stat_iowait_ns += ns;
		return;
	case EV_STAT_WAIT:
		t->pub.stat_wait_ns += ns;
		return;
	default:
		t->pub.stat_blocked_ns += ns;
	}
}

static void on_fork(struct pw_sched *s, const struct bound *b,
		    const struct pw_event *ev)
{
	struct task *t = task_of(s, tid_in(&b->f[0], &ev->sample));

	if (t->state == TASK_ENDED) { /* its number is another's now */
		task_forget(s, t);
		t = task_of(s, tid_in(&b->f[0], &ev->sample));
	}
	take_comm(t, &b->f[1], &ev->sample);
}

/* The ones that tell of the task that caused them. */
static void on_kvm(struct pw_sched *s, const struct bound *b,
		   const struct pw_event *ev)
{
	struct task *t = task_of(s, ev->tid);

	if (t->idx <= TASK_IRQ || !ev->tid)
		return;
	t->pub.pid = ev->pid;
	if (b->kind == EV_KVM_ENTRY)
		kvm_entry(s, ev->time_ns, t);
	else
		kvm_exit(s, ev->time_ns, t,
			 b->f[1].size ? tid_in(&b->f[1], &ev->sample) : 0,
			 tid_in(&b->f[0], &ev->sample));
}

static void on_kind(struct pw_sched *s, const struct bound *b, struct cpu *c,
		    const struct pw_event *ev)
{
	struct task *t;

	switch (b->kind) {
	case EV_SWITCH:
		on_switch(s, b, c, ev);
		return;
	case EV_WAKING:
	case EV_WAKEUP:
	case EV_WAKEUP_NEW:
		on_wake(s, b, c, ev);
		return;
	case EV_MIGRATE:
		t = task_of(s, tid_in(&b->f[0], &ev->sample));
		count_migration(s, t, ev->time_ns);
		return;
	case EV_FORK:
		on_fork(s, b, ev);
		return;
	case EV_STAT_RUNTIME:
	case EV_STAT_SLEEP:
	case EV_STAT_IOWAIT:
	case EV_STAT_WAIT:
	case EV_STAT_BLOCKED:
		on_stat(s, b, ev);
		return;
	case EV_KVM_ENTRY:
	case EV_KVM_EXIT:
		on_kvm(s, b, ev);
		return;
	default:
		return;
	}
}

/* --- samples -------------------------------------------------------------------------------- */

static void take_cgroup(struct pw_sched *s, struct cpu *c,
			const struct pw_event *ev)
{
	struct task *t = task_on(s, c, ev->tid);

	if (t->cgroup && s->cgroups[t->cgroup - 1].id == ev->sample.cgroup)
		return;
	for (uint32_t i = 0; i < s->n_cgroups; i++)
		if (s->cgroups[i].id == ev->sample.cgroup)
			t->cgroup = i + 1;
}

static void on_sample(struct pw_sched *s, struct pw_capture *cap,
		      const struct pw_event *ev)
{
	const struct pw_attr *a = ev->attr;
	const struct bound *b;
	struct cpu *c;

	/* who caused it: of a task that is at its end the kernel tells -1 */
	if (!a || ev->time_ns == PW_NO_TIME)
		return;
	b = a->idx < s->n_bound && s->bound[a->idx].is_asked
		    ? &s->bound[a->idx]
		    : bind_first(s, cap, a);
	c = cpu_of(s, ev->cpu);
	if (!c)
		return;
	see_time(s, ev->time_ns);
	if (c->since_ns == PW_NO_TIME && s->has_switch)
		state_seen(s, c, ev->time_ns, task_on(s, c, ev->tid));
	if (ev->sample.fields & PERF_SAMPLE_CGROUP && ev->sample.cgroup)
		take_cgroup(s, c, ev);
	s->n_events[b->kind]++;
	if (b->kind != EV_NONE && ev->sample.raw)
		on_kind(s, b, c, ev);
	c->last_ns = ev->time_ns;
}

/* --- other records ---------------------------------------------------------------------------- */

static void on_switch_record(struct pw_sched *s, const struct pw_event *ev)
{
	struct cpu *c;
	struct task *t;

	s->of_cpus = ev->type == PW_REC_SWITCH_CPU_WIDE;
	s->of_tasks = !s->of_cpus;
	if ((s->has_switch && s->of_cpus) || ev->time_ns == PW_NO_TIME ||
	    ev->tid == PW_NO_PID)
		return;
	c = cpu_of(s, ev->cpu);
	if (!c)
		return;
	see_time(s, ev->time_ns);
	s->n_switch_records++;
	t = task_on(s, c, ev->tid);
	if (ev->tid && t->idx > TASK_IRQ)
		t->pub.pid = ev->pid;
	if (!ev->swtch.is_out)
		state_in(s, c, ev->time_ns, t);
	else if (!s->has_switch || t->state == TASK_RUNNING)
		state_out(s, c, ev->time_ns, t,
			  ev->swtch.is_preempt ? PW_OFF_PREEMPTED
					       : PW_OFF_OTHER);
	c->last_ns = ev->time_ns;
}

static void on_lost(struct pw_sched *s, const struct pw_event *ev)
{
	struct cpu *c = ev->cpu == PW_NO_PID ? NULL : cpu_of(s, ev->cpu);
	struct lost_range *r;
	uint64_t from, to = ev->time_ns;

	s->n_lost += ev->lost.lost;
	if (!c || ev->time_ns == PW_NO_TIME)
		return;
	c->pub.lost += ev->lost.lost;
	from = c->last_ns ? c->last_ns : to;
	if (from > to)
		from = to;
	if (clip(s, &from, &to))
		c->pub.lost_ns += to - from;
	if (c->n_lost == LOST_RANGES) {
		r = &c->lost[c->n_lost - 1];
	} else {
		if (!c->lost)
			c->lost = pw_zalloc(LOST_RANGES * sizeof(*c->lost));
		r = &c->lost[c->n_lost++];
		r->from_ns = from;
	}
	r->to_ns = to;
	r->n += ev->lost.lost;
}

static void on_comm(struct pw_sched *s, const struct pw_event *ev)
{
	struct task *t;

	if (!ev->comm.tid || ev->comm.tid == PW_NO_PID)
		return;
	t = task_of(s, ev->comm.tid);
	if (t->idx <= TASK_IRQ)
		return;
	t->pub.pid = ev->comm.pid;
	task_set_comm(t, ev->comm.comm, (uint32_t)strlen(ev->comm.comm));
}

static void on_task(struct pw_sched *s, const struct pw_event *ev)
{
	struct task *t, *parent;

	if (!ev->task.tid || ev->task.tid == PW_NO_PID)
		return;
	t = task_of(s, ev->task.tid);
	if (t->idx <= TASK_IRQ)
		return;
	t->pub.pid = ev->task.pid;
	parent = ev->task.ptid ? task_of(s, ev->task.ptid) : t;
	if (!t->comm[0] && parent->idx > TASK_IRQ)
		task_set_comm(t, parent->comm, (uint32_t)strlen(parent->comm));
}

void cgroup_take(struct pw_sched *s, uint64_t id, const char *path)
{
	for (uint32_t i = 0; i < s->n_cgroups; i++)
		if (s->cgroups[i].id == id)
			return;
	s->cgroups = pw_realloc(s->cgroups,
				(s->n_cgroups + 1) * sizeof(*s->cgroups));
	s->cgroups[s->n_cgroups].id = id;
	s->cgroups[s->n_cgroups++].path = pw_strdup(path);
}

void pw_sched_event(struct pw_sched *s, struct pw_capture *c,
		    const struct pw_event *ev)
{
	switch (ev->type) {
	case PW_REC_SAMPLE:
		on_sample(s, c, ev);
		return;
	case PW_REC_SWITCH:
	case PW_REC_SWITCH_CPU_WIDE:
		on_switch_record(s, ev);
		return;
	case PW_REC_LOST:
		on_lost(s, ev);
		return;
	case PW_REC_COMM:
		on_comm(s, ev);
		return;
	case PW_REC_FORK:
		on_task(s, ev);
		return;
	case PW_REC_CGROUP:
		cgroup_take(s, ev->cgroup.id, ev->cgroup.path);
		return;
	default:
		return;
	}
}
