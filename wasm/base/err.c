// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors with byte offsets, and the allocation functions that never fail.
 */
#include <perfwasm/base.h>

#include <stdlib.h>
#include <string.h>

static void fill(struct pw_err *err, int code, uint64_t off, const char *fmt,
		 va_list ap)
{
	if (!err)
		return;
	err->code = code;
	err->off = off;
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
}

int pw_err_set(struct pw_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, code, PW_NO_OFF, fmt, ap);
	va_end(ap);
	return -code;
}

int pw_err_at(struct pw_err *err, int code, uint64_t off, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, code, off, fmt, ap);
	va_end(ap);
	return -code;
}

void pw_err_prefix(struct pw_err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	va_list ap;
	int n;

	if (!err)
		return;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(err->msg))
		snprintf(err->msg + n, sizeof(err->msg) - (size_t)n, ": %s",
			 old);
}

static void *or_end(void *p)
{
	if (p)
		return p;
	fputs("perf wasm: out of memory\n", stderr);
	_Exit(1);
}

void *pw_alloc(size_t size_bytes)
{
	return or_end(malloc(size_bytes ? size_bytes : 1));
}

void *pw_zalloc(size_t size_bytes)
{
	return or_end(calloc(1, size_bytes ? size_bytes : 1));
}

void *pw_realloc(void *p, size_t size_bytes)
{
	return or_end(realloc(p, size_bytes ? size_bytes : 1));
}

char *pw_strdup(const char *s)
{
	return or_end(strdup(s));
}

char *pw_strndup(const char *s, size_t n)
{
	return or_end(strndup(s, n));
}

char *pw_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return or_end(n < 0 ? NULL : s);
}
