/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of figures that the kernel kept, beside the figures. */
#ifndef PLUGIN_SCHED_SCHED_SERIES_H
#define PLUGIN_SCHED_SCHED_SERIES_H

#include <perfwasm/bpf.h>

struct kernel_figures {
	uint64_t total[PW_BPF_N_TOTAL];
	uint64_t n_readouts;
	bool is_filtered, was_cut;
};

#endif
