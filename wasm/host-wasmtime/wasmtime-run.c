// SPDX-License-Identifier: GPL-2.0-only
/*
 * One request on Wasmtime, as a list of steps: compile, write the artifact,
 * instantiate, call, and look at what is left. Runs in a process of its own,
 * so nothing is given back.
 */
#include "wasmtime-api.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROFILER_JITDUMP 1

void wt_fail(struct wt_guest *g, enum pw_outcome outcome, void *error)
{
	char sentence[sizeof(g->run->reply.message)];
	struct wt_bytes message = { 0 };

	g->api->wasmtime_error_message(error, &message);
	wt_sentence(&message, sentence, sizeof(sentence));
	pw_host_fail(g->run, outcome, "%s", sentence);
}

/* --- compile --- */

static bool make_engine(struct wt_guest *g, bool all)
{
	void *config = g->api->wasm_config_new();
	struct pw_err err;

	if (wt_configure(g->api, config, &g->host->options, all, &err)) {
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED, "%s", err.msg);
		return false;
	}
	g->api->wasmtime_config_parallel_compilation_set(config, false);
	if (g->run->req->jitdump_dir)
		g->api->wasmtime_config_profiler_set(config, PROFILER_JITDUMP);
	g->engine = g->api->wasm_engine_new_with_config(config);
	if (!g->engine)
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED,
			     "these options do not go together");
	return g->engine;
}

static void *compile_once(struct wt_guest *g)
{
	void *error;

	pw_host_compile_begin(g->run);
	error = g->api->wasmtime_module_new(g->engine, g->file.data,
					    g->file.size, &g->module);
	pw_host_compile_end(g->run);
	return error;
}

/* After the magic number: a version, then a layer, 0 for modules and 1 for
 * components. */
static bool is_component(const struct pw_file *f)
{
	return f->size >= 8 && !memcmp(f->data, "\0asm", 4) &&
	       f->data[6] == 1 && !f->data[7];
}

/* First as the release does by default, so that the code is what its users
 * get; a module that is not accepted so is tried with every proposal on. */
static bool compile(struct wt_guest *g)
{
	struct pw_err err;
	void *error;

	if (pw_file_open(&g->file, g->run->req->module_path, &err)) {
		pw_host_fail(g->run, PW_OUT_REFUSED, "%s", err.msg);
		return false;
	}
	if (is_component(&g->file)) {
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED,
			     "is a component; only core modules are run");
		return false;
	}
	if (!make_engine(g, false))
		return false;
	error = compile_once(g);
	if (error) {
		if (!make_engine(g, true))
			return false;
		error = compile_once(g);
	}
	if (error)
		wt_fail(g, PW_OUT_REFUSED, error);
	return !error;
}

/* The ELF image; also what samples are placed by. */
static bool keep_artifact(struct wt_guest *g)
{
	const struct pw_host_request *req = g->run->req;
	struct pw_err err;
	void *error;

	if (!req->artifact_path && !req->samples_path)
		return true;
	error = g->api->wasmtime_module_serialize(g->module, &g->artifact);
	if (error) {
		wt_fail(g, PW_OUT_UNSUPPORTED, error);
		return false;
	}
	if (req->artifact_path &&
	    pw_file_write(req->artifact_path, g->artifact.data,
			  g->artifact.size, &err)) {
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED, "%s", err.msg);
		return false;
	}
	return true;
}

/* --- call --- */

static void judge_trap(struct wt_guest *g, void *trap)
{
	char sentence[sizeof(g->run->reply.message)];
	struct wt_bytes message = { 0 };

	g->api->wasm_trap_message(trap, &message);
	wt_sentence(&message, sentence, sizeof(sentence));
	pw_host_fail(g->run, PW_OUT_TRAP, "%s", sentence);
}

/* Errors outside the guest's own code say nothing of a trap or a trace. */
static bool is_of_guest(struct wt_guest *g, void *error)
{
	struct wt_bytes m = { 0 };

	g->api->wasmtime_error_message(error, &m);
	return memmem(m.data, m.size, "wasm trap", 9) ||
	       memmem(m.data, m.size, "wasm backtrace", 14);
}

