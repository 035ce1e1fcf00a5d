// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds the tree of a report: sections, facts and notes. Knows nothing of
 * how they will look.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct pw_report *pw_report_new(const char *key, const char *title)
{
	struct pw_report *r = pw_zalloc(sizeof(*r));

	r->root.kind = NODE_SECTION;
	r->root.key = pw_strdup(key);
	r->root.title = title ? pw_strdup(title) : NULL;
	return r;
}

static void node_free(struct pw_node *n)
{
	struct pw_node *child, *tmp;

	switch (n->kind) {
	case NODE_SECTION:
		DL_FOREACH_SAFE(n->children, child, tmp)
		{
			node_free(child);
			free(child);
		}
		break;
	case NODE_STR:
	case NODE_NOTE:
		free(n->str);
		break;
	case NODE_TABLE:
		table_release(&n->table);
		break;
	case NODE_LISTING:
		listing_release(&n->listing);
		break;
	default:
		break;
	}
	series_release(&n->compared.blocks);
	free(n->key);
	free(n->title);
	free(n->tab);
}

void pw_report_free(struct pw_report *r)
{
	if (!r)
		return;
	node_free(&r->root);
	free(r);
}

struct pw_node *pw_report_root(struct pw_report *r)
{
	return &r->root;
}

struct pw_node *node_add(struct pw_node *parent, enum node_kind kind,
			 const char *key, const char *title)
{
	struct pw_node *n = pw_zalloc(sizeof(*n));

	n->kind = kind;
	n->key = pw_strdup(key);
	n->title = title ? pw_strdup(title) : NULL;
	DL_APPEND(parent->children, n);
	return n;
}

struct pw_node *pw_section(struct pw_node *parent, const char *key,
			   const char *title)
{
	return node_add(parent, NODE_SECTION, key, title);
}

struct pw_node *pw_section_item(struct pw_node *parent, const char *key,
				const char *title)
{
	struct pw_node *n = node_add(parent, NODE_SECTION, key, title);

	n->item = true;
	return n;
}

void pw_section_array(struct pw_node *parent, const char *key)
{
	pw_section_item(parent, key, NULL)->hollow = true;
}

void pw_page_only(struct pw_node *n)
{
	n->page_only = true;
}

struct pw_node *pw_child(struct pw_node *parent, const char *key)
{
	struct pw_node *n;

	DL_FOREACH(parent->children, n)
	if (!n->hollow && !strcmp(n->key, key))
		return n;
	return NULL;
}

void pw_table_text_rows(struct pw_node *table, size_t most)
{
	table->table.has_text_rows = true;
	table->table.text_rows = most;
}

void pw_report_text_rows(struct pw_report *r, size_t most, bool tell)
{
	r->text_rows = most;
	r->tell_left_out = tell;
}

void pw_page_tab(struct pw_node *top, const char *title)
{
	free(top->tab);
	top->tab = pw_strdup(title);
}

void pw_fact_str(struct pw_node *parent, const char *key, const char *label,
		 const char *value)
{
	struct pw_node *n = node_add(parent, NODE_STR, key, label);

	n->str = value ? pw_strdup(value) : NULL;
}

void pw_fact_int(struct pw_node *parent, const char *key, const char *label,
		 int64_t value, enum pw_unit unit)
{
	struct pw_node *n = node_add(parent, NODE_INT, key, label);

	n->i = value;
	n->unit = unit;
}

void pw_fact_num(struct pw_node *parent, const char *key, const char *label,
		 double value, enum pw_unit unit)
{
	struct pw_node *n = node_add(parent, NODE_NUM, key, label);

	n->num.value = value;
	n->unit = unit;
}

void pw_fact_interval(struct pw_node *parent, const char *key,
		      const char *label, double value, double lo, double hi,
		      enum pw_unit unit)
{
	struct pw_node *n = node_add(parent, NODE_INTERVAL, key, label);

	n->num.value = value;
	n->num.lo = lo;
	n->num.hi = hi;
	n->unit = unit;
}

void pw_fact_bool(struct pw_node *parent, const char *key, const char *label,
		  bool value)
{
	struct pw_node *n = node_add(parent, NODE_BOOL, key, label);

	n->yes = value;
}

void pw_note(struct pw_node *parent, const char *key, const char *fmt, ...)
{
	struct pw_node *n = node_add(parent, NODE_NOTE, key, NULL);
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&n->str, fmt, ap) < 0)
		n->str = pw_strdup("");
	va_end(ap);
}
