// SPDX-License-Identifier: GPL-2.0-only
/*
 * Renders a listing of a report: two codes side by side where the width
 * allows, else one below the other: as in a unified diff where they differ, and
 * where nothing is told to differ the right one above what belongs to it, as
 * source above its code. Marks tell the same with and without colours:
 *   -  only on the left     +  only on the right     >  accused
 */
#include "render-text.h"
#include "visible.h"

#include <string.h>

/* A code column is cut down to MIN_TEXT columns before the two sides go one
 * below the other, a note to MIN_NOTE; cut text ends with "..". */
enum { MARK = 2, SHARE = 7, BAR = 3, GAP = 2, MIN_TEXT = 28, MIN_NOTE = 24 };

struct columns {
	bool share;
	int addr, text; /* addr with the space behind it */
};

struct layout {
	struct columns left, right;
	int note;
	bool unified, is_diff;
};

static int max(int a, int b)
{
	return a > b ? a : b;
}

static int min(int a, int b)
{
	return a < b ? a : b;
}

static int width_of(const struct listing *l, size_t str)
{
	struct pw_buf b = { 0 };
	int width;

	if (!str)
		return 0;
	visible_add(&b, listing_str(l, str));
	width = visible_width(pw_buf_str(&b));
	pw_buf_release(&b);
	return width;
}

/* --- layout --------------------------------------------------------------- */

static void measure_side(const struct listing *l, const struct side *s,
			 struct columns *c)
{
	c->share |= s->share >= 0;
	if (s->addr)
		c->addr = max(c->addr, width_of(l, s->addr) + 1);
	c->text = max(c->text, width_of(l, s->text));
}

static int fixed_width(const struct columns *c)
{
	return (c->share ? SHARE : 0) + c->addr;
}

/* One column of code that holds either side. */
static void lay_unified(struct layout *y, int width)
{
	struct columns *c = &y->left;
	int left;

	y->unified = true;
	c->share |= y->right.share;
	c->addr = max(c->addr, y->right.addr);
	c->text = max(c->text, y->right.text);
	left = width - MARK - fixed_width(c) - (y->note ? GAP : 0);
	if (c->text + y->note <= left)
		return;
	y->note = min(y->note, max(MIN_NOTE, left - c->text));
	c->text = min(c->text, max(left - y->note, 8));
}

/* What the left title needs beyond the columns before the code. */
static int title_width(const struct listing *l, const struct columns *c)
{
	int n = l->left_title ? visible_width(l->left_title) : 0;

	return max(n - fixed_width(c), 0);
}

static struct layout lay_out(const struct listing *l, int width)
{
	struct layout y = { 0 };
	int left, half;

	for (size_t i = 0; i < l->n; i++) {
		const struct pair *p = &l->pairs[i];

		if (p->mark == PW_MARK_GAP)
			continue;
		y.is_diff |= p->mark != PW_MARK_SAME;
		measure_side(l, &p->left, &y.left);
		measure_side(l, &p->right, &y.right);
		y.note = max(y.note, width_of(l, p->left.note));
		y.note = max(y.note, width_of(l, p->right.note));
	}
	y.left.text = max(y.left.text, title_width(l, &y.left));
	left = width - MARK - fixed_width(&y.left) - BAR -
	       fixed_width(&y.right) - (y.note ? GAP : 0);
	if (!width || y.left.text + y.right.text + y.note <= left)
		return y;
	left -= min(y.note, MIN_NOTE);
	half = left / 2;
	if (half < MIN_TEXT) {
		lay_unified(&y, width);
		return y;
	}
	y.note = min(y.note, MIN_NOTE);
	if (y.left.text <= half)
		y.right.text = min(y.right.text, left - y.left.text);
	else if (y.right.text <= half)
		y.left.text = min(y.left.text, left - y.right.text);
	else
		y.left.text = y.right.text = half;
	return y;
}

/* --- lines ----------------------------------------------------------------- */

/* Appends s made visible, padded or cut to width. */
static void add_field(struct pw_buf *b, const char *s, int width)
{
	size_t begin = b->len;
	int columns;

	if (s)
		visible_add(b, s);
	columns = visible_width(pw_buf_str(b) + begin);
	if (columns > width) {
		while (columns > max(width - 2, 0) && b->len > begin) {
			while ((b->data[b->len - 1] & 0xc0) == 0x80)
				b->len--;
			b->len--;
			columns = visible_width(pw_buf_str(b) + begin);
		}
		if (width >= 2)
			pw_buf_add(b, "..", 2);
		columns += width >= 2 ? 2 : 0;
	}
	pw_buf_printf(b, "%*s", max(width - columns, 0), "");
}

static void add_side(struct pw_buf *b, const struct listing *l,
		     const struct side *s, const struct columns *c)
{
	if (c->share && s->share >= 0)
		pw_buf_printf(b, "%5.1f%% ", s->share * 100);
	else if (c->share)
		pw_buf_printf(b, "%*s", SHARE, "");
	add_field(b, listing_str(l, s->addr), c->addr);
	add_field(b, listing_str(l, s->text), c->text);
}

