/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * w2c-run: one guest of wasm2c while it is served. Internal to host-wasm2c.
 */
#ifndef PW_HOST_WASM2C_W2C_RUN_H
#define PW_HOST_WASM2C_W2C_RUN_H

#include <perfwasm/host.h>
#include "w2c.h"
#include "wasi.h"

#include <setjmp.h>

/* The functions of a shared object, see w2c.h. */
struct w2c_code {
	void (*set_host)(pw_import_fn *fn);
	int (*start)(void);
	int (*call)(unsigned k);
	uint64_t (*result)(void);
	uint8_t *(*memory)(unsigned k, uint64_t *size);
	uint64_t (*global)(unsigned k);
	const char *(*trap_text)(int trap);
};

struct w2c_guest {
	const struct w2c_tools *tools;
	struct pw_host_run *run;
	struct pw_file file, so;
	struct pw_module *module;
	struct w2c_built built;
	struct w2c_code code;
	void *handle;
	/* by import; NULL: an empty function */
	const struct wasi_func **imports;
	struct wasi wasi;
	uint32_t wasi_memory; /* 1 + the export "memory"; 0 none */
	uint32_t invoke;      /* the export to call */
	bool has_result;
	int exit_code;
	sigjmp_buf exit_to; /* where proc_exit goes */
};

/* Serves one request; self is a struct w2c_tools. */
void w2c_run(void *self, struct pw_host_run *run);

/* After the call: what the guest left behind, and where it was. */
void w2c_digest(struct w2c_guest *g);
void w2c_counts(struct w2c_guest *g);
void w2c_keep_samples(struct w2c_guest *g);

#endif
