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

/* -ENOENT, with what to install where the .conf says it. */
int find_no_program(const struct conf *c, const char *program,
		    struct pw_err *err);

/* A line that the user gave to run modules with: a program that is there, and
 * a place for the module. */
int find_check_command(const char *command, struct pw_err *err);

/* Fills host_argv from the .conf, the spec's options and what was found. */
int find_host_line(struct pw_runtime *rt, const struct conf *c,
		   const struct spec *s, struct pw_err *err);
/* Adds a path, and what it is a link to, to what the host must see. */
void find_need(struct pw_runtime *rt, const char *path);

#endif
