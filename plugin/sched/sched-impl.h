/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of the pass. An event comes in (sched-feed.c), changes the state
 * of tasks and CPUs (sched-states.c, sched-kvm.c), which are found by number
 * (sched-tasks.c), and time that ended goes to sums, histograms and bins
 * (sched-bins.c). sched-pairs.c keeps who did what to whom. sched-roles.c and the
 * report files only read.
 */
#ifndef PLUGIN_SCHED_SCHED_IMPL_H
#define PLUGIN_SCHED_SCHED_IMPL_H

#include <perfwasm/sched.h>

#include <regex.h>
#include <string.h>

#include "sched-series.h"

/* --- bins of time ---------------------------------------------------------------- */

/*
 * The axis of time has N_BINS bins, so one pass is enough, and 256 to 512 are
 * used in the end. Most tasks are seldom on most CPUs, so bins are allocated
 * by the chunk.
 */
#define N_BINS      512u
#define CHUNK       32u /* bins: what is allocated together */
#define N_CHUNKS    (N_BINS / CHUNK)
#define FIRST_SHIFT 16u

/* Of the whole machine. */
enum sum_kind {
	SUM_SWITCHES,
	SUM_WAKEUPS,
	SUM_MIGRATIONS,
	SUM_WAITING,
	N_SUMS
};

struct bins {
	uint64_t *chunks[N_CHUNKS];
};

/* Lengths over time: a row for each power of two, a column for each eight bins. */
#define HEAT_SHIFT   3u
#define HEAT_COLUMNS (N_BINS >> HEAT_SHIFT)
#define HEAT_ROWS    ((PW_N_BUCKETS) / PW_BUCKET_SUB)
#define HEAT_BYTES   (24u << 20) /* all of them; beyond it small ones go */

struct heat {
	uint32_t *cells; /* [n][HEAT_COLUMNS] */
	uint8_t first, n;
};
enum heat_kind {
	HEAT_RUN,
	HEAT_SLEEP,
	HEAT_LATENCY,
	HEAT_GUEST,
	HEAT_HOST,
	N_HEATS
};

/* --- tasks and CPUs ---------------------------------------------------------------- */

#define TASKS_MAX  (1u << 18)
#define TASK_REST  0u
#define TASK_IRQ   1u
#define NO_TASK    UINT32_MAX
#define NO_CPU     UINT32_MAX
#define COMM_BYTES 16u

enum task_state {
	TASK_UNKNOWN, /* not seen yet, or an event is missing */
	TASK_RUNNING,
	TASK_READY, /* woken */
	TASK_OFF,   /* for `reason`; preempted as well */
	TASK_ENDED
};

/* What a task did on one CPU. */
struct core_use {
	uint32_t cpu;
	uint64_t run_ns, n;
	struct bins bins; /* run_ns over time */
};

struct task {
	struct pw_sched_task pub;
	char comm[COMM_BYTES + 8];
	uint32_t idx;
	bool is_stale_heat; /* its heat maps were given up */

	enum task_state state;
	enum pw_off_reason reason;
	bool is_edge;      /* when the state began is not known */
	uint64_t since_ns; /* of the state */
	uint64_t out_ns;   /* when it left the CPU; PW_NO_TIME: not known */
	uint64_t wait_ns, delay_ns; /* before it came in, for on_run */
	uint64_t lost_mark;         /* events lost until since_ns */
	uint32_t cpu;               /* the last */
	uint32_t cgroup;            /* number + 1 */

	struct core_use *cores;
	uint32_t n_cores, last_core;
	struct heat heat[N_HEATS];
	uint32_t last_pair[PW_N_SCHED_PAIRS]; /* number + 1 */
	uint32_t preempter;                   /* pair, number + 1 */

	/* KVM: the last exit and entry; 0: none */
	uint64_t exit_ns, entry_ns, off_at_exit_ns, off_all_ns;
	uint32_t exit_at; /* of exits, number + 1 */
	uint32_t exits;   /* the first of its own, number + 1 */
};

struct lost_range {
	uint64_t from_ns, to_ns, n;
};
#define LOST_RANGES 64u

struct cpu {
	struct pw_sched_cpu pub;
	bool is_seen, is_kept;
	uint32_t cur;       /* task; NO_TASK: not known */
	uint32_t idle;      /* its idle task */
	uint64_t last_ns;   /* of the last event on it */
	uint64_t since_ns;  /* of the last switch; PW_NO_TIME: none yet */
	uint64_t lost_mark; /* of pub.lost, when cur came in */
	struct bins busy;
	struct lost_range
		*lost; /* the last is made longer when they are full */
	uint32_t n_lost;
};

