// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time off the CPU. A task leaves at a switch, may be woken, and comes back at
 * another switch:
 *
 *   out ---- sleeping, blocked, preempted ---- woken ---- waking ---- in
 *
 * From sched_switch and sched_wakeup where they were recorded, else from
 * SWITCH records, which tell no more than preempted or not.
 */
#include <string.h>

#include <linux/perf_event.h>

#include "profile-impl.h"

const char *pw_off_reason_name(enum pw_off_reason r)
{
	static const char *const names[PW_N_OFF_REASONS] = {
		"preempted", "waking", "sleeping", "blocked", "other",
	};

	return names[r];
}

/* --- counting ----------------------------------------------------------------------- */

static struct event *off_event(struct pw_profile *p)
{
	if (p->off_event == UINT32_MAX) {
		p->off_event = pw_profile_add_event(p, "off-cpu");
		p->events[p->off_event]->role = EVENT_OFF;
		p->events[p->off_event]->info.is_off_cpu = true;
	}
	return p->events[p->off_event];
}

static void add_reason(struct pw_profile *p, struct task *t,
		       enum pw_off_reason reason, uint64_t n, uint64_t ns)
{
	count_add(&t->off[reason], n, ns);
	if (t->out_sym == NO_SYM)
		return;
	if (t->out_sym >= p->n_sym_off) {
		uint32_t cap = p->n_sym_off ? p->n_sym_off : 64;

		while (cap <= t->out_sym)
			cap *= 2;
		p->sym_off =
			pw_realloc(p->sym_off, cap * PW_N_OFF_REASONS *
						       sizeof(*p->sym_off));
		memset(p->sym_off + p->n_sym_off * PW_N_OFF_REASONS, 0,
		       (cap - p->n_sym_off) * PW_N_OFF_REASONS *
			       sizeof(*p->sym_off));
		p->n_sym_off = cap;
	}
	count_add(&p->sym_off[t->out_sym * PW_N_OFF_REASONS + reason], n, ns);
}

static void count_reason(struct pw_profile *p, uint32_t task,
			 enum pw_off_reason reason, uint64_t from, uint64_t to)
{
	struct task *t = &p->tasks[task];
	uint64_t ns = to - from;

	if (p->opts.blocks) {
		blocks_add_span(&p->blocks, BLOCK_OFF_TASK, reason, task, from,
				to);
		if (t->out_sym != NO_SYM)
			blocks_add_span(&p->blocks, BLOCK_OFF_SYMBOL, reason,
					t->out_sym, from, to);
	}
	add_reason(p, t, reason, 1, ns);
}

static void tell(struct pw_profile *p, uint32_t task, uint64_t from,
		 uint64_t ns)
{
	const struct task *t = &p->tasks[task];
	struct pw_profile_sample s = { .event = p->off_event,
				       .pid = t->pid,
				       .tid = t->tid,
				       .cpu = PW_NO_PID,
				       .comm = t->comm,
				       .time_ns = from,
				       .period = ns,
				       .node = t->out_node,
				       .piece = t->out_piece,
				       .ip = t->out_ip,
				       .off = t->out_off,
				       .reason = t->reason };

	if (p->opts.on_sample)
		p->opts.on_sample(p->opts.ctx, &s);
}

/* The part of a time that the options want. */
static bool clip(const struct pw_profile *p, uint64_t *from, uint64_t *to)
{
	if (p->opts.to_ns && *to > p->opts.to_ns)
		*to = p->opts.to_ns;
	if (*from < p->opts.from_ns)
		*from = p->opts.from_ns;
	return *from < *to;
}

