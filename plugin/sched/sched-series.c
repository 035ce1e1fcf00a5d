// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures that a program in the kernel kept (perf wasm record --bpf): the same
 * sums, histograms and bins, from differences between readouts instead of
 * events. Where in a readout's time something was is not known, but that it had
 * just ended: a time lies before the readout that tells of it.
 */
#include <stdlib.h>

#include "sched-impl.h"

/* Our tables and columns by those of the file, which may be an older one's. */
struct known {
	uint32_t table;                        /* ours; UINT32_MAX: not known */
	uint8_t column[PW_SERIES_MAX_COLUMNS]; /* ours, + 1 */
};

struct reader {
	struct pw_sched *s;
	struct pw_series *in;
	struct known known[PW_SERIES_MAX_TABLES];
	uint32_t n_known;
	uint64_t from_ns, to_ns; /* of the readout */
	/* Of figures that were counted before the first readout, which holds
	 * what they were then: its time; 0: all were counted since. */
	uint64_t base_ns;
	uint64_t base_total[PW_BPF_N_TOTAL];
	bool counts; /* it is in the window */
	/* by slot: the task; a slot may be another task's later */
	struct task **by_slot;
	uint32_t n_slots;
	/* of one item, in our order */
	uint64_t now[PW_SERIES_MAX_COLUMNS];
	uint64_t more[PW_SERIES_MAX_COLUMNS];
};

#define SLOTS_MAX (1u << 20)

/* --- tables --------------------------------------------------------------------------- */

static void know(struct reader *r, const struct pw_series_table *t)
{
	struct known *k = &r->known[r->n_known++];
	uint32_t n;
	const struct pw_series_table *ours = pw_bpf_tables(&n);

	memset(k, 0, sizeof(*k));
	for (k->table = 0; k->table < n; k->table++)
		if (!strcmp(ours[k->table].name, t->name))
			break;
	if (k->table == n) {
		k->table = UINT32_MAX;
		return;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t c =
			pw_series_column(&ours[k->table], t->columns[i].name);

		if (c != UINT32_MAX)
			k->column[i] = (uint8_t)(c + 1);
	}
}

/* The item in our columns; UINT32_MAX: a table that we do not know. */
static uint32_t sort_out(struct reader *r, const struct pw_series_item *it)
{
	const struct known *k = &r->known[it->table];
	uint32_t n = pw_series_table(r->in, it->table)->n;

	memset(r->now, 0, sizeof(r->now));
	memset(r->more, 0, sizeof(r->more));
	for (uint32_t i = 0; it->values && i < n; i++) {
		if (!k->column[i])
			continue;
		r->now[k->column[i] - 1] = it->values[i];
		/* a copy in the middle of a change is mended by the next */
		if (it->changes)
			r->more[k->column[i] - 1] = (uint64_t)it->changes[i];
	}
	return k->table;
}

static void add(uint64_t *sum, uint64_t more)
{
	*sum = (int64_t)more < 0 && *sum < -more ? 0 : *sum + more;
}

/* --- tasks ------------------------------------------------------------------------------ */

static struct task *task_at(const struct reader *r, uint64_t slot)
{
	return slot < r->n_slots ? r->by_slot[slot] : NULL;
}

static struct task *task_take(struct reader *r, uint64_t slot, uint32_t tid)
{
	struct task *t = task_at(r, slot);

	if (t || slot >= SLOTS_MAX)
		return t;
	if (slot >= r->n_slots) {
		uint32_t n = r->n_slots ? r->n_slots : 64;

		while (n <= slot)
			n *= 2;
		r->by_slot = pw_realloc(r->by_slot, n * sizeof(struct task *));
		memset(r->by_slot + r->n_slots, 0,
		       (n - r->n_slots) * sizeof(struct task *));
		r->n_slots = n;
	}
	r->by_slot[slot] = task_of(r->s, tid);
	return r->by_slot[slot];
}

