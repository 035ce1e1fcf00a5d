/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wasmtime-api: libwasmtime.so of any release from 8 on, without its headers:
 * every function is looked up by name, every structure of the library is a
 * padded buffer. Internal to the host program for Wasmtime.
 */
#ifndef PW_HOST_WASMTIME_WASMTIME_API_H
#define PW_HOST_WASMTIME_WASMTIME_API_H

#include <perfwasm/host.h>

#include <perfwasm/module.h>

struct wt_bytes { /* wasm_byte_vec_t */
	size_t size;
	char *data;
};

struct wt_vec { /* wasm_*_vec_t of pointers */
	size_t size;
	void **data;
};

/* wasmtime_extern_t, wasmtime_val_t: a kind, then a union at offset 8; also
 * storage for a wasmtime_instance_t, which is smaller. */
struct wt_item {
	uint8_t kind;
	uint8_t pad[7];
	union {
		uint8_t bytes[120];
		uint64_t u64;
		void *p;
	} of;
};

enum {
	WT_EXTERN_FUNC = 0,
	WT_EXTERN_GLOBAL = 1,
	WT_EXTERN_MEMORY = 3,
	WT_EXTERN_SHARED = 4
};
enum { WT_I32 = 0, WT_I64 = 1, WT_F32 = 2, WT_F64 = 3, WT_V128 = 4 };

struct wt_api {
	void *dl;
#define WT(needed, result, name, parameters) result(*name) parameters;
#include "wasmtime-symbols.def"
#undef WT
};

int wt_api_open(struct wt_api *api, const char *path, struct pw_err *err);

/* An option of ours: "opt=none", "gc=1", "cranelift.enable_avx=false". */
struct wt_option {
	const char *key, *value;
};
struct wt_options {
	struct wt_option *list;
	size_t n;
};

/* One sentence out of what the library has to say of an error or a trap:
 * the cause, without the backtrace. */
void wt_sentence(const struct wt_bytes *message, char *dst, size_t size);

/* Puts the options into a configuration; 0, or -EINVAL and a sentence. With
 * `all` every proposal that the release knows is switched on, too. */
int wt_configure(const struct wt_api *api, void *config,
		 const struct wt_options *options, bool all,
		 struct pw_err *err);
/* Whether a release can know this option at all; before anything is run. */
int wt_option_check(const struct wt_api *api, const struct wt_option *o,
		    struct pw_err *err);

/* The .text of an artifact, and a named section; false when it has none. */
bool wt_elf_section(const void *elf, size_t size, const char *name,
		    const uint8_t **data, size_t *n);
/* Where this process has mapped that code; 0 when it is nowhere. */
uint64_t wt_text_addr(const uint8_t *text, size_t n);

/* The library once it is loaded, and what runs want of it. */
struct wt_host {
	struct wt_api api;
	struct wt_options options;
};

/* Asks the library, in a process of its own, for its version (the major
 * number alone in later ones) by compiling an empty module: one that does not
 * work on this machine, or not with these options, is found here. */
int wt_probe(const struct wt_host *host, char *version, size_t version_size,
	     struct pw_err *err);

/* The ops->run of the host. */
void wt_run(void *self, struct pw_host_run *run);

/* A module that runs. */
struct wt_guest {
	const struct wt_host *host;
	const struct wt_api *api;
	struct pw_host_run *run;
	struct pw_file file;
	struct pw_module *shape; /* NULL when we do not know its proposals */
	void *engine, *module, *linker, *store, *context;
	struct wt_item instance, func;
	size_t n_results;
	struct wt_item *results;
	struct wt_bytes artifact;
};

/* Links what the module imports: WASI, and empty functions as the request
 * says. False after pw_host_fail(). */
bool wt_link(struct wt_guest *g);
/* WASI as the request says; part of wt_link. */
bool wt_wasi(struct wt_guest *g);
/* The digest of what is left after the call. */
void wt_digest(struct wt_guest *g);
/* Writes what its counters hold then. */
void wt_counts(struct wt_guest *g);
/* pw_host_fail() with the sentence of an error. */
void wt_fail(struct wt_guest *g, enum pw_outcome outcome, void *error);

#endif
