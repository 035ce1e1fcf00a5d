// SPDX-License-Identifier: GPL-2.0-only
/* What a recording says of the machine and of its recorder. */
#include "aperf-impl.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Groups of groups of a kernel's configuration. */
#define MOST_DEPTH 32

static void fact(struct recording *r, const char *group, const char *key,
		 struct text value)
{
	char *copy = text_copy(value);

	/* a value of several lines */
	for (char *c = copy; *c; c++)
		*c = *c == '\n' || *c == '\t' ? ' ' : *c;
	if (copy[0])
		pw_metrics_fact(r->m, group, key, copy);
	free(copy);
}

/* --- the machine -------------------------------------------------------------------- */

static int shown(struct text t)
{
	return t.n < 48 ? (int)t.n : 48;
}

/*
 *   string system, kernel, version of the system, host
 *   u64 CPUs
 *   string of the cloud: instance, host, image, region, size; "N/A"
 */
int take_system_info(struct recording *r, const struct record *x,
		     struct pw_err *err)
{
	static const char *const cloud[] = { "instance", "hostname", "image",
					     "region", "size" };
	struct text system = take_string(x->rest);
	struct text release = take_string(x->rest);
	struct text version = take_string(x->rest), value;
	uint64_t cpus;
	char text[128];

	(void)err;
	take_string(x->rest);
	cpus = pw_cursor_u64(x->rest);
	for (int i = 0; i < 5; i++) {
		value = take_string(x->rest);
		if (value.n != 3 || memcmp(value.s, "N/A", 3))
			fact(r, "cloud", cloud[i], value);
	}
	if (x->rest->failed)
		return -EBADMSG;
	fact(r, "kernel", "release", release);
	snprintf(text, sizeof(text), "%.*s %.*s", shown(system),
		 system.n ? system.s : "", shown(version),
		 version.n ? version.s : "");
	pw_metrics_fact(r->m, "os", "name", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)cpus);
	pw_metrics_fact(r->m, "cpu", "number", text);
	return 0;
}

/* "net.ipv4.conf.eth0/1.mtu" as the path that it is. */
static char *sysctl_path(struct text name)
{
	char *path = text_copy(name);

	for (char *c = path; *c; c++)
		*c = *c == '.' ? '/' : *c == '/' ? '.' : *c;
	return path;
}

/* u64 how many, then a name and a value each. */
int take_sysctl(struct recording *r, const struct record *x, struct pw_err *err)
{
	uint64_t n = pw_cursor_u64(x->rest);

	(void)err;
	while (n-- && !x->rest->failed) {
		struct text name = take_string(x->rest);
		struct text value = take_string(x->rest);
		char *key;

		if (x->rest->failed)
			break;
		while (value.n && value.s[value.n - 1] == '\n')
			value.n--;
		key = sysctl_path(name);
		fact(r, "sysctl", key, value);
		free(key);
	}
	return x->rest->failed ? -EBADMSG : 0;
}

/* --- the kernel's configuration ---------------------------------------------------------- */

/* An option: two strings. -ENOENT: APerf did not find the file and says so. */
static int take_option(struct recording *r, struct pw_cursor *c,
		       struct pw_err *err)
{
	struct text name = take_string(c), value = take_string(c);
	char *key;

	if (c->failed)
		return -EBADMSG;
	if (name.n < 7 || memcmp(name.s, "CONFIG_", 7))
		return pw_err_set(err, ENOENT,
				  "the kernel's configuration was not found");
	if (value.n == 7 && !memcmp(value.s, "not set", 7))
		value = (struct text){ "n", 1 };
	key = text_copy(name);
	fact(r, "config", key, value);
	free(key);
	return 0;
}

/*
 * A group: a string, u64 how many entries. An entry: u32 0 and an option, or
 * u32 1 and a group. left[]: entries that are still to come, from the outermost
 * group on.
 */
static int take_groups(struct recording *r, struct pw_cursor *c,
		       struct pw_err *err)
{
	uint64_t left[MOST_DEPTH];
	int depth = 0, ret = 0;

	take_string(c);
	left[0] = pw_cursor_u64(c);
	while (depth >= 0 && !ret && !c->failed) {
		if (!left[depth]) {
			depth--;
			continue;
		}
		left[depth]--;
		switch (pw_cursor_u32(c)) {
		case 0:
			ret = take_option(r, c, err);
			break;
		case 1:
			if (++depth == MOST_DEPTH)
				return pw_err_at(err, EBADMSG, pw_cursor_off(c),
						 "groups within groups of more "
						 "than %d",
						 MOST_DEPTH);
			take_string(c);
			left[depth] = pw_cursor_u64(c);
			break;
		default:
			return pw_err_at(err, EBADMSG, pw_cursor_off(c),
					 "an entry of no kind that is known");
		}
	}
	return c->failed ? -EBADMSG : ret;
}

int take_config(struct recording *r, const struct record *x, struct pw_err *err)
{
	uint64_t n = pw_cursor_u64(x->rest);
	int ret = 0;

	while (n-- && !ret && !x->rest->failed)
		ret = take_groups(r, x->rest, err);
	return x->rest->failed ? -EBADMSG : ret;
}

/* --- the recorder ------------------------------------------------------------------------- */

/* Its number and those of what it started, a blank between. */
static void tell_pids(struct recording *r, const json_t *all)
{
	const json_t *pid = json_object_get(all, "pid");
	const json_t *more = json_object_get(all, "sub_process_pids");
	struct pw_buf b = { 0 };
	size_t i;
	json_t *x;

	if (!json_is_integer(pid))
		return;
	pw_buf_printf(&b, "%lld", (long long)json_integer_value(pid));
	json_array_foreach (more, i, x)
		if (json_is_integer(x) && i < 100)
			pw_buf_printf(&b, " %lld",
				      (long long)json_integer_value(x));
	pw_metrics_fact(r->m, "recorder", "pid", pw_buf_str(&b));
	pw_buf_release(&b);
}

void read_metadata(struct recording *r, const struct pw_buf *bytes)
{
	json_t *all =
		json_loadb((const char *)bytes->data, bytes->len, 0, NULL);
	const json_t *version = json_object_get(all, "collector_version");
	const json_t *interval = json_object_get(all, "interval");
	char text[64];

	if (!json_is_object(all)) {
		pw_metrics_source(r->m, "metadata.json", "no JSON", 0, 0);
		json_decref(all);
		return;
	}
	if (json_is_string(version)) {
		snprintf(text, sizeof(text), "APerf %s",
			 json_string_value(version));
		pw_metrics_fact(r->m, "recorder", "version", text);
	}
	if (json_is_integer(interval) && json_integer_value(interval) > 0 &&
	    json_integer_value(interval) < 1000000) {
		snprintf(text, sizeof(text), "%lld000000000",
			 (long long)json_integer_value(interval));
		pw_metrics_fact(r->m, "recorder", "interval ns", text);
	}
	tell_pids(r, all);
	json_decref(all);
}
