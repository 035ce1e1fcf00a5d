/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf: the loaded program with its maps in our memory, and what was read of
 * them before.
 */
#ifndef BPF_IMPL_H
#define BPF_IMPL_H

#include <perfwasm/bpf.h>

#include "sched-maps.h"

/* An array map in our memory. */
struct window {
	void *at;
	size_t size_bytes;
};

/* A hash map: its entries as they were at the last readout. */
struct entries {
	int fd;
	uint32_t max, n;
	void *keys, *values;
	uint32_t key_bytes, value_bytes;
};

struct pw_bpf {
	struct pw_bpf_opts opts;
	struct bpf_object *obj;
	struct bpf_link **links;
	size_t n_links;
	uint32_t n_cpus, n_groups, n_slots, n_blocks;
	/* --- the kernel's memory --- */
	struct window slots_map, blocks_map, cpus_map, groups_map;
	struct window free_slots_map, free_blocks_map, rings_map;
	struct task_slot *slots;
	union block *blocks;
	struct cpu_slot *cpus;
	uint64_t *groups, *free_slots, *free_blocks;
	struct rings *rings;
	uint32_t slot_mask, block_mask;
	int slot_of_fd, stacks_fd;
	struct entries pairs, waits, exits;
	/* --- what was told --- */
	uint64_t *told_change; /* by slot; 0: nothing yet */
	char (*told_comm)[16]; /* by slot */
	bool *ending;          /* by slot: it is told for the last time */
	uint64_t *stacks_told; /* bits */
	uint32_t n_stack_words;
	bool has_facts;
	bool goes_on; /* in a new file, which holds nothing yet */
	uint64_t *cgroups_told;
	size_t n_cgroups;
};

/* --- bpf-load.c --- */

/* Gives a slot or a block back to the kernel. */
void free_slot(struct pw_bpf *b, uint32_t slot);
void free_block(struct pw_bpf *b, uint32_t block);

/* --- bpf-entries.c: pairs, waits and exits --- */

void entries_init(struct entries *e, int fd, uint32_t max, uint32_t key_bytes,
		  uint32_t value_bytes);
void entries_release(struct entries *e);
int entries_read(struct pw_bpf *b, struct pw_series_out *s, struct pw_err *err);
/* Of tasks that end. */
void entries_drop(struct pw_bpf *b, struct pw_series_out *s);

/* --- bpf-cgroups.c --- */

void cgroup_tell(struct pw_bpf *b, struct pw_series_out *s, uint64_t id);

#endif
