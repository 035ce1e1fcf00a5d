// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a module imports, offered by Wasmtime's linker: WASI preview 1 as the
 * request says, and functions that do nothing where the request allows.
 */
#include "wasmtime-api.h"

#include <stdlib.h>
#include <string.h>

/* --- WASI --- */

static void set_args(struct wt_guest *g, void *wasi)
{
	const char *const *list = g->run->req->argv;
	const char **argv, *slash;
	size_t n = 0;

	while (list && list[n])
		n++;
	argv = pw_alloc((n + 1) * sizeof(*argv));
	slash = strrchr(g->run->req->module_path, '/');
	argv[0] = slash ? slash + 1 : g->run->req->module_path;
	for (size_t i = 0; i < n; i++)
		argv[i + 1] = list[i];
	g->api->wasi_config_set_argv(wasi, n + 1, argv);
	free(argv);
}

static void set_env(struct wt_guest *g, void *wasi)
{
	const char *const *list = g->run->req->env;
	const char **names, **values;
	size_t n = 0;

	while (list && list[n])
		n++;
	names = pw_zalloc((n + 1) * sizeof(*names));
	values = pw_zalloc((n + 1) * sizeof(*values));
	for (size_t i = 0; i < n; i++) {
		const char *eq = strchrnul(list[i], '=');

		names[i] = pw_strndup(list[i], (size_t)(eq - list[i]));
		values[i] = *eq ? eq + 1 : "";
	}
	g->api->wasi_config_set_env(wasi, n, names, values);
	for (size_t i = 0; i < n; i++)
		free((char *)names[i]);
	free(names);
	free(values);
}

/* "host::guest", or one path for both. */
static bool preopen(struct wt_guest *g, void *wasi, const char *dir)
{
	const char *sep = strstr(dir, "::");
	char *host = pw_strndup(dir, sep ? (size_t)(sep - dir) : strlen(dir));
	const char *guest = sep ? sep + 2 : dir;
	bool ok = g->api->wasi_config_preopen_dir(wasi, host, guest, 3, 3);

	if (!ok)
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED,
			     "cannot open the folder %s for the guest", host);
	free(host);
	return ok;
}

bool wt_wasi(struct wt_guest *g)
{
	const struct pw_host_request *req = g->run->req;
	void *wasi = g->api->wasi_config_new(), *error;

	set_args(g, wasi);
	set_env(g, wasi);
	if (req->stdin_path &&
	    !g->api->wasi_config_set_stdin_file(wasi, req->stdin_path)) {
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED,
			     "cannot read the guest's input from %s",
			     req->stdin_path);
		return false;
	}
	g->api->wasi_config_inherit_stdout(wasi);
	g->api->wasi_config_inherit_stderr(wasi);
	for (const char *const *d = req->dirs; d && *d; d++) {
		if (!preopen(g, wasi, *d))
			return false;
	}
	error = g->api->wasmtime_linker_define_wasi(g->linker);
	if (!error)
		error = g->api->wasmtime_context_set_wasi(g->context, wasi);
	if (error)
		wt_fail(g, PW_OUT_UNSUPPORTED, error);
	return !error;
}

/* --- empty functions --- */

/* "mod.name" stands in the comma-separated list, or the list is "*". */
static bool is_listed(const char *list, const struct wt_bytes *mod,
		      const struct wt_bytes *name)
{
	if (!list)
		return false;
	if (!strcmp(list, "*"))
		return true;
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, ",");

		if (n == mod->size + 1 + name->size &&
		    !memcmp(p, mod->data, mod->size) && p[mod->size] == '.' &&
		    !memcmp(p + mod->size + 1, name->data, name->size))
			return true;
		p += n;
		p += *p == ',';
	}
	return false;
}

/* wasmtime_func_unchecked_callback_t: the results, 16 bytes each, go where the
 * arguments were; zero is null for a reference. */
static void *call_empty(void *data, void *caller, void *args_and_results)
{
	(void)caller;
	memset(args_and_results, 0, 16 * (size_t)(uintptr_t)data);
	return NULL;
}