static void add_note(struct pw_buf *b, const char *note, int width)
{
	if (!width || !note)
		return;
	pw_buf_printf(b, "%*s", GAP, "");
	add_field(b, note, width);
}

static char mark_char(enum pw_mark mark)
{
	switch (mark) {
	case PW_MARK_LEFT:
		return '-';
	case PW_MARK_RIGHT:
		return '+';
	case PW_MARK_GUILTY:
		return '>';
	default:
		return ' ';
	}
}

static enum style mark_style(enum pw_mark mark)
{
	switch (mark) {
	case PW_MARK_LEFT:
		return STYLE_RED;
	case PW_MARK_RIGHT:
		return STYLE_GREEN;
	case PW_MARK_GUILTY:
		return STYLE_GUILTY;
	case PW_MARK_GAP:
		return STYLE_FAINT;
	default:
		return STYLE_PLAIN;
	}
}

static void print_gap(const struct text *t, const struct listing *l,
		      const struct pair *p)
{
	struct pw_buf b = { 0 };

	pw_buf_printf(&b, "  ... ");
	if (p->left.text)
		visible_add(&b, listing_str(l, p->left.text));
	text_line(t, STYLE_FAINT, pw_buf_str(&b), b.len);
	pw_buf_release(&b);
}

static void print_pair(const struct text *t, const struct listing *l,
		       const struct pair *p, const struct layout *y)
{
	size_t note = p->left.note ? p->left.note : p->right.note;
	struct pw_buf b = { 0 };

	pw_buf_printf(&b, "%c ", mark_char(p->mark));
	add_side(&b, l, &p->left, &y->left);
	pw_buf_add(&b, " | ", BAR);
	add_side(&b, l, &p->right, &y->right);
	add_note(&b, listing_str(l, note), y->note);
	text_line(t, mark_style(p->mark), pw_buf_str(&b), b.len);
	pw_buf_release(&b);
}

static void print_one(const struct text *t, const struct listing *l,
		      enum pw_mark mark, const struct side *s,
		      const struct layout *y)
{
	struct pw_buf b = { 0 };

	pw_buf_printf(&b, "%c ", mark_char(mark));
	add_side(&b, l, s, &y->left);
	add_note(&b, listing_str(l, s->note), y->note);
	text_line(t, mark_style(mark), pw_buf_str(&b), b.len);
	pw_buf_release(&b);
}

/* Of two codes that are not told to differ neither stands for the other. */
static void print_both(const struct text *t, const struct listing *l,
		       const struct pair *p, const struct layout *y)
{
	const char *left = listing_str(l, p->left.text);
	const char *right = listing_str(l, p->right.text);

	if (right && (!left || strcmp(left, right) != 0))
		print_one(t, l, PW_MARK_RIGHT, &p->right, y);
	if (left)
		print_one(t, l, p->mark, &p->left, y);
}

static void print_unified(const struct text *t, const struct listing *l,
			  const struct pair *p, const struct layout *y)
{
	if (!y->is_diff)
		print_both(t, l, p, y);
	else if (p->mark == PW_MARK_SAME)
		print_one(t, l, p->mark, p->left.text ? &p->left : &p->right,
			  y);
	else if (p->mark == PW_MARK_RIGHT)
		print_one(t, l, p->mark, &p->right, y);
	else
		print_one(t, l, p->mark, &p->left, y);
	if (p->mark == PW_MARK_GUILTY && p->right.text)
		print_one(t, l, PW_MARK_RIGHT, &p->right, y);
}

static void print_titles(const struct text *t, const struct listing *l,
			 const struct layout *y)
{
	struct pw_buf b = { 0 };

	if (!y->unified) {
		pw_buf_printf(&b, "  ");
		add_field(&b, l->left_title,
			  fixed_width(&y->left) + y->left.text);
		pw_buf_add(&b, " | ", BAR);
		visible_add(&b, l->right_title);
	} else {
		pw_buf_printf(&b, y->is_diff ? "- " : "  ");
		visible_add(&b, l->left_title);
		text_line(t, STYLE_BOLD, pw_buf_str(&b), b.len);
		b.len = 0;
		pw_buf_printf(&b, "+ ");
		visible_add(&b, l->right_title);
	}
	text_line(t, STYLE_BOLD, pw_buf_str(&b), b.len);
	pw_buf_release(&b);
}

void render_text_listing(const struct text *t, const struct listing *l)
{
	struct layout y = lay_out(l, t->width);

	print_titles(t, l, &y);
	for (size_t i = 0; i < l->n; i++) {
		const struct pair *p = &l->pairs[i];

		if (p->mark == PW_MARK_GAP)
			print_gap(t, l, p);
		else if (y.unified)
			print_unified(t, l, p, &y);
		else
			print_pair(t, l, p, &y);
	}
}
