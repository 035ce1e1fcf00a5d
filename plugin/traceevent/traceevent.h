/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of the plugin for libtraceevent: what a task's name says
 * (te-role.c), which function of generated code is at an address (te-code.c);
 * te-plugin.c puts both into the text of events.
 */
#ifndef PLUGIN_TRACEEVENT_TRACEEVENT_H
#define PLUGIN_TRACEEVENT_TRACEEVENT_H

#include <perfwasm/capture.h>

/* --- te-role.c -------------------------------------------------------------- */

struct te_role {
	const char *runtime, *role; /* role "": not told by the name */
};
/* NULL: no task of a runtime that we know. */
const struct te_role *te_role_of(const char *comm);

/* --- te-code.c -------------------------------------------------------------- */

struct te_code;

struct te_code *te_code_new(void);
void te_code_free(struct te_code *c);
/* Whether there is a jitdump or a perf map of this task's process. */
bool te_code_has(struct te_code *c, uint32_t tid);
/* Whether it is then the process's first thread. */
bool te_code_is_main(struct te_code *c, uint32_t tid);
/* "f42 fib" for wasm, else the runtime's own name of it; NULL: nothing known
 * there. Lives as long as c. */
const char *te_code_at(struct te_code *c, uint32_t tid, uint64_t addr);
/* Where the task was last seen, as te_code_at() said; NULL. */
const char *te_code_last(struct te_code *c, uint32_t tid);

#endif
