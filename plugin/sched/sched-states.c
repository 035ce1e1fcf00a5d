// SPDX-License-Identifier: GPL-2.0-only
/*
 * What tasks are doing, from one event to the next. A time is counted when it
 * ends, to the state that it was spent in, as far as the options want it.
 *
 * Where events were lost a CPU may run another task than the last switch said.
 * Then nobody knows when that came in, so the time since then is counted to no
 * task.
 */
#include "sched-impl.h"

/* --- times that ended ---------------------------------------------------------------- */

/* On CPU c, until time_ns. */
static void end_run(struct pw_sched *s, struct cpu *c, struct task *t,
		    uint64_t time_ns)
{
	uint64_t from = t->since_ns, to = time_ns, whole = to - from;
	struct core_use *core;

	if (time_ns < from || !c->is_kept || !clip(s, &from, &to))
		return;
	t->pub.run_ns += to - from;
	if (t->pub.is_idle) {
		c->pub.idle_ns += to - from;
	} else {
		c->pub.busy_ns += to - from;
		bins_add(s, &c->busy, from, to);
	}
	if (c->lost_mark != c->pub.lost)
		t->pub.touched_ns += to - from;
	core = core_of(t, c->pub.cpu);
	core->run_ns += to - from;
	core->n++;
	bins_add(s, &core->bins, from, to);
	if (t->is_edge) {
		t->pub.edge_ns += to - from;
	} else if (in_window(s, time_ns)) {
		pw_hist_add(&t->pub.run, whole);
		if (!t->pub.is_idle)
			heat_add(s, t, HEAT_RUN, time_ns, whole);
	}
}

/* Off the CPU for a reason, since since_ns. */
static void end_off(struct pw_sched *s, struct task *t, uint64_t time_ns,
		    enum pw_off_reason reason)
{
	uint64_t from = t->since_ns, to = time_ns;

	if (time_ns < from)
		return;
	t->off_all_ns += to - from;
	if (!clip(s, &from, &to))
		return;
	t->pub.off_ns[reason] += to - from;
	if (reason == PW_OFF_WAKING || reason == PW_OFF_PREEMPTED)
		bins_add(s, &s->sums[SUM_WAITING], from, to);
	if (t->lost_mark != s->n_lost)
		t->pub.touched_ns += to - from;
}

static void end_sleep(struct pw_sched *s, struct task *t, uint64_t time_ns)
{
	uint64_t ns = time_ns - t->since_ns;

	if (time_ns < t->since_ns || !in_window(s, time_ns))
		return;
	pw_hist_add(&t->pub.sleep, ns);
	heat_add(s, t, HEAT_SLEEP, time_ns, ns);
}

/* Woken or preempted, until it ran. */
static void end_delay(struct pw_sched *s, struct task *t, uint64_t time_ns,
		      struct pw_hist *lengths)
{
	uint64_t ns = time_ns - t->since_ns;

	if (time_ns < t->since_ns || !in_window(s, time_ns))
		return;
	pw_hist_add(lengths, ns);
	t->delay_ns = ns;
	heat_add(s, t, HEAT_LATENCY, time_ns, ns);
	if (ns > t->pub.max_delay_ns) {
		t->pub.max_delay_ns = ns;
		t->pub.max_delay_at_ns = time_ns;
	}
}

static void begin(struct pw_sched *s, struct task *t, uint64_t time_ns,
		  enum task_state state)
{
	t->state = state;
	t->since_ns = time_ns;
	t->is_edge = false;
	t->lost_mark = s->n_lost;
	if (time_ns < t->pub.first_ns)
		t->pub.first_ns = time_ns;
	if (time_ns > t->pub.last_ns)
		t->pub.last_ns = time_ns;
}

/* --- out ------------------------------------------------------------------------------- */

static void tell_run(struct pw_sched *s, const struct cpu *c,
		     const struct task *t, uint64_t time_ns,
		     enum pw_off_reason reason, bool is_ended)
{
	const bool is_known = t->state == TASK_RUNNING;
	const struct pw_sched_run r = {
		.time_ns = time_ns,
		.cpu = c->pub.cpu,
		.tid = t->pub.tid,
		.pid = t->pub.pid,
		.comm = t->pub.comm,
		.run_ns = is_known && !t->is_edge ? time_ns - t->since_ns : 0,
		.wait_ns = t->wait_ns,
		.delay_ns = t->delay_ns,
		.reason = reason,
		.is_idle = t->pub.is_idle,
		.is_ended = is_ended,
		.is_edge = t->is_edge || !is_known,
	};

