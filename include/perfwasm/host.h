/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host: what host programs share: the other side of the line protocol and
 * the loop that gives every request a process of its own, bounds it, and
 * turns whatever ends it into an outcome. For the rooms wasm/host-*, one for
 * each engine, or kind of engine.
 *
 *	measure ---stdin---> parent (pw_host_main) ---fork---> child (ops->run)
 *	measure <--stdout--- parent <-------fd 3 of the child------'
 *
 * The parent never runs a guest. The child leads a process group; it may fork
 * and exec at will, what it starts keeps fd 3 and dies with the group.
 * The registry (conf.c) starts host programs as
 *	host-wasmtime LIBRARY [OPT=VALUE...]
 *	host-wasm2c [OPT=VALUE...]
 *	node host-v8.mjs [OPT=VALUE...]
 *	host-command COMMAND [OPT=VALUE...]	COMMAND is one argument: the
 *		line given to `runtimes --add`, with {module} and {options}
 * On fd 3 it, or any program it starts, writes lines:
 *	watch	pid=N	compile_ns=N	cpu_ns=N	the call begins in
 *		process N, which has used cpu_ns so far: bound it from now on
 *	done	outcome=...	...	the reply (id is filled in)
 */
#ifndef PERFWASM_HOST_H
#define PERFWASM_HOST_H

#include <perfwasm/module.h>
#include <perfwasm/runtime.h>

#include <time.h>

#define PW_HOST_FD 3

/* --- one request, in the child --- */

struct pw_host_run {
	const struct pw_host_request *req;
	struct pw_host_reply reply; /* begins as outcome ok */
	/* Guest output: stdout_path, or an unnamed file when a digest is
	 * asked, or /dev/null. Readable. Put on 1 and 2 by call_begin. */
	int out_fd;
	/* private to host-child.c */
	uint64_t compile_from_ns, call_from_cpu_ns, call_from_wall_ns;
	uint64_t data_from_bytes; /* of this process when it began */
	int kept_fds[3];
	timer_t cpu_timer;
	bool cpu_timer_set;
	struct pw_host_samples
		*samples; /* host-sample.c; NULL when not asked */
};

/* Around the compilation: fills reply.compile_ns. */
void pw_host_compile_begin(struct pw_host_run *run);
void pw_host_compile_end(struct pw_host_run *run);
/* Before a guest's start function runs, in this process: tells the parent to
 * watch, and sets the vector registers as for a call. It is not timed. */
void pw_host_start_begin(struct pw_host_run *run);
/*
 * Around the guest's call, as tight as possible: tells the parent to watch,
 * puts stdin_path (or /dev/null) on 0 and out_fd on 1 and 2, limits the size
 * of files, arms the CPU limit (SIGXCPU kills), starts the sampling, reads
 * the clocks. end() reads the clocks first and takes all that back; it finds
 * memory-limit when the process grew beyond it. For a call in this process.
 */
void pw_host_call_begin(struct pw_host_run *run);
void pw_host_call_end(struct pw_host_run *run);
/* Sets the outcome and a sentence (the first line of it, made printable). */
void pw_host_fail(struct pw_host_run *run, enum pw_outcome outcome,
		  const char *fmt, ...) PW_PRINTF(3, 4);
/* Tells the parent which process makes the call from now on (for a host that
 * starts a program; the parent polls its CPU time and memory). */
void pw_host_watch(struct pw_host_run *run, pid_t pid, uint64_t used_cpu_ns);
/* The limits of a program to be started, to be called between fork and exec:
 * RLIMIT_FSIZE, RLIMIT_CORE 0, RLIMIT_CPU (whole seconds, rounded up), fds 0,
 * 1 and 2 as for a call. RLIMIT_CPU makes CLOCK_PROCESS_CPUTIME_ID of that
 * program coarse (last tick): take its CPU time from wait4(). */
void pw_host_limit_self(struct pw_host_run *run);
/* What a death by this signal means: SIGXCPU cpu-limit, SIGXFSZ
 * output-limit, else crash; the sentence goes to dst. */
enum pw_outcome pw_host_signal_outcome(int sig, char *dst, size_t size);

/* --- digest --- */

/* Gathers what a guest left behind: names and bytes, in order; end() adds
 * output, outcome and exit code and writes run->reply.digest (128 bits). */
struct pw_host_digest {
	uint64_t lo, hi;
};
void pw_host_digest_init(struct pw_host_digest *d);
void pw_host_digest_add(struct pw_host_digest *d, const char *name,
			const void *data, size_t n);
void pw_host_digest_end(struct pw_host_digest *d, struct pw_host_run *run);

/* --- counters --- */

/* The bits of the i-th export, an i64 global. */
typedef uint64_t pw_host_global_fn(void *ctx, uint32_t i);
/* Writes req->counts_path after the call. */
int pw_host_counts_write(const struct pw_host_request *req,
			 const struct pw_module *m, pw_host_global_fn *get,
			 void *ctx, struct pw_err *err);

/* --- samples --- */

/* Writes req->samples_path after the call; text is where the artifact's
 * .text was mapped (0 bytes: unknown, every sample is outside). */
int pw_host_samples_write(struct pw_host_run *run, uint64_t text_addr,
			  uint64_t text_size, struct pw_err *err);

/* --- the process --- */

/* Private writable memory of a process (what a guest's memory adds to), as
 * the kernel counts it for RLIMIT_DATA; 0 when it is gone. pid 0: this one. */
uint64_t pw_host_data_bytes(pid_t pid);
/* What a process that died had written to this file, as one line and without
 * the advice ("note: ...") that Rust adds. */
void pw_host_last_words(int fd, char *dst, size_t size);
/* CPU time of a process, all its threads; 0 when it is gone. */
uint64_t pw_host_cpu_ns(pid_t pid);

/* --- the program --- */

struct pw_host_ops {
	/* In the parent, once, before `ready`: argv[1..] are the library or
	 * program and options "opt=none". Fills the version that `ready`
	 * gives. */
	int (*load)(void **self, int argc, char **argv, char *version,
		    size_t version_size, struct pw_err *err);
	/* In the child: all of one request. Returns with run->reply filled,
	 * or never. */
	void (*run)(void *self, struct pw_host_run *run);
};

/* The main() of a host program: exit status. */
int pw_host_main(const struct pw_host_ops *ops, int argc, char **argv);

#endif
