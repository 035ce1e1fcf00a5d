// SPDX-License-Identifier: GPL-2.0-only
/*
 * Specs and versions as text.
 */
#include "spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SPEC 1024

/* Names and versions become names of files: no slash, no leading dot. */
static bool is_word(const char *s)
{
	if (!*s || *s == '.' || *s == '-')
		return false;
	for (; *s; s++) {
		if (!isalnum((unsigned char)*s) && !strchr("._+-", *s))
			return false;
	}
	return true;
}

static bool is_option(const char *s)
{
	const char *eq = strchr(s, '=');

	if (!eq || eq == s)
		return false;
	for (; *s; s++) {
		if (!isgraph((unsigned char)*s))
			return false;
	}
	return true;
}

static int parse_options(struct spec *s, char *text, struct pw_err *err)
{
	size_t n = 0;
	char *opt;

	for (const char *p = text; *p; p++)
		n += *p == '&';
	s->opts = pw_zalloc((n + 2) * sizeof(*s->opts));
	n = 0;
	while ((opt = strsep(&text, "&"))) {
		if (!is_option(opt))
			return pw_err_set(
				err, EINVAL,
				"expected OPTION=VALUE behind the ? of a runtime, found '%s'",
				opt);
		s->opts[n++] = pw_strdup(opt);
	}
	return 0;
}

static int parse(struct spec *s, char *text, struct pw_err *err)
{
	char *opts = strchr(text, '?'), *version;

	if (opts)
		*opts++ = 0;
	version = strchr(text, '@');
	if (version)
		*version++ = 0;
	if (!is_word(text) || (version && !is_word(version)))
		return pw_err_set(
			err, EINVAL,
			"expected NAME, NAME@VERSION or NAME@VERSION?OPTION=VALUE, as wasmtime@13.0.0?opt=none");
	s->name = pw_strdup(text);
	s->version = version ? pw_strdup(version) : NULL;
	return opts ? parse_options(s, opts, err) : 0;
}

int spec_parse(struct spec *s, const char *text, struct pw_err *err)
{
	char *copy;
	int rc;

	memset(s, 0, sizeof(*s));
	if (strlen(text) > MAX_SPEC)
		return pw_err_set(
			err, EINVAL,
			"the name of a runtime is longer than %d bytes",
			MAX_SPEC);
	copy = pw_strdup(text);
	rc = parse(s, copy, err);
	free(copy);
	if (rc)
		spec_release(s);
	else if (!s->opts)
		s->opts = pw_zalloc(sizeof(*s->opts));
	return rc;
}

void spec_release(struct spec *s)
{
	free(s->name);
	free(s->version);
	for (size_t i = 0; s->opts && s->opts[i]; i++)
		free(s->opts[i]);
	free(s->opts);
	memset(s, 0, sizeof(*s));
}

char *spec_print(const struct spec *s)
{
	struct pw_buf out = { 0 };

	pw_buf_printf(&out, "%s", s->name);
	if (s->version)
		pw_buf_printf(&out, "@%s", s->version);
	for (size_t i = 0; s->opts && s->opts[i]; i++)
		pw_buf_printf(&out, "%c%s", i ? '&' : '?', s->opts[i]);
	pw_buf_str(&out);
	return (char *)out.data;
}

/* --- versions --- */

static size_t number_at(const char **s, const char **digits)
{
	size_t n;

	while (**s == '0' && isdigit((unsigned char)(*s)[1]))
		++*s;
	*digits = *s;
	n = strspn(*s, "0123456789");
	*s += n;
	return n;
}

static int compare_numbers(const char **a, const char **b)
{
	const char *da, *db;
	size_t na = number_at(a, &da), nb = number_at(b, &db);

	if (na != nb)
		return na < nb ? -1 : 1;
	return strncmp(da, db, na);
}

int version_compare(const char *a, const char *b)
{
	int rc = 0;

	while (!rc && *a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b))
			rc = compare_numbers(&a, &b);
		else if (*a == *b)
			a++, b++;
		else
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
	}
	return rc ?: (*a != 0) - (*b != 0);
}
