/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * base: what every room needs and no room owns: errors that carry a byte
 * offset, a growing buffer, a bounds-checked cursor over untrusted bytes,
 * whole files, child processes, one clock and one seeded generator.
 * Knows nothing of wasm.
 */
#ifndef PERFWASM_BASE_H
#define PERFWASM_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define PW_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* --- errors ------------------------------------------------------------- */

#define PW_NO_OFF UINT64_MAX

/*
 * Why something failed. Filled only on failure; `err` may be NULL everywhere
 * it is taken. `msg` is one sentence without a final full stop: what was
 * expected, what was found, what to do.
 */
struct pw_err {
	int code;     /* a positive errno value */
	uint64_t off; /* byte offset in the input, or PW_NO_OFF */
	char msg[480];
};

/* Fills err and returns -code, so that `return pw_err_set(...)` reads well. */
int pw_err_set(struct pw_err *err, int code, const char *fmt, ...)
	PW_PRINTF(3, 4);
/* The same for a fault at byte `off` of an input. */
int pw_err_at(struct pw_err *err, int code, uint64_t off, const char *fmt, ...)
	PW_PRINTF(4, 5);
/* Puts "CONTEXT: " before the message that is already there. */
void pw_err_prefix(struct pw_err *err, const char *fmt, ...) PW_PRINTF(2, 3);

/* --- memory ------------------------------------------------------------- */

/* As malloc, calloc, realloc and strdup, but end the process with a sentence
 * when memory is out: the only place of the library that does. Not for sizes
 * that come from an input unless they are bounded by the input's own size. */
void *pw_alloc(size_t size_bytes);
void *pw_zalloc(size_t size_bytes);
void *pw_realloc(void *p, size_t size_bytes);
char *pw_strdup(const char *s);
char *pw_strndup(const char *s, size_t n);
/* Appends to a NULL-ended list, NULL when it is empty, which takes over the
 * string. */
void pw_strings_add(char ***list, char *s);
/* The strings, too. */
void pw_strings_free(char **list);
char *pw_asprintf(const char *fmt, ...) PW_PRINTF(1, 2);

/* The name most like `word`; NULL: none is like it. */
const char *pw_nearest(const char *word, const char *const *names, size_t n);
/* The end of a sentence that says there is no `word`: "; did you mean 'NAME'?"
 * with the name most like it, in the sentence's quotes, or "" when there is
 * none; the word itself is none. The caller frees. */
char *pw_did_you_mean(char quote, const char *word, const char *const *names,
		      size_t n);

/* --- growing buffer ------------------------------------------------------ */

/* Bytes that grow; zeroed storage is an empty buffer. pw_buf_str() keeps a
 * terminating zero behind `len`, not counted in it. */
struct pw_buf {
	uint8_t *data;
	size_t len;
	size_t cap;
};

void pw_buf_release(struct pw_buf *b);
void pw_buf_reserve(struct pw_buf *b, size_t more_bytes);
void pw_buf_add(struct pw_buf *b, const void *data, size_t n);
void pw_buf_add_u8(struct pw_buf *b, uint8_t v);
void pw_buf_add_u32(struct pw_buf *b, uint32_t v);  /* little-endian */
void pw_buf_add_u64(struct pw_buf *b, uint64_t v);  /* little-endian */
void pw_buf_add_uleb(struct pw_buf *b, uint64_t v); /* shortest form */
void pw_buf_add_sleb(struct pw_buf *b, int64_t v);  /* shortest form */
void pw_buf_printf(struct pw_buf *b, const char *fmt, ...) PW_PRINTF(2, 3);
/* The buffer as a C string, valid until the next change. */
const char *pw_buf_str(struct pw_buf *b);

/* --- cursor over untrusted bytes ------------------------------------------ */