	if (c->is_kept && in_window(s, time_ns))
		s->on_run(s->ctx, &r);
}

/* The task that was on c is not the one that leaves. */
static void miss(struct pw_sched *s, struct cpu *c, uint64_t time_ns)
{
	uint64_t from = c->since_ns, to = time_ns;
	struct task *t;

	if (c->cur == NO_TASK)
		return;
	t = s->tasks[c->cur];
	s->n_broken++;
	if (t->state == TASK_RUNNING && t->cpu == c->pub.cpu)
		t->state = TASK_UNKNOWN;
	if (c->is_kept && clip(s, &from, &to))
		c->pub.unknown_ns += to - from;
}

/* t leaves c: the time that it ran, if it is known. */
static void leave(struct pw_sched *s, struct cpu *c, uint64_t time_ns,
		  struct task *t)
{
	if (c->cur == t->idx && t->state == TASK_RUNNING &&
	    t->cpu == c->pub.cpu)
		end_run(s, c, t, time_ns);
	else
		miss(s, c, time_ns);
	t->wait_ns = t->delay_ns = 0;
	t->cpu = c->pub.cpu;
	c->cur = NO_TASK;
	c->since_ns = time_ns;
}

void state_out(struct pw_sched *s, struct cpu *c, uint64_t time_ns,
	       struct task *t, enum pw_off_reason reason)
{
	if (s->on_run)
		tell_run(s, c, t, time_ns, reason, false);
	leave(s, c, time_ns, t);
	if (t->idx == TASK_REST)
		return;
	begin(s, t, time_ns, t->pub.is_idle ? TASK_UNKNOWN : TASK_OFF);
	t->reason = reason;
	t->out_ns = time_ns;
	t->preempter = 0;
	if (t->pub.is_idle || !in_window(s, time_ns) || !c->is_kept)
		return;
	if (reason == PW_OFF_PREEMPTED)
		t->pub.n_preempted++;
	else
		t->pub.n_left++;
}

/* --- in -------------------------------------------------------------------------------- */

/* What it did before ends. */
static void end_wait(struct pw_sched *s, struct task *t, uint64_t time_ns)
{
	struct pw_sched_task *p = &t->pub;

	switch (t->state) {
	case TASK_READY:
		end_off(s, t, time_ns, PW_OFF_WAKING);
		end_delay(s, t, time_ns, &p->latency);
		return;
	case TASK_OFF:
		end_off(s, t, time_ns, t->reason);
		if (t->reason == PW_OFF_PREEMPTED) {
			end_delay(s, t, time_ns, &p->preempted);
			if (t->preempter && in_window(s, time_ns))
				s->pairs[t->preempter - 1].ns +=
					time_ns - t->since_ns;
		} else {
			end_sleep(s, t, time_ns);
			p->n_no_wake += in_window(s, time_ns);
		}
		return;
	case TASK_UNKNOWN:
		p->n_first += !p->is_idle && t->out_ns == PW_NO_TIME &&
			      in_window(s, time_ns);
		return;
	default:
		return;
	}
}

static void tell_in(struct pw_sched *s, const struct cpu *c,
		    const struct task *t, uint64_t time_ns)
{
	const struct pw_sched_run r = { .time_ns = time_ns,
					.cpu = c->pub.cpu,
					.tid = t->pub.tid,
					.pid = t->pub.pid,
					.comm = t->pub.comm,
					.is_idle = t->pub.is_idle };

	s->on_in(s->ctx, &r);
}

void count_migration(struct pw_sched *s, struct task *t, uint64_t time_ns)
{
	if (!in_window(s, time_ns))
		return;
	t->pub.n_migrations++;
	bins_count(s, &s->sums[SUM_MIGRATIONS], time_ns);
}

void state_in(struct pw_sched *s, struct cpu *c, uint64_t time_ns,
	      struct task *t)
{
	const bool counts = c->is_kept && in_window(s, time_ns);

	if (s->on_in && counts)
		tell_in(s, c, t, time_ns);

	c->cur = t->idx;
	c->since_ns = time_ns;
	c->lost_mark = c->pub.lost;
	if (t->idx == TASK_REST) {
		t->pub.n_in += counts;
		begin(s, t, time_ns, TASK_RUNNING);
		t->cpu = c->pub.cpu;
		return;
	}
	end_wait(s, t, time_ns);
	if (t->out_ns != PW_NO_TIME && time_ns > t->out_ns)
		t->wait_ns = time_ns - t->out_ns;
	if (counts) {
		t->pub.n_in++;
		c->pub.n_switches++;
		bins_count(s, &s->sums[SUM_SWITCHES], time_ns);
		if (!s->has_migrate && t->cpu != NO_CPU && t->cpu != c->pub.cpu)
			count_migration(s, t, time_ns);
	}
	begin(s, t, time_ns, TASK_RUNNING);
	t->cpu = c->pub.cpu;
}

