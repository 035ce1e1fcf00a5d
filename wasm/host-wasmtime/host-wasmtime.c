// SPDX-License-Identifier: GPL-2.0-only
/*
 * host-wasmtime LIBRARY [KEY=VALUE...]: runs modules on a libwasmtime.so of
 * any release from 8 on. version=X says what the release is called; every
 * other option is one of Wasmtime's (wasmtime-options.def).
 */
#include "wasmtime-api.h"

#include <errno.h>
#include <string.h>

static int take_options(struct wt_host *h, int argc, char **argv,
			const char **version, struct pw_err *err)
{
	h->options.list = pw_zalloc((size_t)argc * sizeof(*h->options.list));
	for (int i = 2; i < argc; i++) {
		struct wt_option *o = &h->options.list[h->options.n];
		char *eq = strchr(argv[i], '=');
		int rc;

		if (!eq)
			return pw_err_set(err, EINVAL,
					  "expected KEY=VALUE, found %s",
					  argv[i]);
		*eq = 0;
		o->key = argv[i];
		o->value = eq + 1;
		if (!strcmp(o->key, "version")) {
			*version = o->value;
			continue;
		}
		rc = wt_option_check(&h->api, o, err);
		if (rc)
			return rc;
		h->options.n++;
	}
	return 0;
}

static int load(void **self, int argc, char **argv, char *version,
		size_t version_size, struct pw_err *err)
{
	struct wt_host *h = pw_zalloc(sizeof(*h));
	const char *given = NULL;
	int rc;

	*self = h;
	if (argc < 2)
		return pw_err_set(err, EINVAL,
				  "expected the path of a libwasmtime.so");
	rc = wt_api_open(&h->api, argv[1], err);
	if (!rc)
		rc = take_options(h, argc, argv, &given, err);
	if (!rc)
		rc = wt_probe(h, version, version_size, err);
	if (!rc && given)
		snprintf(version, version_size, "%s", given);
	return rc;
}

static const struct pw_host_ops ops = { .load = load, .run = wt_run };

int main(int argc, char **argv)
{
	return pw_host_main(&ops, argc, argv);
}