#define NO_MIN UINT64_MAX

static void add_extremes(struct pw_hist *h, uint64_t n, uint64_t sum,
			 uint64_t min, uint64_t max)
{
	if (!n)
		return;
	if (min != NO_MIN && (!h->sum || min < h->min))
		h->min = min;
	if (max > h->max)
		h->max = max;
	add(&h->sum, sum);
}

static void add_states(struct reader *r, struct pw_sched_task *p)
{
	static const struct {
		enum pw_bpf_column from;
		enum pw_off_reason to;
	} off[] = {
		{ PW_BPF_TASK_WAKING, PW_OFF_WAKING },
		{ PW_BPF_TASK_PREEMPTED, PW_OFF_PREEMPTED },
		{ PW_BPF_TASK_SLEEPS, PW_OFF_SLEEPING },
		{ PW_BPF_TASK_BLOCKED, PW_OFF_BLOCKED },
		{ PW_BPF_TASK_OTHER, PW_OFF_OTHER },
	};

	add(&p->run_ns, r->more[PW_BPF_TASK_ON_CPU]);
	for (size_t i = 0; i < sizeof(off) / sizeof(*off); i++)
		add(&p->off_ns[off[i].to], r->more[off[i].from]);
	add(&p->edge_ns,
	    r->more[PW_BPF_TASK_ON_CPU] - r->more[PW_BPF_TASK_RUN_SUM]);
}

static void see_delay(const struct reader *r, struct pw_sched_task *p)
{
	uint64_t delay = p->max_delay_ns;

	if (p->latency.max > delay)
		delay = p->latency.max;
	if (p->preempted.max > delay)
		delay = p->preempted.max;
	if (delay > p->max_delay_ns) {
		p->max_delay_ns = delay;
		p->max_delay_at_ns = r->to_ns;
	}
}

static void add_lengths(struct reader *r, struct pw_sched_task *p)
{
	static const enum pw_bpf_column first[] = { PW_BPF_TASK_RUN_N,
						    PW_BPF_TASK_WAKE_N,
						    PW_BPF_TASK_SLEEP_N,
						    PW_BPF_TASK_PREEMPTED_N };
	struct pw_hist *const to[] = { &p->run, &p->latency, &p->sleep,
				       &p->preempted };

	for (int i = 0; i < 4; i++) {
		/* of a piece, one that did not change may be of before */
		bool is_whole = !r->base_ns,
		     min_changed = r->more[first[i] + 2],
		     max_changed = r->more[first[i] + 3];

		add_extremes(to[i], r->more[first[i]], r->more[first[i] + 1],
			     is_whole || min_changed ? r->now[first[i] + 2]
						     : NO_MIN,
			     is_whole || max_changed ? r->now[first[i] + 3]
						     : 0);
	}
	see_delay(r, p);
}

/* Since the readout before. */
static void spread(struct reader *r, enum sum_kind kind, uint64_t n)
{
	bins_spread(r->s, &r->s->sums[kind], r->from_ns, r->to_ns, n);
}

