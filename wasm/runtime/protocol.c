// SPDX-License-Identifier: GPL-2.0-only
/*
 * The caller's side of the host protocol: prints requests, parses replies.
 * A reply may come from a process that a hostile guest ran in: nothing in it
 * is trusted.
 */
#include <perfwasm/runtime.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static const char *const outcome_names[] = {
#define PW_OUTCOME(id, name, help) name,
#include <perfwasm/outcomes.def>
#undef PW_OUTCOME
};

const char *pw_outcome_name(enum pw_outcome o)
{
	return (unsigned)o < PW_N_OUTCOMES ? outcome_names[o] : "?";
}

enum pw_outcome pw_outcome_find(const char *name)
{
	unsigned i = 0;

	while (i < PW_N_OUTCOMES && strcmp(outcome_names[i], name))
		i++;
	return i;
}

static void add_list(struct pw_buf *out, const char *key,
		     const char *const *list)
{
	for (; list && *list; list++)
		pw_protocol_add(out, key, *list);
}

static void add_number(struct pw_buf *out, const char *key, uint64_t value)
{
	if (value)
		pw_protocol_add_u64(out, key, value);
}

static void add_string(struct pw_buf *out, const char *key, const char *value)
{
	if (value)
		pw_protocol_add(out, key, value);
}

void pw_host_request_print(const struct pw_host_request *r, struct pw_buf *out)
{
	pw_buf_printf(out, "run");
	pw_protocol_add_u64(out, "id", r->id);
	add_string(out, "module", r->module_path);
	add_number(out, "compile_only", r->compile_only);
	add_string(out, "invoke", r->invoke);
	add_list(out, "arg", r->argv);
	add_list(out, "env", r->env);
	add_list(out, "dir", r->dirs);
	add_string(out, "stdin", r->stdin_path);
	add_string(out, "stdout", r->stdout_path);
	add_string(out, "empty_imports", r->empty_imports);
	add_string(out, "artifact", r->artifact_path);
	add_string(out, "samples", r->samples_path);
	add_number(out, "sample_period_ns", r->sample_period_ns);
	add_string(out, "jitdump_dir", r->jitdump_dir);
	add_string(out, "counts", r->counts_path);
	add_number(out, "clean_registers", r->clean_registers);
	add_number(out, "digest", r->digest);
	add_number(out, "cpu_limit_ns", r->cpu_limit_ns);
	add_number(out, "wall_limit_ns", r->wall_limit_ns);
	add_number(out, "memory_limit_bytes", r->memory_limit_bytes);
	add_number(out, "output_limit_bytes", r->output_limit_bytes);
	pw_buf_add_u8(out, '\n');
}

/* Copies a sentence so that it can be shown: one line, no controls. */
static void copy_text(char *dst, size_t size, const char *src)
{
	size_t n = 0;

	for (; *src && n + 1 < size; src++)
		dst[n++] =
			(unsigned char)*src < 0x20 || *src == 0x7f ? ' ' : *src;
	dst[n] = 0;
}

static int parse_digest(struct pw_host_reply *r, const char *value)
{
	size_t n = strlen(value);

	if (n >= sizeof(r->digest) || strspn(value, "0123456789abcdef") != n)
		return -EINVAL;
	memcpy(r->digest, value, n + 1);
	return 0;
}

static int parse_exit_code(struct pw_host_reply *r, const char *value)
{
	bool minus = *value == '-';
	uint64_t v;

	if (pw_protocol_u64(value + minus, &v) || v > INT32_MAX)
		return -EINVAL;
	r->exit_code = minus ? -(int)v : (int)v;
	return 0;
}

/* Fields that are not known are left for newer callers. */
static int parse_field(struct pw_host_reply *r, const char *key,
		       const char *value)
{
	const struct {
		const char *key;
		uint64_t *to;
	} numbers[] = {
		{ "id", &r->id },
		{ "compile_ns", &r->compile_ns },
		{ "cpu_ns", &r->cpu_ns },
		{ "wall_ns", &r->wall_ns },
		{ "begin_ns", &r->begin_ns },
	};

	for (size_t i = 0; i < N_OF(numbers); i++) {
		if (!strcmp(key, numbers[i].key))
			return pw_protocol_u64(value, numbers[i].to);
	}
	if (!strcmp(key, "outcome")) {
		r->outcome = pw_outcome_find(value);
		return r->outcome == PW_N_OUTCOMES ? -EINVAL : 0;
	}
	if (!strcmp(key, "exit_code"))
		return parse_exit_code(r, value);
	if (!strcmp(key, "digest"))
		return parse_digest(r, value);
	if (!strcmp(key, "message"))
		copy_text(r->message, sizeof(r->message), value);
	return 0;
}

static int parse_fields(struct pw_host_reply *r, char *rest, struct pw_err *err)
{
	char *key, *value;
	int rc;

	r->outcome = PW_N_OUTCOMES;
	while ((rc = pw_protocol_next(&rest, &key, &value, err)) > 0) {
		if (parse_field(r, key, value))
			return pw_err_set(err, EINVAL,
					  "%.40s may not be %.60s in a reply",
					  key, value);
	}
	if (!rc && r->outcome == PW_N_OUTCOMES)
		return pw_err_set(err, EINVAL, "a reply without an outcome");
	return rc;
}

int pw_host_reply_parse(struct pw_host_reply *r, const char *line,
			struct pw_err *err)
{
	char *copy;
	int rc;

	memset(r, 0, sizeof(*r));
	if (strncmp(line, "done\t", 5))
		return pw_err_set(
			err, EINVAL,
			"expected a line that begins with done, found %.60s",
			line);
	copy = pw_strdup(line + 5);
	rc = parse_fields(r, copy, err);
	free(copy);
	if (rc)
		memset(r, 0, sizeof(*r));
	return rc;
}
