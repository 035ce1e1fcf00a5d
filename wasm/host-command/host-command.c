// SPDX-License-Identifier: GPL-2.0-only
/*
 * host-command LINE [--compile LINE] [--code FORM] [--version V] [OPT=VALUE...]
 * runs modules with a command line, see command-line.h for what may stand in
 * it. Knows the runtime by its exit status only, so a trap looks like the
 * status it ends with. With --compile a module is compiled first and what is
 * left behind is its machine code; else compiling counts as running.
 *
 * cpu_ns is the CPU time of the process and what it waited for, less that of
 * an empty module, the least of some runs at the start. The greeting's
 * version says how much that is.
 */
#include "command-compile.h"
#include "command-line.h"
#include "host-code.h"
#include <perfwasm/host.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MS            5
#define SPARE_SECONDS      2
#define LATER_NS           100000000
#define N_EMPTY_RUNS       5
#define STATUS_NOT_RUN     127
#define STATUS_AFTER_ABORT (128 + SIGABRT)

struct command {
	char **words, **compile; /* NULL: compiles as it runs */
	const char *code;        /* form, or NULL */
	const char *version;     /* NULL: it is asked */
	const char *const *options;
	uint64_t empty_cpu_ns;
};

/* (module (memory (export "memory") 1) (func (export "_start"))) */
static const uint8_t empty_module[] = {
	0,   'a', 's', 'm', 1,   0,   0,   0, 1, 4, 1,    0x60, 0,
	0,   3,   2,   1,   0,   5,   3,   1, 0, 1, 7,    19,   2,
	6,   'm', 'e', 'm', 'o', 'r', 'y', 2, 0, 6, '_',  's',  't',
	'a', 'r', 't', 0,   0,   10,  4,   1, 2, 0, 0x0b,
};

static uint64_t cpu_of(const struct rusage *u)
{
	return (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) *
		       1000000000 +
	       (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000;
}

static int wait_for(pid_t pid, int *status, uint64_t *cpu_ns)
{
	struct rusage u;

	while (wait4(pid, status, 0, &u) < 0)
		if (errno != EINTR)
			return -errno;
	*cpu_ns = cpu_of(&u);
	return 0;
}

/* --- before the requests ------------------------------------------------------ */

static int write_empty(char *path, struct pw_err *err)
{
	int fd = mkstemps(path, 5);
	ssize_t n;

	if (fd < 0)
		return pw_err_set(err, errno, "cannot make %s: %s", path,
				  strerror(errno));
	n = write(fd, empty_module, sizeof(empty_module));
	close(fd);
	return n == sizeof(empty_module)
		       ? 0
		       : pw_err_set(err, EIO, "cannot write %s", path);
}

/* Its output goes to the end of `out`. */
static int run_once(char **argv, int out, int *status, uint64_t *cpu_ns)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

		dup2(null, 0);
		dup2(out, 1);
		dup2(out, 2);
		execvp(argv[0], argv);
		_exit(STATUS_NOT_RUN);
	}
	return wait_for(pid, status, cpu_ns);
}

static int complain(char **argv, int status, int out, struct pw_err *err)
{
	char said[300];
	ssize_t n = pread(out, said, sizeof(said) - 1, 0);

	said[n > 0 ? n : 0] = 0;
	for (char *s = said; *s; s++)
		*s = *s == '\n' ? ' ' : *s;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_RUN)
		return pw_err_set(err, ENOENT,
				  "%s cannot be run: give its path", argv[0]);
	return pw_err_set(
		err, EINVAL,
		"%s does not run an empty module: it ended with %s %d%s%s",
		argv[0], WIFSIGNALED(status) ? "signal" : "status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
		said[0] ? ": " : "", said);
}

static int measure_empty(struct command *c, const char *path,
			 struct pw_err *err)
{
	struct pw_host_request req = { .module_path = path };
	int out = memfd_create("output", MFD_CLOEXEC), status = 0, rc = 0;
	uint64_t cpu_ns = 0;
	char **argv = NULL, *artifact = NULL;