static void on_task(struct reader *r, uint64_t slot)
{
	struct task *t = task_take(r, slot, (uint32_t)r->now[PW_BPF_TASK_TID]);
	struct pw_sched_task *p = t ? &t->pub : NULL;
	uint64_t first = r->now[PW_BPF_TASK_FIRST];

	if (first < r->base_ns)
		first = r->base_ns;
	if (!t || t->idx <= TASK_IRQ)
		return;
	p->pid = (uint32_t)r->now[PW_BPF_TASK_PID];
	for (uint32_t i = 0; i < r->s->n_cgroups; i++)
		if (r->s->cgroups[i].id == r->now[PW_BPF_TASK_CGROUP])
			t->cgroup = i + 1;
	if (!r->counts)
		return;
	if (first < p->first_ns)
		p->first_ns = first;
	p->last_ns = r->to_ns;
	add(&p->n_in,
	    r->more[PW_BPF_TASK_VOLUNTARY] + r->more[PW_BPF_TASK_INVOLUNTARY]);
	add(&p->n_left, r->more[PW_BPF_TASK_VOLUNTARY]);
	add(&p->n_preempted, r->more[PW_BPF_TASK_INVOLUNTARY]);
	add(&p->n_woken, r->more[PW_BPF_TASK_WAKEUPS]);
	add(&p->n_migrations, r->more[PW_BPF_TASK_MIGRATIONS]);
	add(&p->n_exits, r->more[PW_BPF_TASK_EXITS]);
	add(&p->guest_ns, r->more[PW_BPF_TASK_GUEST]);
	add(&p->host_ns, r->more[PW_BPF_TASK_HOST]);
	spread(r, SUM_WAKEUPS, r->more[PW_BPF_TASK_WAKEUPS]);
	spread(r, SUM_MIGRATIONS, r->more[PW_BPF_TASK_MIGRATIONS]);
	spread(r, SUM_WAITING,
	       r->more[PW_BPF_TASK_WAKING] + r->more[PW_BPF_TASK_PREEMPTED]);
	add_states(r, p);
	add_lengths(r, p);
}

/* --- parts of tasks ----------------------------------------------------------------------- */

/* Of a bucket that had more: the extremes are in it, or beyond. */
static void see_bucket(struct reader *r, struct task *t, struct pw_hist *h,
		       unsigned int bucket)
{
	uint64_t low = pw_bucket_low(bucket);

	if (!r->base_ns)
		return; /* they were told */
	if (!h->max || pw_bucket_of(h->max) < bucket)
		h->max = low;
	if (!h->min || pw_bucket_of(h->min) > bucket)
		h->min = low;
	see_delay(r, &t->pub);
}

static void on_hist(struct reader *r)
{
	static const enum heat_kind heats[] = { HEAT_RUN, HEAT_LATENCY,
						HEAT_SLEEP, HEAT_LATENCY };
	struct task *t = task_at(r, r->now[PW_BPF_HIST_TASK]);
	uint64_t kind = r->now[PW_BPF_HIST_KIND];
	uint64_t first = r->now[PW_BPF_HIST_BUCKET], n = 0;
	struct pw_hist *h;

	if (!r->counts || !t || kind > 3 || first % PW_BUCKET_SUB ||
	    first >= PW_N_BUCKETS)
		return;
	h = kind == 0   ? &t->pub.run
	    : kind == 1 ? &t->pub.latency
	    : kind == 2 ? &t->pub.sleep
			: &t->pub.preempted;
	for (uint32_t i = 0; i < PW_BUCKET_SUB; i++) {
		uint64_t more = r->more[PW_BPF_HIST_0 + i];

		if (!more || more > UINT32_MAX)
			continue;
		if (first - h->first >= h->room)
			pw_hist_reach(h, (unsigned int)first);
		h->counts[first + i - h->first] += more;
		h->n += more;
		n += more;
		see_bucket(r, t, h, (unsigned int)first + i);
	}
	heat_add_n(r->s, t, heats[kind], r->to_ns - 1,
		   pw_bucket_low((unsigned int)first), (uint32_t)n);
}

/* Time on one CPU, at any time since the readout before. */
static void add_place(struct reader *r, struct task *t, uint32_t nr,
		      uint64_t ns, uint64_t n)
{
	struct cpu *c = ns || n ? cpu_of(r->s, nr) : NULL;
	struct core_use *core;

	if (!c || !c->is_kept || ns > r->to_ns)
		return;
	core = core_of(t, nr);
	add(&core->run_ns, ns);
	add(&core->n, n);
	bins_spread(r->s, &core->bins, r->from_ns, r->to_ns, ns);
}

