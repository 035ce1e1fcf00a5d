// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way of a sample, whatever door it came through: is it wanted, where was
 * it, what does it count for.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "profile-impl.h"

struct event *event_of(struct pw_profile *p, uint32_t event)
{
	return event < p->n_events ? p->events[event] : NULL;
}

/* --- what the options want --------------------------------------------------------- */

static bool names_it(const char *want, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return path &&
	       (!strcmp(want, path) || (slash && !strcmp(want, slash + 1)));
}

static bool module_fits(const struct pw_profile *p, const struct pw_symbol *sym)
{
	const char *const *want = p->opts.modules;
	const char *module = pw_space_module_name(p->space, sym->module);

	for (; *want; want++)
		if (names_it(*want, module) || names_it(*want, sym->dso))
			return true;
	return false;
}

bool module_is_kept(struct pw_profile *p, const struct pw_symbol *sym)
{
	if (!p->opts.modules || !*p->opts.modules)
		return true;
	if (sym->id >= p->n_verdicts) {
		uint32_t n = pw_space_n_symbols(p->space);

		p->module_verdict = pw_realloc(p->module_verdict, n);
		memset(p->module_verdict + p->n_verdicts, 0, n - p->n_verdicts);
		p->n_verdicts = n;
	}
	if (!p->module_verdict[sym->id])
		p->module_verdict[sym->id] = module_fits(p, sym) ? 1 : 2;
	return p->module_verdict[sym->id] == 1;
}

static bool time_is_kept(const struct pw_profile *p, uint64_t time_ns)
{
	if (time_ns == PW_NO_TIME)
		return true;
	return time_ns >= p->opts.from_ns &&
	       (!p->opts.to_ns || time_ns < p->opts.to_ns);
}

static bool spot_is_kept(struct pw_profile *p, const struct spot *spot)
{
	const struct pw_symbol *sym = spot->piece->sym;

	return (!p->opts.wasm_only || sym->kind == PW_PLACE_WASM) &&
	       module_is_kept(p, sym);
}

/* --- counting ------------------------------------------------------------------------- */

static uint64_t n_of(const struct pw_push *s)
{
	return s->n_samples ? s->n_samples : 1;
}

static void count_task(struct pw_profile *p, struct event *e, uint32_t task,
		       const struct pw_push *s, enum pw_place_kind kind)
{
	struct task *t = &p->tasks[task];

	count_add(count_at(&e->tasks, task), n_of(s), s->period);
	if (s->event == pw_profile_main_event(p))
		count_add(&t->kinds[kind], n_of(s), s->period);
	if (s->time_ns == PW_NO_TIME)
		return;
	if (s->time_ns < t->first_ns)
		t->first_ns = s->time_ns;
	if (s->time_ns > t->last_ns)
		t->last_ns = s->time_ns;
}

static void tell(struct pw_profile *p, const struct pw_push *s,
		 const struct task *t, const struct spot *spot)
{
	struct pw_profile_sample out = { .event = s->event,
					 .pid = s->pid,
					 .tid = s->tid,
					 .cpu = s->cpu,
					 .comm = t->comm,
					 .time_ns = s->time_ns,
					 .period = s->period,
					 .node = spot->node,
					 .piece = spot->piece,
					 .ip = s->ip,
					 .off = spot->off };

	p->opts.on_sample(p->opts.ctx, &out);
}

static void count_blocks(struct pw_profile *p, const struct pw_push *s,
			 uint32_t task, const struct spot *spot, uint32_t hit)
{
	struct pw_count n = { n_of(s), s->period };
	struct time_blocks *b = &p->blocks;

	blocks_add(b, BLOCK_EVENT, s->event, 0, s->time_ns, n);
	blocks_add(b, BLOCK_TASK, s->event, task, s->time_ns, n);
	blocks_add(b, BLOCK_SYMBOL, s->event, spot->piece->sym->id, s->time_ns,
		   n);
	if (hit != UINT32_MAX)
		blocks_add(b, BLOCK_HIT, s->event, hit, s->time_ns, n);
}

static void count_sample(struct pw_profile *p, struct event *e,
			 const struct pw_push *s)
{
	uint32_t task = task_find(p, s->pid, s->tid, s->comm);
	const struct task *t = &p->tasks[task];
	struct frames f = { s->pid,       s->time_ns,
			    s->cpumode,   s->ip,
			    s->callchain, s->callchain ? s->n_callchain : 0 };
	struct spot spot;
	uint32_t hit;

	if (!t->is_kept || !time_is_kept(p, s->time_ns)) {
		e->info.filtered += n_of(s);
		return;
	}
	chain_spot(p, t, &f, &spot);
	if (!spot_is_kept(p, &spot)) {
		e->info.filtered += n_of(s);
		return;
	}
	count_add(&e->info.total, n_of(s), s->period);
	count_task(p, e, task, s, spot.piece->sym->kind);
	count_add(count_at(&e->nodes, spot.node), n_of(s), s->period);
	hit = hit_count(p, e, spot.piece, spot.off,
			(struct pw_count){ n_of(s), s->period });
	if (p->opts.blocks)
		count_blocks(p, s, task, &spot, hit);
	if (p->bins && s->time_ns != PW_NO_TIME &&
	    s->event == pw_profile_main_event(p))
		bins_sample(p->bins, task, spot.piece->sym->kind, s->time_ns,
			    n_of(s));
	if (p->opts.on_sample)
		tell(p, s, t, &spot);
}

