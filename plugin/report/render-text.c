// SPDX-License-Identifier: GPL-2.0-only
/*
 * Renders a report as text that can be pasted into a bug report: headings,
 * aligned facts, wrapped notes. Tables and listings have files of their own.
 * Knows nothing of what the report is about.
 */
#include "render-text.h"
#include "visible.h"
#include "written.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Lines of prose longer than this are hard to read. */
enum { PROSE_WIDTH = 80, PROSE_MAX = 100 };

static const char *style_code(enum style style)
{
	switch (style) {
	case STYLE_BOLD:
		return "\033[1m";
	case STYLE_RED:
		return "\033[31m";
	case STYLE_GREEN:
		return "\033[32m";
	case STYLE_GUILTY:
		return "\033[1;31m";
	case STYLE_FAINT:
		return "\033[2m";
	default:
		return "";
	}
}

void text_line(const struct text *t, enum style style, const char *s, size_t n)
{
	bool dye = t->color && style != STYLE_PLAIN;

	while (n && s[n - 1] == ' ')
		n--;
	fprintf(t->to, "%*s%s", n ? t->indent : 0, "",
		dye ? style_code(style) : "");
	fwrite(s, 1, n, t->to);
	fputs(dye ? "\033[0m\n" : "\n", t->to);
}

void text_title(const struct text *t, const char *title)
{
	struct pw_buf b = { 0 };

	visible_add(&b, title);
	text_line(t, STYLE_BOLD, pw_buf_str(&b), b.len);
	pw_buf_release(&b);
}

static void blank_line(struct text *t)
{
	if (t->gap)
		fputc('\n', t->to);
	t->gap = true;
}

static void underline(const struct text *t, const char *title, char with)
{
	struct pw_buf b = { 0 };
	int n;

	visible_add(&b, title);
	n = visible_width(pw_buf_str(&b));
	b.len = 0;
	while (n--)
		pw_buf_add_u8(&b, with);
	text_line(t, STYLE_PLAIN, pw_buf_str(&b), b.len);
	pw_buf_release(&b);
}

/* --- facts --------------------------------------------------------------- */

static int label_width(const struct pw_node *n)
{
	struct pw_buf b = { 0 };
	int width;

	visible_add(&b, written_label(n));
	width = visible_width(pw_buf_str(&b));
	pw_buf_release(&b);
	return width;
}

/* Renders a run of facts with their values aligned; gives the last one. */
static const struct pw_node *render_facts(struct text *t,
					  const struct pw_node *n)
{
	int width = 0;

	for (const struct pw_node *f = n; is_fact(f); f = f->next)
		if (label_width(f) > width)
			width = label_width(f);
	for (;; n = n->next) {
		struct pw_buf b = { 0 };

		visible_add(&b, written_label(n));
		pw_buf_printf(&b, ":%*s", width - label_width(n) + 2, "");
		written_value(&b, n);
		text_line(t, STYLE_PLAIN, pw_buf_str(&b), b.len);
		pw_buf_release(&b);
		if (!is_fact(n->next))
			return n;
	}
}

/* --- notes ---------------------------------------------------------------- */

/* Bytes of s up to the last space within width; a longer word stays whole. */
static size_t line_end(const char *s, int width)
{
	size_t end = 0, at = 0;
	int columns = 0;

	while (s[at]) {
		size_t word = strcspn(s + at, " ");
		char *w = pw_strndup(s + at, word);

		columns += visible_width(w);
		free(w);
		if (end && columns > width)
			return end;
		at += word;
		end = at;
		while (s[at] == ' ') {
			at++;
			columns++;
		}
	}
	return end;
}

static void render_note(const struct text *t, const char *note)
{
	int width = t->width ? t->width : PROSE_WIDTH - t->indent;
	struct pw_buf b = { 0 };
	const char *s;

	visible_add(&b, note);
	for (s = pw_buf_str(&b); *s;) {
		size_t n = line_end(s, width < PROSE_MAX ? width : PROSE_MAX);

		text_line(t, STYLE_PLAIN, s, n);
		s += n;
		s += strspn(s, " ");
	}
	pw_buf_release(&b);
}

/* --- the tree --------------------------------------------------------------- */

static void render_section(struct text *t, const struct pw_node *n, int depth);

static bool is_left_out(const struct pw_node *n);

/* All that the section has is for the page: a title would promise more. */
static bool is_drawn_only(const struct pw_node *section)
{
	const struct pw_node *n = section->children;

	while (n && is_left_out(n))
		n = n->next;
	return section->children && !n;
}

static bool is_left_out(const struct pw_node *n)
{
	return n->hollow || n->page_only ||
	       (n->kind == NODE_TABLE && n->table.only_drawn) ||
	       (n->kind == NODE_SECTION && is_drawn_only(n));
}

static void render_body(struct text *t, const struct pw_node *parent, int depth)
{
	const struct pw_node *n;

	for (n = parent->children; n; n = n->next) {
		if (is_left_out(n))
			continue;
		if (n->kind == NODE_SECTION) {
			render_section(t, n, depth + 1);
			continue;
		}
		blank_line(t);
		if (is_fact(n))
			n = render_facts(t, n);
		else if (n->kind == NODE_NOTE)
			render_note(t, n->str);
		else if (n->title)
			text_title(t, n->title);
		if (n->kind == NODE_TABLE)
			render_text_table(t, &n->table);
		if (n->kind == NODE_LISTING)
			render_text_listing(t, &n->listing);
	}
}

/* The report and its sections are underlined, what lies deeper is indented. */
static void render_section(struct text *t, const struct pw_node *n, int depth)
{
	const struct text outer = *t;

	if (n->title) {
		blank_line(t);
		text_title(t, n->title);
		if (depth < 2)
			underline(t, n->title, depth ? '-' : '=');
		t->gap = !depth;
	}
	if (depth >= 2) {
		t->indent += 2;
		t->width -= t->width > 42 ? 2 : 0;
	}
	render_body(t, n, depth);
	t->indent = outer.indent;
	t->width = outer.width;
	t->gap = true;
}

int pw_render_text(const struct pw_report *r, const struct pw_render_opts *o,
		   FILE *to)
{
	struct text t = { .to = to,
			  .color = o->color,
			  .width = o->width,
			  .rows = r->text_rows,
			  .tell_left_out = r->tell_left_out };

	/* Narrower than this no table can be read. */
	if (t.width && t.width < 40)
		t.width = 40;
	errno = 0;
	render_section(&t, &r->root, 0);
	if (fflush(to) || ferror(to))
		return errno ? -errno : -EIO;
	return 0;
}
