/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters that are open: groups of events on CPUs. */
#ifndef PMU_COUNTERS_H
#define PMU_COUNTERS_H

#include "pmu-impl.h"

const struct pw_pmu_kernel *kernel_real(void);
/* So many descriptors may be open, as far as that is ours to say. */
void kernel_allow_files(uint64_t n);

/* A group on a CPU. */
struct row {
	uint32_t cpu;
	int fds[GROUP_EVENTS]; /* -1: not open */
	uint64_t enabled_ns;   /* at the last reading */
	bool is_told;          /* its name is in the series */
};

struct counters {
	const struct pw_pmu_kernel *kernel;
	const char *root;
	struct plan *plan;
	struct devices *devices;
	struct groups groups;
	struct row *rows[MAX_GROUPS];
	uint32_t n_rows[MAX_GROUPS];
	struct cpus online;
	int online_fd;
	char online_text[1024];
	int refused; /* the last error of a CPU that could not be opened */
};

/* How a group's count comes from the kernel. */
struct reading {
	uint64_t n, enabled_ns, running_ns, values[GROUP_EVENTS];
};

/* Groups are made, tried on one CPU and opened on all. */
void counters_open(struct counters *c, uint32_t most);
void counters_close(struct counters *c);
/* Looks which CPUs there are: rows of others are closed, for which gone() is
 * called; new ones are opened. */
void counters_cpus(struct counters *c,
		   void (*gone)(void *ctx, uint32_t group, uint32_t cpu),
		   void *ctx);
bool counters_read(struct counters *c, uint32_t group, struct row *r,
		   struct reading *out);

#endif
