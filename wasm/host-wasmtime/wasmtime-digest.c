// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a guest left behind in its exported memories and mutable globals, in
 * the order of its exports, and what its function returned; and its counters.
 */
#include "wasmtime-api.h"

#include <string.h>

static const uint8_t n_value_bytes[] = { 4, 8, 4, 8, 16 };

static void add_memory(struct wt_guest *g, struct pw_host_digest *d,
		       const char *name, const struct wt_item *item)
{
	pw_host_digest_add(d, name,
			   g->api->wasmtime_memory_data(g->context, &item->of),
			   g->api->wasmtime_memory_data_size(g->context,
							     &item->of));
}

static void add_shared(struct wt_guest *g, struct pw_host_digest *d,
		       const char *name, const struct wt_item *item)
{
	const struct wt_api *api = g->api;

	pw_host_digest_add(d, name, api->wasmtime_sharedmemory_data(item->of.p),
			   api->wasmtime_sharedmemory_data_size(item->of.p));
}

static void add_value(struct pw_host_digest *d, const char *name,
		      const struct wt_item *value)
{
	if (value->kind <= WT_V128)
		pw_host_digest_add(d, name, value->of.bytes,
				   n_value_bytes[value->kind]);
}

/* References have no bytes to compare; constants cannot change. */
static void add_global(struct wt_guest *g, struct pw_host_digest *d,
		       const char *name, const struct wt_item *item)
{
	struct wt_item value = { 0 };
	const void *type;

	g->api->wasmtime_global_get(g->context, &item->of, &value);
	if (value.kind > WT_V128)
		return;
	type = g->api->wasmtime_global_type(g->context, &item->of);
	if (g->api->wasm_globaltype_mutability(type))
		add_value(d, name, &value);
}

/* Some releases end the process when they are asked for an export of a kind
 * that their C API cannot describe: only what has bytes is asked for. */
static bool has_bytes(const struct wt_guest *g, size_t i)
{
	const struct pw_export *e;

	if (!g->shape || i >= pw_module_n_exports(g->shape))
		return true;
	e = pw_module_export(g->shape, (uint32_t)i);
	if (e->kind == PW_EXT_GLOBAL)
		return !(pw_module_global(g->shape, e->idx)->type & PW_REF);
	return e->kind == PW_EXT_MEMORY &&
	       (!pw_module_memory(g->shape, e->idx)->shared ||
		g->api->wasmtime_sharedmemory_data);
}

static size_t n_exports(const struct wt_guest *g)
{
	return g->shape ? pw_module_n_exports(g->shape) : SIZE_MAX;
}

static void add_export(struct wt_guest *g, struct pw_host_digest *d,
		       const char *name, const struct wt_item *item)
{
	if (item->kind == WT_EXTERN_MEMORY)
		add_memory(g, d, name, item);
	else if (item->kind == WT_EXTERN_SHARED)
		add_shared(g, d, name, item);
	else if (item->kind == WT_EXTERN_GLOBAL)
		add_global(g, d, name, item);
}

void wt_digest(struct wt_guest *g)
{
	size_t n_all = n_exports(g), n;
	struct wt_item item = { 0 };
	struct pw_host_digest d;
	const char *s;

	pw_host_digest_init(&d);
	for (size_t i = 0; i < n_all; i++) {
		char name[256];

		if (!has_bytes(g, i))
			continue;
		if (!g->api->wasmtime_instance_export_nth(g->context,
							  &g->instance, i, &s,
							  &n, &item))
			break;
		snprintf(name, sizeof(name), "%.*s", (int)n, s);
		add_export(g, &d, name, &item);
	}
	if (g->n_results && g->run->reply.outcome == PW_OUT_OK)
		add_value(&d, "result", g->results);
	pw_host_digest_end(&d, g->run);
}

/* By name: the n-th export costs n steps. */
static uint64_t counter(void *ctx, uint32_t i)
{
	const struct pw_export *e;
	struct wt_item item = { 0 }, value = { 0 };
	struct wt_guest *g = ctx;

	e = pw_module_export(g->shape, i);
	if (!g->api->wasmtime_instance_export_get(g->context, &g->instance,
						  e->name.s, e->name.len,
						  &item) ||
	    item.kind != WT_EXTERN_GLOBAL)
		return 0;
	g->api->wasmtime_global_get(g->context, &item.of, &value);
	return value.of.u64;
}

void wt_counts(struct wt_guest *g)
{
	struct pw_err err;

	if (!g->shape)
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED,
			     "counters are read of modules that we can decode");
	else if (pw_host_counts_write(g->run->req, g->shape, counter, g, &err))
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED, "%s", err.msg);
}
