// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler's figures, kept in the kernel: per task how long it ran,
 * waited and slept, how often it was switched, woken and moved, by whom, and
 * where in its code it waited; histograms; exits of guests. What is kept where
 * is in sched-maps.h. Built for the bpf target; fields of the kernel's
 * structures are found when it is loaded, by the kernel's BTF.
 */
#include "sched-store.h"

char LICENSE[] SEC("license") = "GPL";

/* --- counting --------------------------------------------------------------------------- */

/* Global, so that the verifier walks its branches once. */
__noinline uint32_t bucket_at(uint64_t ns)
{
	return bucket_of(ns);
}

static __always_inline void hist_add(struct task_slot *t, enum task_hist kind,
				     uint64_t ns, struct cpu_slot *c)
{
	uint32_t bucket = bucket_at(ns), octave = bucket / PW_BUCKET_SUB;
	union block *block;
	uint32_t at;

	if (!t->n_hist[kind]++ || ns < t->min_ns[kind])
		t->min_ns[kind] = ns;
	if (ns > t->max_ns[kind])
		t->max_ns[kind] = ns;
	t->sum_ns[kind] += ns;
	if (octave >= N_OCTAVES)
		return;
	at = t->octave[kind][octave];
	if (!at)
		at = t->octave[kind][octave] = new_block(c);
	block = at ? bpf_map_lookup_elem(&blocks, &at) : 0;
	if (block)
		block->count[bucket % PW_BUCKET_SUB]++;
}

static __always_inline void cpu_add(uint32_t slot, uint64_t ns,
				    struct cpu_slot *c)
{
	uint32_t cpu = bpf_get_smp_processor_id();
	uint32_t key = slot * settings.n_cpu_groups + cpu / BLOCK_CPUS;
	uint64_t *at = bpf_map_lookup_elem(&cpu_groups, &key);
	uint32_t block_idx;
	union block *block;

	if (!at)
		return;
	if (!*at)
		*at = new_block(c);
	block_idx = (uint32_t)*at;
	block = block_idx ? bpf_map_lookup_elem(&blocks, &block_idx) : 0;
	if (!block)
		return;
	block->cpu[cpu % BLOCK_CPUS].ns += ns;
	block->cpu[cpu % BLOCK_CPUS].runs++;
}

/* Leaves a state; how long it lasted. */
static __always_inline uint64_t stay_ends(struct task_slot *t, uint64_t now)
{
	uint64_t ns = now - t->since_ns;
	uint32_t state = t->state;

	if ((int64_t)ns < 0)
		ns = 0; /* clocks of CPUs may differ by a little */
	if (state > TASK_UNSEEN && state < N_TASK_STATES)
		t->ns[state] += ns;
	t->since_ns = now;
	return ns;
}

/* --- out, woken, in ------------------------------------------------------------------------ */

static __always_inline uint32_t state_of(bool preempt, uint32_t state)
{
	if (state & STATE_DEAD)
		return TASK_OTHER;
	if (preempt || !(state & STATE_REPORTED))
		return TASK_PREEMPTED;
	if (state & STATE_INTERRUPTIBLE)
		return TASK_SLEEPS;
	if (state & STATE_RTLOCK)
		return TASK_BLOCKED;
	if (state & STATE_UNINTERRUPTIBLE)
		return state & STATE_NOLOAD ? TASK_SLEEPS : TASK_BLOCKED;
	return TASK_OTHER;
}

static __always_inline void go_out(struct task_slot *t, uint32_t slot,
				   struct task_struct *prev, uint32_t out,
				   bool is_dead, struct cpu_slot *c,
				   uint64_t now)
{
	uint64_t ns;

	t->change++;
	ns = stay_ends(t, now);
	if (t->state == TASK_ON_CPU) {
		hist_add(t, HIST_RUN, ns, c);
		cpu_add(slot, ns, c);
	}
	if (out == TASK_PREEMPTED)
		t->involuntary++;
	else
		t->voluntary++;
	t->state = t->out_state = out;
	t->out_ns = now;
	t->woken_ns = 0;
	if (!((t->voluntary + t->involuntary) & 63))
		t->cgroup = cgroup_of(prev);
	if (is_dead)
		t->ended_ns = now;
	t->change++;
}

