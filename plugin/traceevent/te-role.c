// SPDX-License-Identifier: GPL-2.0-only
/*
 * Roles by the names of threads: the table task-roles.def and how a name is
 * compared with it.
 */
#include "traceevent.h"

#include <ctype.h>
#include <string.h>

struct line {
	const char *comm;
	struct te_role role;
};

static const struct line lines[] = {
#define PW_TASK_ROLE(comm, runtime, role) { comm, { runtime, role } },
#include "task-roles.def"
#undef PW_TASK_ROLE
};

const struct te_role *te_role_of(const char *comm)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		size_t n = strlen(lines[i].comm);

		if (strncmp(comm, lines[i].comm, n))
			continue;
		if (!isalpha((unsigned char)comm[n]) ||
		    !isalnum((unsigned char)comm[n - 1]))
			return &lines[i].role;
	}
	return NULL;
}