static void on_place(struct reader *r)
{
	struct task *t = task_at(r, r->now[PW_BPF_PLACE_TASK]);
	uint32_t cpu = (uint32_t)r->now[PW_BPF_PLACE_CPU];

	for (uint32_t i = 0; r->counts && t && i < 4; i++)
		add_place(r, t, cpu + i, r->more[PW_BPF_PLACE_NS0 + 2 * i],
			  r->more[PW_BPF_PLACE_N0 + 2 * i]);
}

static void on_cpu(struct reader *r, uint64_t nr)
{
	struct cpu *c =
		nr < PW_SCHED_MAX_CPUS ? cpu_of(r->s, (uint32_t)nr) : NULL;
	uint64_t busy = r->more[PW_BPF_CPU_BUSY];

	if (!c || !r->counts || !c->is_kept)
		return;
	add(&c->pub.busy_ns, busy);
	add(&c->pub.idle_ns, r->more[PW_BPF_CPU_IDLE]);
	add(&c->pub.n_switches, r->more[PW_BPF_CPU_SWITCHES]);
	spread(r, SUM_SWITCHES, r->more[PW_BPF_CPU_SWITCHES]);
	bins_spread(r->s, &c->busy, r->from_ns, r->to_ns, busy);
}

static void add_pair(struct reader *r, enum pw_sched_pair_kind kind,
		     struct task *a, struct task *b, uint64_t n, uint64_t ns)
{
	uint32_t pair = n || ns ? pair_of(r->s, kind, a, b) : 0;

	if (!pair)
		return;
	add(&r->s->pairs[pair - 1].n, n);
	add(&r->s->pairs[pair - 1].ns, ns);
}

/* Slot 0 is an idle CPU: what wakes there is an interrupt. */
static void on_pair(struct reader *r)
{
	uint64_t b_slot = r->now[PW_BPF_PAIR_B];
	struct task *a = task_at(r, r->now[PW_BPF_PAIR_A]);
	struct task *b = task_at(r, b_slot);
	struct task *idle = r->s->n_cpus ? r->s->tasks[r->s->any_idle] : NULL;

	if (!r->counts || !a || !idle || (b_slot && !b))
		return;
	add_pair(r, PW_SCHED_WOKE, a, b ? b : r->s->tasks[TASK_IRQ],
		 r->more[PW_BPF_PAIR_WOKE], r->more[PW_BPF_PAIR_WOKE_NS]);
	add_pair(r, PW_SCHED_PREEMPTED, a, b ? b : idle,
		 r->more[PW_BPF_PAIR_TOOK], r->more[PW_BPF_PAIR_TOOK_NS]);
	add_pair(r, PW_SCHED_FOLLOWED, a, b ? b : idle,
		 r->more[PW_BPF_PAIR_FOLLOWED], 0);
}

static void on_exit_row(struct reader *r)
{
	struct task *t = task_at(r, r->now[PW_BPF_EXIT_TASK]);
	uint32_t at;

	if (!r->counts || !t)
		return;
	at = exit_of(r->s, t, (uint32_t)r->now[PW_BPF_EXIT_ISA],
		     (uint32_t)r->now[PW_BPF_EXIT_REASON]);
	if (!at)
		return;
	add(&r->s->exits[at - 1].n, r->more[PW_BPF_EXIT_N]);
	add(&r->s->exits[at - 1].host_ns, r->more[PW_BPF_EXIT_NS]);
}

static void on_total(struct reader *r)
{
	if (r->base_ns == r->to_ns)
		memcpy(r->base_total, r->now, sizeof(r->base_total));
	for (uint32_t i = 0; i < PW_BPF_N_TOTAL; i++)
		r->s->kernel->total[i] = r->now[i] - r->base_total[i];
}

/* --- items ---------------------------------------------------------------------------------- */

