/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runtime: what a Wasm runtime is. *.conf files describe how to get one and
 * which host program drives it; host programs speak one line protocol. Knows
 * nothing of sandboxes, repeated runs or machine code.
 *
 * A runtime is named by a spec: NAME[@VERSION][?OPT=VALUE[&OPT=VALUE...]]
 *   wasmtime@13.0.0?opt=none    that release, at opt level none
 *   wasmtime@newest             the highest release that was added
 *   wasm2c, v8                  built in; probed when used
 *   mine                        added by path under that name
 *   command:LINE                a command line with {module} or {wasm} in it
 */
#ifndef PERFWASM_RUNTIME_H
#define PERFWASM_RUNTIME_H

#include <perfwasm/base.h>

/* --- the registry -------------------------------------------------------- */

struct pw_runtime {
	char *spec;    /* canonical: as given, with the version resolved */
	char *name;    /* "wasmtime" */
	char *version; /* "13.0.0"; asked of the program where not in spec */
	char *kind;    /* "library", "wasm2c", "node", "command" */
	char *path;    /* library or program; NULL when the host needs none */
	char **host_argv; /* the host program and its arguments, NULL-ended */
	char **needs;     /* paths the host must see inside a sandbox,
			   NULL-ended */
	char *baseline;   /* options with which it shows what its baseline
			   compiler makes in programs; NULL: the same */
	bool shows_code;  /* gives an image of the machine code */
	bool samples;     /* can sample itself while it runs */
	bool shows_dirs;  /* guests can see directories */
};

/*
 * Finds a runtime by spec, among the added ones ($XDG_CONFIG_HOME/perf-wasm/
 * runtimes.d/NAME.conf), the fetched ones ($XDG_CACHE_HOME/perf-wasm/
 * runtimes/NAME@VERSION/) and the built-in *.conf. ENOENT says what to type
 * to add it. The caller releases.
 */
int pw_runtime_find(struct pw_runtime *rt, const char *spec,
		    struct pw_err *err);
void pw_runtime_release(struct pw_runtime *rt);

/* One row for `perf wasm runtimes`. status: 0 usable, else -errno and `why`
 * says what is missing and what to do. */
struct pw_runtime_row {
	char *spec, *kind, *path, *why;
	int status;
};
int pw_runtime_list(struct pw_runtime_row **rows, size_t *n,
		    struct pw_err *err);
void pw_runtime_rows_free(struct pw_runtime_row *rows, size_t n);

/*
 * Fetches NAME@VERSION (or NAME@newest) as its .conf says: the Python package
 * of that version by pip, checked against the pinned sha256 where the .conf
 * has one, unpacked into the cache. *spec is the resolved spec, *sha256 the
 * package file's hash, *pinned whether it was compared; the caller frees the
 * strings. Already there: 0, nothing is fetched.
 */
int pw_runtime_fetch(const char *spec, char **resolved, char **sha256,
		     bool *pinned, struct pw_err *err);
/*
 * The releases of a runtime (its name or a spec; version and options do not
 * matter) that can be driven, oldest first, NULL-ended: those that the package
 * index has (pip is asked once a day, what it said is kept in the cache; the
 * pinned ones when it cannot be asked) and those that were fetched, or only
 * the latter. EINVAL for a runtime that is not fetched.
 */
int pw_runtime_releases(const char *name, bool fetched_only, char ***versions,
			struct pw_err *err);
void pw_runtime_releases_free(char **versions);
/* < 0, 0 or > 0: release a is older than, the same as or newer than b. */
int pw_runtime_release_order(const char *a, const char *b);
/* Adds a runtime that the user has: a library ("library") or a command line
 * with {module} and {options} in it ("command"). Checked before written. */
int pw_runtime_add(const char *name, const char *kind, const char *value,
		   struct pw_err *err);
int pw_runtime_remove(const char *spec, struct pw_err *err);
/*
 * Cuts a command line into words as a shell would: blanks separate, '...',
 * "..." and a backslash keep. Nothing else is special; there is no shell. For
 * pw_strings_free(). EINVAL when a quote is open or the line is empty.
 */
int pw_words_split(const char *line, char ***words, struct pw_err *err);

