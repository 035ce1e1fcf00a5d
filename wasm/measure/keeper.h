/* SPDX-License-Identifier: GPL-2.0-only */
/* keeper: limits of a host and, where it has no process namespace of its own,
 * a process above it that no descendant can leave. Internal to wasm/measure. */
#ifndef MEASURE_KEEPER_H
#define MEASURE_KEEPER_H

#include <perfwasm/base.h>

/* Limits of this process and its descendants: no core dumps, files no larger
 * than any honest artifact. Async-signal-safe, for pw_child_opts.prepare. */
int keeper_limit(void *unused);
/*
 * As keeper_limit(), then forks: the child returns 0 and becomes the host,
 * this process stays above it as the one to whom all its orphans fall, waits
 * for the host's end or SIGTERM, kills all that is below and exits as the
 * host did (128 + signal). SIGTERM also comes when our own process dies.
 */
int keeper_stay(void *unused);
/* Ends the child and all below it. */
void keeper_end(struct pw_child *c);

#endif
