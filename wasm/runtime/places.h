/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * places: where runtimes and their descriptions are on this machine: the
 * built-in *.conf, the user's own, and the cache of fetched libraries.
 */
#ifndef PERFWASM_RUNTIME_PLACES_H
#define PERFWASM_RUNTIME_PLACES_H

#include "conf.h"

enum place { PLACE_USER, PLACE_BUILT_IN, N_PLACES };

/* The .conf of a name, or of every name; the caller frees. */
char *place_dir(enum place p); /* NULL when there is none */
char *place_conf_path(enum place p, const char *name);
/* The names that have a .conf there, sorted, NULL-ended; the caller frees
 * with pw_strings_free(). */
char **place_names(enum place p);

/* $XDG_CACHE_HOME/perf-wasm/runtimes[/NAME@VERSION[/libNAME.so]]; what a
 * fetch-* program got has a link "main" to the program instead. */
char *place_cache_dir(void);
char *place_cache_entry(const char *name, const char *version);
char *place_cache_library(const char *name, const char *version);
/* Fetched versions, lowest first, NULL-ended. */
char **place_fetched(const char *name);

#endif
