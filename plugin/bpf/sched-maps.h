/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sched.bpf.c keeps in the kernel and the recorder reads there. Both are
 * built with this file, for the same machine.
 *
 * Counters only grow and are never reset while a task lives, so a reader takes
 * differences and loses nothing. All that belongs to one task is written under
 * the scheduler's own lock of that task: no lock of ours, no atomics.
 *
 *   slot    a task: its tid leads there by the map slot_of. 0: none
 *   block   64 bytes of the pool, for what most tasks have little of: a power
 *           of two of a histogram, or four CPUs of a task. 0: none
 *
 * Free slots and blocks wait in rings: the kernel takes at `head`, the reader
 * puts back at `tail`.
 */
#ifndef SCHED_MAPS_H
#define SCHED_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include <perfwasm/log-buckets.def>

enum {
	N_OCTAVES = PW_N_BUCKETS / PW_BUCKET_SUB,
	BLOCK_CPUS = 4,
	STACK_DEPTH = 16,
};

/* What a task is doing; also the state it was in when it left the CPU. */
enum task_state {
	TASK_UNSEEN,
	TASK_ON_CPU,
	TASK_WAKING,    /* woken, waits for a CPU */
	TASK_PREEMPTED, /* waits for a CPU, and did not want to leave it */
	TASK_SLEEPS,
	TASK_BLOCKED, /* not to be interrupted: waits for a device, mostly */
	TASK_OTHER,   /* stopped, traced, parked */
	N_TASK_STATES
};

enum task_hist {
	HIST_RUN,
	HIST_WAKE,
	HIST_SLEEP,
	HIST_PREEMPTED,
	N_TASK_HISTS
};

/*
 * pw_bucket_of() without __builtin_clz, which clang 14 can't make for bpf.
 * Halving keeps it free of loops.
 */
static inline uint32_t bucket_of(uint64_t value)
{
	uint32_t up = 0, step;
	uint64_t left = value;

	if (value >> PW_BUCKET_LOG2)
		return PW_N_BUCKETS - 1;
	for (step = 32; step; step /= 2) {
		if (left >> (step + PW_BUCKET_BITS)) {
			left >>= step;
			up += step;
		}
	}
	return (up + (value >= PW_BUCKET_SUB)) * PW_BUCKET_SUB +
	       (uint32_t)left % PW_BUCKET_SUB;
}

struct task_slot {
	/* goes up by one at the start and at the end of each change */
	uint64_t change;
	uint64_t since_ns; /* in this state */
	uint64_t ns[N_TASK_STATES];
	uint64_t first_ns, ended_ns, out_ns, woken_ns;
	uint64_t guest_ns, host_ns, kvm_ns;
	uint64_t min_ns[N_TASK_HISTS], max_ns[N_TASK_HISTS];
	uint64_t sum_ns[N_TASK_HISTS], n_hist[N_TASK_HISTS];
	uint64_t voluntary, involuntary, wakeups, migrations, exits;
	uint64_t cgroup;
	uint32_t tid, pid;
	uint32_t state, out_state;
	uint32_t taker;    /* slot + 1 of who took its CPU */
	uint32_t waker;    /* slot + 1 of who wakes it just now */
	uint32_t reason;   /* of the last exit from a guest */
	int32_t stack;     /* at its last switch */
	uint32_t in_guest; /* 1: in it, 2: out of it */
	uint32_t isa, unused;
	char comm[16];
	uint32_t octave[N_TASK_HISTS][N_OCTAVES]; /* blocks */
};

struct cpu_time {
	uint64_t ns;
	uint32_t runs, unused;
};

union block {
	uint32_t count[PW_BUCKET_SUB];
	struct cpu_time cpu[BLOCK_CPUS];
};

struct slot_ref {
	uint32_t slot;
	/* with a filter: how many processes down the line those begin that
	 * are counted; 0: counted */
	uint32_t follow;
};

/* What a CPU is at, and what nobody could be told apart for. */
struct cpu_slot {
	uint64_t since_ns, busy_ns, idle_ns;
	uint64_t switches, wakeups;
	/* what found no place */
	uint64_t no_slot, no_block, no_pair, no_stack, no_wait, no_exit;
	uint32_t tid, slot;
	uint64_t no_switch; /* another task left than had come */
	uint64_t unused[3];
};

/* What b did to a: slots; 0: an idle CPU, an interrupt there, or no task told */
struct pair_key {
	uint32_t a, b;
};
struct pair_count {
	uint64_t woke, woke_ns; /* how long a had slept */
	uint64_t took, took_ns; /* a's CPU, and how long until a was back */
	uint64_t followed;      /* a on a CPU */
};

struct wait_key {
	uint32_t slot;
	int32_t stack;  /* -1: none; of the map `stacks` */
	uint32_t state; /* in which it left */
};
struct wait_count {
	uint64_t n, ns, waking_ns;
};

struct exit_key {
	uint32_t slot, reason;
};
struct exit_count {
	uint64_t n, host_ns;
};

struct free_ring {
	uint64_t head, tail;
};
struct rings {
	struct free_ring slots, blocks;
};

/* Settings, which the loader writes before the program is loaded. */
struct sched_settings {
	uint32_t n_cpu_groups;   /* CPUs / BLOCK_CPUS, rounded up */
	uint32_t slot_mask;      /* of free_slots: a power of two - 1 */
	uint32_t block_mask;     /* of free_blocks */
	uint32_t is_filtered;    /* new tasks are children of those known */
	uint32_t has_stacks;     /* user stacks are kept */
	uint32_t has_prev_state; /* sched_switch has a fourth argument */
};

#endif
