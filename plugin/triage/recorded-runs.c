// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs of a request while perf is attached, and the reading of what it wrote.
 */
#include "triage-impl.h"

#include <ftw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIDS_MAX 256

/* A host that is dead is started again by a request that runs nothing. */
static int wake(struct pw_session *s, const struct pw_host_request *req,
		struct pw_err *err)
{
	struct pw_host_request own = { .module_path = req->module_path,
				       .compile_only = true,
				       .wall_limit_ns = req->wall_limit_ns };
	struct pw_host_reply reply;

	return pw_session_pid(s) ? 0 : pw_session_run(s, &own, &reply, err);
}

static int judge(const struct pw_host_reply *reply, struct pw_err *err)
{
	if (reply->outcome != PW_OUT_OK && reply->outcome != PW_OUT_EXIT)
		return pw_err_set(err, EINVAL,
				  "a recorded run ended with %s%s%s",
				  pw_outcome_name(reply->outcome),
				  reply->message[0] ? ": " : "",
				  reply->message);
	return 0;
}

/* A host that does not tell when the call began: it is all of the request. */
static struct window window_of(const struct pw_host_reply *reply,
			       uint64_t asked_ns)
{
	struct window w = { reply->begin_ns, reply->begin_ns + reply->wall_ns };

	if (!reply->begin_ns || reply->begin_ns < asked_ns)
		w = (struct window){ asked_ns, pw_now_ns() };
	return w;
}

static int run_all(struct pw_session *s, const struct pw_host_request *req,
		   uint32_t n, struct window *windows, struct pw_triage *t,
		   struct pw_host_reply *reply, struct pw_err *err)
{
	for (uint32_t i = 0; i < n; i++) {
		/* a process that serves several runs begins its dump anew */
		char *own = pw_asprintf("%s/run-%u", req->jitdump_dir, i);
		struct pw_host_request r = *req;
		uint64_t asked_ns;
		int ret = pw_mkdirs(own, err);

		r.jitdump_dir = own;
		asked_ns = pw_now_ns();
		if (!ret)
			ret = pw_session_run(s, &r, reply, err);
		free(own);
		if (!ret)
			ret = judge(reply, err);
		if (ret)
			return ret;
		windows[i] = window_of(reply, asked_ns);
		t->cpu_ns += reply->cpu_ns / n;
		t->wall_ns += reply->wall_ns / n;
	}
	t->n_runs = n;
	return 0;
}

static int record(struct pw_session *s, const struct pw_host_request *req,
		  const struct pw_triage_opts *o, bool calls,
		  struct window *windows, const char *data, struct pw_triage *t,
		  struct pw_host_reply *reply, struct pw_err *err)
{
	pid_t pids[PIDS_MAX];
	struct attached a;
	size_t n;
	int ret = wake(s, req, err);

	if (ret)
		return ret;
	n = pw_session_pids(s, pids, PIDS_MAX);
	ret = attach_begin(&a, pids, n, data, o, calls, err);
	if (ret)
		return ret;
	ret = run_all(s, req, o->n_runs ?: 1, windows, t, reply, err);
	if (!ret)
		ret = attach_end(&a, err);
	attach_release(&a);
	return ret;
}

/* The request with what makes the runtime tell of its code. */
static struct pw_host_request asking(const struct pw_host_request *req,
				     const struct pw_triage_opts *o,
				     const char *artifact)
{
	struct pw_host_request r = *req;

	r.jitdump_dir = o->dir;
	r.artifact_path = o->shows_code ? artifact : NULL;
	return r;
}

/* The folders stay: a host may stand in one. */
static int forget(const char *path, const struct stat *st, int type,
		  struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_F || type == FTW_SL)
		unlink(path);
	return 0;
}

static void empty(const char *dir)
{
	nftw(dir, forget, 8, FTW_PHYS);
}

int record_and_read(struct pw_session *s, const struct pw_host_request *req,
		    const struct pw_triage_opts *o, bool calls,
		    struct reading *r, struct pw_triage *t,
		    struct pw_host_reply *reply, struct pw_err *err)
{
	size_t n = o->n_runs ?: 1;
	struct window *windows = pw_zalloc(n * sizeof(*windows));
	/* a new one each time: a host may keep its files of the last open */
	char *dir = pw_asprintf("%s/triage-%llx", o->dir,
				(unsigned long long)pw_now_ns());
	char *data = pw_asprintf("%s/perf.data", dir);
	char *artifact = pw_asprintf("%s/artifact", dir);
	struct pw_triage_opts own = *o;
	struct pw_host_request asked;
	int ret = pw_mkdirs(dir, err);

	memset(t, 0, sizeof(*t));
	memset(r, 0, sizeof(*r));
	own.dir = dir;
	asked = asking(req, &own, artifact);
	if (!ret)
		ret = record(s, &asked, &own, calls, windows, data, t, reply,
			     err);
	if (!ret) {
		struct source src = { dir,
				      data,
				      req->module_path,
				      access(artifact, R_OK) ? NULL : artifact,
				      windows,
				      n };

		ret = reading_open(r, &src, err) ?: reading_read(r, err);
		if (ret)
			reading_release(r);
	}
	empty(dir);
	free(windows);
	free(artifact);
	free(data);
	free(dir);
	return ret;
}

int pw_triage_record(struct pw_session *s, const struct pw_host_request *req,
		     const struct pw_triage_opts *o, bool calls,
		     struct pw_triage *t, struct pw_host_reply *reply,
		     struct pw_err *err)
{
	char *why = NULL;
	struct reading r;
	int ret = record_and_read(s, req, o, calls, &r, t, reply, err);

	if (ret == -ENOTSUP && calls) {
		why = pw_strdup(err->msg);
		ret = record_and_read(s, req, o, false, &r, t, reply, err);
	}
	if (!ret) {
		reading_sum_up(&r, t);
		reading_release(&r);
	}
	if (!ret && why)
		remark_add(t, "its system calls were not counted: %s", why);
	free(why);
	return ret;
}
