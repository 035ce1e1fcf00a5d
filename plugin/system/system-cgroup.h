/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a control group and how each is parsed.
 */
#ifndef SYSTEM_CGROUP_H
#define SYSTEM_CGROUP_H

#include "system-impl.h"

enum { N_CGROUP_FILES = 9 };

struct cgroup_file {
	const char *name;
	parser *parse;
};

const struct cgroup_file *cgroup_file(uint32_t i);

#endif
