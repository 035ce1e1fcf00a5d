// SPDX-License-Identifier: GPL-2.0-only
/*
 * Renders the listings of a report for the page: two codes side by side, or
 * one alone. Needs no scripts.
 */
#include "render-html.h"
#include "visible.h"

/* Which columns a listing has at all. */
struct shape {
	bool left_share, right, right_share, note;
};

static bool is_there(const struct side *s)
{
	return s->addr || s->text;
}

static struct shape shape_of(const struct listing *l)
{
	struct shape y = { 0 };

	for (size_t i = 0; i < l->n; i++) {
		const struct pair *p = &l->pairs[i];

		if (p->mark == PW_MARK_GAP)
			continue;
		y.left_share |= p->left.share >= 0;
		y.right |= is_there(&p->right);
		y.right_share |= p->right.share >= 0;
		y.note |= p->left.note || p->right.note;
	}
	return y;
}

static int n_columns(const struct shape *y)
{
	return 3 + y->left_share + (y->right ? 2 : 0) + y->right_share +
	       y->note;
}

/* What tells the kind of a line without colours. */
static const char *mark_text(enum pw_mark mark)
{
	switch (mark) {
	case PW_MARK_LEFT:
		return "-";
	case PW_MARK_RIGHT:
		return "+";
	case PW_MARK_GUILTY:
		return ">";
	default:
		return "";
	}
}

/* Nothing where no sample fell. Ten steps of heat, so that the style needs no numbers of its own. */
static void share_cell(struct pw_buf *out, double share)
{
	int heat = share < 0.001 ? 0 : share > 0.2 ? 9 : 1 + (int)(share * 40);

	if (share <= 0)
		pw_buf_printf(out, "<td></td>");
	else
		pw_buf_printf(out, "<td class=\"n h%d\">%.1f %%</td>", heat,
			      share * 100);
}

static void add_side(struct pw_buf *out, const struct listing *l,
		     const struct side *s, bool share)
{
	const char *addr = listing_str(l, s->addr);
	const char *text = listing_str(l, s->text);

	if (share)
		share_cell(out, s->share);
	html_element(out, "td", "a", addr ? addr : "");
	html_element(out, "td", "c", text ? text : "");
}

static void add_gap(struct pw_buf *out, const struct listing *l,
		    const struct pair *p, const struct shape *y)
{
	const char *text = listing_str(l, p->left.text);

	pw_buf_printf(out, "<tr class=\"gap\"><td colspan=\"%d\">... ",
		      n_columns(y));
	html_text(out, text ? text : "");
	pw_buf_printf(out, "</td></tr>\n");
}

static void add_pair(struct pw_buf *out, const struct listing *l,
		     const struct pair *p, const struct shape *y)
{
	size_t note = p->left.note ? p->left.note : p->right.note;

	if (p->mark == PW_MARK_GAP) {
		add_gap(out, l, p, y);
		return;
	}
	pw_buf_printf(out, "<tr class=\"%s\">", listing_mark_name(p->mark));
	html_element(out, "td", NULL, mark_text(p->mark));
	add_side(out, l, &p->left, y->left_share);
	if (y->right)
		add_side(out, l, &p->right, y->right_share);
	if (y->note)
		html_element(out, "td", "w", note ? listing_str(l, note) : "");
	pw_buf_printf(out, "</tr>\n");
}

static void add_titles(struct pw_buf *out, const struct listing *l,
		       const struct shape *y)
{
	pw_buf_printf(out, "<thead><tr><th></th><th colspan=\"%d\">",
		      2 + y->left_share);
	html_text(out, l->left_title);
	pw_buf_printf(out, "</th>");
	if (y->right) {
		pw_buf_printf(out, "<th colspan=\"%d\">", 2 + y->right_share);
		html_text(out, l->right_title);
		pw_buf_printf(out, "</th>");
	}
	pw_buf_printf(out, "%s</tr></thead>\n<tbody>\n",
		      y->note ? "<th></th>" : "");
}

void html_listing(struct html *h, const struct pw_node *n)
{
	const struct listing *l = &n->listing;
	struct shape y = shape_of(l);

	pw_buf_printf(&h->out, "<figure class=\"listing\">\n");
	html_element(&h->out, "figcaption", NULL, n->title);
	pw_buf_printf(&h->out, "<div class=\"wide\"><table class=\"code\">\n");
	add_titles(&h->out, l, &y);
	for (size_t i = 0; i < l->n; i++)
		add_pair(&h->out, l, &l->pairs[i], &y);
	pw_buf_printf(&h->out, "</tbody></table></div></figure>\n");
}
