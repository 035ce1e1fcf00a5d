// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a *.conf file with inih. A value too long for one line goes on in
 * indented lines, which are joined by a space.
 */
#include "conf.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

struct reader {
	struct conf *c;
	char machine[65];
	char bad[128]; /* the first key that is not known */
};

static void set_string(char **to, const char *value)
{
	char *joined;

	if (!*to) {
		*to = pw_strdup(value);
		return;
	}
	joined = pw_asprintf("%s %s", *to, value);
	free(*to);
	*to = joined;
}

/* --- the sections --- */

static bool runtime_key(struct conf *c, const char *key, const char *value)
{
	const struct {
		const char *key;
		char **to;
	} strings[] = {
		{ "name", &c->name },
		{ "kind", &c->kind },
		{ "host", &c->host },
		{ "interpreter", &c->interpreter },
		{ "needs", &c->needs },
		{ "options", &c->options },
		{ "baseline", &c->baseline },
		{ "version", &c->version_command },
		{ "path", &c->path },
		{ "command", &c->command },
		{ "compile", &c->compile },
		{ "code", &c->code },
		{ "install", &c->install },
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		if (!strcmp(key, strings[i].key)) {
			set_string(strings[i].to, value);
			return true;
		}
	}
	if (!strcmp(key, "shows_code"))
		c->shows_code = !strcmp(value, "yes");
	else if (!strcmp(key, "samples"))
		c->samples = !strcmp(value, "yes");
	else if (!strcmp(key, "shows_dirs"))
		c->hides_dirs = strcmp(value, "yes");
	else
		return false;
	return !strcmp(value, "yes") || !strcmp(value, "no");
}

static bool fetch_key(struct reader *r, const char *key, const char *value)
{
	static const char library[] = "library.";

	if (!strcmp(key, "package"))
		set_string(&r->c->package, value);
	else if (!strcmp(key, "from"))
		set_string(&r->c->from, value);
	else if (!strcmp(key, "oldest"))
		set_string(&r->c->oldest, value);
	else if (strncmp(key, library, strlen(library)))
		return false;
	else if (!strcmp(key + strlen(library), r->machine))
		set_string(&r->c->library, value);
	return true;
}

static bool add_pin(struct conf *c, const char *version, const char *sha256)
{
	struct conf_pin *p;

	if (strlen(sha256) != 64 || strspn(sha256, "0123456789abcdef") != 64)
		return false;
	c->pins = pw_realloc(c->pins, (c->n_pins + 1) * sizeof(*c->pins));
	p = &c->pins[c->n_pins++];
	p->version = pw_strdup(version);
	p->sha256 = pw_strdup(sha256);
	return true;
}

static bool pin_section(const struct reader *r, const char *section, bool *ours)
{
	static const char sha256[] = "sha256.";

	if (strncmp(section, sha256, strlen(sha256)))
		return false;
	*ours = !strcmp(section + strlen(sha256), r->machine);
	return true;
}

static int on_value(void *user, const char *section, const char *key,
		    const char *value)
{
	struct reader *r = user;
	bool ours, ok = false;

	if (!strcmp(section, "runtime"))
		ok = runtime_key(r->c, key, value);
	else if (!strcmp(section, "fetch"))
		ok = fetch_key(r, key, value);
	else if (pin_section(r, section, &ours))
		ok = !ours || add_pin(r->c, key, value);
	if (!ok && !r->bad[0])
		snprintf(r->bad, sizeof(r->bad), "[%s] %s = %s", section, key,
			 value);
	return ok;
}

/* --- the whole --- */

int conf_parse(struct conf *c, const char *text, const char *where,
	       struct pw_err *err)
{
	struct reader r = { .c = c };
	struct utsname u;
	int line;

	memset(c, 0, sizeof(*c));
	if (!uname(&u))
		snprintf(r.machine, sizeof(r.machine), "%s", u.machine);
	line = ini_parse_string(text, on_value, &r);
	if (line) {
		conf_release(c);
		return pw_err_set(
			err, EINVAL,
			"%s, line %d: expected KEY = VALUE of a known key%s%s",
			where, line, r.bad[0] ? ", found " : "", r.bad);
	}
	if (!c->name || !c->kind) {
		conf_release(c);
		return pw_err_set(err, EINVAL,
				  "%s: expected name and kind in [runtime]",
				  where);
	}
	return 0;
}

int conf_read(struct conf *c, const char *path, struct pw_err *err)
{
	struct pw_file f;
	char *text;
	int rc = pw_file_open(&f, path, err);

	if (rc)
		return rc;
	text = pw_strndup((const char *)f.data, f.size);
	pw_file_close(&f);
	rc = conf_parse(c, text, path, err);
	free(text);
	return rc;
}

void conf_release(struct conf *c)
{
	char *strings[] = { c->name,    c->kind,    c->host,
			    c->needs,   c->options, c->interpreter,
			    c->path,    c->command, c->version_command,
			    c->package, c->library, c->oldest,
			    c->compile, c->code,    c->install,
			    c->from,    c->baseline };

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		free(strings[i]);
	for (size_t i = 0; i < c->n_pins; i++) {
		free(c->pins[i].version);
		free(c->pins[i].sha256);
	}
	free(c->pins);
	memset(c, 0, sizeof(*c));
}

const char *conf_pin(const struct conf *c, const char *version)
{
	for (size_t i = 0; i < c->n_pins; i++) {
		if (!strcmp(c->pins[i].version, version))
			return c->pins[i].sha256;
	}
	return NULL;
}

bool conf_has_option(const struct conf *c, const char *key)
{
	const char *p = c->options ?: "";
	size_t len = strlen(key);

	while (*p) {
		size_t n = strcspn(p, " ");

		if (n > 1 && p[n - 1] == '*' && !strncmp(p, key, n - 1))
			return true;
		if (n == len && !strncmp(p, key, n))
			return true;
		p += n;
		p += strspn(p, " ");
	}
	return false;
}