/* --- events --------------------------------------------------------------------------- */

enum event_kind {
	EV_NONE,
#define PW_SCHED_EVENT(id, name, ...) EV_##id,
#include "sched-events.def"
#undef PW_SCHED_EVENT
	N_EVENT_KINDS
};
#define FIELDS_MAX 5

/* An event of the capture and where its fields lie; size 0: missing. */
struct bound {
	bool is_asked;
	enum event_kind kind;
	struct pw_field f[FIELDS_MAX];
};

struct role_rule {
	uint32_t tid; /* PW_NO_PID: by regex */
	regex_t re;
	char *role;
};

struct pw_sched {
	uint64_t from_ns, to_ns;
	bool has_cpus, merge_sys_tasks, append_tid;
	uint8_t *want_cpu; /* [PW_SCHED_MAX_CPUS] */
	bool has_task, has_task_tid;
	regex_t task_re;
	uint32_t task_tid;
	void (*on_run)(void *ctx, const struct pw_sched_run *r);
	void (*on_in)(void *ctx, const struct pw_sched_run *r);
	void *ctx;

	struct bound *bound;
	uint32_t n_bound;
	bool has_waking, has_switch, has_migrate, has_wake;
	/* Of single tasks (perf record without -a): a sched_switch tells that
	 * one left and why, a context-switch record that it came back; of who
	 * ran in between nothing is known. */
	bool of_tasks, of_cpus;
	uint64_t n_events[N_EVENT_KINDS], n_other, n_no_field, n_bad_cpu;
	uint64_t n_switch_records;
	char *field_remark;

	struct task **tasks;
	uint32_t n_tasks, cap_tasks;
	uint32_t *by_tid[1024]; /* pages of 4096: number + 1 */
	struct cpu **cpus;      /* [PW_SCHED_MAX_CPUS], NULL: not seen */
	uint32_t *cpu_list;
	uint32_t n_cpus;
	uint32_t any_idle; /* the idle task that stands for all in pairs */

	struct pw_sched_pair *pairs;
	uint32_t n_pairs;
	uint32_t *pair_slots, cap_slots; /* number + 1 */
	uint64_t cut_pairs;
	struct pw_sched_exit *exits;
	uint32_t *next_exit; /* of the same task, number + 1 */
	uint32_t n_exits;
	uint64_t cut_exits;

	struct cgroup {
		uint64_t id;
		char *path;
	} * cgroups;
	uint32_t n_cgroups;

	struct pw_axis axis;        /* of all bins */
	struct bins sums[N_SUMS];   /* over time */
	uint64_t first_ns, last_ns; /* of events within the window */
	uint64_t heat_bytes;
	uint32_t n_stale_heats;
	struct heat all_heat[N_HEATS];
	uint64_t n_lost;   /* events */
	uint64_t n_broken; /* switches whose task was not the one before */

	struct role_rule *rules;
	uint32_t n_rules;
	struct pw_sched_task *roles; /* made when asked */
	uint32_t n_roles;
	bool has_roles;
	char **names; /* of roles, owned */
	uint32_t n_names;

	struct kernel_figures *kernel; /* NULL: there are none */

	/* of the capture */
	bool has_capture;
	struct pw_capture_counts counts;
	char *hostname, *osrelease, *cpudesc, *arch, *command;
	uint32_t n_cpus_online;
	uint64_t total_mem_kb;
	struct pw_fact *more;
	uint32_t n_more;
};

/* sched-tasks.c */
struct task *task_of(struct pw_sched *s, uint32_t tid);
/* The idle task of a CPU for tid 0. */
static inline struct task *task_on(struct pw_sched *s, struct cpu *c,
				   uint32_t tid)
{
	return tid ? task_of(s, tid) : s->tasks[c->idle];
}
/* The one that has the number now, or NULL. */
struct task *task_known(const struct pw_sched *s, uint32_t tid);
/* A task that ended; its number may be another's from now on. */
void task_forget(struct pw_sched *s, struct task *t);
void task_set_comm(struct task *t, const char *comm, uint32_t size);
struct cpu *cpu_new(struct pw_sched *s, uint32_t nr);
/* NULL: there is no such CPU. */
static inline struct cpu *cpu_of(struct pw_sched *s, uint32_t nr)
{
	if (nr < PW_SCHED_MAX_CPUS && s->cpus[nr])
		return s->cpus[nr];
	return cpu_new(s, nr);
}
void tasks_init(struct pw_sched *s);
void tasks_release(struct pw_sched *s);
struct core_use *core_of(struct task *t, uint32_t cpu);
/* Adds the sums of `from`. */
void task_merge(struct pw_sched_task *to, const struct pw_sched_task *from);

