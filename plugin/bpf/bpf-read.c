// SPDX-License-Identifier: GPL-2.0-only
/*
 * One readout: copies what changed out of the kernel's memory and gives back
 * what ended tasks had. The kernel goes on meanwhile; what is copied in the
 * middle of a change is copied again.
 */
#include "bpf-impl.h"

#include <string.h>
#include <sys/utsname.h>

/* --- tasks ------------------------------------------------------------------------- */

/* false: it holds nothing new. */
static bool copy_slot(const struct pw_bpf *b, uint32_t slot,
		      struct task_slot *t)
{
	const struct task_slot *from = &b->slots[slot];
	uint64_t change;

	for (int i = 0; i < 16; i++) {
		change = __atomic_load_n(&from->change, __ATOMIC_ACQUIRE);
		if (!change)
			return false;
		memcpy(t, from, sizeof(*t));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(change & 1) &&
		    change == __atomic_load_n(&from->change, __ATOMIC_RELAXED))
			break;
	}
	/* what was torn is whole the next time */
	t->change = change;
	return true;
}

/* What it does since a while counts as far as it has gone. */
static void add_present(struct task_slot *t, uint64_t now)
{
	if (now > t->since_ns && t->state < N_TASK_STATES &&
	    t->state != TASK_UNSEEN)
		t->ns[t->state] += now - t->since_ns;
}

static void fill_hists(const struct task_slot *t, uint64_t *row)
{
	static const enum pw_bpf_column first[N_TASK_HISTS] = {
		[HIST_RUN] = PW_BPF_TASK_RUN_N,
		[HIST_WAKE] = PW_BPF_TASK_WAKE_N,
		[HIST_SLEEP] = PW_BPF_TASK_SLEEP_N,
		[HIST_PREEMPTED] = PW_BPF_TASK_PREEMPTED_N,
	};

	for (int i = 0; i < N_TASK_HISTS; i++) {
		row[first[i]] = t->n_hist[i];
		row[first[i] + 1] = t->sum_ns[i];
		row[first[i] + 2] = t->min_ns[i];
		row[first[i] + 3] = t->max_ns[i];
	}
}

static void tell_task(struct pw_bpf *b, struct pw_series_out *s, uint32_t slot,
		      const struct task_slot *t)
{
	uint64_t row[PW_BPF_N_TASK] = {
		[PW_BPF_TASK_TID] = t->tid,
		[PW_BPF_TASK_PID] = t->pid,
		[PW_BPF_TASK_CGROUP] = t->cgroup,
		[PW_BPF_TASK_FIRST] = t->first_ns,
		[PW_BPF_TASK_ENDED] = t->ended_ns,
		[PW_BPF_TASK_ON_CPU] = t->ns[TASK_ON_CPU],
		[PW_BPF_TASK_WAKING] = t->ns[TASK_WAKING],
		[PW_BPF_TASK_PREEMPTED] = t->ns[TASK_PREEMPTED],
		[PW_BPF_TASK_SLEEPS] = t->ns[TASK_SLEEPS],
		[PW_BPF_TASK_BLOCKED] = t->ns[TASK_BLOCKED],
		[PW_BPF_TASK_OTHER] = t->ns[TASK_OTHER],
		[PW_BPF_TASK_VOLUNTARY] = t->voluntary,
		[PW_BPF_TASK_INVOLUNTARY] = t->involuntary,
		[PW_BPF_TASK_WAKEUPS] = t->wakeups,
		[PW_BPF_TASK_MIGRATIONS] = t->migrations,
		[PW_BPF_TASK_EXITS] = t->exits,
		[PW_BPF_TASK_GUEST] = t->guest_ns,
		[PW_BPF_TASK_HOST] = t->host_ns,
	};

	fill_hists(t, row);
	cgroup_tell(b, s, t->cgroup);
	pw_series_row(s, PW_BPF_TASK, slot, row);
	if (strncmp(b->told_comm[slot], t->comm, sizeof(t->comm))) {
		char comm[sizeof(t->comm) + 1] = "";

		memcpy(comm, t->comm, sizeof(t->comm));
		memcpy(b->told_comm[slot], t->comm, sizeof(t->comm));
		pw_series_text(s, PW_BPF_TASK, slot, "comm", comm);
	}
}

/* --- blocks --------------------------------------------------------------------------- */