/* --- the host protocol ------------------------------------------------------- */

/*
 * A host program reads requests on stdin and answers on stdout, a line each:
 * tab-separated key=value fields, values percent-encoded (bytes below 0x21,
 * %, and 0x7f). First it says
 *   ready	version=13.0.0	...
 * or, before it ends,
 *   failed	message=...
 * A request runs one module in a process of its own where the runtime
 * allows (fork after the library is loaded), so that no run changes the
 * state of another:
 *   run	id=7	module=/box/m7.wasm	invoke=_start	...
 *   done	id=7	outcome=ok	compile_ns=...	...
 * Hosts answer requests in order. A host may die; the caller starts another.
 */
enum pw_outcome {
#define PW_OUTCOME(id, name, help) PW_OUT_##id,
#include <perfwasm/outcomes.def>
#undef PW_OUTCOME
	PW_N_OUTCOMES
};
const char *pw_outcome_name(enum pw_outcome o);
enum pw_outcome pw_outcome_find(const char *name);

/* What sightglass's programs call around their hot part. */
#define PW_EMPTY_IMPORTS "bench.start,bench.end"

struct pw_host_request {
	uint64_t id;
	const char *module_path;
	bool compile_only;
	const char *invoke;        /* NULL: "_start" */
	const char *const *argv;   /* guest arguments from argv[1] on */
	const char *const *env;    /* "K=V"; NULL-ended, NULL none */
	const char *const *dirs;   /* preopened: "host::guest" or "path" */
	const char *stdin_path;    /* NULL: empty */
	const char *stdout_path;   /* gathers stdout and stderr; NULL: away */
	const char *empty_imports; /* comma-separated "mod.name" functions to
					 offer when the module wants them;
					 "*" all that are missing */
	const char *artifact_path; /* write the machine code here, in a form
					 that pw_code_open() reads */
	const char *samples_path;  /* sample the call, write here */
	uint64_t sample_period_ns;
	const char *jitdump_dir; /* write jit-PID.dump there */
	/* Write there what the counters hold in the end: "NAME VALUE\n" for
	 * every exported mutable i64 global named PW_COUNT_PREFIX... */
	const char *counts_path;
	/* Begin with clear vector registers, not with filled ones; see
	 * host-registers.c. Only a host that makes the call itself can. */
	bool clean_registers;
	bool digest;                 /* hash final memories, globals, output */
	uint64_t cpu_limit_ns;       /* of the call; 0 none */
	uint64_t wall_limit_ns;      /* of the whole request */
	uint64_t memory_limit_bytes; /* address space the guest may add */
	uint64_t output_limit_bytes;
};

struct pw_host_reply {
	uint64_t id;
	enum pw_outcome outcome;
	uint64_t compile_ns; /* CPU time to compile */
	uint64_t cpu_ns;     /* CPU time of the call alone, all threads */
	uint64_t wall_ns;    /* of the call */
	uint64_t begin_ns;   /* of the call, as pw_now_ns(); 0: not told */
	int exit_code;       /* WASI proc_exit */
	char digest[68];     /* hex, "" when not asked or not to be had */
	char message[400];   /* one sentence when the outcome is not ok */
};

void pw_host_request_print(const struct pw_host_request *r,
			   struct pw_buf *out); /* with the newline */
int pw_host_reply_parse(struct pw_host_reply *r, const char *line,
			struct pw_err *err);

/* Appends "\tKEY=VALUE", the value percent-encoded. */
void pw_protocol_add(struct pw_buf *out, const char *key, const char *value);
void pw_protocol_add_u64(struct pw_buf *out, const char *key, uint64_t value);
/* The next field of a line that is taken apart in place: cuts at the tab,
 * decodes the value. 1, 0 at the end, -EINVAL. */
int pw_protocol_next(char **line, char **key, char **value, struct pw_err *err);
/* Decimal digits and nothing else; else -EINVAL. */
int pw_protocol_u64(const char *s, uint64_t *v);

/*
 * A samples file: text, one line a sample "TEXT_OFFSET\n" (hex, relative to
 * the .text of the artifact), "-" for one outside it (host or kernel code);
 * first line "period_ns N".
 */

#endif
