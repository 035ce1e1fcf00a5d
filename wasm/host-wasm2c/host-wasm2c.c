// SPDX-License-Identifier: GPL-2.0-only
/*
 * host-wasm2c [cc=gcc|clang] [O=0..3] [inline=0|1]: runs modules that wasm2c
 * turned into C and a C compiler into a shared object. An oracle: what an
 * optimizing compiler makes of a module when it may take its time.
 */
#include "w2c-run.h"

#include <stdlib.h>

static int load(void **self, int argc, char **argv, char *version,
		size_t version_size, struct pw_err *err)
{
	struct w2c_tools *t = pw_zalloc(sizeof(*t));
	int rc = w2c_tools_init(t, argc, argv, err);

	*self = t;
	snprintf(version, version_size, "%s", t->version);
	return rc;
}

static const struct pw_host_ops ops = { .load = load, .run = w2c_run };

int main(int argc, char **argv)
{
	return pw_host_main(&ops, argc, argv);
}
