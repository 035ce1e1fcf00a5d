/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * find: the parts of pw_runtime_find() that listing and fetching share.
 */
#ifndef PERFWASM_RUNTIME_FIND_H
#define PERFWASM_RUNTIME_FIND_H

#include <perfwasm/runtime.h>

#include "places.h"
#include "spec.h"

/* The .conf of a name: the user's own first. ENOENT names what there is. */
int find_conf(struct conf *c, const char *name, struct pw_err *err);
/* The runtime that a .conf and a spec describe; the spec's version is
 * resolved in place. */
int find_with_conf(struct pw_runtime *rt, const struct conf *c, struct spec *s,
		   struct pw_err *err);
/* -ENOENT with the releases next to one that does not exist. */
int find_no_release(const struct conf *c, const char *version,
		    struct pw_err *err);

#endif
