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

/* Skips "   0: " of an anyhow chain. */
static const char *skip_number(const char *s)
{
	const char *p = s + strspn(s, " ");
	size_t digits = strspn(p, "0123456789");

	if (digits && p[digits] == ':')
		p += digits + 1;
	return p + strspn(p, " ");
}

/* The last line with anything on it. */
static const char *last_line(const char *text)
{
	const char *best = text;

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (p[strspn(p, " \n")])
			best = p;
	}
	return skip_number(best);
}

void wt_sentence(const struct wt_bytes *message, char *dst, size_t size)
{
	char *text = pw_strndup(message->data ?: "", message->size);
	const char *trap = strstr(text, "wasm trap: ");

	if (trap)
		copy_line(trap + strlen("wasm trap: "), dst, size);
	else if (strstr(text, "Caused by:"))
		copy_line(last_line(text), dst, size);
	else
		copy_line(text, dst, size);
	free(text);
}