	if (c->compile)
		rc = command_compile(c->compile, c->options, path, &artifact,
				     &cpu_ns, err);
	if (!rc)
		rc = words_fill(c->words, c->options, &req, artifact, &argv,
				err);
	if (rc)
		goto out;
	c->empty_cpu_ns = UINT64_MAX;
	for (int i = 0; i < N_EMPTY_RUNS && !rc; i++) {
		rc = run_once(argv, out, &status, &cpu_ns);
		if (!rc && status)
			rc = complain(argv, status, out, err);
		else if (rc)
			pw_err_set(err, -rc, "cannot start a process: %s",
				   strerror(-rc));
		if (cpu_ns < c->empty_cpu_ns)
			c->empty_cpu_ns = cpu_ns;
	}
out:
	pw_strings_free(argv);
	command_forget(artifact);
	close(out);
	return rc;
}

/* What the program says about its version: the first word with a digit and a
 * dot in it, or "unknown". */
static void ask_version(const char *program, char *dst, size_t size)
{
	const char *argv[] = { program, "--version", NULL };
	struct pw_buf out = { 0 };
	char *rest, *word;
	int status;

	snprintf(dst, size, "unknown");
	if (!pw_child_run(argv, 10000000000ull, &out, NULL, 4096, &status,
			  NULL) &&
	    !status) {
		rest = (char *)pw_buf_str(&out);
		while ((word = strsep(&rest, " \n\t,"))) {
			if (!strpbrk(word, "0123456789") || !strchr(word, '.'))
				continue;
			snprintf(dst, size, "%s", word);
			break;
		}
	}
	pw_buf_release(&out);
}

static int load(void **self, int argc, char **argv, char *version,
		size_t version_size, struct pw_err *err)
{
	struct command *c = pw_zalloc(sizeof(*c));
	const char *tmp = getenv("TMPDIR");
	char *path, number[32];
	int rc;

	*self = c;
	if (argc < 2)
		return pw_err_set(err, EINVAL, "expected a command line");
	rc = pw_words_split(argv[1], &c->words, err);
	for (argv += 2; !rc && argv[0] && argv[1]; argv += 2) {
		if (!strcmp(argv[0], "--compile"))
			rc = pw_words_split(argv[1], &c->compile, err);
		else if (!strcmp(argv[0], "--code"))
			c->code = argv[1];
		else if (!strcmp(argv[0], "--version"))
			c->version = argv[1];
		else
			break;
	}
	c->options = (const char *const *)argv;
	if (rc)
		return rc;
	path = pw_asprintf("%s/perf-wasm-XXXXXX.wasm",
			   tmp && *tmp ? tmp : "/tmp");
	rc = write_empty(path, err) ?: measure_empty(c, path, err);
	unlink(path);
	free(path);
	if (rc)
		return rc;
	if (!c->version)
		ask_version(c->words[0], number, sizeof(number));
	snprintf(version, version_size, "%s less %.1f ms", c->version ?: number,
		 (double)c->empty_cpu_ns / 1e6);
	return 0;
}

/* --- one request ---------------------------------------------------------------- */

/* The kernel counts this limit in ticks, and so may be early; we are exact,
 * and it is left for what we do not see: descendants. */
static void loosen_cpu_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_CPU, &l) || l.rlim_cur == RLIM_INFINITY)
		return;
	l.rlim_cur += SPARE_SECONDS;
	setrlimit(RLIMIT_CPU, &l);
}

static void __attribute__((noreturn))
become(struct command *c, struct pw_host_run *run, char **argv)
{
	const char *dir = run->req->jitdump_dir;

	if (dir && chdir(dir))
		_exit(STATUS_NOT_RUN);
	/* The start of a process is not the guest's to pay for; and we look
	 * first, who can still say how much it was. */
	pw_host_watch(run, getpid(), c->empty_cpu_ns + LATER_NS);
	fcntl(PW_HOST_FD, F_SETFD, FD_CLOEXEC);
	pw_host_limit_self(run);
	loosen_cpu_limit();
	execvp(argv[0], argv);
	_exit(STATUS_NOT_RUN);
}

/* Waits for the end of a process, and makes it when its CPU time is up. */
static int watch(struct command *c, struct pw_host_run *run, pid_t pid,
		 int *status, uint64_t *cpu_ns)
{
	uint64_t limit = run->req->cpu_limit_ns;
	siginfo_t info = { 0 };
	bool over = false;
	int rc;

	while (limit && !over && !info.si_pid) {
		poll(NULL, 0, TICK_MS);
		if (waitid(P_PID, (id_t)pid, &info,
			   WEXITED | WNOHANG | WNOWAIT))
			break;
		over = pw_host_cpu_ns(pid) > c->empty_cpu_ns + limit;
	}
	if (over && !info.si_pid)
		kill(pid, SIGKILL);
	rc = wait_for(pid, status, cpu_ns);
	if (!rc && over && WIFSIGNALED(*status))
		*status = SIGXCPU;
	return rc;
}

