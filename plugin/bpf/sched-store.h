/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sched.bpf.c keeps its figures in: its maps, and how slots and blocks
 * are had. For the bpf target.
 */
#ifndef SCHED_STORE_H
#define SCHED_STORE_H

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sched-kernel.h"
#include "sched-maps.h"

/* --- maps -------------------------------------------------------------------------- */

const volatile struct sched_settings settings;
struct rings rings;

#define TABLE(name, map_type, key_type, value_type, more) \
	struct {                                          \
		__uint(type, map_type);                   \
		__uint(max_entries, 1);                   \
		__type(key, key_type);                    \
		__type(value, value_type);                \
		more                                      \
	} name SEC(".maps")
#define ARRAY(name, value_type)                               \
	TABLE(name, BPF_MAP_TYPE_ARRAY, uint32_t, value_type, \
	      __uint(map_flags, BPF_F_MMAPABLE);)
#define HASH(name, key_type, value_type) \
	TABLE(name, BPF_MAP_TYPE_HASH, key_type, value_type, )

ARRAY(slots, struct task_slot);
ARRAY(blocks, union block);
ARRAY(cpus, struct cpu_slot);
ARRAY(cpu_groups, uint64_t); /* slot * n_cpu_groups + group: a block */
ARRAY(free_slots, uint64_t);
ARRAY(free_blocks, uint64_t);
HASH(slot_of, uint32_t, struct slot_ref);
HASH(pairs, struct pair_key, struct pair_count);
HASH(waits, struct wait_key, struct wait_count);
HASH(exits, struct exit_key, struct exit_count);

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, STACK_DEPTH * sizeof(uint64_t));
} stacks SEC(".maps");

/* --- slots and blocks ---------------------------------------------------------------- */

/* The place in the ring of what is taken, or ~0: none is left. */
static __always_inline uint64_t take(struct free_ring *ring)
{
	for (int i = 0; i < 8; i++) {
		uint64_t head = *(volatile uint64_t *)&ring->head;

		if (head == *(volatile uint64_t *)&ring->tail)
			return ~0ULL;
		if (__sync_val_compare_and_swap(&ring->head, head, head + 1) ==
		    head)
			return head;
	}
	return ~0ULL;
}

static __always_inline uint32_t new_block(struct cpu_slot *c)
{
	uint64_t at = take(&rings.blocks);
	uint32_t key = (uint32_t)at & settings.block_mask;
	uint64_t *block = 0;

	if (at != ~0ULL)
		block = bpf_map_lookup_elem(&free_blocks, &key);
	if (block)
		return (uint32_t)*block;
	if (c)
		c->no_block++;
	return 0;
}

static __always_inline struct task_slot *slot_at(uint32_t slot)
{
	return slot ? bpf_map_lookup_elem(&slots, &slot) : 0;
}

static __always_inline uint64_t cgroup_of(struct task_struct *task)
{
	return task->cgroups->dfl_cgrp->kn->id;
}

/* A slot for a task that is seen for the first time; 0: there is none. */
static __always_inline uint32_t new_slot(struct task_struct *task,
					 struct cpu_slot *c, uint64_t now)
{
	uint64_t at = take(&rings.slots);
	uint32_t key = (uint32_t)at & settings.slot_mask;
	uint64_t *slot = 0;
	struct slot_ref ref = { 0 };
	struct task_slot *t;
	uint32_t tid = (uint32_t)task->pid;

	if (at != ~0ULL)
		slot = bpf_map_lookup_elem(&free_slots, &key);
	t = slot ? slot_at((uint32_t)*slot) : 0;
	if (!t) {
		c->no_slot++;
		return 0;
	}
	ref.slot = (uint32_t)*slot;
	t->tid = tid;
	t->pid = (uint32_t)task->tgid;
	t->first_ns = t->since_ns = now;
	t->cgroup = cgroup_of(task);
	t->stack = -1;
	bpf_probe_read_kernel_str(t->comm, sizeof(t->comm), &task->comm);
	if (bpf_map_update_elem(&slot_of, &tid, &ref, BPF_ANY)) {
		c->no_slot++;
		t->ended_ns = now;
		t->change = 2;
		return 0;
	}
	t->change = 2;
	return ref.slot;
}

/* The slot of a task, a new one if need be; 0: it is not counted. */
static __always_inline uint32_t slot_for(struct task_struct *task,
					 struct cpu_slot *c, uint64_t now)
{
	uint32_t tid = (uint32_t)task->pid;
	struct slot_ref *ref = bpf_map_lookup_elem(&slot_of, &tid);

	if (ref)
		return ref->slot;
	return settings.is_filtered ? 0 : new_slot(task, c, now);
}

static __always_inline struct cpu_slot *this_cpu(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &cpu);
}

#endif
