// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a library does not say by itself: its version, which it writes into
 * its artifacts. Found out in a process of its own.
 */
#include "wasmtime-api.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint8_t empty_module[] = { 0, 'a', 's', 'm', 1, 0, 0, 0 };

struct found {
	char version[32];
};

/* Section .wasmtime.engine: a format number, the length of the version, the
 * version. */
static void find_version(const struct wt_api *api, void *module,
			 struct found *f)
{
	struct wt_bytes image;
	const uint8_t *data;
	size_t n;

	if (api->wasmtime_module_serialize(module, &image) ||
	    !wt_elf_section(image.data, image.size, ".wasmtime.engine", &data,
			    &n) ||
	    n < 2 || data[1] > n - 2 || data[1] >= sizeof(f->version))
		return;
	memcpy(f->version, data + 2, data[1]);
	f->version[data[1]] = 0;
}

static void __attribute__((noreturn))
probe_child(const struct wt_api *api, int fd)
{
	struct found f = { 0 };
	void *engine, *module = NULL;

	engine = api->wasm_engine_new_with_config(api->wasm_config_new());
	if (!engine || api->wasmtime_module_new(engine, empty_module,
						sizeof(empty_module), &module))
		_exit(1);
	find_version(api, module, &f);
	_exit(write(fd, &f, sizeof(f)) != sizeof(f));
}

int wt_probe(const struct wt_api *api, char *version, size_t version_size,
	     struct pw_err *err)
{
	struct found f = { 0 };
	int fd[2], status = 0;
	ssize_t n;
	pid_t pid;

	if (pipe(fd))
		return pw_err_set(err, errno, "pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		probe_child(api, fd[1]);
	close(fd[1]);
	n = read(fd[0], &f, sizeof(f));
	close(fd[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (n != sizeof(f))
		return pw_err_set(
			err, ENOEXEC,
			"the library cannot compile an empty module on this machine (status %#x)",
			(unsigned)status);
	snprintf(version, version_size, "%s", f.version[0] ? f.version : "?");
	return 0;
}
