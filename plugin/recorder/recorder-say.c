// SPDX-License-Identifier: GPL-2.0-only
/* What the recorder says: to the user, and to those who read the capture. */
#include "recorder-impl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The other writer appends, too: a line is one write. */
void recorder_fact(const char *dir, const char *key, const char *value)
{
	char *path = pw_asprintf("%s/facts", dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	struct pw_buf line = { 0 };

	pw_fact_print(&line, key, value);
	if (fd >= 0) {
		/* where the disk is full, that is told already */
		(void)!write(fd, line.data, line.len);
		close(fd);
	}
	pw_buf_release(&line);
	free(path);
}

/* quiet: it is not told. */
static void say(const struct recorder *r, bool quiet, bool is_note,
		const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		return;
	if (!quiet)
		fprintf(stderr, "perf wasm: %s\n", text);
	if (is_note)
		recorder_fact(r->o.dir, "note", text);
	free(text);
}

void recorder_hand_on(const struct recorder *r, const char *fmt, ...)
{
	va_list ap;

	if (!r->o.is_beside)
		return;
	va_start(ap, fmt);
	vdprintf(STDOUT_FILENO, fmt, ap); /* it may be gone, and we soon */
	va_end(ap);
}

void recorder_note(const struct recorder *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(r, r->o.is_quiet, true, fmt, ap);
	va_end(ap);
}

void recorder_fault(const struct recorder *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(r, false, true, fmt, ap);
	va_end(ap);
}

void recorder_tell(const struct recorder *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(r, r->o.is_quiet, false, fmt, ap);
	va_end(ap);
}
