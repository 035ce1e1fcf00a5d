// SPDX-License-Identifier: GPL-2.0-only
/*
 * host-shell NAME [--version V] [tier=TIER]: runs modules in the shell of a
 * JavaScript engine (shells.def), a process each. shell-guest.js does what a
 * request asks and prints a word where a clock must be read; it waits
 * meanwhile, so the CPU time between two words is that of what lies between.
 *
 * JavaScriptCore makes code while it runs and for what runs only: its code of
 * a module is what it had made after a run, or after as much CPU time as
 * below; with compilation at once, so that it is the same each time.
 */
#include <perfwasm/host.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* At once, and in the running thread. */
#define CODE_FLAGS                                                     \
	"--useConcurrentJIT=0 --thresholdForBBQOptimizeAfterWarmUp=0 " \
	"--thresholdForOMGOptimizeAfterWarmUp=0"
#define CODE_CPU_NS    100000000
#define LATER_NS       100000000
#define TICK_MS        5
#define STATUS_NOT_RUN 127

static const struct shell {
	const char *name, *program, *always;
} shells[] = {
#define PW_SHELL(name, program, always) { name, program, always },
#define PW_SHELL_TIER(shell, tier, extract, flags)
#include "shells.def"
#undef PW_SHELL
#undef PW_SHELL_TIER
};

static const struct tier {
	const char *shell, *name, *extract, *flags;
} tiers[] = {
#define PW_SHELL(name, program, always)
#define PW_SHELL_TIER(shell, tier, extract, flags) \
	{ shell, tier, extract, flags },
#include "shells.def"
#undef PW_SHELL
#undef PW_SHELL_TIER
};

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

struct host {
	const struct shell *shell;
	const struct tier *tier;
	char *guest; /* shell-guest.js */
};

/* One run of a shell. */
struct session {
	struct host *host;
	struct pw_host_run *run;
	char *dir; /* for the request, what is left, and the dump */
	pid_t pid;
	int to, from;
	struct pw_buf said;
	uint64_t mark_ns; /* CPU time at the last word */
	bool in_call, cut, over;
	char *done; /* the reply's line */
};

static bool dumps(const struct session *s)
{
	const struct pw_host_request *r = s->run->req;

	return !strcmp(s->host->shell->name, "jsc") &&
	       (r->artifact_path || r->jitdump_dir);
}

/* --- before the requests --------------------------------------------------------- */

static const struct tier *find_tier(const char *shell, const char *name)
{
	for (size_t i = 0; i < N_OF(tiers); i++)
		if (!strcmp(tiers[i].shell, shell) &&
		    (!name || !strcmp(tiers[i].name, name)))
			return &tiers[i];
	return NULL;
}

static int load(void **self, int argc, char **argv, char *version,
		size_t version_size, struct pw_err *err)
{
	struct host *h = pw_zalloc(sizeof(*h));

	*self = h;
	for (size_t i = 0; argc > 1 && i < N_OF(shells); i++)
		if (!strcmp(shells[i].name, argv[1]))
			h->shell = &shells[i];
	if (!h->shell)
		return pw_err_set(err, EINVAL, "expected jsc or js102");
	h->tier = find_tier(h->shell->name, NULL);
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "--version") && i + 1 < argc)
			snprintf(version, version_size, "%s", argv[++i]);
		else if (!strncmp(argv[i], "tier=", 5))
			h->tier = find_tier(h->shell->name, argv[i] + 5);
		else
			h->tier = NULL;
		if (!h->tier)
			return pw_err_set(err, EINVAL,
					  "%s has no option or tier %s",
					  h->shell->name, argv[i]);
	}
	h->guest = pw_own_path("libexec/perf-wasm/shell-guest.js");
	if (!h->guest)
		return pw_err_set(err, ENOENT,
				  "this installation lacks shell-guest.js");
	return 0;
}

/* --- the request as a script ------------------------------------------------------- */

static void add_string(struct pw_buf *out, const char *s)
{
	pw_buf_add_u8(out, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == '"' || c == '\\')
			pw_buf_printf(out, "\\x%02x", c);
		else
			pw_buf_add_u8(out, c);
	}
	pw_buf_printf(out, "\",\n");
}

static void add_field(struct pw_buf *out, const char *key, const char *value)
{
	pw_buf_printf(out, "%s: ", key);
	add_string(out, value ?: "");
}

static void add_list(struct pw_buf *out, const char *key, const char *first,
		     const char *const *list)
{
	pw_buf_printf(out, "%s: [", key);
	if (first)
		add_string(out, first);
	for (; list && *list; list++)
		add_string(out, *list);
	pw_buf_printf(out, "],\n");
}