/* sched-bins.c */
void bins_widen(struct pw_sched *s, uint64_t time_ns);
/* For each event: seldom is it behind the last bin, or before the first. */
static inline void bins_reach(struct pw_sched *s, uint64_t time_ns)
{
	if ((time_ns - s->axis.start_ns) >> s->axis.shift >= N_BINS ||
	    !s->axis.is_started)
		bins_widen(s, time_ns);
}
void bins_add(struct pw_sched *s, struct bins *b, uint64_t from, uint64_t to);
/* n things that happened from `from` until `to`, at any time. */
void bins_spread(struct pw_sched *s, struct bins *b, uint64_t from, uint64_t to,
		 uint64_t n);
static inline void bins_count(struct pw_sched *s, struct bins *b,
			      uint64_t time_ns)
{
	bins_add(s, b, time_ns, time_ns + 1);
}
uint64_t bins_get(const struct bins *b, uint32_t bin);
void bins_release(struct bins *b);
void heat_add(struct pw_sched *s, struct task *t, enum heat_kind kind,
	      uint64_t at_ns, uint64_t length_ns);
void heat_add_n(struct pw_sched *s, struct task *t, enum heat_kind kind,
		uint64_t at_ns, uint64_t length_ns, uint32_t n);
void heats_release(struct pw_sched *s, struct heat *h);
/* Of bins that hold something. */
uint32_t bins_used(const struct pw_sched *s);

/* sched-states.c */
/* The part of a time that the options want; false: none. */
static inline bool clip(const struct pw_sched *s, uint64_t *from, uint64_t *to)
{
	if (*from < s->from_ns)
		*from = s->from_ns;
	if (*to > s->to_ns)
		*to = s->to_ns;
	return *from < *to;
}
static inline bool in_window(const struct pw_sched *s, uint64_t t)
{
	return t >= s->from_ns && t < s->to_ns;
}
/* An event was then. */
static inline void see_time(struct pw_sched *s, uint64_t time_ns)
{
	bins_reach(s, time_ns);
	if (!in_window(s, time_ns))
		return;
	if (time_ns < s->first_ns)
		s->first_ns = time_ns;
	if (time_ns > s->last_ns)
		s->last_ns = time_ns;
}
void state_switch(struct pw_sched *s, struct cpu *c, uint64_t time_ns,
		  struct task *prev, uint64_t prev_state, struct task *next);
void state_out(struct pw_sched *s, struct cpu *c, uint64_t time_ns,
	       struct task *t, enum pw_off_reason reason);
void count_migration(struct pw_sched *s, struct task *t, uint64_t time_ns);
void state_in(struct pw_sched *s, struct cpu *c, uint64_t time_ns,
	      struct task *t);
void state_wake(struct pw_sched *s, uint64_t time_ns, struct task *t,
		struct task *waker);
/* It runs there, says an event: of a CPU of which nothing is known yet. */
void state_seen(struct pw_sched *s, struct cpu *c, uint64_t time_ns,
		struct task *t);
void states_end(struct pw_sched *s);

/* sched-pairs.c */
/* Number + 1; 0: there is no room for more. */
uint32_t pair_of(struct pw_sched *s, enum pw_sched_pair_kind kind,
		 struct task *a, const struct task *b);

/* sched-feed.c: a control group, once */
void cgroup_take(struct pw_sched *s, uint64_t id, const char *path);

/* sched-kvm.c */
/* Number + 1; 0: there is no room for more. */
uint32_t exit_of(struct pw_sched *s, struct task *t, uint32_t isa,
		 uint32_t reason);
void kvm_entry(struct pw_sched *s, uint64_t time_ns, struct task *t);
void kvm_exit(struct pw_sched *s, uint64_t time_ns, struct task *t,
	      uint32_t isa, uint32_t reason);

/* sched-roles.c */
int roles_read(struct pw_sched *s, const char *map, struct pw_err *err);
const char *role_name(struct pw_sched *s, const struct pw_sched_task *t);
int task_filter_read(struct pw_sched *s, const char *task, struct pw_err *err);
bool task_is_wanted(const struct pw_sched *s, const struct pw_sched_task *t);
void roles_release(struct pw_sched *s);

#endif
