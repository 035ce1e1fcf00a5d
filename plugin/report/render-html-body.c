// SPDX-License-Identifier: GPL-2.0-only
/*
 * Renders the tree of a report as HTML: tabs, sections, facts and notes.
 * Knows nothing of what the report is about.
 */
#include "render-html.h"
#include "visible.h"
#include "written.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

void html_text(struct pw_buf *out, const char *s)
{
	char *safe = pw_visible(s);

	for (const char *p = safe; *p; p++)
		switch (*p) {
		case '<':
			pw_buf_add(out, "&lt;", 4);
			break;
		case '>':
			pw_buf_add(out, "&gt;", 4);
			break;
		case '&':
			pw_buf_add(out, "&amp;", 5);
			break;
		case '"':
			pw_buf_add(out, "&quot;", 6);
			break;
		default:
			pw_buf_add_u8(out, (uint8_t)*p);
			break;
		}
	free(safe);
}

void html_element(struct pw_buf *out, const char *tag, const char *class,
		  const char *s)
{
	if (!s)
		return;
	if (class)
		pw_buf_printf(out, "<%s class=\"%s\">", tag, class);
	else
		pw_buf_printf(out, "<%s>", tag);
	html_text(out, s);
	pw_buf_printf(out, "</%s>", tag);
}

/* --- nodes -------------------------------------------------------------------- */

static void add_fact(struct pw_buf *out, const struct pw_node *n)
{
	struct pw_buf value = { 0 };

	written_value(&value, n);
	pw_buf_printf(out, "<dt>");
	html_text(out, written_label(n));
	pw_buf_printf(out, "</dt>");
	html_element(out, "dd", NULL, pw_buf_str(&value));
	pw_buf_printf(out, "\n");
	pw_buf_release(&value);
}

static void add_node(struct html *h, const struct pw_node *n, int level);

static void add_section(struct html *h, const struct pw_node *n, int level)
{
	char tag[] = { 'h', (char)('0' + (level < 6 ? level : 6)), 0 };
	const struct pw_node *child;

	pw_buf_printf(&h->out, "<section>\n");
	html_element(&h->out, tag, NULL, n->title);
	DL_FOREACH(n->children, child)
	add_node(h, child, level + 1);
	pw_buf_printf(&h->out, "</section>\n");
}

/* Facts in a row are one list: the first opens it, the last closes it. */
static void add_node(struct html *h, const struct pw_node *n, int level)
{
	/* prev of a first child is the last one, whose next is NULL */
	bool follows = n->prev->next && is_fact(n->prev);

	if (n->hollow)
		return;
	if (is_fact(n)) {
		pw_buf_printf(&h->out, follows ? "" : "<dl>\n");
		add_fact(&h->out, n);
		pw_buf_printf(&h->out, is_fact(n->next) ? "" : "</dl>\n");
		return;
	}
	switch (n->kind) {
	case NODE_SECTION:
		add_section(h, n, level);
		break;
	case NODE_NOTE:
		html_element(&h->out, "p", "note", n->str);
		break;
	case NODE_TABLE:
		html_table(h, n);
		break;
	case NODE_LISTING:
		html_listing(h, n);
		break;
	default:
		break;
	}
}

/* --- tabs ---------------------------------------------------------------------- */

struct tab {
	const char *title;
	char *id;
};

struct tabs {
	struct tab *tabs;
	size_t n;
};

/* What the tab of a node of the top level is called. */
static const char *tab_of(const struct pw_node *n)
{
	if (n->tab)
		return n->tab;
	if (n->kind != NODE_SECTION)
		return "Overview";
	return n->title ? n->title : n->key;
}

/* "Hot functions" -> "hot-functions", for the address of the page. */
static char *slug_of(const char *title, size_t number)
{
	struct pw_buf b = { 0 };

	for (const char *p = title; *p && b.len < 40; p++)
		if (isascii(*p) && isalnum(*p))
			pw_buf_add_u8(&b, (uint8_t)tolower(*p));
		else if (b.len && b.data[b.len - 1] != '-')
			pw_buf_add_u8(&b, '-');
	pw_buf_printf(&b, "%s%zu", b.len && b.data[b.len - 1] != '-' ? "-" : "",
		      number);
	pw_buf_str(&b);
	return (char *)b.data;
}

static void tabs_add(struct tabs *t, const char *title)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->tabs[i].title, title))
			return;
	t->tabs = pw_realloc(t->tabs, (t->n + 1) * sizeof(*t->tabs));
	t->tabs[t->n] = (struct tab){ title, slug_of(title, t->n + 1) };
	t->n++;
}

static void tabs_release(struct tabs *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->tabs[i].id);
	free(t->tabs);
}

/* A section that is a tab alone needs no second heading. */
static void add_in_tab(struct html *h, const struct pw_node *n,
		       const char *title)
{
	const struct pw_node *child;

	if (n->kind == NODE_SECTION && n->title && !strcmp(n->title, title))
		DL_FOREACH(n->children, child)
	add_node(h, child, 3);
	else add_node(h, n, 3);
}

static void add_tab(struct html *h, const struct pw_node *root,
		    const struct tab *t)
{
	const struct pw_node *n;

	pw_buf_printf(&h->out, "<section class=\"tab\" id=\"%s\">\n", t->id);
	html_element(&h->out, "h2", NULL, t->title);
	pw_buf_printf(&h->out, "\n");
	DL_FOREACH(root->children, n)
	if (!n->hollow && !strcmp(tab_of(n), t->title))
		add_in_tab(h, n, t->title);
	pw_buf_printf(&h->out, "</section>\n");
}

/* With scripts off these lead to the sections, with scripts they are tabs. */
static void add_nav(struct pw_buf *out, const struct tabs *t)
{
	pw_buf_printf(out, "<nav>\n");
	for (size_t i = 0; i < t->n; i++) {
		pw_buf_printf(out, "<a href=\"#%s\">", t->tabs[i].id);
		html_text(out, t->tabs[i].title);
		pw_buf_printf(out, "</a>\n");
	}
	pw_buf_printf(out, "</nav>\n");
}

void html_body(struct html *h, const struct pw_node *root)
{
	const struct pw_node *n;
	struct tabs t = { 0 };

	DL_FOREACH(root->children, n)
	if (n->kind != NODE_SECTION && !n->tab)
		tabs_add(&t, tab_of(n));
	DL_FOREACH(root->children, n)
	if (!n->hollow)
		tabs_add(&t, tab_of(n));
	add_nav(&h->out, &t);
	pw_buf_printf(&h->out, "<main>\n");
	for (size_t i = 0; i < t.n; i++)
		add_tab(h, root, &t.tabs[i]);
	pw_buf_printf(&h->out, "</main>\n");
	tabs_release(&t);
}