static void on_row(struct reader *r, const struct pw_series_item *it)
{
	switch (sort_out(r, it)) {
	case PW_BPF_TASK:
		on_task(r, it->key);
		return;
	case PW_BPF_HIST:
		on_hist(r);
		return;
	case PW_BPF_PLACE:
		on_place(r);
		return;
	case PW_BPF_CPU:
		on_cpu(r, it->key);
		return;
	case PW_BPF_PAIR:
		on_pair(r);
		return;
	case PW_BPF_EXIT:
		on_exit_row(r);
		return;
	case PW_BPF_TOTAL:
		on_total(r);
		return;
	default:
		return;
	}
}

static void on_text(struct reader *r, const struct pw_series_item *it)
{
	uint32_t table = r->known[it->table].table;
	struct pw_sched *s = r->s;
	struct task *t;

	if (table == PW_BPF_TASK && !strcmp(it->name, "comm")) {
		t = task_at(r, it->key);
		if (t && t->idx > TASK_IRQ)
			task_set_comm(t, it->text, (uint32_t)strlen(it->text));
	}
	if (table != PW_BPF_CGROUP || strcmp(it->name, "path"))
		return;
	cgroup_take(s, it->key, it->text);
}

static void on_fact(struct reader *r, const struct pw_series_item *it)
{
	struct pw_sched *s = r->s;
	char **to = !strcmp(it->name, "host")      ? &s->hostname
		    : !strcmp(it->name, "kernel")  ? &s->osrelease
		    : !strcmp(it->name, "machine") ? &s->arch
						   : NULL;

	if (to && !*to)
		*to = pw_strdup(it->text);
	/* a later one is of a piece that was joined to the first */
	if (s->kernel->n_readouts == 1 &&
	    !strcmp(it->name, PW_BPF_FACT_COUNTED) &&
	    !strcmp(it->text, PW_BPF_FACT_EARLIER)) {
		r->base_ns = r->to_ns;
		r->counts = false;
	}
	if (!strcmp(it->name, "tasks") && !strcmp(it->text, "some"))
		s->kernel->is_filtered = true;
}

static void on_readout(struct reader *r, const struct pw_series_item *it)
{
	struct pw_sched *s = r->s;

	while (r->n_known < pw_series_n_tables(r->in))
		know(r, pw_series_table(r->in, r->n_known));
	r->from_ns = s->kernel->n_readouts++ ? r->to_ns : it->time_ns;
	r->to_ns = it->time_ns;
	bins_reach(s, it->time_ns);
	r->counts = in_window(s, r->from_ns);
	if (!r->counts)
		return;
	if (r->from_ns < s->first_ns)
		s->first_ns = r->from_ns;
	if (r->to_ns > s->last_ns)
		s->last_ns = r->to_ns;
}

static void on_drop(struct reader *r, const struct pw_series_item *it)
{
	struct task *t = task_at(r, it->key);

	if (r->known[it->table].table != PW_BPF_TASK || !t)
		return;
	task_forget(r->s, t);
	r->by_slot[it->key] = NULL;
}

static void on_item(struct reader *r, const struct pw_series_item *it)
{
	switch (it->kind) {
	case PW_SERIES_READOUT:
		on_readout(r, it);
		return;
	case PW_SERIES_ROW:
		on_row(r, it);
		return;
	case PW_SERIES_TEXT:
		on_text(r, it);
		return;
	case PW_SERIES_FACT:
		on_fact(r, it);
		return;
	case PW_SERIES_DROP:
		on_drop(r, it);
		return;
	}
}

int pw_sched_series(struct pw_sched *s, struct pw_series *in,
		    struct pw_err *err)
{
	struct reader *r = pw_zalloc(sizeof(*r));
	struct pw_series_item it;
	int ret;

	if (!s->kernel)
		s->kernel = pw_zalloc(sizeof(*s->kernel));
	s->has_wake = true;
	r->s = s;
	r->in = in;
	while ((ret = pw_series_next(in, &it, err)) > 0)
		on_item(r, &it);
	s->kernel->was_cut = pw_series_was_cut(in);
	free(r->by_slot);
	free(r);
	return ret;
}