/* A program may ignore the signal, or a shell may turn it into a status. */
static bool output_is_full(const struct pw_host_run *run)
{
	uint64_t limit = run->req->output_limit_bytes;
	struct stat st;

	return limit && !fstat(run->out_fd, &st) && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size >= limit;
}

/* Of what a guest leaves behind only its output is seen: one that writes
 * nothing has no digest. */
static bool has_output(const struct pw_host_run *run)
{
	struct stat st;

	return !fstat(run->out_fd, &st) && st.st_size > 0;
}

static void judge(struct pw_host_run *run, int status)
{
	char what[160];
	int code = WEXITSTATUS(status);
	enum pw_outcome outcome;

	if (WIFSIGNALED(status)) {
		outcome = pw_host_signal_outcome(WTERMSIG(status), what,
						 sizeof(what));
		pw_host_fail(run, outcome, "%s", what);
	} else if (code && output_is_full(run)) {
		pw_host_fail(run, PW_OUT_OUTPUT, "wrote more than it may");
	} else if (code == STATUS_NOT_RUN) {
		pw_host_fail(
			run, PW_OUT_UNSUPPORTED,
			"the command cannot be run, or ended with status %d",
			code);
	} else if (code == STATUS_AFTER_ABORT) {
		pw_host_fail(
			run, PW_OUT_TRAP,
			"ended with status %d, as runtimes do after a trap",
			code);
	} else if (code) {
		run->reply.exit_code = code;
		pw_host_fail(run, PW_OUT_EXIT, "ended with status %d", code);
	}
}

static void run_command(struct command *c, struct pw_host_run *run, char **argv)
{
	uint64_t from_ns = pw_now_ns(), cpu_ns = 0;
	struct pw_host_digest digest;
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		become(c, run, argv);
	if (pid < 0 || watch(c, run, pid, &status, &cpu_ns)) {
		pw_host_fail(run, PW_OUT_CRASH, "cannot start a process: %s",
			     strerror(errno));
		return;
	}
	run->reply.wall_ns = pw_now_ns() - from_ns;
	run->reply.begin_ns = from_ns;
	if (cpu_ns > c->empty_cpu_ns)
		run->reply.cpu_ns = cpu_ns - c->empty_cpu_ns;
	judge(run, status);
	if (run->req->digest && has_output(run)) {
		pw_host_digest_init(&digest);
		pw_host_digest_end(&digest, run);
	}
}

/* Compiles, where that is a step of its own, and shows the code. */
static int prepare(struct command *c, struct pw_host_run *run, char **artifact)
{
	const struct pw_host_request *req = run->req;
	struct pw_err err;
	int rc = 0;

	if (req->samples_path || (req->artifact_path && !c->code) ||
	    (req->compile_only && !c->compile)) {
		pw_host_fail(
			run, PW_OUT_UNSUPPORTED,
			"a command line shows no %s: only runs can be asked of it",
			req->samples_path ? "samples" : "code");
		return -ENOTSUP;
	}
	if (c->compile)
		rc = command_compile(c->compile, c->options, req->module_path,
				     artifact, &run->reply.compile_ns, &err);
	if (rc)
		pw_host_fail(run,
			     rc == -EBADMSG ? PW_OUT_REFUSED
					    : PW_OUT_UNSUPPORTED,
			     "%s", err.msg);
	if (!rc && req->artifact_path) {
		rc = host_code_write(c->code, *artifact, req->artifact_path,
				     &err);
		if (rc)
			pw_host_fail(run, PW_OUT_UNSUPPORTED, "%s", err.msg);
	}
	return rc;
}

static void run_request(void *self, struct pw_host_run *run)
{
	struct command *c = self;
	struct pw_err err;
	char **argv, *artifact = NULL;

	if (prepare(c, run, &artifact) || run->req->compile_only)
		goto out;
	if (words_fill(c->words, c->options, run->req, artifact, &argv, &err)) {
		pw_host_fail(run, PW_OUT_UNSUPPORTED, "%s", err.msg);
		goto out;
	}
	run_command(c, run, argv);
	pw_strings_free(argv);
out:
	command_forget(artifact);
}

static const struct pw_host_ops ops = { .load = load, .run = run_request };

int main(int argc, char **argv)
{
	return pw_host_main(&ops, argc, argv);
}
