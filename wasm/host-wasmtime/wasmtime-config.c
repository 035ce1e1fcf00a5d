// SPDX-License-Identifier: GPL-2.0-only
/*
 * The options of a Wasmtime engine, by name. Which release has which is
 * found out by looking.
 */
#include "wasmtime-api.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

enum kind { OPT, BOOL, NUM };
enum when { NEVER, RETRY, ALWAYS };

static const struct known_option {
	const char *key, *symbol;
	enum kind kind;
	enum when when;
} known[] = {
#define WT_OPTION(key, symbol, kind, when) { key, symbol, kind, when },
#include "wasmtime-options.def"
#undef WT_OPTION
};

#define N_KNOWN   (sizeof(known) / sizeof(known[0]))
#define CRANELIFT "cranelift."

static const char *const opt_levels[] = { "none", "speed", "speed_and_size" };

static const struct known_option *find(const char *key)
{
	for (size_t i = 0; i < N_KNOWN; i++) {
		if (!strcmp(known[i].key, key))
			return &known[i];
	}
	return NULL;
}

static int parse_value(const struct known_option *k, const char *value,
		       uint64_t *v)
{
	if (k->kind == NUM)
		return pw_protocol_u64(value, v);
	if (k->kind == BOOL) {
		*v = !strcmp(value, "1");
		return *v || !strcmp(value, "0") ? 0 : -EINVAL;
	}
	for (*v = 0; *v < 3; ++*v) {
		if (!strcmp(value, opt_levels[*v]))
			return 0;
	}
	return -EINVAL;
}

static int bad_value(const struct known_option *k, const char *value,
		     struct pw_err *err)
{
	static const char *const expected[] = {
		[OPT] = "none, speed or speed_and_size",
		[BOOL] = "0 or 1",
		[NUM] = "a number of bytes",
	};

	return pw_err_set(err, EINVAL, "%s may be %s, not %s", k->key,
			  expected[k->kind], value);
}

int wt_option_check(const struct wt_api *api, const struct wt_option *o,
		    struct pw_err *err)
{
	const struct known_option *k = find(o->key);
	const char *symbol = "wasmtime_config_cranelift_flag_set";
	uint64_t v;

	if (!k && strncmp(o->key, CRANELIFT, strlen(CRANELIFT)))
		return pw_err_set(
			err, EINVAL,
			"wasmtime has no option %s here; opt=none is one",
			o->key);
	if (k && parse_value(k, o->value, &v))
		return bad_value(k, o->value, err);
	if (!dlsym(api->dl, k ? k->symbol : symbol))
		return pw_err_set(err, ENOTSUP,
				  "this release of wasmtime has no option %s",
				  o->key);
	return 0;
}

static void set_flag(const struct wt_api *api, void *config,
		     const struct wt_option *o)
{
	void (*set)(void *config, const char *key, const char *value);

	set = dlsym(api->dl, "wasmtime_config_cranelift_flag_set");
	if (set)
		set(config, o->key + strlen(CRANELIFT), o->value);
}

static void set_known(const struct wt_api *api, void *config,
		      const struct known_option *k, uint64_t v)
{
	void (*set_bool)(void *config, bool v);
	void (*set_level)(void *config, uint8_t v);
	void (*set_u64)(void *config, uint64_t v);
	void *p = dlsym(api->dl, k->symbol);

	if (!p)
		return;
	set_bool = p;
	set_level = p;
	set_u64 = p;
	if (k->kind == BOOL)
		set_bool(config, v);
	else if (k->kind == OPT)
		set_level(config, (uint8_t)v);
	else
		set_u64(config, v);
}

int wt_configure(const struct wt_api *api, void *config,
		 const struct wt_options *options, bool all, struct pw_err *err)
{
	for (size_t i = 0; i < N_KNOWN; i++) {
		if (known[i].when >= (all ? RETRY : ALWAYS))
			set_known(api, config, &known[i], 1);
	}
	for (size_t i = 0; i < options->n; i++) {
		const struct wt_option *o = &options->list[i];
		const struct known_option *k = find(o->key);
		uint64_t v = 0;
		int rc = wt_option_check(api, o, err);

		if (rc)
			return rc;
		if (!k) {
			set_flag(api, config, o);
		} else {
			parse_value(k, o->value, &v);
			set_known(api, config, k, v);
		}
	}
	return 0;
}
