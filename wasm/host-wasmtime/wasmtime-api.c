// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading libwasmtime.so and reading its messages. Knows no module.
 */
#include "wasmtime-api.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
	bool needed;
} symbols[] = {
#define WT(needed, result, name, parameters) \
	{ #name, offsetof(struct wt_api, name), needed },
#include "wasmtime-symbols.def"
#undef WT
};

int wt_api_open(struct wt_api *api, const char *path, struct pw_err *err)
{
	/* with them the library records a backtrace of every error */
	unsetenv("RUST_BACKTRACE");
	unsetenv("RUST_LIB_BACKTRACE");
	api->dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!api->dl)
		return pw_err_set(err, ENOENT, "cannot load %s: %s", path,
				  dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *p = dlsym(api->dl, symbols[i].name);

		if (!p && symbols[i].needed)
			return pw_err_set(
				err, ENOTSUP,
				"%s has no %s: it is no libwasmtime, or older than release 8",
				path, symbols[i].name);
		memcpy((char *)api + symbols[i].offset, &p, sizeof(p));
	}
	return 0;
}

/* The line that holds `from`, without what stands before it. */
static void copy_line(const char *from, char *dst, size_t size)
{
	size_t n = strcspn(from, "\n");

	if (n >= size)
		n = size - 1;
	memcpy(dst, from, n);
	dst[n] = 0;
}

/* "   0: " before a cause when there are several. */
static size_t number_len(const char *line)
{
	size_t blanks = strspn(line, " ");
	size_t digits = strspn(line + blanks, "0123456789");

	return digits && !strncmp(line + blanks + digits, ": ", 2)
		       ? blanks + digits + 2
		       : 0;
}

/* Behind "Caused by:" stand the causes, the innermost last; each may have
 * several lines. */
static const char *last_cause(const char *causes)
{
	const char *best = causes;

	for (const char *p = causes; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (number_len(p))
			best = p + number_len(p);
	}
	return best;
}

/* All of it as one line. */
static void copy_joined(const char *from, char *dst, size_t size)
{
	size_t n = 0;

	for (from += strspn(from, " \n"); *from && n + 1 < size; from++) {
		if (!strchr(" \n", *from))
			dst[n++] = *from;
		else if (!strchr(" \n", from[1])) /* also at the end */
			dst[n++] = ' ';
	}
	while (n && dst[n - 1] == ' ')
		n--;
	dst[n] = 0;
}

void wt_sentence(const struct wt_bytes *message, char *dst, size_t size)
{
	char *text = pw_strndup(message->data ?: "", message->size);
	const char *trap = strstr(text, "wasm trap: ");
	const char *causes = strstr(text, "Caused by:");

	if (trap)
		copy_line(trap + strlen("wasm trap: "), dst, size);
	else if (causes)
		copy_joined(last_cause(causes + strlen("Caused by:")), dst,
			    size);
	else
		copy_line(text, dst, size);
	free(text);
}