static __always_inline void count_wait(struct task_slot *t, uint32_t slot,
				       struct cpu_slot *c, uint64_t now)
{
	struct wait_key key = { slot, t->stack, t->out_state };
	struct wait_count *w = bpf_map_lookup_elem(&waits, &key), fresh = { 0 };
	uint64_t woken = t->woken_ns ?: now;

	if (!w) {
		fresh.n = 1;
		fresh.ns = woken - t->out_ns;
		fresh.waking_ns = now - woken;
		if (bpf_map_update_elem(&waits, &key, &fresh, BPF_NOEXIST))
			c->no_wait++;
		return;
	}
	w->n++;
	w->ns += woken - t->out_ns;
	w->waking_ns += now - woken;
}

/* Counts of what b did to a; 0: there is no place for them. */
static __always_inline struct pair_count *pair_of(uint32_t a, uint32_t b,
						  struct cpu_slot *c)
{
	struct pair_key key = { a, b };
	struct pair_count *p = bpf_map_lookup_elem(&pairs, &key);
	struct pair_count fresh = { 0 };

	if (p)
		return p;
	if (!bpf_map_update_elem(&pairs, &key, &fresh, BPF_NOEXIST))
		p = bpf_map_lookup_elem(&pairs, &key);
	if (!p)
		c->no_pair++;
	return p;
}

static __always_inline void count_taken(uint32_t slot, struct task_slot *t,
					uint64_t ns, struct cpu_slot *c)
{
	struct pair_count *p;

	p = t->taker ? pair_of(slot, t->taker - 1, c) : 0;
	if (!p)
		return;
	p->took++;
	p->took_ns += ns;
}

/* The first of a pair may be of several CPUs at once only where it is idle,
 * which is not counted. */
static __always_inline void count_next(struct task_slot *prev, uint32_t a,
				       uint32_t b, struct cpu_slot *c)
{
	struct pair_count *p = pair_of(a, b, c);

	if (p)
		p->followed++;
	prev->taker = prev->state == TASK_PREEMPTED ? b + 1 : 0;
}

static __always_inline void go_in(struct task_slot *t, uint32_t slot,
				  struct cpu_slot *c, uint64_t now)
{
	uint64_t ns;

	t->change++;
	ns = stay_ends(t, now);
	if (t->state == TASK_WAKING) {
		hist_add(t, HIST_WAKE, ns, c);
	} else if (t->state == TASK_PREEMPTED) {
		hist_add(t, HIST_PREEMPTED, ns, c);
		count_taken(slot, t, ns, c);
	}
	if (settings.has_stacks && t->out_ns)
		count_wait(t, slot, c, now);
	t->state = TASK_ON_CPU;
	t->out_ns = 0;
	t->waker = 0;
	t->change++;
}

static __always_inline uint32_t raw_state(struct task_struct *task)
{
	struct task_struct___old *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return BPF_CORE_READ(task, __state);
	return (uint32_t)BPF_CORE_READ(old, state);
}

/* Another task leaves the CPU than had come: a switch was not seen (some hosts
 * hide tasks of their own). What had come ran until now at the latest; what it
 * does since then nobody knows. */
static __always_inline void lose(struct cpu_slot *c, uint64_t now)
{
	struct task_slot *t = slot_at(c->slot);

	c->no_switch++;
	if (!t || t->state != TASK_ON_CPU)
		return;
	t->change++;
	cpu_add(c->slot, stay_ends(t, now), c);
	t->state = TASK_UNSEEN;
	t->change++;
}

/* The slot of who leaves; 0: idle, or not counted. */
static __always_inline uint32_t prev_out(void *ctx, bool preempt,
					 struct task_struct *prev,
					 uint32_t state, struct cpu_slot *c,
					 uint64_t now)
{
	uint32_t tid = (uint32_t)prev->pid, slot;
	bool is_dead = state & STATE_DEAD;
	struct task_slot *t;

	if (c->since_ns && c->tid != tid)
		lose(c, now);
	if (!tid) {
		if (c->since_ns)
			c->idle_ns += now - c->since_ns;
		return 0;
	}
	if (c->since_ns)
		c->busy_ns += now - c->since_ns;
	slot = c->since_ns && c->tid == tid ? c->slot : slot_for(prev, c, now);
	t = slot_at(slot);
	if (!t)
		return 0;
	if (settings.has_stacks && !is_dead) {
		t->stack = -1;
		if (!(prev->flags & FLAG_KTHREAD) && prev->mm) {
			t->stack = (int32_t)bpf_get_stackid(ctx, &stacks,
							    BPF_F_USER_STACK);
			if (t->stack < 0) {
				t->stack = -1;
				c->no_stack++;
			}
		}
	}
	go_out(t, slot, prev, state_of(preempt, state), is_dead, c, now);
	if (is_dead)
		bpf_map_delete_elem(&slot_of, &tid);
	return slot;
}