/* The library cannot describe every type that it can run, so the module is
 * asked. NULL: not a function, or one that must return an object. */
static const struct pw_functype *empty_type(const struct wt_guest *g, size_t i)
{
	const struct pw_import *import;
	const struct pw_functype *t;

	if (!g->shape || i >= pw_module_n_imports(g->shape))
		return NULL;
	import = pw_module_import(g->shape, (uint32_t)i);
	if (import->kind != PW_EXT_FUNC)
		return NULL;
	t = pw_module_functype(g->shape,
			       pw_module_func(g->shape, import->idx)->type_idx);
	for (uint32_t k = 0; t && k < t->n_results; k++) {
		if (t->results[k] & PW_REF && !(t->results[k] & PW_NULLABLE))
			return NULL;
	}
	return t;
}

static void *define_empty(struct wt_guest *g, const void *type,
			  const struct pw_functype *shape,
			  const struct wt_bytes *mod,
			  const struct wt_bytes *name)
{
	const void *func = g->api->wasm_externtype_as_functype_const(type);

	return g->api
		->wasmtime_linker_define_func_unchecked(g->linker, mod->data,
							mod->size, name->data,
							name->size, func,
							(void *)call_empty,
							(void *)(uintptr_t)shape
								->n_results,
							NULL);
}

/* --- the whole --- */

static bool wants_wasi(struct wt_guest *g, const struct wt_vec *imports)
{
	for (size_t i = 0; i < imports->size; i++) {
		const struct wt_bytes *mod =
			g->api->wasm_importtype_module(imports->data[i]);

		if (mod->size >= 5 && !memcmp(mod->data, "wasi_", 5))
			return true;
	}
	return false;
}

/* Offers what is missing and allowed; names what is missing in `names`. */
static void *fill_gaps(struct wt_guest *g, const struct wt_vec *imports,
		       struct pw_buf *names)
{
	const char *list = g->run->req->empty_imports;
	void *error = NULL;

	for (size_t i = 0; i < imports->size && !error; i++) {
		const void *import = imports->data[i];
		const void *type = g->api->wasm_importtype_type(import);
		const struct pw_functype *shape = empty_type(g, i);
		const struct wt_bytes *mod, *name;
		struct wt_item item;

		mod = g->api->wasm_importtype_module(import);
		name = g->api->wasm_importtype_name(import);
		if (g->api->wasmtime_linker_get(g->linker, g->context,
						mod->data, mod->size,
						name->data, name->size, &item))
			continue;
		if (shape && is_listed(list, mod, name))
			error = define_empty(g, type, shape, mod, name);
		else
			pw_buf_printf(names, "%s%.*s.%.*s",
				      names->len ? ", " : "", (int)mod->size,
				      mod->data, (int)name->size, name->data);
	}
	return error;
}

static bool fill_with_defaults(struct wt_guest *g)
{
	const char *list = g->run->req->empty_imports;
	const struct wt_api *api = g->api;

	return list && !strcmp(list, "*") &&
	       api->wasmtime_linker_define_unknown_imports_as_default_values &&
	       !api->wasmtime_linker_define_unknown_imports_as_default_values(
		       g->linker, g->context, g->module);
}

bool wt_link(struct wt_guest *g)
{
	struct pw_buf names = { 0 };
	struct wt_vec imports;
	void *error;
	bool ok;

	g->linker = g->api->wasmtime_linker_new(g->engine);
	g->api->wasmtime_module_imports(g->module, &imports);
	if (wants_wasi(g, &imports) && !wt_wasi(g))
		return false;
	error = fill_gaps(g, &imports, &names);
	ok = !error && (!names.len || fill_with_defaults(g));
	if (error)
		wt_fail(g, PW_OUT_LINK, error);
	else if (!ok)
		pw_host_fail(g->run, PW_OUT_LINK,
			     "wants imports that nobody offers: %s",
			     pw_buf_str(&names));
	pw_buf_release(&names);
	return ok;
}