/*
 * Reads forward and never past `end`. The first failure is kept in `err`
 * (when given) with its byte offset `p - base + base_off`, `failed` is set
 * and every later read gives zero: a reader may check once at the end of a
 * record. LEB128 rules are those of the WebAssembly core specification,
 * 5.2.2: at most ceil(N/7) bytes, and the unused bits of the last byte must
 * match the sign.
 */
struct pw_cursor {
	const uint8_t *base, *p, *end;
	uint64_t base_off;
	bool failed;
	struct pw_err *err;
};

void pw_cursor_init(struct pw_cursor *c, const void *data, size_t size,
		    uint64_t base_off, struct pw_err *err);
uint64_t pw_cursor_off(const struct pw_cursor *c);
size_t pw_cursor_left(const struct pw_cursor *c);
/* Records a failure at the present offset; returns -code. */
int pw_cursor_fail(struct pw_cursor *c, int code, const char *fmt, ...)
	PW_PRINTF(3, 4);
uint8_t pw_cursor_u8(struct pw_cursor *c);
uint32_t pw_cursor_u32(struct pw_cursor *c); /* little-endian */
uint64_t pw_cursor_u64(struct pw_cursor *c); /* little-endian */
uint32_t pw_cursor_uleb32(struct pw_cursor *c);
uint64_t pw_cursor_uleb64(struct pw_cursor *c);
int32_t pw_cursor_sleb32(struct pw_cursor *c);
int64_t pw_cursor_sleb33(struct pw_cursor *c);
int64_t pw_cursor_sleb64(struct pw_cursor *c);
/* n bytes borrowed from the input, or NULL. */
const uint8_t *pw_cursor_bytes(struct pw_cursor *c, uint64_t n);

/* --- files ---------------------------------------------------------------- */

/* A whole file, read or (when large) mapped read-only; "-" is standard input.
 * A pipe or a device is refused (-EFBIG) when 512 MiB come without an end.
 * Owned by the caller; pw_file_close() accepts zeroed storage. */
struct pw_file {
	const uint8_t *data;
	size_t size;
	bool mapped;
};

int pw_file_open(struct pw_file *f, const char *path, struct pw_err *err);
void pw_file_close(struct pw_file *f);
/* What one read of a small file gives (of /proc, of /sys), below an open
 * directory or AT_FDCWD, with a 0 behind it: its size, at most size - 1, or
 * -errno and then "". Allocates nothing. */
ssize_t pw_file_peek(int dir, const char *path, char *to, size_t size);
/* All of it, whatever comes between; 0 or -errno. */
int pw_write_all(int fd, const void *data, size_t n);
/* Writes beside `path` and renames, so that a reader never sees a part. A
 * link is written through; a device or a pipe is written to. */
int pw_file_write(const char *path, const void *data, size_t n,
		  struct pw_err *err);
/* mkdir -p. */
int pw_mkdirs(const char *path, struct pw_err *err);
/* rm -rf, never following links; 0 when nothing is there. */
int pw_remove_tree(const char *path, struct pw_err *err);
/* "perf-wasm" below $XDG_CACHE_HOME (~/.cache) and $XDG_CONFIG_HOME
 * (~/.config); the caller frees. Not created. */
char *pw_cache_dir(void);
char *pw_config_dir(void);
/* The first `name` on $PATH that can be run, or NULL; the caller frees. */
char *pw_find_program(const char *name);
/*
 * A file or directory of ours by its path below the prefix ("bin",
 * "libexec/perf-wasm/host-node", "share/perf-wasm/runtimes"): below
 * $PERF_WASM_PREFIX when it is there, else below a directory above the
 * running program (or plugin file), so that it works from the build folder,
 * a staged tree and an installation alike. NULL when missing; the caller
 * frees.
 */
char *pw_own_path(const char *relative);

/* --- journals --------------------------------------------------------------- */

/*
 * What a long job has done already, so that it can be killed at any point and
 * goes on where it was: lines "STEP\tKEY\tVALUE\n", one for each unit of work,
 * each appended by one write(). A last line without its newline was cut and
 * does not count. No tabs in STEP and KEY, no line breaks anywhere.
 */
