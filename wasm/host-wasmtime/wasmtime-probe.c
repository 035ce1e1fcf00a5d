// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a library does not say by itself: its version, which it writes into
 * its artifacts, and whether it takes the options given: it ends the process
 * when it does not. Found out in a process of its own.
 */
#include "wasmtime-api.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
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
probe_child(const struct wt_host *host, int fd, int diag_fd)
{
	const struct wt_api *api = &host->api;
	void *config = api->wasm_config_new(), *engine, *module = NULL;
	struct rlimit no_core = { 0, 0 };
	struct found f = { 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	dup2(diag_fd, 2);
	wt_configure(api, config, &host->options, false, NULL);
	engine = api->wasm_engine_new_with_config(config);
	if (!engine || api->wasmtime_module_new(engine, empty_module,
						sizeof(empty_module), &module))
		_exit(1);
	find_version(api, module, &f);
	_exit(write(fd, &f, sizeof(f)) != sizeof(f));
}

static int does_not_work(int diag_fd, struct pw_err *err)
{
	char words[300];

	pw_host_last_words(diag_fd, words, sizeof(words));
	return pw_err_set(
		err, ENOEXEC,
		"the library cannot compile an empty module with these options on this machine: %s",
		words[0] ? words : "it says nothing");
}

int wt_probe(const struct wt_host *host, char *version, size_t version_size,
	     struct pw_err *err)
{
	int fd[2], diag_fd = memfd_create("diag", MFD_CLOEXEC);
	struct found f = { 0 };
	ssize_t n;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return pw_err_set(err, errno, "pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		probe_child(host, fd[1], diag_fd);
	close(fd[1]);
	n = read(fd[0], &f, sizeof(f));
	close(fd[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (n != sizeof(f))
		does_not_work(diag_fd, err);
	else
		snprintf(version, version_size, "%s",
			 f.version[0] ? f.version : "?");
	close(diag_fd);
	return n == sizeof(f) ? 0 : -ENOEXEC;
}
