// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the end of a child to the reply: its own words when it ended well,
 * else what its death means. Knows no runtime.
 */
#include "host-job.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void judge_death(const struct job *j, struct pw_host_reply *r)
{
	const char *when = j->in_call ? "" : ", before the call";
	char what[160], diag[200];

	pw_host_last_words(j->diag_fd, diag, sizeof(diag));
	if (WIFSIGNALED(j->status)) {
		r->outcome = pw_host_signal_outcome(WTERMSIG(j->status), what,
						    sizeof(what));
	} else {
		r->outcome = PW_OUT_CRASH;
		snprintf(what, sizeof(what), "ended with status %d unasked",
			 WEXITSTATUS(j->status));
	}
	snprintf(r->message, sizeof(r->message), "%s%s%s%s", what, when,
		 diag[0] ? ": " : "", diag);
}

static void judge_kill(const struct job *j, struct pw_host_reply *r)
{
	const char *when = j->in_call ? "" : ", before the call";
	const char *what = "took longer than it was given";

	if (j->killed_for == PW_OUT_MEMORY)
		what = "wanted more memory than it was given";
	else if (j->killed_for == PW_OUT_CPU)
		what = "used all the CPU time it was given";
	r->outcome = j->killed_for;
	snprintf(r->message, sizeof(r->message), "%s%s", what, when);
}

void job_judge(const struct job *j, struct pw_host_reply *r)
{
	bool well = WIFEXITED(j->status) && !WEXITSTATUS(j->status);

	if (well && j->killed_for == PW_OUT_OK && j->done &&
	    !pw_host_reply_parse(r, j->done, NULL)) {
		r->id = j->req->id;
		return;
	}
	memset(r, 0, sizeof(*r));
	r->id = j->req->id;
	r->compile_ns = j->compile_ns;
	r->wall_ns = pw_now_ns() - j->from_ns;
	if (j->in_call && j->used_cpu_ns > j->base_cpu_ns)
		r->cpu_ns = j->used_cpu_ns - j->base_cpu_ns;
	if (j->killed_for != PW_OUT_OK)
		judge_kill(j, r);
	else
		judge_death(j, r);
}
