// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a library does not say by itself, found out by running a tiny module
 * in a process of its own: its version, which it writes into its artifacts,
 * and the distance of two values in an array.
 */
#include "wasmtime-api.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* (module (func (export "f") (result i32 i32) i32.const 11 i32.const 22)) */
static const uint8_t tiny_module[] = {
	0x00, 'a',  's',  'm',  0x01, 0x00, 0x00, 0x00, 0x01, 0x06,
	0x01, 0x60, 0x00, 0x02, 0x7f, 0x7f, 0x03, 0x02, 0x01, 0x00,
	0x07, 0x05, 0x01, 0x01, 'f',  0x00, 0x00, 0x0a, 0x08, 0x01,
	0x06, 0x00, 0x41, 0x0b, 0x41, 0x16, 0x0b,
};

struct found {
	char version[32];
	size_t val_size;
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

static void find_val_size(const struct wt_api *api, void *engine, void *module,
			  struct found *f)
{
	void *context, *trap = NULL;
	struct wt_item instance = { 0 }, func = { 0 }, results[4] = { 0 };
	void *linker = api->wasmtime_linker_new(engine);

	context = api->wasmtime_store_context(
		api->wasmtime_store_new(engine, NULL, NULL));
	if (api->wasmtime_linker_instantiate(linker, context, module, &instance,
					     &trap) ||
	    trap ||
	    !api->wasmtime_instance_export_get(context, &instance, "f", 1,
					       &func) ||
	    api->wasmtime_func_call(context, &func.of, NULL, 0, results, 2,
				    &trap) ||
	    trap)
		return;
	for (size_t size = 16; size < sizeof(results) / 2; size += 8) {
		const uint8_t *second = (const uint8_t *)results + size;

		if (second[0] == WT_I32 && second[8] == 22) {
			f->val_size = size;
			return;
		}
	}
}

static void __attribute__((noreturn))
probe_child(const struct wt_api *api, int fd)
{
	struct found f = { 0 };
	void *engine, *module = NULL;

	engine = api->wasm_engine_new_with_config(api->wasm_config_new());
	if (!engine || api->wasmtime_module_new(engine, tiny_module,
						sizeof(tiny_module), &module))
		_exit(1);
	find_version(api, module, &f);
	find_val_size(api, engine, module, &f);
	_exit(write(fd, &f, sizeof(f)) != sizeof(f));
}

int wt_probe(const struct wt_api *api, char *version, size_t version_size,
	     size_t *val_size, struct pw_err *err)
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
			"the library cannot run a small module on this machine (status %#x)",
			(unsigned)status);
	snprintf(version, version_size, "%s", f.version[0] ? f.version : "?");
	*val_size = f.val_size;
	return 0;
}
