// SPDX-License-Identifier: GPL-2.0-only
/*
 * Renders the sections, facts and notes of a report as JSON; tables and
 * listings have a file of their own. Knows nothing of what the report is
 * about.
 */
#include "render-json.h"
#include "quantity.h"

#include <errno.h>
#include <string.h>
#include <utlist.h>

/* The version of the layout that report.h describes. */
enum { FORMAT = 1 };

static json_t *interval(const struct pw_node *n)
{
	json_t *o = json_object();

	json_object_set_new(o, "value", json_number(n->num.value));
	json_object_set_new(o, "lo", json_number(n->num.lo));
	json_object_set_new(o, "hi", json_number(n->num.hi));
	return o;
}

static json_t *fact(const struct pw_node *n)
{
	switch (n->kind) {
	case NODE_INT:
		return json_whole(n->i, n->unit);
	case NODE_NUM:
		return json_number(n->num.value);
	case NODE_INTERVAL:
		return interval(n);
	case NODE_BOOL:
		return json_boolean(n->yes);
	default:
		return json_text(n->str);
	}
}

/* The units of a section's facts, for those that have one. */
static void render_units(struct json *j, const struct pw_node *parent)
{
	json_t *units = json_object();
	const struct pw_node *n;

	DL_FOREACH(parent->children, n)
	{
		const char *name = unit_name(n->unit);

		if (name)
			json_object_set_new(units, n->key, json_string(name));
	}
	if (json_object_size(units))
		json_member(j, "units", units);
	else
		json_decref(units);
}

static void render_node(struct json *j, const struct pw_node *n);

static json_t *time_value(struct pw_report_time t)
{
	json_t *o = json_pack("{sIsI}", "span", (json_int_t)t.span_ns, "block",
			      (json_int_t)t.block_ns);

	if (t.start_ns)
		json_object_set_new(o, "start",
				    json_integer((json_int_t)t.start_ns));
	return o;
}

static void render_children(struct json *j, const struct pw_node *parent)
{
	const struct pw_node *n;

	if (parent->time.span_ns)
		json_member(j, "time", time_value(parent->time));
	if (parent->title)
		json_member(j, "title", json_text(parent->title));
	render_units(j, parent);
	render_json_compared_facts(j, parent);
	DL_FOREACH(parent->children, n)
	render_node(j, n);
}

/* Every item with n's key as one array, where the first of them stands. */
static void render_items(struct json *j, const struct pw_node *n)
{
	const struct pw_node *p;

	/* prev of the first child is the last one: its next is NULL */
	for (p = n; p->prev->next; p = p->prev)
		if (!strcmp(p->prev->key, n->key))
			return;
	json_open(j, n->key, '[');
	for (p = n; p; p = p->next) {
		if (p->hollow || strcmp(p->key, n->key))
			continue;
		json_open(j, NULL, '{');
		render_children(j, p);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void render_node(struct json *j, const struct pw_node *n)
{
	switch (n->kind) {
	case NODE_SECTION:
		if (n->item) {
			render_items(j, n);
			return;
		}
		json_open(j, n->key, '{');
		render_children(j, n);
		json_close(j, '}');
		break;
	case NODE_TABLE:
		render_json_table(j, n);
		break;
	case NODE_LISTING:
		render_json_listing(j, n);
		break;
	default:
		json_member(j, n->key, fact(n));
		break;
	}
}

int pw_render_json(const struct pw_report *r, FILE *to)
{
	struct json j = { .to = to, .indent = 2, .first = true };

	errno = 0;
	fputc('{', to);
	json_member(&j, "report", json_text(r->root.key));
	json_member(&j, "format", json_integer(FORMAT));
	render_children(&j, &r->root);
	fputs("\n}\n", to);
	if (fflush(to) || ferror(to))
		return errno ? -errno : -EIO;
	return 0;
}