static void tell_hist(const struct pw_bpf *b, struct pw_series_out *s,
		      uint32_t slot, const struct task_slot *t)
{
	uint64_t row[PW_BPF_N_HIST] = { [PW_BPF_HIST_TASK] = slot };

	for (uint32_t kind = 0; kind < N_TASK_HISTS; kind++)
		for (uint32_t i = 0; i < N_OCTAVES; i++) {
			uint32_t block = t->octave[kind][i];

			if (!block || block >= b->n_blocks)
				continue;
			row[PW_BPF_HIST_KIND] = kind;
			row[PW_BPF_HIST_BUCKET] = i * PW_BUCKET_SUB;
			for (int k = 0; k < PW_BUCKET_SUB; k++)
				row[PW_BPF_HIST_0 + k] =
					b->blocks[block].count[k];
			pw_series_row(s, PW_BPF_HIST, block, row);
		}
}

/* `present_ns`: how long it is on the CPU where it runs now. */
static void tell_places(const struct pw_bpf *b, struct pw_series_out *s,
			uint32_t slot, uint64_t present_ns)
{
	const uint64_t *groups = b->groups + (size_t)slot * b->n_groups;
	uint64_t row[PW_BPF_N_PLACE] = { [PW_BPF_PLACE_TASK] = slot };

	for (uint32_t i = 0; i < b->n_groups; i++) {
		if (!groups[i] || groups[i] >= b->n_blocks)
			continue;
		row[PW_BPF_PLACE_CPU] = i * BLOCK_CPUS;
		for (int k = 0; k < BLOCK_CPUS; k++) {
			const struct cpu_time *c = &b->blocks[groups[i]].cpu[k];

			row[PW_BPF_PLACE_NS0 + 2 * k] = c->ns;
			if (present_ns && i * BLOCK_CPUS + k < b->n_cpus &&
			    b->cpus[i * BLOCK_CPUS + k].slot == slot)
				row[PW_BPF_PLACE_NS0 + 2 * k] += present_ns;
			row[PW_BPF_PLACE_N0 + 2 * k] = c->runs;
		}
		pw_series_row(s, PW_BPF_PLACE, groups[i], row);
	}
}

static void drop_blocks(struct pw_bpf *b, struct pw_series_out *s,
			uint32_t slot)
{
	const struct task_slot *t = &b->slots[slot];
	uint64_t *groups = b->groups + (size_t)slot * b->n_groups;

	for (uint32_t i = 0; i < N_TASK_HISTS * N_OCTAVES; i++) {
		uint32_t block = (&t->octave[0][0])[i];

		if (!block || block >= b->n_blocks)
			continue;
		pw_series_drop(s, PW_BPF_HIST, block);
		free_block(b, block);
	}
	for (uint32_t i = 0; i < b->n_groups; i++) {
		if (!groups[i] || groups[i] >= b->n_blocks)
			continue;
		pw_series_drop(s, PW_BPF_PLACE, groups[i]);
		free_block(b, (uint32_t)groups[i]);
		groups[i] = 0;
	}
}

/* --- CPUs and totals --------------------------------------------------------------------- */

static void tell_cpu(const struct pw_bpf *b, struct pw_series_out *s,
		     uint32_t cpu, uint64_t now)
{
	struct cpu_slot c = b->cpus[cpu];
	uint64_t row[PW_BPF_N_CPU] = { 0 }, more = 0;

	if (!c.since_ns)
		return;
	if (now > c.since_ns)
		more = now - c.since_ns;
	row[PW_BPF_CPU_BUSY] = c.busy_ns + (c.tid ? more : 0);
	row[PW_BPF_CPU_IDLE] = c.idle_ns + (c.tid ? 0 : more);
	row[PW_BPF_CPU_SWITCHES] = c.switches;
	row[PW_BPF_CPU_WAKEUPS] = c.wakeups;
	pw_series_row(s, PW_BPF_CPU, cpu, row);
}

static void tell_total(const struct pw_bpf *b, struct pw_series_out *s)
{
	uint64_t row[PW_BPF_N_TOTAL] = { 0 };
	struct pw_bpf_cost cost;

	for (uint32_t i = 0; i < b->n_cpus; i++) {
		const struct cpu_slot *c = &b->cpus[i];

		row[PW_BPF_TOTAL_NO_SLOT] += c->no_slot;
		row[PW_BPF_TOTAL_NO_BLOCK] += c->no_block;
		row[PW_BPF_TOTAL_NO_PAIR] += c->no_pair;
		row[PW_BPF_TOTAL_NO_STACK] += c->no_stack;
		row[PW_BPF_TOTAL_NO_WAIT] += c->no_wait;
		row[PW_BPF_TOTAL_NO_EXIT] += c->no_exit;
		row[PW_BPF_TOTAL_NO_SWITCH] += c->no_switch;
	}
	pw_bpf_cost(b, &cost);
	row[PW_BPF_TOTAL_MISSED] = cost.missed;
	row[PW_BPF_TOTAL_PROGRAM_RUNS] = cost.runs;
	row[PW_BPF_TOTAL_PROGRAM_NS] = cost.ns;
	pw_series_row(s, PW_BPF_TOTAL, 0, row);
}

