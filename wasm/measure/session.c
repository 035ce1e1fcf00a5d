// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session: one host, started when needed, asked one request at a time, and
 * started anew after it died, fell silent or talked nonsense. Knows the
 * protocol; the pipes are wire.c's, the walls sandbox.c's and keeper.c's.
 */
#include "family.h"
#include "keeper.h"
#include "sandbox.h"
#include "wire.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND_NS        1000000000ULL
#define DEFAULT_START_NS (60 * SECOND_NS)
#define DEFAULT_GRACE_NS (5 * SECOND_NS)
#define DEFAULT_WALL_NS  (3600 * SECOND_NS)

struct pw_session {
	const struct pw_runtime *rt;
	struct sandbox sb;
	struct words argv, envp;
	char *cwd; /* of a host without a sandbox */
	uint64_t start_ns, grace_ns;
	struct wire wire;
	bool live;
	char *version;
	uint64_t last_id;
	size_t n_asked; /* of the present host */
};

/* --- the host's life -------------------------------------------------------- */

/* Descendants cannot leave a process namespace; without one they need a
 * keeper. */
static bool is_kept(const struct pw_session *s)
{
	return !s->sb.own_pids;
}

static void stop(struct pw_session *s)
{
	if (!s->live)
		return;
	if (is_kept(s))
		keeper_end(&s->wire.child);
	wire_release(&s->wire);
	s->live = false;
}

