/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spec: the name of a runtime, NAME[@VERSION][?OPT=VALUE[&OPT=VALUE...]],
 * taken apart. Knows no runtime.
 */
#ifndef PERFWASM_RUNTIME_SPEC_H
#define PERFWASM_RUNTIME_SPEC_H

#include <perfwasm/base.h>

struct spec {
	char *name;
	char *version; /* NULL when none is given */
	char **opts;   /* "KEY=VALUE", NULL-ended, in the order given */
};

int spec_parse(struct spec *s, const char *text, struct pw_err *err);
void spec_release(struct spec *s);
/* "wasmtime@13.0.0?opt=none"; the caller frees. */
char *spec_print(const struct spec *s);

/* Order of two versions: numbers by value, other characters by code. */
int version_compare(const char *a, const char *b);

#endif
