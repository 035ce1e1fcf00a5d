// SPDX-License-Identifier: GPL-2.0-only
/* How rules name figures: "family.a+b@instance", "family.pattern". */
#include "rule.h"

#include <assert.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The last @ that does not begin a group of a pattern. */
static char *at_sign(char *s)
{
	char *at = strrchr(s, '@');

	return at && at[1] != '(' ? at : NULL;
}

void figure_name_init(struct figure_name *f, const char *text)
{
	char *at, *dot, *name, *rest;

	*f = (struct figure_name){ .text = pw_strdup(text) };
	at = at_sign(f->text);
	if (at) {
		*at = '\0';
		f->instance = at + 1;
	}
	dot = strchr(f->text, '.');
	assert(dot && (size_t)(dot - f->text) < sizeof(f->family));
	memcpy(f->family, f->text, (size_t)(dot - f->text));
	f->is_pattern = strpbrk(dot, "*?[(") != NULL;
	if (f->is_pattern) {
		f->names[f->n++] = dot + 1;
		return;
	}
	for (name = strtok_r(dot + 1, "+", &rest); name;
	     name = strtok_r(NULL, "+", &rest)) {
		assert(f->n < sizeof(f->names) / sizeof(f->names[0]));
		f->names[f->n++] = name;
	}
}

void figure_name_release(struct figure_name *f)
{
	free(f->text);
	*f = (struct figure_name){ 0 };
}

bool figure_name_has(const struct figure_name *f, const struct pw_metric *x)
{
	if (strcmp(x->family, f->family))
		return false;
	if (f->is_pattern)
		return !fnmatch(f->names[0], x->name, FNM_EXTMATCH);
	for (uint32_t i = 0; i < f->n; i++)
		if (!strcmp(f->names[i], x->name))
			return true;
	return false;
}