void pw_profile_push(struct pw_profile *p, const struct pw_push *s)
{
	struct event *e = event_of(p, s->event);

	if (!e)
		return;
	functions_drop(p);
	if (s->time_ns != PW_NO_TIME && s->time_ns > p->last_ns)
		p->last_ns = s->time_ns;
	if (p->opts.blocks && s->time_ns != PW_NO_TIME &&
	    time_is_kept(p, s->time_ns))
		blocks_reach(&p->blocks, s->time_ns);
	if (e->role == EVENT_COUNTS)
		count_sample(p, e, s);
	else
		switch_sample(p, e, s);
}

/* --- many at once ------------------------------------------------------------------------ */

/* Those that are in one piece of code: of n at a. */
struct run {
	struct pw_count sum;
	struct spot spot;
	uint32_t n;
};

static struct run run_at(struct pw_profile *p, const struct task *t,
			 const struct pw_push *s, const struct pw_alike *a,
			 uint32_t n)
{
	struct pw_place place;
	struct run r = { 0 };
	uint64_t end;

	pw_space_find_run(p->space, s->pid, s->cpumode, a->ip, s->time_ns,
			  &place, &end);
	r.spot.piece = place.piece;
	r.spot.off = place.off;
	r.spot.node = node_get(p, t->root, place.piece->sym->id);
	do
		count_add(&r.sum, a[r.n].n, a[r.n].period);
	while (++r.n < n && a[r.n].ip - a->ip < end - a->ip);
	return r;
}

static void count_run(struct pw_profile *p, struct event *e,
		      const struct pw_push *s, uint32_t task,
		      const struct pw_alike *a, const struct run *r)
{
	struct pw_push all = *s;
	uint32_t i;

	all.n_samples = (uint32_t)r->sum.samples;
	all.period = r->sum.period;
	count_add(&e->info.total, r->sum.samples, r->sum.period);
	count_task(p, e, task, &all, r->spot.piece->sym->kind);
	count_add(count_at(&e->nodes, r->spot.node), r->sum.samples,
		  r->sum.period);
	for (i = 0; i < r->n; i++)
		hit_count(p, e, r->spot.piece, r->spot.off + (a[i].ip - a->ip),
			  (struct pw_count){ a[i].n, a[i].period });
}

static void push_each(struct pw_profile *p, const struct pw_push *s,
		      const struct pw_alike *a, uint32_t n)
{
	struct pw_push one = *s;
	uint32_t i;

	for (i = 0; i < n; i++) {
		one.ip = a[i].ip;
		one.period = a[i].period;
		one.n_samples = a[i].n;
		pw_profile_push(p, &one);
	}
}

void pw_profile_push_alike(struct pw_profile *p, const struct pw_push *s,
			   const struct pw_alike *a, uint32_t n)
{
	struct event *e = event_of(p, s->event);
	uint32_t task, i;
	struct run r;

	task = e ? task_find(p, s->pid, s->tid, s->comm) : 0;
	if (!e || e->role != EVENT_COUNTS || p->opts.on_sample || p->bins ||
	    p->opts.blocks || n < 2 || !p->tasks[task].is_kept ||
	    !time_is_kept(p, s->time_ns)) {
		push_each(p, s, a, n);
		return;
	}
	functions_drop(p);
	if (s->time_ns != PW_NO_TIME && s->time_ns > p->last_ns)
		p->last_ns = s->time_ns;
	for (i = 0; i < n; i += r.n) {
		r = run_at(p, &p->tasks[task], s, &a[i], n - i);
		if (spot_is_kept(p, &r.spot))
			count_run(p, e, s, task, &a[i], &r);
		else
			e->info.filtered += r.sum.samples;
	}
}

/* --- events ------------------------------------------------------------------------------ */

static enum event_role role_of(const char *name)
{
	if (!strncmp(name, "sched:sched_switch", 18))
		return EVENT_SWITCH;
	if (!strncmp(name, "sched:sched_wak", 15))
		return EVENT_WAKE;
	return EVENT_COUNTS;
}

