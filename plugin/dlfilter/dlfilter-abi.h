/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binary interface between perf script and a dlfilter, as far as we use
 * it: the order and the sizes of the members are those of perf_dlfilter.h of
 * Linux 5.14. Later versions only add to them: 6.0 machine_pid and vcpu behind
 * `event`, 6.6 al_cleanup in place of a reserved function and what it frees
 * behind `comm`; what does not ask for that need not free it. Both structures
 * carry their size. Declared here because few systems install that header.
 */
#ifndef PLUGIN_DLFILTER_ABI_H
#define PLUGIN_DLFILTER_ABI_H

#include <stddef.h>
#include <stdint.h>

struct perf_dlfilter_sample {
	uint32_t size;
	uint16_t ins_lat, p_stage_cyc;
	uint64_t ip;
	int32_t pid, tid; /* -1: not recorded */
	uint64_t time;    /* all ones: not recorded */
	uint64_t addr, id, stream_id, period, weight, transaction;
	uint64_t insn_cnt, cyc_cnt;
	int32_t cpu;
	uint32_t flags;
	uint64_t data_src, phys_addr, data_page_size, code_page_size, cgroup;
	uint8_t cpumode, addr_correlates_sym;
	uint16_t misc;
	uint32_t raw_size;
	const void *raw_data;
	uint64_t brstack_nr;
	const void *brstack;
	uint64_t raw_callchain_nr;
	const uint64_t *raw_callchain;
	const char *event;
};
#define DL_SAMPLE_SIZE 200u /* of 5.14 */
_Static_assert(sizeof(void *) != 8 ||
		       sizeof(struct perf_dlfilter_sample) == DL_SAMPLE_SIZE,
	       "the layout is that of 64-bit perf");

struct perf_dlfilter_al {
	uint32_t size; /* given to resolve_address(): ours */
	uint32_t symoff;
	const char *sym;
	uint64_t addr; /* in the file, as sym_start and sym_end */
	uint64_t sym_start, sym_end;
	const char *dso;
	uint8_t sym_binding, is_64_bit, is_kernel_ip;
	uint32_t buildid_size;
	uint8_t *buildid;
	/* by resolve_ip() only */
	uint8_t filtered;
	const char *comm;
};

/* ctx is what perf gives with each call. NULL members: an older perf. */
struct perf_dlfilter_fns {
	const struct perf_dlfilter_al *(*resolve_ip)(void *ctx);
	const struct perf_dlfilter_al *(*resolve_addr)(void *ctx);
	char **(*args)(void *ctx, int *n);
	int32_t (*resolve_address)(void *ctx, uint64_t addr,
				   struct perf_dlfilter_al *al);
	const uint8_t *(*insn)(void *ctx, uint32_t *len);
	const char *(*srcline)(void *ctx, uint32_t *line);
	void *(*attr)(void *ctx);
	int32_t (*object_code)(void *ctx, uint64_t ip, void *buf, uint32_t len);
	void *(*reserved[120])(void *);
};

/* perf looks these up by name and fills the first. */
#pragma GCC visibility push(default)
extern struct perf_dlfilter_fns perf_dlfilter_fns;
int start(void **data, void *ctx);
int filter_event_early(void *data, const struct perf_dlfilter_sample *s,
		       void *ctx);
int filter_event(void *data, const struct perf_dlfilter_sample *s, void *ctx);
int stop(void *data, void *ctx);
const char *filter_description(const char **long_description);
#pragma GCC visibility pop

#endif
