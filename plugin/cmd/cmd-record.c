// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm record: the order of its steps. Its options, what can be recorded,
 * how perf is driven and what is kept is in record/.
 */
#include "record/record.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the steps ------------------------------------------------------------------------- */

static int prepare(struct record *r, struct pw_err *err)
{
	int ret = 0;

	if (r->spec) {
		ret = pw_runtime_find(&r->rt, r->spec, err);
		r->has_rt = !ret;
		if (!ret && access(r->command[0], R_OK))
			ret = pw_err_set(err, errno, "%s: %s", r->command[0],
					 strerror(errno));
	}
	if (ret)
		return ret;
	record_first_facts(r);
	if (r->bpf_wanted)
		record_bpf_open(r);
	if (!r->bpf && !r->system)
		r->no_samples = false; /* then perf does it all */
	if (!r->no_samples)
		ret = record_choose_events(r, err);
	if (!ret)
		ret = record_make_dir(r, err);
	if (!ret)
		ret = record_keep_modules(r, err);
	if (!ret && r->artifact)
		record_fact(r, "artifact", r->artifact);
	if (!ret && !r->has_rt && r->command)
		record_add_jit_flag(r, !record_is_system_alone(r));
	if (!ret && r->system)
		ret = record_system_facts(r, err);
	for (size_t i = 0; i < r->events.n; i++)
		record_fact(r, "event", r->events.v[i]);
	return ret;
}

/* perf's own exit status is that of its command. */
static int status_of(const struct record_end *end)
{
	const struct pw_host_reply *reply = &end->reply;

	if (WIFSIGNALED(end->status)) {
		fflush(NULL);
		signal(WTERMSIG(end->status), SIG_DFL);
		raise(WTERMSIG(end->status));
		return 128 + WTERMSIG(end->status);
	}
	if (!end->has_reply)
		return WEXITSTATUS(end->status);
	if (reply->outcome == PW_OUT_EXIT)
		return reply->exit_code;
	if (reply->outcome == PW_OUT_OK)
		return CMD_DONE;
	cmd_error("the module did not run to its end (%s)%s%s",
		  pw_outcome_name(reply->outcome),
		  reply->message[0] ? ": " : "", reply->message);
	return CMD_FAILED;
}

static const char *reader_of(const struct record *r)
{
	if (r->system)
		return "system";
	return r->bpf_wanted ? "sched" : "report";
}

static int finish(struct record *r, const struct record_end *end,
		  struct pw_err *err)
{
	char number[16];
	struct stat st;
	int ret;

	if (!r->no_samples && (stat(r->data_path, &st) || !st.st_size)) {
		ret = status_of(end);
		cmd_error("perf record wrote nothing (exit status %d)%s", ret,
			  ret ? "; why, it says above" : "");
		return ret ? ret : CMD_FAILED;
	}
	if (r->has_rt && !end->has_reply && !WIFSIGNALED(end->status))
		record_note(r, "%s ended without an answer", r->rt.spec);
	snprintf(number, sizeof(number), "%d",
		 WIFSIGNALED(end->status) ? 128 + WTERMSIG(end->status)
					  : WEXITSTATUS(end->status));
	record_fact(r, "status", number);
	ret = record_gather(r, err);
	if (ret)
		return cmd_fail(err);
	if (!r->common.quiet)
		cmd_error("the capture is in %s; 'perf wasm %s %s' reads it",
			  r->dir, reader_of(r), r->dir);
	ret = status_of(end);
	return ret || !r->has_failed ? ret : CMD_FAILED;
}

static int record(struct record *r)
{
	char *perf = pw_find_program("perf");
	struct pw_err err = { .off = PW_NO_OFF };
	struct record_end end = { 0 };
	int ret;

	record_plan_system(r, perf);
	if (!perf && !r->no_samples) {
		cmd_error(
			"perf is not on PATH, and it is what records: apt-get install linux-perf");
		return CMD_FAILED;
	}
	ret = prepare(r, &err);
	if (!ret && record_is_system_alone(r))
		ret = record_become_recorder(r, &err);
	if (!ret)
		ret = record_run(r, perf, &end, &err);
	record_bpf_stop(r);
	ret = ret ? cmd_fail(&err) : finish(r, &end, &err);
	free(perf);
	return ret;
}

static void release(struct record *r)
{
	struct cmd_words *all[] = { &r->events,       &r->modules, &r->more,
				    &r->env,          &r->mounts,  &r->argv,
				    &r->sources,      &r->tasks,   &r->triggers,
				    &r->skip_sources, NULL };

	for (size_t i = 0; all[i]; i++)
		free(all[i]->v);
	for (size_t i = 0; i < r->setenv.n; i++)
		free((char *)r->setenv.v[i]);
	for (size_t i = 0; i < r->owned.n; i++)
		free((char *)r->owned.v[i]);
	free(r->setenv.v);
	free(r->owned.v);
	if (r->has_rt)
		pw_runtime_release(&r->rt);
	free(r->abs_dir);
	free(r->data_path);
	free(r->artifact);
	pw_buf_release(&r->facts);
	record_ring_close(r);
	if (r->facts_fd >= 0)
		close(r->facts_fd);
}

/* Names beside it are made of its own: DIR.old, DIR.1. */
static void name_dir(struct record *r)
{
	const char *dir = r->dir ?: r->common.out_path ?: "perf-wasm.data";
	size_t n = strlen(dir);

	while (n > 1 && dir[n - 1] == '/')
		n--;
	r->dir = pw_strndup(dir, n);
	cmd_words_add(&r->owned, r->dir);
}

int cmd_record(int argc, char **argv)
{
	struct record r = { .facts_fd = -1 };
	int ret;

	cmd_parse_command(&record_argp, &r, &r.common, argc, argv);
	if (record_wants_list(&r)) {
		ret = record_list(&r);
		release(&r);
		return ret;
	}
	if (!r.interval_ns)
		r.interval_ns = 1000000000;
	name_dir(&r);
	if (r.common.json) {
		cmd_error(
			"record prints nothing of its own: --format=json belongs to 'perf wasm report'");
		return CMD_USAGE;
	}
	if (!strcmp(r.dir, "-")) {
		cmd_error(
			"a capture is a directory; for a pipe: perf record -k mono -o - COMMAND | perf wasm report -i -");
		return CMD_USAGE;
	}
	ret = record(&r);
	release(&r);
	return ret;
}