static int start_host(struct pw_session *s, struct pw_err *err)
{
	struct pw_child_opts o = {
		.argv = (const char *const *)s->argv.v,
		.envp = (const char *const *)s->envp.v,
		.cwd = s->cwd,
		.in = PW_CHILD_PIPE,
		.out = PW_CHILD_PIPE,
		.err_fd = PW_CHILD_PIPE,
		.prepare = is_kept(s) ? keeper_stay : keeper_limit,
	};
	struct pw_child c;
	int ret = pw_child_start(&c, &o, err);

	if (ret)
		return ret;
	wire_init(&s->wire, &c);
	s->live = true;
	s->n_asked = 0;
	return 0;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The decoded value of KEY in a line of fields, or NULL; the caller frees. */
static char *field_of(const char *line, const char *key)
{
	size_t n = strlen(key);
	const char *p = line;
	char *value, *q;

	for (;; p++) {
		p = strchr(p, '\t');
		if (!p)
			return NULL;
		if (!strncmp(p + 1, key, n) && p[n + 1] == '=')
			break;
	}
	p += n + 2;
	value = q = pw_strndup(p, strcspn(p, "\t"));
	for (p = value; *p; p++) {
		if (*p == '%' && hex(p[1]) >= 0 && hex(p[2]) >= 0) {
			*q++ = (char)(hex(p[1]) << 4 | hex(p[2]));
			p += 2;
		} else {
			*q++ = *p;
		}
	}
	*q = 0;
	return value;
}

/* The host's first line: `ready`, or `failed` with its reason. */
static int greet(struct pw_session *s, const char *line, struct pw_err *err)
{
	char *why;

	if (!strncmp(line, "ready", 5) && (!line[5] || line[5] == '\t')) {
		if (!s->version)
			s->version = field_of(line, "version");
		return 0;
	}
	why = field_of(line, "message");
	if (!strncmp(line, "failed\t", 7) && why)
		pw_err_set(err, ENODEV, "%s does not start: %s", s->rt->spec,
			   why);
	else
		pw_err_set(
			err, EPROTO,
			"%s does not start: its host said '%.100s' instead of 'ready'",
			s->rt->spec, line);
	free(why);
	return strncmp(line, "failed\t", 7) ? -EPROTO : -ENODEV;
}

static int start_failed(struct pw_session *s, int code, struct pw_err *err)
{
	char *words;
	int ret;

	if (code == -EINTR)
		return pw_err_set(err, EINTR, "interrupted");
	if (code == -ETIMEDOUT)
		return pw_err_set(
			err, ETIMEDOUT,
			"%s does not start: its host said nothing for %.1f s",
			s->rt->spec, s->start_ns / 1e9);
	words = wire_last_words(&s->wire);
	ret = pw_err_set(err, ENODEV, "%s does not start: %s", s->rt->spec,
			 *words ? words : "its host ended without a word");
	free(words);
	return ret;
}

static int start(struct pw_session *s, struct pw_err *err)
{
	const char *line;
	int ret;

	if (s->live)
		return 0;
	ret = start_host(s, err);
	if (ret)
		return ret;
	ret = wire_line(&s->wire, pw_now_ns() + s->start_ns, &line);
	if (ret)
		ret = start_failed(s, ret, err);
	else
		ret = greet(s, line, err);
	if (ret)
		stop(s);
	return ret;
}

/* --- one request ------------------------------------------------------------ */

static void describe_end(struct pw_session *s, char *dst, size_t size)
{
	int sig = 0, status = s->wire.status;
	char *words = wire_last_words(&s->wire);
	const char *sep = *words ? ": " : "";

	if (!s->wire.ended) {
		snprintf(dst, size, "the host stopped talking%s%s", sep, words);
		free(words);
		return;
	}
	/* bwrap and the keeper tell of a signal as a shell does. */
	status = s->wire.status;
	if (WIFSIGNALED(status))
		sig = WTERMSIG(status);
	else if (WEXITSTATUS(status) > 128)
		sig = WEXITSTATUS(status) - 128;
	if (sig && sigdescr_np(sig))
		snprintf(dst, size, "the host died of signal %d (%s)%s%s", sig,
			 sigdescr_np(sig), sep, words);
	else
		snprintf(dst, size, "the host ended with status %d%s%s",
			 WEXITSTATUS(status), sep, words);
	free(words);
}

/* What became of a request that got no proper answer. */
static int judge(struct pw_session *s, int code, uint64_t waited_ns,
		 struct pw_host_reply *reply, struct pw_err *err)
{
	char *m = reply->message;
	size_t size = sizeof(reply->message);

	reply->outcome = PW_OUT_CRASH;
	switch (code) {
	case -EINTR:
		stop(s);
		return pw_err_set(err, EINTR, "interrupted");
	case -ETIMEDOUT:
		reply->outcome = PW_OUT_WALL;
		reply->wall_ns = waited_ns;
		snprintf(m, size, "no answer within %.1f s", waited_ns / 1e9);
		break;
	case -EMSGSIZE:
		snprintf(m, size, "the host's answer has no end");
		break;
	case -EOVERFLOW:
		snprintf(m, size, "the host flooded its standard error");
		break;
	default:
		describe_end(s, m, size);
	}
	stop(s);
	return 0;
}

static void take_answer(struct pw_session *s, const char *line,
			struct pw_host_reply *reply)
{
	struct pw_err err = { .msg = "it answers another request" };

	if (!pw_host_reply_parse(reply, line, &err) && reply->id == s->last_id)
		return;
	memset(reply, 0, sizeof(*reply));
	reply->outcome = PW_OUT_CRASH;
	snprintf(reply->message, sizeof(reply->message),
		 "the host answered out of protocol: %s", err.msg);
	stop(s);
}

static int ask(struct pw_session *s, const struct pw_host_request *req,
	       struct pw_host_reply *reply, struct pw_err *err)
{
	struct pw_host_request own = *req;
	uint64_t from = pw_now_ns(), wall = req->wall_limit_ns;
	struct pw_buf text = { 0 };
	const char *line;
	int ret;

	/* Ids are ours: a late answer to something else is found out. */
	own.id = ++s->last_id;
	s->n_asked++;
	if (!wall)
		own.wall_limit_ns = wall = DEFAULT_WALL_NS;
	pw_host_request_print(&own, &text);
	ret = wire_send(&s->wire, text.data, text.len,
			from + wall + s->grace_ns);
	if (!ret)
		ret = wire_line(&s->wire, from + wall + s->grace_ns, &line);
	pw_buf_release(&text);
	if (ret)
		return judge(s, ret, pw_now_ns() - from, reply, err);
	take_answer(s, line, reply);
	return 0;
}

static int run_once(struct pw_session *s, const struct pw_host_request *req,
		    struct pw_host_reply *reply, struct pw_err *err)
{
	int ret;

	memset(reply, 0, sizeof(*reply));
	if (pw_measure_interrupted()) {
		stop(s);
		return pw_err_set(err, EINTR, "interrupted");
	}
	if (s->live && !wire_is_quiet(&s->wire))
		stop(s);
	ret = start(s, err);
	return ret ? ret : ask(s, req, reply, err);
}

/*
 * A host that served others before may owe its death, or its nonsense, to
 * them: what it does to a new host is what this guest does.
 */
int pw_session_run(struct pw_session *s, const struct pw_host_request *req,
		   struct pw_host_reply *reply, struct pw_err *err)
{
	int ret = run_once(s, req, reply, err);

	if (!ret && reply->outcome == PW_OUT_CRASH && !s->live &&
	    s->n_asked > 1)
		ret = run_once(s, req, reply, err);
	reply->id = req->id;
	return ret;
}

/* --- open and close ------------------------------------------------------------ */

static int check_shown(const char *const *dirs, struct pw_err *err)
{
	for (const char *const *d = dirs; d && *d; d++) {
		if ((*d)[0] != '/' || !(*d)[1])
			return pw_err_set(
				err, EINVAL,
				"'%s' cannot be shown to a guest: give an absolute path of a folder below /",
				*d);
		if (access(*d, X_OK) < 0)
			return pw_err_set(err, errno,
					  "cannot show folder '%s': %s", *d,
					  strerror(errno));
	}
	return 0;
}

static int check_dirs(const struct pw_session_opts *o, struct pw_err *err)
{
	if (!o->box_dir || o->box_dir[0] != '/' || !o->box_dir[1])
		return pw_err_set(
			err, EINVAL,
			"a session needs an absolute box folder, not '%s'",
			o->box_dir ? o->box_dir : "");
	if (access(o->box_dir, W_OK | X_OK) < 0)
		return pw_err_set(err, errno, "cannot use folder '%s': %s",
				  o->box_dir, strerror(errno));
	return check_shown(o->dirs, err) ?: check_shown(o->writable_dirs, err);
}

static int build_walls(struct pw_session *s, const struct pw_session_opts *o,
		       struct pw_err *err)
{
	int ret = check_dirs(o, err);

	if (ret)
		return ret;
	ret = sandbox_probe(&s->sb, err);
	if (ret && o->need_sandbox)
		return ret;
	if (s->sb.bwrap) {
		sandbox_wrap(&s->sb, s->rt, o, &s->argv);
		sandbox_environment(&s->envp, "/tmp");
	} else {
		sandbox_environment(&s->envp, o->box_dir);
		s->cwd = pw_strdup(o->box_dir);
	}
	words_add_list(&s->argv, (const char *const *)s->rt->host_argv);
	return 0;
}

struct pw_session *pw_session_open(const struct pw_runtime *rt,
				   const struct pw_session_opts *opts,
				   struct pw_err *err)
{
	struct pw_session *s = pw_zalloc(sizeof(*s));

	s->rt = rt;
	s->start_ns = opts->start_limit_ns ?: DEFAULT_START_NS;
	s->grace_ns = opts->grace_ns ?: DEFAULT_GRACE_NS;
	if (build_walls(s, opts, err) || start(s, err)) {
		pw_session_close(s);
		return NULL;
	}
	return s;
}

void pw_session_close(struct pw_session *s)
{
	if (!s)
		return;
	stop(s);
	sandbox_release(&s->sb);
	words_release(&s->argv);
	words_release(&s->envp);
	free(s->cwd);
	free(s->version);
	free(s);
}

const char *pw_session_version(const struct pw_session *s)
{
	return s->version ? s->version : "?";
}

pid_t pw_session_pid(const struct pw_session *s)
{
	return s->live ? s->wire.child.pid : 0;
}

size_t pw_session_pids(const struct pw_session *s, pid_t *pids, size_t max)
{
	return family_of(pw_session_pid(s), pids, max);
}
