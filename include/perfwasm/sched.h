/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched: who ran when, and who waited for whom. One pass over a capture's
 * switches, wake-ups, migrations and KVM exits -> sums, histograms and bins of
 * time by task, CPU and pair of tasks, in memory that follows the number of
 * tasks and not that of events. Knows nothing of addresses and functions.
 *
 * What a task does between two events, from switches and wake-ups alone:
 *
 *   on a CPU --out: can't go on--> sleeping, blocked --woken--> waking --in-->
 *            --out: could go on--> preempted ------------------------in-->
 *
 * Where a sched_waking is recorded it is taken as the wake-up, else
 * sched_wakeup (as in perf sched). SWITCH records, where there is no
 * sched_switch, tell of preempted or not and nothing of wake-ups.
 *
 * Not for several threads at once.
 */
#ifndef PERFWASM_SCHED_H
#define PERFWASM_SCHED_H

#include <perfwasm/capture.h>
#include <perfwasm/profile.h>
#include <perfwasm/report.h>
#include <perfwasm/series.h>
#include <perfwasm/stats.h>

struct pw_sched;

#define PW_SCHED_MAX_CPUS 4096u

/* --- options ------------------------------------------------------------------ */

/* A time on a CPU that ended, as it comes (timehist). Borrowed for the call. */
struct pw_sched_run {
	uint64_t time_ns; /* when it left the CPU */
	uint32_t cpu, tid, pid;
	const char *comm;
	uint64_t run_ns;   /* on the CPU */
	uint64_t wait_ns;  /* off it before that */
	uint64_t delay_ns; /* of this: woken or preempted, to run again */
	enum pw_off_reason reason; /* why it left */
	bool is_idle, is_ended;
	bool is_edge; /* when it began is not known */
};

struct pw_sched_opts {
	/* since the first event: from <= t < to; to 0: to the end */
	uint64_t from_ns, to_ns;
	/* of these CPUs only: a list such as "0-3,8"; NULL: all */
	const char *cpus;
	/* tasks that the report shows, by an extended regular expression that
	 * their name contains, or a tid; NULL: all */
	const char *task;
	/* names of roles: the content of a map file, see pw_sched_new() */
	const char *map;
	bool merge_sys_tasks; /* "kworker/3:1" is "kworker" */
	bool append_tid;      /* "node:1234": a role each */
	void (*on_run)(void *ctx, const struct pw_sched_run *r);
	/* A task that comes to a CPU; of r: time, CPU and task. */
	void (*on_in)(void *ctx, const struct pw_sched_run *r);
	void *ctx;
};

/*
 * o may be NULL and is copied; what it points to is borrowed for the call.
 * A map has a line for each role: "TID,ROLE" or "REGEX,ROLE" (extended, of the
 * whole name; the first that fits counts, tids before names). Lines of seven
 * fields are those of perfwhiz (tid, instance, type, uuid, chain type, chain
 * id, nvf): the role is "NVF.ID.TYPE". Empty lines and those from # on are
 * passed over. Tasks that no line names have their own name as role.
 * NULL: a regular expression, a list or a line of the map is wrong.
 */
struct pw_sched *pw_sched_new(const struct pw_sched_opts *o,
			      struct pw_err *err);
void pw_sched_free(struct pw_sched *s);

/* --- feeding -------------------------------------------------------------------- */

/* c: for the fields of tracepoints. */
void pw_sched_event(struct pw_sched *s, struct pw_capture *c,
		    const struct pw_event *ev);
/* Where the fields of an event lie, for who has no capture: the text of its
 * `format` file of tracefs. Before the first of its samples. -ENOENT: a field
 * is missing, or a is no event that the pass reads. */
int pw_sched_set_format(struct pw_sched *s, const struct pw_attr *a,
			const char *format, size_t size, struct pw_err *err);
/* Before any event: what a program in the kernel kept (record --bpf), read to
 * its end. Its times are as fine as its readouts are. */
int pw_sched_series(struct pw_sched *s, struct pw_series *in,
		    struct pw_err *err);
/* Whether these bytes may be a .cdict of perfwhiz; 16 are enough. */
bool pw_sched_is_cdict(const void *data, size_t size);
/* Feeds one. -EINVAL: damaged; -ENOTSUP: in its older form. What was read until
 * then is kept. */
int pw_sched_read_cdict(struct pw_sched *s, const void *data, size_t size,
			struct pw_err *err);
/* All was fed: ends what goes on still. The capture's counts and facts are
 * copied for the report; c may be NULL. */
void pw_sched_end(struct pw_sched *s, const struct pw_capture *c);

/* --- answers: once all was fed ---------------------------------------------------- */

/* Sums of a task, or of the tasks of a role. */
struct pw_sched_task {
	uint32_t tid, pid; /* PW_NO_PID: several, or not told */
	const char *comm;  /* of a role: its name */
	const char *role;
	const char *cgroup; /* NULL: not recorded */
	uint32_t n_tasks;   /* 1; of a role: how many */
	bool is_idle;       /* nothing to do on a CPU */
	bool is_kept;       /* the options want it */