static void tell_facts(const struct pw_bpf *b, struct pw_series_out *s)
{
	char number[16];
	struct utsname u;

	pw_series_fact(s, "perf-wasm", PW_VERSION);
	pw_series_fact(s, "clock", "monotonic");
	pw_series_fact(s, "tasks", b->opts.is_filtered ? "some" : "all");
	snprintf(number, sizeof(number), "%u", b->n_cpus);
	pw_series_fact(s, "cpus", number);
	if (!uname(&u)) {
		pw_series_fact(s, "kernel", u.release);
		pw_series_fact(s, "machine", u.machine);
		pw_series_fact(s, "host", u.nodename);
	}
}

/* --- a readout ------------------------------------------------------------------------------- */

/* true: it has ended. */
static bool read_slot(struct pw_bpf *b, struct pw_series_out *s, uint32_t slot,
		      uint64_t now, bool is_whole)
{
	struct task_slot t;
	bool runs;

	if (!is_whole && b->slots[slot].change == b->told_change[slot] &&
	    b->slots[slot].state != TASK_ON_CPU)
		return false;
	if (!copy_slot(b, slot, &t))
		return false;
	runs = t.state == TASK_ON_CPU && !t.ended_ns;
	if (t.change != b->told_change[slot] || runs || is_whole) {
		b->told_change[slot] = t.change;
		if (runs || (is_whole && !t.ended_ns))
			add_present(&t, now);
		tell_task(b, s, slot, &t);
		tell_hist(b, s, slot, &t);
		tell_places(b, s, slot,
			    runs && now > t.since_ns ? now - t.since_ns : 0);
	}
	return t.ended_ns;
}

static void drop_tasks(struct pw_bpf *b, struct pw_series_out *s)
{
	entries_drop(b, s);
	for (uint32_t i = 1; i < b->n_slots; i++) {
		if (!b->ending[i])
			continue;
		drop_blocks(b, s, i);
		pw_series_drop(s, PW_BPF_TASK, i);
		b->ending[i] = false;
		b->told_change[i] = 0;
		memset(b->told_comm[i], 0, sizeof(b->told_comm[i]));
		free_slot(b, i);
	}
}

/* A file that goes on where another ended knows nothing of what that was told. */
static void forget_told(struct pw_bpf *b, struct pw_series_out *s)
{
	memset(b->told_change, 0, b->n_slots * sizeof(*b->told_change));
	memset(b->told_comm, 0, b->n_slots * sizeof(*b->told_comm));
	memset(b->stacks_told, 0, b->n_stack_words * sizeof(uint64_t));
	b->n_cgroups = 0;
	tell_facts(b, s);
	pw_series_fact(s, PW_BPF_FACT_COUNTED, PW_BPF_FACT_EARLIER);
}

int pw_bpf_rotate(struct pw_bpf *b, struct pw_series_out *s, const char *path,
		  struct pw_err *err)
{
	int ret = pw_series_restart(s, path, err);

	if (!ret)
		b->goes_on = true;
	return ret;
}

int pw_bpf_read(struct pw_bpf *b, struct pw_series_out *s, bool is_last,
		struct pw_err *err)
{
	uint64_t now = pw_now_ns();
	bool any = false, is_whole = is_last || b->goes_on;
	int ret;

	pw_series_begin(s, now);
	if (b->goes_on)
		forget_told(b, s);
	else if (!b->has_facts)
		tell_facts(b, s);
	b->has_facts = true;
	b->goes_on = false;
	for (uint32_t i = 1; i < b->n_slots; i++) {
		b->ending[i] = read_slot(b, s, i, now, is_whole);
		any |= b->ending[i];
	}
	for (uint32_t i = 0; i < b->n_cpus; i++)
		tell_cpu(b, s, i, now);
	ret = entries_read(b, s, err);
	if (any && !ret)
		drop_tasks(b, s);
	tell_total(b, s);
	return ret ?: pw_series_end(s, err);
}
