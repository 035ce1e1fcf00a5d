// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's side of the protocol: parses requests, prints replies. A request
 * comes from our own caller; a malformed one is refused with a sentence all
 * the same.
 */
#include "host-parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

void host_reply_print(const struct pw_host_reply *r, struct pw_buf *out)
{
	pw_buf_printf(out, "done");
	pw_protocol_add_u64(out, "id", r->id);
	pw_protocol_add(out, "outcome", pw_outcome_name(r->outcome));
	pw_protocol_add_u64(out, "compile_ns", r->compile_ns);
	pw_protocol_add_u64(out, "cpu_ns", r->cpu_ns);
	pw_protocol_add_u64(out, "wall_ns", r->wall_ns);
	if (r->begin_ns)
		pw_protocol_add_u64(out, "begin_ns", r->begin_ns);
	if (r->exit_code)
		pw_buf_printf(out, "\texit_code=%d", r->exit_code);
	if (r->digest[0])
		pw_protocol_add(out, "digest", r->digest);
	if (r->message[0])
		pw_protocol_add(out, "message", r->message);
	pw_buf_add_u8(out, '\n');
}

static int parse_bool(const char *value, bool *to)
{
	if (strcmp(value, "0") && strcmp(value, "1"))
		return -EINVAL;
	*to = *value == '1';
	return 0;
}

/* 1 when it was a number's key, 0 when not, -EINVAL. */
static int number_field(struct pw_host_request *r, const char *key,
			const char *value)
{
	const struct {
		const char *key;
		uint64_t *to;
	} numbers[] = {
		{ "id", &r->id },
		{ "sample_period_ns", &r->sample_period_ns },
		{ "cpu_limit_ns", &r->cpu_limit_ns },
		{ "wall_limit_ns", &r->wall_limit_ns },
		{ "memory_limit_bytes", &r->memory_limit_bytes },
		{ "output_limit_bytes", &r->output_limit_bytes },
	};
	const struct {
		const char *key;
		bool *to;
	} flags[] = {
		{ "digest", &r->digest },
		{ "compile_only", &r->compile_only },
		{ "clean_registers", &r->clean_registers },
	};

	for (size_t i = 0; i < N_OF(numbers); i++) {
		if (!strcmp(key, numbers[i].key))
			return pw_protocol_u64(value, numbers[i].to) ?: 1;
	}
	for (size_t i = 0; i < N_OF(flags); i++) {
		if (!strcmp(key, flags[i].key))
			return parse_bool(value, flags[i].to) ?: 1;
	}
	return 0;
}

static int string_field(struct pw_host_request *r, const char *key,
			const char *value)
{
	const struct {
		const char *key;
		const char **to;
	} strings[] = {
		{ "module", &r->module_path },
		{ "invoke", &r->invoke },
		{ "stdin", &r->stdin_path },
		{ "stdout", &r->stdout_path },
		{ "empty_imports", &r->empty_imports },
		{ "artifact", &r->artifact_path },
		{ "samples", &r->samples_path },
		{ "jitdump_dir", &r->jitdump_dir },
		{ "counts", &r->counts_path },
	};

	for (size_t i = 0; i < N_OF(strings); i++) {
		if (!strcmp(key, strings[i].key)) {
			*strings[i].to = value;
			return 1;
		}
	}
	return 0;
}

/* The three lists grow from three ends of one array: room for every field in
 * each of them. */
struct lists {
	char **at[3];
};

static int list_field(struct lists *l, const char *key, char *value)
{
	static const char *const keys[] = { "arg", "env", "dir" };

	for (size_t i = 0; i < N_OF(keys); i++) {
		if (!strcmp(key, keys[i])) {
			*l->at[i]++ = value;
			return 1;
		}
	}
	return 0;
}

static size_t count_fields(const char *line)
{
	size_t n = 1;

	for (; *line; line++)
		n += *line == '\t';
	return n;
}

static int parse_fields(struct host_request *r, struct lists *l, char *rest,
			struct pw_err *err)
{
	char *key, *value;
	int rc;

	while ((rc = pw_protocol_next(&rest, &key, &value, err)) > 0) {
		rc = list_field(l, key, value);
		if (!rc)
			rc = string_field(&r->req, key, value);
		if (!rc)
			rc = number_field(&r->req, key, value);
		if (rc <= 0)
			return pw_err_set(
				err, EINVAL,
				"%.40s=%.60s is no field of a request", key,
				value);
	}
	if (!rc && !r->req.module_path)
		return pw_err_set(err, EINVAL, "a request without a module");
	return rc;
}

int host_request_parse(struct host_request *r, const char *line,
		       struct pw_err *err)
{
	struct lists l;
	size_t n;
	int rc;

	memset(r, 0, sizeof(*r));
	if (strncmp(line, "run\t", 4))
		return pw_err_set(
			err, EINVAL,
			"expected a line that begins with run, found %.60s",
			line);
	n = count_fields(line) + 1;
	r->line = pw_strdup(line + 4);
	r->lists = pw_zalloc(3 * n * sizeof(*r->lists));
	for (size_t i = 0; i < 3; i++)
		l.at[i] = r->lists + i * n;
	r->req.argv = (const char *const *)l.at[0];
	r->req.env = (const char *const *)l.at[1];
	r->req.dirs = (const char *const *)l.at[2];
	rc = parse_fields(r, &l, r->line, err);
	if (rc)
		host_request_release(r);
	return rc;
}

void host_request_release(struct host_request *r)
{
	free(r->line);
	free(r->lists);
	memset(r, 0, sizeof(*r));
}
