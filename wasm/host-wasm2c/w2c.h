/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * w2c: a module through wasm2c and a C compiler, and what its shared object
 * calls at run time. Internal to host-wasm2c.
 *
 *	module -> plain -> wasm2c -> m.c, m.h -\
 *	               \-> glue.c -------------- cc -> m.so, kept by content
 *
 * "plain" is the module with every name in it replaced: a name of a module
 * would otherwise reach the C compiler. Function N is "fN", so its symbol
 * is w2c_fN and, where export K of it is called, w2c_fN.part.eK.
 */
#ifndef PW_HOST_WASM2C_W2C_H
#define PW_HOST_WASM2C_W2C_H

#include <perfwasm/module.h>
#include <perfwasm/runtime.h>

/* --- the two sources ------------------------------------------------------- */

/* Imports become "h"."i0", "i1" ...; export K of function N is "fNeK", every
 * other one "xK"; custom sections go, but for the names of functions. */
int w2c_plain(const struct pw_module *m, struct pw_buf *out,
	      struct pw_err *err);

/*
 * Between the host and the code of wasm2c. What the shared object offers:
 *	void pw_set_host(pw_import_fn *)	before anything else
 *	int pw_start(void)			instantiates; a trap, or 0
 *	int pw_call(unsigned k)			export k; a trap, or 0
 *	uint64_t pw_result(void)		what it returned
 *	uint8_t *pw_memory(unsigned k, uint64_t *size)
 *	uint64_t pw_global(unsigned k)		bits of a numeric one
 *	const char *pw_trap_text(int)
 * Values pass as bits in uint64_t.
 */
typedef void pw_import_fn(unsigned import_idx, const uint64_t *args,
			  uint64_t *result);
/* header: the m.h that wasm2c wrote, which tells its naming scheme. */
void w2c_glue(const struct pw_module *m, const char *header,
	      struct pw_buf *out);
/* What is to be included before m.c, so that symbols are named as said. */
/* Whether a function's values pass: numbers, at most one result. */
bool w2c_can_pass(const struct pw_functype *t);
void w2c_renames(const struct pw_module *m, const char *header,
		 struct pw_buf *out);
/* Appends m.c with noinline on the prototype of every wasm function. */
void w2c_forbid_inlining(const char *c, struct pw_buf *out);

/* --- the tools ---------------------------------------------------------------- */

struct w2c_tools {
	char *wasm2c, *cc;
	char *rt_dir;      /* holds wasm-rt-impl.c */
	char *include_dir; /* may hold wasm-rt.h */
	char *rt_obj;      /* compiled, for all modules */
	char *cache_dir;   /* NULL: nothing can be kept */
	char *scratch_dir; /* in which work is done */
	char *what;        /* all that changes what comes out, as text */
	bool is_clang, no_inline;
	char level; /* of -O */
	char version[64];
};

int w2c_tools_init(struct w2c_tools *t, int argc, char **argv,
		   struct pw_err *err);

struct w2c_built {
	char *so_path;
	char *dir;           /* to be removed when done, else NULL */
	uint64_t compile_ns; /* CPU time of wasm2c and cc, then or now */
};

/*
 * Builds or finds a module's shared object. On failure *outcome says how to
 * call it, err->msg is the tool's own message where it gave one.
 */
int w2c_build(const struct w2c_tools *t, const struct pw_module *m,
	      struct w2c_built *b, enum pw_outcome *outcome,
	      struct pw_err *err);
void w2c_built_release(struct w2c_built *b);

/* Runs a program in our process group, its output to log_path. 0, or -errno
 * with the first lines of the output; *status as waitpid. */
int w2c_run_tool(const char *const *argv, const char *log_path, int *status,
		 struct pw_err *err);

/* --- the cache ------------------------------------------------------------------ */

/* DIR/KEY/FILE. Entries appear whole, by renaming a directory. */
char *w2c_cache_find(const struct w2c_tools *t, const char *key,
		     const char *file);
/* Moves `from` there; -errno when it cannot, and `from` stays. An entry that
 * another has made meanwhile wins. */
int w2c_cache_put(const struct w2c_tools *t, const char *key, const char *from);
/* Drops the entries that were not used for longest when all together are
 * larger than a cache should be, and what killed builds have left. */
void w2c_cache_prune(const struct w2c_tools *t);

#endif