uint32_t pw_profile_add_event(struct pw_profile *p, const char *name)
{
	struct event *e;
	uint32_t i;

	for (i = 0; i < p->n_events; i++)
		if (!strcmp(p->events[i]->name, name))
			return i;
	functions_drop(p);
	p->events = pw_realloc(p->events, (i + 1) * sizeof(*p->events));
	p->scratch = pw_realloc(p->scratch, (i + 1) * sizeof(*p->scratch));
	e = pw_zalloc(sizeof(*e));
	e->name = pw_strdup(name);
	e->role = role_of(name);
	e->info.name = e->name;
	e->info.is_sched = e->role != EVENT_COUNTS;
	p->events[p->n_events++] = e;
	return i;
}

/* The names of the fields that a role needs, and where they go. */
struct wanted {
	const char *name;
	size_t off;
};

static const struct wanted switch_fields[] = {
	{ "prev_pid", offsetof(struct event, prev_pid) },
	{ "prev_state", offsetof(struct event, prev_state) },
	{ "next_pid", offsetof(struct event, next_pid) },
	{ NULL, 0 },
};
static const struct wanted wake_fields[] = {
	{ "pid", offsetof(struct event, pid) },
	{ NULL, 0 },
};

static const struct wanted *wanted_by(const struct event *e)
{
	static const struct wanted none[] = { { NULL, 0 } };

	return e->role == EVENT_SWITCH ? switch_fields
	       : e->role == EVENT_WAKE ? wake_fields
				       : none;
}

int pw_profile_set_format(struct pw_profile *p, uint32_t event,
			  const char *format, size_t size, struct pw_err *err)
{
	struct event *e = event_of(p, event);
	const struct wanted *w;
	int ret;

	for (w = wanted_by(e); w->name; w++) {
		ret = pw_field_of_format(format, size, w->name,
					 (void *)((char *)e + w->off), err);
		if (ret)
			return ret;
	}
	e->has_fields = true;
	return 0;
}

/* --- records of a capture ----------------------------------------------------------------- */

static void find_fields(struct pw_profile *p, struct pw_capture *c,
			struct event *e, const struct pw_attr *a)
{
	const struct wanted *w;
	struct pw_err err;

	if (e->role == EVENT_COUNTS || e->has_fields || !c)
		return;
	for (w = wanted_by(e); w->name; w++) {
		if (!pw_capture_field(c, a, w->name,
				      (void *)((char *)e + w->off), &err))
			continue;
		if (!p->field_remark)
			p->field_remark =
				pw_asprintf("%s: %s", e->name, err.msg);
		return;
	}
	e->has_fields = true;
}

static uint32_t event_of_attr(struct pw_profile *p, struct pw_capture *c,
			      const struct pw_attr *a)
{
	uint32_t i;

	if (a->idx < p->n_of_attr && p->of_attr[a->idx])
		return p->of_attr[a->idx] - 1;
	if (a->idx >= p->n_of_attr) {
		p->of_attr = pw_realloc(p->of_attr,
					(a->idx + 1) * sizeof(*p->of_attr));
		for (i = p->n_of_attr; i <= a->idx; i++)
			p->of_attr[i] = 0;
		p->n_of_attr = a->idx + 1;
	}
	i = pw_profile_add_event(p, a->name);
	find_fields(p, c, p->events[i], a);
	p->of_attr[a->idx] = i + 1;
	return i;
}

static void on_sample(struct pw_profile *p, struct pw_capture *c,
		      const struct pw_event *ev)
{
	const struct pw_sample *s = &ev->sample;
	struct pw_push push = { .pid = ev->pid,
				.tid = ev->tid,
				.cpu = ev->cpu,
				.time_ns = ev->time_ns,
				.ip = s->ip,
				.period = s->period,
				.cpumode = ev->misc,
				.callchain = s->callchain,
				.n_callchain = s->n_callchain,
				.raw = s->raw,
				.raw_size = s->raw_size };

	if (!ev->attr)
		return;
	/* of a fixed period, which samples need not carry */
	if (!(s->fields & PERF_SAMPLE_PERIOD))
		push.period = ev->attr->sample_period;
	push.event = event_of_attr(p, c, ev->attr);
	pw_profile_push(p, &push);
}

void pw_profile_event(struct pw_profile *p, struct pw_capture *c,
		      const struct pw_event *ev)
{
	switch (ev->type) {
	case PW_REC_SAMPLE:
		on_sample(p, c, ev);
		return;
	case PW_REC_SWITCH:
	case PW_REC_SWITCH_CPU_WIDE:
		switch_record(p, ev);
		return;
	case PW_REC_COMM:
		pw_space_event(p->space, ev);
		task_stale(p, ev->comm.tid);
		return;
	case PW_REC_FORK:
		pw_space_event(p->space, ev);
		task_stale(p, ev->task.tid);
		return;
	default:
		pw_space_event(p->space, ev);
	}
}
