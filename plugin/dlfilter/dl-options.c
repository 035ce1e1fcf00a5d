// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arguments of --dlarg. Knows their names and what each takes, nothing of
 * what they do.
 */
#include "dlfilter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char dl_options_help[] =
	"Each --dlarg is one of:\n"
	"  format=text|json    of the report\n"
	"  output=FILE         instead of standard output\n"
	"  sort=KEY,...        as in perf wasm report\n"
	"  task=NAME|PID|TID   keep only these; may repeat, as may those below\n"
	"  module=NAME         keep only these\n"
	"  jitdump=FILE        beside those that are found\n"
	"  wasm=FILE           the module that a runtime ran\n"
	"  artifact=FILE       what it was compiled to\n"
	"  map=DIR             where jitdumps and perf maps are\n"
	"  wasm-only           keep only samples in wasm code\n"
	"  children            order functions by themselves and what they call\n"
	"  limit=N             rows of a table (30); 0: all";

enum kind { FLAG, TEXT, LIST, FORMAT, NUMBER };

static const struct option {
	const char *name;
	enum kind kind;
	size_t off; /* in struct dl_options */
} table[] = {
#define OPTION(name, kind, member)                              \
	{                                                       \
		name, kind, offsetof(struct dl_options, member) \
	}
	OPTION("format", FORMAT, json),
	OPTION("output", TEXT, output),
	OPTION("sort", TEXT, sort),
	OPTION("map", TEXT, dir),
	OPTION("task", LIST, tasks),
	OPTION("module", LIST, modules),
	OPTION("jitdump", LIST, jitdumps),
	OPTION("wasm", LIST, wasms),
	OPTION("artifact", LIST, artifacts),
	OPTION("wasm-only", FLAG, wasm_only),
	OPTION("children", FLAG, children),
	OPTION("limit", NUMBER, limit),
#undef OPTION
};

static const struct option *find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (strlen(table[i].name) == len &&
		    !memcmp(table[i].name, name, len))
			return &table[i];
	return NULL;
}

static int add(const char **list, const char *name, const char *value,
	       struct pw_err *err)
{
	size_t n = 0;

	while (list[n])
		n++;
	if (n + 1 == DL_MAX_LIST)
		return pw_err_set(err, E2BIG, "more than %d times %s=", (int)n,
				  name);
	list[n] = value;
	return 0;
}

static int set(struct dl_options *o, const struct option *t, const char *value,
	       struct pw_err *err)
{
	char *at = (char *)o + t->off, *end;
	unsigned long n;

	switch (t->kind) {
	case FLAG:
		*(bool *)at = true;
		return 0;
	case TEXT:
		*(const char **)at = value;
		return 0;
	case LIST:
		return add((const char **)at, t->name, value, err);
	case FORMAT:
		*(bool *)at = !strcmp(value, "json");
		if (!*(bool *)at && strcmp(value, "text"))
			return pw_err_set(err, EINVAL,
					  "format=%s: expected text or json",
					  value);
		return 0;
	case NUMBER:
		n = strtoul(value, &end, 10);
		if (*value < '0' || *value > '9' || *end || n > UINT32_MAX)
			return pw_err_set(err, EINVAL,
					  "%s=%s: expected a number", t->name,
					  value);
		*(uint32_t *)at = (uint32_t)n;
		return 0;
	}
	return 0;
}

int dl_options_parse(struct dl_options *o, int n, char *const *args,
		     struct pw_err *err)
{
	o->limit = 30;
	for (int i = 0; i < n; i++) {
		size_t len = strcspn(args[i], "=");
		const struct option *t = find(args[i], len);
		const char *value = args[i][len] ? args[i] + len + 1 : NULL;
		int ret;

		if (!t)
			return pw_err_set(err, EINVAL,
					  "unknown argument \"%s\"; %s",
					  args[i], dl_options_help);
		if (!value != (t->kind == FLAG))
			return pw_err_set(err, EINVAL, "%s takes %s value",
					  t->name,
					  t->kind == FLAG ? "no" : "a");
		ret = set(o, t, value, err);
		if (ret)
			return ret;
	}
	return 0;
}