static void count_off(struct pw_profile *p, uint32_t task, uint64_t in_ns)
{
	struct task *t = &p->tasks[task];
	uint64_t from = t->out_ns, to = in_ns, woken = in_ns;
	struct event *e;

	if (!clip(p, &from, &to) || !t->is_kept)
		return;
	e = off_event(p);
	if (t->woken_ns != NOT_OFF)
		woken = t->woken_ns;
	woken = woken < from ? from : woken > to ? to : woken;
	if (woken > from)
		count_reason(p, task, t->reason, from, woken);
	if (p->bins && woken > from)
		bins_off(p->bins, t->reason, from, woken);
	if (to > woken)
		count_reason(p, task, PW_OFF_WAKING, woken, to);
	if (p->bins && to > woken)
		bins_off(p->bins, PW_OFF_WAKING, woken, to);
	count_add(&e->info.total, 1, to - from);
	count_add(count_at(&e->tasks, task), 1, to - from);
	count_add(count_at(&e->nodes, t->out_node), 1, to - from);
	tell(p, task, from, to - from);
}

/* --- out, woken, in ---------------------------------------------------------------------- */

static void go_out(struct pw_profile *p, uint32_t task, uint64_t time_ns,
		   enum pw_off_reason reason, const struct spot *spot,
		   uint64_t ip)
{
	struct task *t = &p->tasks[task];

	if (task == TASK_REST || !t->tid)
		return;
	t->out_ns = time_ns;
	t->woken_ns = NOT_OFF;
	t->reason = reason;
	t->out_node = spot ? spot->node : t->root;
	t->out_sym = !spot                      ? NO_SYM
		     : spot->user_sym != NO_SYM ? spot->user_sym
						: spot->piece->sym->id;
	t->out_piece = spot ? spot->piece : pw_space_piece(p->space, 0);
	t->out_off = spot ? spot->off : 0;
	t->out_ip = ip;
}

static void go_in(struct pw_profile *p, uint32_t task, uint64_t time_ns)
{
	struct task *t = &p->tasks[task];

	if (t->out_ns == NOT_OFF || task == TASK_REST)
		return;
	if (time_ns > t->out_ns)
		count_off(p, task, time_ns);
	t->out_ns = NOT_OFF;
}

static void wake(struct pw_profile *p, uint32_t task, uint32_t waker,
		 uint64_t time_ns)
{
	struct task *t = &p->tasks[task];
	struct waker *w;

	if (t->out_ns == NOT_OFF || t->woken_ns != NOT_OFF ||
	    t->reason == PW_OFF_PREEMPTED || time_ns < t->out_ns)
		return;
	t->woken_ns = time_ns;
	w = t->is_kept ? waker_get(p, task, waker) : NULL;
	if (w) {
		w->n++;
		w->wait_ns += time_ns - t->out_ns;
	}
}

/* --- added up elsewhere ------------------------------------------------------------------ */

static void place_away(struct pw_profile *p, uint32_t task,
		       const struct pw_away *a)
{
	/* behind PERF_CONTEXT_USER stands where it was, then who called */
	struct frames f = { a->pid, a->time_ns, PERF_RECORD_MISC_USER,
			    0,      NULL,       0 };
	struct spot spot;

	if (!a->callchain || a->n_callchain < 2) {
		go_out(p, task, a->time_ns, a->reason, NULL, 0);
		return;
	}
	f.ip = a->callchain[1];
	f.chain = a->callchain;
	f.n = a->n_callchain;
	chain_spot(p, &p->tasks[task], &f, &spot);
	go_out(p, task, a->time_ns, a->reason, &spot, f.ip);
}

static void add_away(struct pw_profile *p, uint32_t task,
		     enum pw_off_reason reason, const struct pw_away *a,
		     uint64_t ns)
{
	struct task *t = &p->tasks[task];
	const struct pw_count n = { a->n, ns };

	add_reason(p, t, reason, a->n, ns);
	if (!p->opts.blocks)
		return;
	blocks_add(&p->blocks, BLOCK_OFF_TASK, reason, task, a->time_ns, n);
	if (t->out_sym != NO_SYM)
		blocks_add(&p->blocks, BLOCK_OFF_SYMBOL, reason, t->out_sym,
			   a->time_ns, n);
}