void state_seen(struct pw_sched *s, struct cpu *c, uint64_t time_ns,
		struct task *t)
{
	if (t->idx <= TASK_IRQ || t->state == TASK_RUNNING)
		return;
	c->cur = t->idx;
	c->since_ns = time_ns;
	c->lost_mark = c->pub.lost;
	begin(s, t, time_ns, TASK_RUNNING);
	t->is_edge = true;
	t->cpu = c->pub.cpu;
}

/* --- a switch ----------------------------------------------------------------------------- */

/* Bits of prev_state: dead, zombie. */
#define STATE_ENDED 0x30u

void state_switch(struct pw_sched *s, struct cpu *c, uint64_t time_ns,
		  struct task *prev, uint64_t prev_state, struct task *next)
{
	enum pw_off_reason reason = pw_off_reason_of(prev_state);
	const bool counts = c->is_kept && in_window(s, time_ns);
	const bool is_ended = prev_state & STATE_ENDED && !prev->pub.is_idle;
	uint32_t pair;

	if (is_ended) {
		if (s->on_run)
			tell_run(s, c, prev, time_ns, reason, true);
		leave(s, c, time_ns, prev);
		begin(s, prev, time_ns, TASK_ENDED);
		prev->pub.n_left += counts;
		task_forget(s, prev);
	} else {
		state_out(s, c, time_ns, prev, reason);
	}
	pair = counts ? pair_of(s, PW_SCHED_FOLLOWED, prev, next) : 0;
	if (pair)
		s->pairs[pair - 1].n++;
	if (reason == PW_OFF_PREEMPTED && counts && !prev->pub.is_idle) {
		prev->preempter = pair_of(s, PW_SCHED_PREEMPTED, prev, next);
		if (prev->preempter)
			s->pairs[prev->preempter - 1].n++;
	}
	if (!s->of_tasks)
		state_in(s, c, time_ns, next);
}

/* --- woken ---------------------------------------------------------------------------------- */

void state_wake(struct pw_sched *s, uint64_t time_ns, struct task *t,
		struct task *waker)
{
	uint64_t slept = time_ns - t->since_ns;
	uint32_t pair;

	/* one that runs, or is to run already, only changes its mind */
	if (t->idx <= TASK_IRQ || t->pub.is_idle || t->state == TASK_RUNNING ||
	    t->state == TASK_READY || t->state == TASK_ENDED ||
	    (t->state == TASK_OFF &&
	     (t->reason == PW_OFF_PREEMPTED || time_ns < t->since_ns)))
		return;
	if (t->state == TASK_OFF) {
		end_off(s, t, time_ns, t->reason);
		end_sleep(s, t, time_ns);
	} else {
		slept = 0;
	}
	if (in_window(s, time_ns)) {
		t->pub.n_woken++;
		bins_count(s, &s->sums[SUM_WAKEUPS], time_ns);
		pair = pair_of(s, PW_SCHED_WOKE, t, waker);
		if (pair) {
			s->pairs[pair - 1].n++;
			s->pairs[pair - 1].ns += slept;
		}
	}
	begin(s, t, time_ns, TASK_READY);
}

/* --- the end ---------------------------------------------------------------------------------- */

void states_end(struct pw_sched *s)
{
	uint64_t end = s->last_ns;

	for (uint32_t i = 0; i < s->n_cpus; i++) {
		struct cpu *c = s->cpus[s->cpu_list[i]];
		struct task *t = c->cur == NO_TASK ? NULL : s->tasks[c->cur];

		if (!t || t->state != TASK_RUNNING || t->cpu != c->pub.cpu)
			continue;
		t->is_edge = true;
		end_run(s, c, t, end);
		t->state = TASK_UNKNOWN;
	}
	for (uint32_t i = 0; i < s->n_tasks; i++) {
		struct task *t = s->tasks[i];

		/* of one that is not recorded nobody knows whether it ran */
		if (t->state == TASK_READY &&
		    !(s->of_tasks && t->out_ns == PW_NO_TIME))
			end_off(s, t, end, PW_OFF_WAKING);
		else if (t->state == TASK_OFF)
			end_off(s, t, end, t->reason);
		t->state = TASK_UNKNOWN;
	}
}