static int write_request(const struct session *s, struct pw_err *err)
{
	const struct pw_host_request *r = s->run->req;
	const char *base = strrchr(r->module_path, '/');
	char *path = pw_asprintf("%s/request.js", s->dir);
	char *out = pw_asprintf("%s/out", s->dir);
	char *left = pw_asprintf("%s/left", s->dir);
	struct pw_buf b = { 0 };
	int rc;

	pw_buf_printf(&b, "var R = {\n");
	add_field(&b, "module", r->module_path);
	add_list(&b, "argv", base ? base + 1 : r->module_path, r->argv);
	add_list(&b, "env", NULL, r->env);
	add_field(&b, "stdin", r->stdin_path);
	add_field(&b, "empty_imports", r->empty_imports);
	add_field(&b, "invoke", r->invoke ?: "_start");
	add_field(&b, "artifact", dumps(s) ? "" : r->artifact_path);
	add_field(&b, "tier", s->host->tier->extract);
	add_field(&b, "out", out);
	add_field(&b, "left", r->digest ? left : "");
	pw_buf_printf(&b, "compile_only: %s,\noutput_limit_bytes: %llu };\n",
		      r->compile_only && !dumps(s) ? "true" : "false",
		      (unsigned long long)r->output_limit_bytes);
	rc = pw_file_write(path, b.data, b.len, err);
	pw_buf_release(&b);
	free(path);
	free(out);
	free(left);
	return rc;
}

/* --- the process ------------------------------------------------------------------- */

static void push_flags(const char **argv, int *n, char *flags)
{
	char *word;

	while ((word = strsep(&flags, " ")))
		if (*word)
			argv[(*n)++] = word;
}

static void __attribute__((noreturn)) become(struct session *s)
{
	const struct shell *shell = s->host->shell;
	bool files = !strcmp(shell->name, "js102"); /* takes more with -f */
	char *request = pw_asprintf("%s/request.js", s->dir);
	const char *argv[24] = { shell->program };
	int n = 1;

	push_flags(argv, &n, pw_strdup(shell->always));
	push_flags(argv, &n, pw_strdup(s->host->tier->flags));
	if (dumps(s)) {
		argv[n++] = "--useJITDump=1";
		argv[n++] = pw_asprintf("--jitDumpDirectory=%s",
					s->run->req->jitdump_dir ?: s->dir);
	}
	if (s->run->req->artifact_path && dumps(s))
		push_flags(argv, &n, pw_strdup(CODE_FLAGS));
	if (files)
		argv[n++] = "-f";
	argv[n++] = request;
	if (files)
		argv[n++] = "-f";
	argv[n++] = s->host->guest;
	execvp(argv[0], (char *const *)argv);
	_exit(STATUS_NOT_RUN);
}

static int start(struct session *s, struct pw_err *err)
{
	int to[2], from[2];

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		return pw_err_set(err, errno, "pipe: %s", strerror(errno));
	s->pid = fork();
	if (!s->pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 2);
		fcntl(PW_HOST_FD, F_SETFD, FD_CLOEXEC);
		become(s);
	}
	close(to[0]);
	close(from[1]);
	s->to = to[1];
	s->from = from[0];
	return s->pid < 0 ? pw_err_set(err, errno, "fork: %s", strerror(errno))
			  : 0;
}

/* --- words ------------------------------------------------------------------------- */

/* The clock of what ended at this word, and of what begins. */
static void on_word(struct session *s, const char *word)
{
	struct pw_host_reply *reply = &s->run->reply;
	uint64_t used = pw_host_cpu_ns(s->pid) - s->mark_ns;

	if (!strcmp(word, "compiled"))
		reply->compile_ns = used;
	if (!strcmp(word, "end")) {
		s->in_call = false;
		reply->cpu_ns = used;
		reply->wall_ns = pw_now_ns() - s->run->call_from_wall_ns;
	}
	if (!strcmp(word, "begin")) {
		s->in_call = true;
		/* We look first, who can still say how much it was. */
		pw_host_watch(s->run, s->pid,
			      pw_host_cpu_ns(s->pid) + LATER_NS);
		s->run->call_from_wall_ns = pw_now_ns();
	}
	s->mark_ns = pw_host_cpu_ns(s->pid);
}

static void on_line(struct session *s, char *line)
{
	ssize_t n;

	if (!strncmp(line, "done\t", 5)) {
		free(s->done);
		s->done = pw_strdup(line);
		return;
	}
	on_word(s, line);
	n = write(s->to, "\n", 1);
	(void)n; /* it may have ended */
}

static void take_lines(struct session *s)
{
	char *text = (char *)pw_buf_str(&s->said), *nl;
	size_t used = 0;

	while ((nl = strchr(text + used, '\n'))) {
		*nl = 0;
		on_line(s, text + used);
		used = (size_t)(nl + 1 - text);
	}
	memmove(s->said.data, s->said.data + used, s->said.len - used);
	s->said.len -= used;
}

/* A run for the code's sake is cut where it has made what it will. */
static bool has_its_code(const struct session *s)
{
	return s->in_call && s->run->req->compile_only &&
	       pw_host_cpu_ns(s->pid) > s->mark_ns + CODE_CPU_NS;
}

static bool is_over(const struct session *s)
{
	uint64_t limit = s->run->req->cpu_limit_ns;

	return s->in_call && limit &&
	       pw_host_cpu_ns(s->pid) > s->mark_ns + limit;
}