void pw_profile_away(struct pw_profile *p, const struct pw_away *a)
{
	uint32_t task = task_find(p, a->pid, a->tid, a->comm);
	uint64_t all = a->ns + a->waking_ns, from = a->time_ns, to = from + 1;
	struct task *t = &p->tasks[task], was = *t;
	struct event *e;

	if (!a->n || task == TASK_REST || !t->is_kept || !clip(p, &from, &to))
		return;
	place_away(p, task, a);
	e = off_event(p);
	if (a->ns)
		add_away(p, task, a->reason, a, a->ns);
	if (a->waking_ns)
		add_away(p, task, PW_OFF_WAKING, a, a->waking_ns);
	count_add(&e->info.total, a->n, all);
	count_add(count_at(&e->tasks, task), a->n, all);
	count_add(count_at(&e->nodes, t->out_node), a->n, all);
	tell(p, task, all < a->time_ns ? a->time_ns - all : 0, all);
	t->out_ns = was.out_ns;
	t->woken_ns = was.woken_ns;
}

/* --- tracepoints --------------------------------------------------------------------------- */

/* Bits of prev_state, as the kernel gives them to tracepoints. */
#define STATE_INTERRUPTIBLE   0x01u
#define STATE_UNINTERRUPTIBLE 0x02u
#define STATE_ENDED           0x30u /* dead, zombie */
#define STATE_IDLE            0x80u /* a thread of the kernel with no work */
#define STATE_REPORTED        0xffu /* above: preempted while it could run */

enum pw_off_reason pw_off_reason_of(uint64_t state)
{
	if (!(state & STATE_REPORTED))
		return PW_OFF_PREEMPTED;
	if (state & (STATE_INTERRUPTIBLE | STATE_IDLE))
		return PW_OFF_SLEEPING;
	return state & STATE_UNINTERRUPTIBLE ? PW_OFF_BLOCKED : PW_OFF_OTHER;
}

static void on_switch(struct pw_profile *p, struct event *e,
		      const struct pw_push *s)
{
	uint64_t state = pw_field_u64(&e->prev_state, s->raw, s->raw_size);
	uint32_t prev =
		(uint32_t)pw_field_u64(&e->prev_pid, s->raw, s->raw_size);
	uint32_t next =
		(uint32_t)pw_field_u64(&e->next_pid, s->raw, s->raw_size);
	struct frames f = { s->pid, s->time_ns,   s->cpumode,
			    s->ip,  s->callchain, s->n_callchain };
	struct spot spot;
	uint32_t task;

	p->has_switches = true;
	if (prev && !(state & STATE_ENDED)) {
		task = s->tid == prev ? task_find(p, s->pid, s->tid, s->comm)
				      : task_of_tid(p, prev);
		if (p->tasks[task].is_kept) {
			chain_spot(p, &p->tasks[task], &f, &spot);
			go_out(p, task, s->time_ns, pw_off_reason_of(state),
			       &spot, s->ip);
		}
	}
	if (next)
		go_in(p, task_of_tid(p, next), s->time_ns);
}

void switch_sample(struct pw_profile *p, struct event *e,
		   const struct pw_push *s)
{
	uint32_t tid, task;

	if (!e->has_fields || !s->raw || s->time_ns == PW_NO_TIME)
		return;
	if (e->role == EVENT_SWITCH) {
		on_switch(p, e, s);
		return;
	}
	tid = (uint32_t)pw_field_u64(&e->pid, s->raw, s->raw_size);
	task = task_of_tid(p, tid);
	wake(p, task, task_find(p, s->pid, s->tid, s->comm), s->time_ns);
}

/* --- records ------------------------------------------------------------------------------- */

void switch_record(struct pw_profile *p, const struct pw_event *ev)
{
	uint32_t task;

	if (p->has_switches || ev->time_ns == PW_NO_TIME ||
	    ev->tid == PW_NO_PID || !ev->tid)
		return;
	task = task_find(p, ev->pid, ev->tid, NULL);
	if (ev->swtch.is_out)
		go_out(p, task, ev->time_ns,
		       ev->swtch.is_preempt ? PW_OFF_PREEMPTED : PW_OFF_OTHER,
		       NULL, 0);
	else
		go_in(p, task, ev->time_ns);
}

void switches_end(struct pw_profile *p)
{
	uint32_t i;

	for (i = 1; i < p->n_tasks; i++)
		go_in(p, i, p->last_ns);
}
