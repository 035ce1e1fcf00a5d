// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a guest left behind in its exported memories and mutable globals, in
 * the order of its exports, and what its function returned.
 */
#include "wasmtime-api.h"

#include <string.h>

static const uint8_t n_value_bytes[] = { 4, 8, 4, 8, 16 };

static void add_memory(struct wt_guest *g, struct host_digest *d,
		       const char *name, const struct wt_item *item)
{
	host_digest_add(d, name,
			g->api->wasmtime_memory_data(g->context, &item->of),
			g->api->wasmtime_memory_data_size(g->context,
							  &item->of));
}

static void add_shared(struct wt_guest *g, struct host_digest *d,
		       const char *name, const struct wt_item *item)
{
	const struct wt_api *api = g->api;

	if (api->wasmtime_sharedmemory_data &&
	    api->wasmtime_sharedmemory_data_size)
		host_digest_add(d, name,
				api->wasmtime_sharedmemory_data(item->of.p),
				api->wasmtime_sharedmemory_data_size(
					item->of.p));
}

static void add_value(struct host_digest *d, const char *name,
		      const struct wt_item *value)
{
	if (value->kind <= WT_V128)
		host_digest_add(d, name, value->of.bytes,
				n_value_bytes[value->kind]);
}

/* References have no bytes to compare; constants cannot change. */
static void add_global(struct wt_guest *g, struct host_digest *d,
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

void wt_digest(struct wt_guest *g)
{
	struct wt_item item = { 0 };
	struct host_digest d;
	const char *s;
	size_t n;

	host_digest_init(&d);
	for (size_t i = 0;
	     g->api->wasmtime_instance_export_nth(g->context, &g->instance, i,
						  &s, &n, &item);
	     i++) {
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)n, s);
		if (item.kind == WT_EXTERN_MEMORY)
			add_memory(g, &d, name, &item);
		else if (item.kind == WT_EXTERN_SHARED)
			add_shared(g, &d, name, &item);
		else if (item.kind == WT_EXTERN_GLOBAL)
			add_global(g, &d, name, &item);
	}
	if (g->n_results && g->run->reply.outcome == PW_OUT_OK)
		add_value(&d, "result", g->results);
	host_digest_end(&d, g->run);
}