/* proc_exit comes as an error with a status, a trap as an error or a trap. */
static void judge(struct wt_guest *g, void *error, void *trap, bool in_call)
{
	int status;

	if (!error && !trap)
		return;
	if (!error) {
		judge_trap(g, trap);
	} else if (g->api->wasmtime_error_exit_status(error, &status)) {
		g->run->reply.exit_code = status;
		if (status)
			pw_host_fail(g->run, PW_OUT_EXIT,
				     "exited with status %d", status);
	} else {
		wt_fail(g,
			in_call || is_of_guest(g, error) ? PW_OUT_TRAP
							 : PW_OUT_UNSUPPORTED,
			error);
	}
}

static bool instantiate(struct wt_guest *g)
{
	void *trap = NULL, *error;

	g->shape = pw_module_decode(g->file.data, g->file.size, NULL);
	g->store = g->api->wasmtime_store_new(g->engine, NULL, NULL);
	g->context = g->api->wasmtime_store_context(g->store);
	if (!wt_link(g))
		return false;
	pw_host_start_begin(g->run);
	error = g->api->wasmtime_linker_instantiate(g->linker, g->context,
						    g->module, &g->instance,
						    &trap);
	judge(g, error, trap, false);
	return !error && !trap;
}

/* Parameters and results of the function to call; by our own reading where
 * it can be had, as the library cannot describe every type it can run. */
static void count_values(struct wt_guest *g, const char *name, size_t *n_params)
{
	const struct pw_export *e;
	const struct pw_functype *t = NULL;
	const void *type;

	e = g->shape ? pw_module_export_find(g->shape, name) : NULL;
	if (e && e->kind == PW_EXT_FUNC)
		t = pw_module_functype(g->shape,
				       pw_module_func(g->shape, e->idx)
					       ->type_idx);
	if (t) {
		*n_params = t->n_params;
		g->n_results = t->n_results;
		return;
	}
	type = g->api->wasmtime_func_type(g->context, &g->func.of);
	*n_params = g->api->wasm_functype_params(type)->size;
	g->n_results = g->api->wasm_functype_results(type)->size;
}

static bool find_func(struct wt_guest *g)
{
	const char *name = g->run->req->invoke ?: "_start";
	size_t n_params;

	if (!g->api->wasmtime_instance_export_get(g->context, &g->instance,
						  name, strlen(name),
						  &g->func) ||
	    g->func.kind != WT_EXTERN_FUNC) {
		pw_host_fail(
			g->run, PW_OUT_LINK,
			"exports no function %s; name another with --invoke",
			name);
		return false;
	}
	count_values(g, name, &n_params);
	if (n_params) {
		pw_host_fail(
			g->run, PW_OUT_UNSUPPORTED,
			"%s takes %zu arguments; only functions without are called",
			name, n_params);
		return false;
	}
	g->results = pw_zalloc((g->n_results + 1) * sizeof(*g->results));
	return true;
}

static void call(struct wt_guest *g)
{
	void *trap = NULL, *error;

	pw_host_call_begin(g->run);
	error = g->api->wasmtime_func_call(g->context, &g->func.of, NULL, 0,
					   g->results, g->n_results, &trap);
	pw_host_call_end(g->run);
	if (g->run->reply.outcome == PW_OUT_OK)
		judge(g, error, trap, true);
}

static void keep_samples(struct wt_guest *g)
{
	const uint8_t *text = NULL;
	struct pw_err err;
	size_t n = 0;

	wt_elf_section(g->artifact.data, g->artifact.size, ".text", &text, &n);
	if (pw_host_samples_write(g->run, wt_text_addr(text, n), n, &err))
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED, "%s", err.msg);
}

void wt_run(void *self, struct pw_host_run *run)
{
	const struct wt_host *host = self;
	struct wt_guest g = { .host = host, .api = &host->api, .run = run };
	const struct pw_host_request *req = run->req;

	if (req->jitdump_dir && chdir(req->jitdump_dir)) {
		pw_host_fail(run, PW_OUT_UNSUPPORTED, "cannot enter %s: %s",
			     req->jitdump_dir, strerror(errno));
		return;
	}
	if (!compile(&g) || !keep_artifact(&g) || req->compile_only ||
	    !instantiate(&g) || !find_func(&g))
		return;
	call(&g);
	if (req->digest)
		wt_digest(&g);
	if (req->counts_path)
		wt_counts(&g);
	if (req->samples_path)
		keep_samples(&g);
}
