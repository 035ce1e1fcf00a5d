// SPDX-License-Identifier: GPL-2.0-only
/*
 * The user's events and metrics as APerf writes them:
 *   { "events": { NAME: "PMU/term=number,.../" }, "metrics": { NAME: FORMULA } }
 */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* jansson does not tell where a value stood: where its name is first a key. */
static uint32_t line_of(const char *text, const char *name)
{
	char *quoted = pw_asprintf("\"%s\"", name);
	const char *at = text;
	uint32_t line = 1;

	while ((at = strstr(at, quoted))) {
		at += strlen(quoted);
		if (at[strspn(at, " \t\r\n")] == ':')
			break;
	}
	free(quoted);
	for (; at && text < at; text++)
		line += *text == '\n';
	return line;
}

static int fault(struct pw_err *err, uint32_t line, const char *what,
		 const char *name)
{
	return pw_err_set(err, EINVAL, "line %u: %s \"%s\"", line, what, name);
}

static int read_events(struct plan *p, const char *text, json_t *events,
		       struct pw_err *err)
{
	const char *name;
	json_t *value;

	json_object_foreach (events, name, value) {
		uint32_t line = line_of(text, name);

		if (!config_event_name(name))
			return fault(
				err, line,
				"an event's name is letters, digits and _, not",
				name);
		if (!json_is_string(value))
			return fault(err, line, "no text is the code of event",
				     name);
		plan_event(p, name, json_string_value(value), 0, line);
	}
	return 0;
}

static int read_metrics(struct plan *p, const char *text, json_t *metrics,
			struct pw_err *err)
{
	const char *name;
	json_t *value;
	struct figure *f;

	json_object_foreach (metrics, name, value) {
		uint32_t line = line_of(text, name);

		if (!json_is_string(value))
			return fault(err, line,
				     "no text is the formula of metric", name);
		f = plan_figure(p, name, json_string_value(value), line);
		figure_set(&f->unit, NULL);
		figure_set(&f->about, NULL);
	}
	return 0;
}

int config_json(struct plan *p, const char *text, struct pw_err *err)
{
	static const char *const keys[] = { "events", "metrics" };
	json_error_t why;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &why), *value;
	const char *name;
	int ret = 0;

	if (!root)
		return pw_err_set(err, EINVAL, "line %d: %s", why.line,
				  why.text);
	json_object_foreach (root, name, value)
		if (!ret && (!json_is_object(value) ||
			     (strcmp(name, keys[0]) && strcmp(name, keys[1]))))
			ret = fault(
				err, line_of(text, name),
				"expected the objects \"events\" and \"metrics\", not",
				name);
	if (!ret && !json_is_object(root))
		ret = fault(err, 1, "expected an object with", "events");
	if (!ret)
		ret = read_events(p, text, json_object_get(root, keys[0]), err);
	if (!ret)
		ret = read_metrics(p, text, json_object_get(root, keys[1]),
				   err);
	json_decref(root);
	return ret;
}
