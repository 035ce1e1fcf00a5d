/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fetch-program: packages that a program of ours fetches into a directory,
 * see fetch-program.c. Knows nothing of the cache.
 */
#ifndef PERFWASM_RUNTIME_FETCH_PROGRAM_H
#define PERFWASM_RUNTIME_FETCH_PROGRAM_H

#include "conf.h"

/* Fills the empty `dir`; version NULL: the newest. The strings are the
 * caller's. */
int fetch_by_program(const struct conf *c, const char *version, const char *dir,
		     char **got_version, char **sha256, struct pw_err *err);

#endif