SEC("tp_btf/sched_switch")
int on_switch(uint64_t *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct cpu_slot *c = this_cpu();
	uint64_t now = bpf_ktime_get_ns();
	uint32_t state, left, slot = 0;
	struct task_slot *t;

	if (!c)
		return 0;
	if (settings.has_prev_state)
		state = (uint32_t)ctx[3];
	else
		state = raw_state(prev);
	left = prev_out(ctx, (bool)ctx[0], prev, state, c, now);
	if (next->pid)
		slot = slot_for(next, c, now);
	c->tid = (uint32_t)next->pid;
	c->slot = slot;
	c->since_ns = now;
	c->switches++;
	t = slot_at(left);
	if (t)
		count_next(t, left, slot, c);
	t = slot_at(slot);
	if (t)
		go_in(t, slot, c, now);
	return 0;
}

SEC("tp_btf/sched_waking")
int on_waking(uint64_t *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct cpu_slot *c = this_cpu();
	uint32_t tid = (uint32_t)task->pid;
	struct slot_ref *ref = bpf_map_lookup_elem(&slot_of, &tid);
	struct task_slot *t = ref ? slot_at(ref->slot) : 0;

	/* + 1: an idle CPU is a waker, too */
	if (t && c && t->state != TASK_ON_CPU)
		t->waker = c->slot + 1;
	return 0;
}

static __always_inline void wake(struct task_slot *t, uint32_t slot,
				 struct cpu_slot *c, uint64_t now)
{
	struct pair_count *p;
	uint64_t ns;

	if (t->state == TASK_ON_CPU || t->state == TASK_WAKING ||
	    t->state == TASK_PREEMPTED)
		return;
	t->change++;
	ns = stay_ends(t, now);
	if (t->state != TASK_UNSEEN) {
		hist_add(t, HIST_SLEEP, ns, c);
		p = pair_of(slot, t->waker ? t->waker - 1 : c->slot, c);
		if (p) {
			p->woke++;
			p->woke_ns += ns;
		}
	}
	t->state = TASK_WAKING;
	t->woken_ns = now;
	t->wakeups++;
	t->change++;
}

SEC("tp_btf/sched_wakeup")
int on_wakeup(uint64_t *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	uint64_t now = bpf_ktime_get_ns();
	struct cpu_slot *c = this_cpu();
	struct task_slot *t;
	uint32_t slot;

	if (!c)
		return 0;
	c->wakeups++;
	slot = slot_for(task, c, now);
	t = slot_at(slot);
	if (t)
		wake(t, slot, c, now);
	return 0;
}

/* A task that begins. One of the same number is over. */
SEC("tp_btf/sched_wakeup_new")
int on_wakeup_new(uint64_t *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	uint64_t now = bpf_ktime_get_ns();
	struct cpu_slot *c = this_cpu();
	uint32_t tid = (uint32_t)task->pid, slot;
	struct slot_ref *ref = bpf_map_lookup_elem(&slot_of, &tid);
	struct task_slot *t;

	if (!c)
		return 0;
	t = ref ? slot_at(ref->slot) : 0;
	if (t && t->state != TASK_UNSEEN) {
		t->ended_ns = now;
		t->change += 2;
		ref = 0;
	}
	slot = ref                    ? ref->slot
	       : settings.is_filtered ? 0
				      : new_slot(task, c, now);
	t = slot_at(slot);
	if (t)
		wake(t, slot, c, now);
	return 0;
}

/* --- who is who ------------------------------------------------------------------------------- */

/* With a filter: children of those that are counted. A thread is like the
 * thread that made it, a process is one step further. */
