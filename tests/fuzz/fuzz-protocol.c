// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is text: each of its lines is parsed as a host's reply and as a
 * request. What is accepted must come back from printing; what is refused
 * must have a reason.
 */
#include <stdlib.h>
#include <string.h>

#include "../../wasm/host/host-parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_reply(const char *line)
{
	struct pw_err err = { .msg = "" };
	struct pw_host_reply r, again;
	struct pw_buf text = { 0 };

	if (pw_host_reply_parse(&r, line, &err)) {
		if (err.code <= 0 || !err.msg[0])
			abort();
		return;
	}
	host_reply_print(&r, &text);
	if (pw_host_reply_parse(&again, pw_buf_str(&text), NULL) ||
	    again.id != r.id || again.outcome != r.outcome ||
	    again.exit_code != r.exit_code || again.cpu_ns != r.cpu_ns ||
	    strcmp(again.digest, r.digest) || strcmp(again.message, r.message))
		abort();
	pw_buf_release(&text);
}

static size_t n_of(const char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

static void check_request(const char *line)
{
	struct host_request r, again;
	struct pw_err err = { .msg = "" };
	struct pw_buf text = { 0 };

	if (host_request_parse(&r, line, &err)) {
		if (err.code <= 0 || !err.msg[0])
			abort();
		return;
	}
	pw_host_request_print(&r.req, &text);
	if (host_request_parse(&again, pw_buf_str(&text), NULL) ||
	    strcmp(again.req.module_path, r.req.module_path) ||
	    n_of(again.req.argv) != n_of(r.req.argv) ||
	    n_of(again.req.env) != n_of(r.req.env) ||
	    n_of(again.req.dirs) != n_of(r.req.dirs) ||
	    again.req.cpu_limit_ns != r.req.cpu_limit_ns)
		abort();
	pw_buf_release(&text);
	host_request_release(&r);
	host_request_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = pw_strndup((const char *)data, size), *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		check_reply(line);
		check_request(line);
	}
	free(text);
	return 0;
}