	uint64_t first_ns, last_ns; /* when it was seen; PW_NO_TIME, 0: never */
	uint64_t run_ns;            /* on a CPU */
	/* of this: began before or went on after what was recorded, so it is in
	 * no histogram */
	uint64_t edge_ns;
	uint64_t off_ns[PW_N_OFF_REASONS];

	uint64_t n_in;   /* put on a CPU */
	uint64_t n_left; /* left it by itself */
	uint64_t n_preempted;
	uint64_t n_woken;
	uint64_t n_no_wake;    /* came back and no wake-up was seen */
	uint64_t n_first;      /* came in before anything was known of it */
	uint64_t n_migrations; /* by sched_migrate_task, else CPU to CPU */
	/* woken or preempted until it ran: the longest, and when it ended */
	uint64_t max_delay_ns, max_delay_at_ns;
	uint64_t touched_ns; /* of its times, those in which events were lost */
	/* what the kernel itself measured, where recorded (sched_stat_*) */
	uint64_t stat_runtime_ns, stat_sleep_ns, stat_iowait_ns, stat_wait_ns,
		stat_blocked_ns;
	/* of the thread of a virtual CPU; wait: of host, off the CPU */
	uint64_t n_exits, guest_ns, host_ns, kvm_wait_ns;

	/* lengths in ns: on the CPU, woken to running, preempted to running,
	 * asleep or blocked until woken */
	struct pw_hist run, latency, preempted, sleep;
};

uint32_t pw_sched_n_tasks(const struct pw_sched *s);
/* Idle tasks, one for each CPU, are among them; the first two are "(others)",
 * all beyond the bound, and "(interrupt)", which only wakes. */
const struct pw_sched_task *pw_sched_task(const struct pw_sched *s, uint32_t i);
/* By role, those with the most time on a CPU first, tasks that the options
 * want only, without idle. Made when first asked. */
uint32_t pw_sched_n_roles(struct pw_sched *s);
const struct pw_sched_task *pw_sched_role(struct pw_sched *s, uint32_t i);

struct pw_sched_cpu {
	uint32_t cpu;
	uint64_t busy_ns, idle_ns;
	uint64_t unknown_ns; /* a switch is missing */
	uint64_t n_switches;
	uint64_t lost;    /* events that LOST records tell of */
	uint64_t lost_ns; /* how long it was in which they were lost */
};
/* Those of which there was an event, by number. */
uint32_t pw_sched_n_cpus(const struct pw_sched *s);
const struct pw_sched_cpu *pw_sched_cpu(const struct pw_sched *s, uint32_t i);

/* From the first event to the last within the window. */
uint64_t pw_sched_first_ns(const struct pw_sched *s);
uint64_t pw_sched_last_ns(const struct pw_sched *s);

enum pw_sched_pair_kind {
	PW_SCHED_WOKE,      /* b woke a, which had been off for ns in all */
	PW_SCHED_PREEMPTED, /* b took a's CPU, which came back after ns */
	PW_SCHED_FOLLOWED,  /* b ran next after a on a CPU */
	PW_N_SCHED_PAIRS
};
struct pw_sched_pair {
	enum pw_sched_pair_kind kind;
	uint32_t a, b; /* of pw_sched_task(); all idle tasks are one */
	uint64_t n, ns;
};
uint32_t pw_sched_n_pairs(const struct pw_sched *s);
const struct pw_sched_pair *pw_sched_pair(const struct pw_sched *s, uint32_t i);

/* Exits of a virtual CPU for one reason; host_ns: until the next entry, of it
 * wait_ns off the CPU. */
struct pw_sched_exit {
	uint32_t task, isa, reason;
	uint64_t n, host_ns, wait_ns;
};
uint32_t pw_sched_n_exits(const struct pw_sched *s);
const struct pw_sched_exit *pw_sched_exit(const struct pw_sched *s, uint32_t i);

/* "EPT_VIOLATION", isa as in kvm_exit: 1 VMX, 2 SVM; NULL: not known. The names
 * of <asm/vmx.h> and <asm/svm.h>. */
const char *pw_kvm_exit_name(uint32_t isa, uint32_t reason);

/* --- the report --------------------------------------------------------------------- */

struct pw_sched_report_opts {
	uint32_t max_rows; /* of a table in text; 0: all */
	/* the functions that tasks were in when they left; NULL */
	struct pw_profile *profile;
	bool only_compared; /* no tables but what is compared */
};
/* Adds sections: overview, roles, tasks, processes, cgroups, core_map,
 * latencies, heat, locality, pairs, kvm, time_line, machine; those of which
 * nothing is known are left out. o may be NULL. */
void pw_sched_report(struct pw_sched *s, const struct pw_sched_report_opts *o,
		     struct pw_report *r);

#endif