SEC("tp_btf/sched_process_fork")
int on_fork(uint64_t *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	uint32_t tid = (uint32_t)parent->pid, born = (uint32_t)child->pid;
	struct slot_ref *ref, fresh = { 0 };
	struct cpu_slot *c = this_cpu();

	ref = bpf_map_lookup_elem(&slot_of, &tid);
	if (!ref || !c)
		return 0;
	fresh.follow = ref->follow;
	if (fresh.follow && parent->tgid != child->tgid)
		fresh.follow--;
	if (fresh.follow)
		bpf_map_update_elem(&slot_of, &born, &fresh, BPF_ANY);
	else
		new_slot(child, c, bpf_ktime_get_ns());
	return 0;
}

/* With a filter: those that are only followed leave no trace. */
SEC("tp_btf/sched_process_exit")
int on_exit(uint64_t *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	uint32_t tid = (uint32_t)task->pid;
	struct slot_ref *ref = bpf_map_lookup_elem(&slot_of, &tid);

	if (ref && !ref->slot)
		bpf_map_delete_elem(&slot_of, &tid);
	return 0;
}

SEC("tp_btf/task_rename")
int on_rename(uint64_t *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	uint32_t tid = (uint32_t)task->pid;
	struct slot_ref *ref = bpf_map_lookup_elem(&slot_of, &tid);
	struct task_slot *t = ref ? slot_at(ref->slot) : 0;

	if (!t)
		return 0;
	bpf_probe_read_kernel_str(t->comm, sizeof(t->comm), (void *)ctx[1]);
	t->cgroup = cgroup_of(task);
	t->change += 2;
	return 0;
}

SEC("tp_btf/sched_migrate_task")
int on_migrate(uint64_t *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	uint32_t tid = (uint32_t)task->pid;
	struct slot_ref *ref = bpf_map_lookup_elem(&slot_of, &tid);
	struct task_slot *t = ref ? slot_at(ref->slot) : 0;

	if (t)
		t->migrations++;
	return 0;
}

/* --- guests ------------------------------------------------------------------------------------- */

static __always_inline void count_exit(struct task_slot *t, uint32_t slot,
				       uint64_t ns, struct cpu_slot *c)
{
	struct exit_key key = { slot, t->reason };
	struct exit_count *e = bpf_map_lookup_elem(&exits, &key);
	struct exit_count fresh = { 1, ns };

	if (e) {
		e->n++;
		e->host_ns += ns;
	} else if (bpf_map_update_elem(&exits, &key, &fresh, BPF_NOEXIST)) {
		c->no_exit++;
	}
}

static __always_inline uint32_t vcpu_slot(void)
{
	uint32_t tid = (uint32_t)bpf_get_current_pid_tgid();
	struct slot_ref *ref = bpf_map_lookup_elem(&slot_of, &tid);

	return ref ? ref->slot : 0;
}

SEC("tp/kvm/kvm_entry")
int on_entry_guest(void *ctx __attribute__((unused)))
{
	uint64_t now = bpf_ktime_get_ns();
	struct cpu_slot *c = this_cpu();
	uint32_t slot = vcpu_slot();
	struct task_slot *t = slot_at(slot);

	if (!t || !c)
		return 0;
	if (t->in_guest == 2) {
		t->host_ns += now - t->kvm_ns;
		count_exit(t, slot, now - t->kvm_ns, c);
	}
	t->kvm_ns = now;
	t->in_guest = 1;
	return 0;
}

SEC("tp/kvm/kvm_exit")
int on_exit_guest(void *ctx)
{
	struct trace_event_raw_kvm_exit *ev = ctx;
	struct trace_event_raw_kvm_exit___arm *arm = ctx;
	uint64_t now = bpf_ktime_get_ns();
	struct task_slot *t = slot_at(vcpu_slot());

	if (!t)
		return 0;
	if (t->in_guest == 1)
		t->guest_ns += now - t->kvm_ns;
	if (bpf_core_field_exists(ev->exit_reason))
		bpf_core_read(&t->reason, sizeof(t->reason), &ev->exit_reason);
	else if (bpf_core_field_exists(arm->esr_ec))
		bpf_core_read(&t->reason, sizeof(t->reason), &arm->esr_ec);
	if (bpf_core_field_exists(ev->isa))
		bpf_core_read(&t->isa, sizeof(t->isa), &ev->isa);
	t->kvm_ns = now;
	t->in_guest = 2;
	t->exits++;
	t->change += 2;
	return 0;
}
