// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the counters of an instrumented module hold after its call, written
 * for the caller. Knows how counters are named, not what they count.
 */
#include "host-parts.h"

#include <string.h>

static bool is_counter(const struct pw_module *m, const struct pw_export *e)
{
	static const char prefix[] = PW_COUNT_PREFIX;
	const struct pw_global *g;

	if (e->kind != PW_EXT_GLOBAL || e->name.len < sizeof(prefix) - 1 ||
	    memcmp(e->name.s, prefix, sizeof(prefix) - 1))
		return false;
	g = pw_module_global(m, e->idx);
	return g->type == PW_I64 && g->mutable_;
}

int pw_host_counts_write(const struct pw_host_request *req,
			 const struct pw_module *m, pw_host_global_fn *get,
			 void *ctx, struct pw_err *err)
{
	struct pw_buf text = { 0 };
	int ret;

	for (uint32_t i = 0; i < pw_module_n_exports(m); i++) {
		const struct pw_export *e = pw_module_export(m, i);

		if (is_counter(m, e))
			pw_buf_printf(&text, "%.*s %llu\n", (int)e->name.len,
				      e->name.s,
				      (unsigned long long)get(ctx, i));
	}
	ret = pw_file_write(req->counts_path, text.data, text.len, err);
	pw_buf_release(&text);
	return ret;
}
