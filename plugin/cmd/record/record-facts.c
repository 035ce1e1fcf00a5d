// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a capture says of itself: facts, and sentences that the user is told
 * meanwhile. Before there is a directory they wait in memory.
 */
#include "record.h"

#include <perfwasm/recorder.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Each as soon as it is known: a recorder that is killed leaves what it has
 * told. The system recorder adds its own. */
int record_write_facts(struct record *r, struct pw_err *err)
{
	ssize_t n;

	if (r->facts_fd < 0 || !r->facts.len)
		return 0;
	n = write(r->facts_fd, r->facts.data, r->facts.len);
	if (n != (ssize_t)r->facts.len)
		return pw_err_set(err, n < 0 ? errno : ENOSPC,
				  "cannot write %s/facts: %s", r->abs_dir,
				  strerror(n < 0 ? errno : ENOSPC));
	r->facts.len = 0;
	return 0;
}

int record_open_facts(struct record *r, struct pw_err *err)
{
	char *path = pw_asprintf("%s/facts", r->abs_dir);
	int ret = 0;

	r->facts_fd =
		open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (r->facts_fd < 0)
		ret = pw_err_set(err, errno, "%s: %s", path, strerror(errno));
	free(path);
	return ret ?: record_write_facts(r, err);
}

void record_fact(struct record *r, const char *key, const char *value)
{
	pw_fact_print(&r->facts, key, value);
	record_write_facts(r, NULL);
}

void record_note(struct record *r, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text)
		return;
	record_fact(r, "note", text);
	if (!r->common.quiet)
		cmd_error("%s", text);
	free(text);
}

void record_first_facts(struct record *r)
{
	struct tm tm;
	char when[32];

	r->from_s = time(NULL);
	gmtime_r(&r->from_s, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	record_fact(r, "perf-wasm", PW_VERSION);
	record_fact(r, "started", when);
	if (r->spec)
		record_fact(r, "runtime", r->rt.spec);
	for (char **a = r->command; a && *a; a++)
		record_fact(r, "word", *a);
}
