/* SPDX-License-Identifier: GPL-2.0-only */
/* doctor: what `perf wasm doctor` looks at. */
#ifndef PW_CMD_DOCTOR_H
#define PW_CMD_DOCTOR_H

#include "../cmd.h"

enum health {
	HEALTH_OK,
	HEALTH_LIMITED, /* works in part, or something stands in */
	HEALTH_MISSING,
	N_HEALTHS
};

/* 0, or the errno with which the kernel refuses such a counter. */
int try_event(uint32_t type, uint64_t config, bool kernel);
/* The same for samples of all that runs on a CPU. */
int try_all_programs(void);

/* Each probe says in `found` what it found, and what is so. */
typedef enum health (*probe_fn)(struct pw_buf *found);

#define PW_CHECK(id, title, hunt, meaning, mend) \
	enum health probe_##id(struct pw_buf *found);
#include "checks.def"
#undef PW_CHECK

#endif
