// SPDX-License-Identifier: GPL-2.0-only
/*
 * The main loop of a host program: reads requests, gives each a child, and
 * answers in order, whatever became of the child.
 */
#include "host-job.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void run_request(const struct pw_host_ops *ops, void *self,
			const struct pw_host_request *req,
			struct pw_host_reply *reply)
{
	struct job j = { .req = req, .from_fd = -1, .diag_fd = -1 };
	int rc = job_start(&j, ops, self);

	memset(reply, 0, sizeof(*reply));
	if (rc) {
		reply->id = req->id;
		reply->outcome = PW_OUT_CRASH;
		snprintf(reply->message, sizeof(reply->message),
			 "cannot start a process: %s", strerror(-rc));
	} else {
		job_watch(&j);
		job_judge(&j, reply);
	}
	job_release(&j);
}

/* --- the program --- */

static int put(struct pw_buf *line)
{
	size_t n = fwrite(line->data, 1, line->len, stdout);

	return n != line->len || fflush(stdout) ? -EIO : 0;
}

static int serve(const struct pw_host_ops *ops, void *self, const char *text)
{
	struct pw_buf line = { 0 };
	struct pw_host_reply reply;
	struct host_request r;
	struct pw_err err;
	int rc;

	if (host_request_parse(&r, text, &err)) {
		memset(&reply, 0, sizeof(reply));
		reply.outcome = PW_OUT_UNSUPPORTED;
		snprintf(reply.message, sizeof(reply.message), "%.390s",
			 err.msg);
	} else {
		run_request(ops, self, &r.req, &reply);
		host_request_release(&r);
	}
	host_reply_print(&reply, &line);
	rc = put(&line);
	pw_buf_release(&line);
	return rc;
}

static int greet(const char *word, const char *key, const char *value)
{
	struct pw_buf line = { 0 };
	int rc;

	pw_buf_printf(&line, "%s", word);
	pw_protocol_add(&line, key, value);
	pw_buf_add_u8(&line, '\n');
	rc = put(&line);
	pw_buf_release(&line);
	return rc;
}

int pw_host_main(const struct pw_host_ops *ops, int argc, char **argv)
{
	char version[64] = "?", *text = NULL;
	struct pw_err err;
	void *self = NULL;
	size_t cap = 0;

	signal(SIGPIPE, SIG_IGN);
	if (ops->load(&self, argc, argv, version, sizeof(version), &err)) {
		fprintf(stderr, "%s: %s\n", argv[0], err.msg);
		greet("failed", "message", err.msg);
		return 1;
	}
	if (greet("ready", "version", version))
		return 1;
	while (getline(&text, &cap, stdin) > 0) {
		if (serve(ops, self, text))
			return 1;
	}
	free(text);
	return 0;
}