static void enforce(struct session *s)
{
	if (s->cut || s->over)
		return;
	s->cut = has_its_code(s);
	s->over = is_over(s);
	if (s->over)
		s->run->reply.cpu_ns = pw_host_cpu_ns(s->pid) - s->mark_ns;
	if (s->cut || s->over)
		kill(s->pid, SIGKILL);
}

static void follow(struct session *s)
{
	struct pollfd p = { .fd = s->from, .events = POLLIN };
	char chunk[4096];

	for (;;) {
		ssize_t n;

		if (!poll(&p, 1, TICK_MS)) {
			enforce(s);
			continue;
		}
		n = read(s->from, chunk, sizeof(chunk));
		if (n <= 0)
			return;
		pw_buf_add(&s->said, chunk, (size_t)n);
		take_lines(s);
	}
}

/* --- after it ---------------------------------------------------------------------- */

static void judge(struct session *s, int status)
{
	struct pw_host_reply end;
	struct pw_host_run *run = s->run;
	char what[160];

	if (s->done && !pw_host_reply_parse(&end, s->done, NULL)) {
		run->reply.outcome = end.outcome;
		run->reply.exit_code = end.exit_code;
		strcpy(run->reply.message, end.message);
		/* of a run for its code's sake only that counts */
		if (run->req->compile_only && end.outcome != PW_OUT_REFUSED &&
		    end.outcome != PW_OUT_UNSUPPORTED)
			run->reply.outcome = PW_OUT_OK;
	} else if (s->cut) {
		return;
	} else if (s->over) {
		pw_host_fail(run, PW_OUT_CPU,
			     "used all the CPU time it was given");
	} else if (WIFSIGNALED(status)) {
		pw_host_fail(run,
			     pw_host_signal_outcome(WTERMSIG(status), what,
						    sizeof(what)),
			     "%s", what);
	} else if (WEXITSTATUS(status) == STATUS_NOT_RUN) {
		pw_host_fail(run, PW_OUT_UNSUPPORTED, "%s cannot be run",
			     s->host->shell->program);
	} else {
		pw_host_fail(run, PW_OUT_CRASH, "ended with status %d unasked",
			     WEXITSTATUS(status));
	}
}

static void copy_file(struct session *s, const char *name, int to_fd,
		      struct pw_host_digest *digest)
{
	char *path = pw_asprintf("%s/%s", s->dir, name);
	struct pw_file f = { 0 };

	if (!pw_file_open(&f, path, NULL)) {
		if (to_fd >= 0 && write(to_fd, f.data, f.size) < 0)
			pw_host_fail(s->run, PW_OUT_OUTPUT,
				     "its output cannot be written");
		if (digest)
			pw_host_digest_add(digest, name, f.data, f.size);
		pw_file_close(&f);
	}
	free(path);
}

static void keep_dump(struct session *s)
{
	char *path = pw_asprintf("%s/jit-%d.dump",
				 s->run->req->jitdump_dir ?: s->dir, s->pid);
	struct pw_file f = { 0 };
	struct pw_err err;
	int rc = pw_file_open(&f, path, &err);

	if (!rc)
		rc = pw_file_write(s->run->req->artifact_path, f.data, f.size,
				   &err);
	if (rc && s->run->reply.outcome == PW_OUT_OK)
		pw_host_fail(s->run, PW_OUT_UNSUPPORTED, "%s", err.msg);
	pw_file_close(&f);
	free(path);
}

static void finish(struct session *s)
{
	struct pw_host_digest digest;
	int status = 0;

	close(s->to);
	close(s->from);
	while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
	judge(s, status);
	copy_file(s, "out", s->run->out_fd, NULL);
	if (s->run->req->artifact_path && dumps(s))
		keep_dump(s);
	if (!s->run->req->digest || !s->done)
		return;
	pw_host_digest_init(&digest);
	copy_file(s, "left", -1, &digest);
	pw_host_digest_end(&digest, s->run);
}

static void run_request(void *self, struct pw_host_run *run)
{
	const struct pw_host_request *req = run->req;
	const char *tmp = getenv("TMPDIR");
	struct session s = { .host = self, .run = run };
	struct pw_err err;

	if (req->samples_path || (req->dirs && req->dirs[0])) {
		pw_host_fail(run, PW_OUT_UNSUPPORTED, "this runtime %s",
			     req->samples_path ? "cannot sample itself"
					       : "shows no directories");
		return;
	}
	s.dir = pw_asprintf("%s/perf-wasm-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(s.dir) || write_request(&s, &err) || start(&s, &err)) {
		pw_host_fail(run, PW_OUT_CRASH, "cannot start a process");
	} else {
		follow(&s);
		finish(&s);
	}
	pw_remove_tree(s.dir, NULL);
	pw_buf_release(&s.said);
	free(s.done);
	free(s.dir);
}

static const struct pw_host_ops ops = { .load = load, .run = run_request };

int main(int argc, char **argv)
{
	return pw_host_main(&ops, argc, argv);
}