struct pw_journal;

/* Opens for this process alone: EBUSY while another has it. */
struct pw_journal *pw_journal_open(const char *path, struct pw_err *err);
/*
 * Makes `dir` when it is missing and opens dir/journal for one job: its kind,
 * and a number that stands for all that may change its result. EEXIST, with
 * advice, when the journal is another's.
 */
struct pw_journal *pw_journal_claim(const char *dir, const char *job,
				    uint64_t identity, struct pw_err *err);
void pw_journal_close(struct pw_journal *j);
/* The value of a unit that is done, or NULL. */
const char *pw_journal_find(const struct pw_journal *j, const char *step,
			    const char *key);
/* Calls f for each unit of a step, in the order in which they were done, as
 * long as it returns 0; gives what it returned last. */
int pw_journal_each(const struct pw_journal *j, const char *step,
		    int (*f)(void *ctx, const char *key, const char *value),
		    void *ctx);
int pw_journal_add(struct pw_journal *j, const char *step, const char *key,
		   struct pw_err *err, const char *fmt, ...) PW_PRINTF(5, 6);

/* --- child processes ------------------------------------------------------- */

/*
 * A child in its own process group, which ends with it: when the child is
 * waited for or killed, so is all it left behind in its group. fds: -1 means
 * /dev/null for stdin and inherits stdout and stderr; a value >= 0 is put
 * there in the child and stays open in the caller; PW_CHILD_PIPE makes a pipe
 * whose other end is in the structure. No other descriptor is passed on.
 * envp NULL inherits. Signals are reset. The child is killed when the thread
 * that started it dies (PR_SET_PDEATHSIG). Zeroed storage is a child that was
 * never started.
 */
#define PW_CHILD_PIPE (-2)

struct pw_child {
	pid_t pid;           /* also the process group; -1 when it has ended */
	int in, out, err_fd; /* our ends of the pipes asked for, else -1 */
};

struct pw_child_opts {
	const char *const *argv; /* argv[0] is looked up on PATH */
	const char *const *envp;
	const char *cwd;
	int in, out, err_fd;
	/* Called in the child when all is in place, just before exec; may make
	 * async-signal-safe calls only. < 0: the start fails with it. */
	int (*prepare)(void *ctx);
	void *ctx;
};

int pw_child_start(struct pw_child *c, const struct pw_child_opts *o,
		   struct pw_err *err);
/* Waits at most timeout_ns (UINT64_MAX: for ever). 0 and *status as waitpid,
 * or -ETIMEDOUT with the child still running. */
int pw_child_wait(struct pw_child *c, uint64_t timeout_ns, int *status);
/* SIGKILLs the whole group, reaps, closes the pipes. NULL and zeroed fine. */
void pw_child_kill(struct pw_child *c);
/* Runs a program to its end, adds its output to the buffers (each at most
 * max_bytes, the rest is dropped; either may be NULL) and gives its status
 * as waitpid; -ETIMEDOUT after killing it. */
int pw_child_run(const char *const *argv, uint64_t timeout_ns,
		 struct pw_buf *out, struct pw_buf *errout, size_t max_bytes,
		 int *status, struct pw_err *err);

/* --- clock and chance -------------------------------------------------------- */

uint64_t pw_now_ns(void); /* CLOCK_MONOTONIC: perf record -k mono */
uint64_t pw_cpu_ns(void); /* CPU time of this process */

/* A seeded generator (splitmix64, Steele et al. 2014); not for secrets. */
struct pw_rng {
	uint64_t state;
};
void pw_rng_init(struct pw_rng *r, uint64_t seed);
uint64_t pw_rng_u64(struct pw_rng *r);
uint64_t pw_rng_below(struct pw_rng *r, uint64_t n); /* 0 <= x < n, n > 0 */

/* 64-bit content hash (XXH3), stable over runs and machines. */
uint64_t pw_hash(const void *data, size_t n, uint64_t seed);

#endif
