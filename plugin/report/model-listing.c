// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds the listings of a report: two codes side by side, line by line.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

struct pw_node *pw_listing(struct pw_node *parent, const char *key,
			   const char *title, const char *left_title,
			   const char *right_title)
{
	struct pw_node *n = node_add(parent, NODE_LISTING, key, title);
	struct listing *l = &n->listing;

	l->left_title = pw_strdup(left_title ? left_title : "");
	l->right_title = pw_strdup(right_title ? right_title : "");
	pw_buf_add_u8(&l->text, 0);
	return n;
}

void listing_release(struct listing *l)
{
	free(l->left_title);
	free(l->right_title);
	free(l->pairs);
	pw_buf_release(&l->text);
}

static size_t keep_str(struct listing *l, const char *s)
{
	size_t at = l->text.len;

	if (!s)
		return 0;
	pw_buf_add(&l->text, s, strlen(s) + 1);
	return at;
}

static void keep_side(struct listing *l, struct side *to,
		      const struct pw_line *from)
{
	to->share = -1;
	if (!from)
		return;
	to->addr = keep_str(l, from->addr);
	to->text = keep_str(l, from->text);
	to->note = keep_str(l, from->note);
	to->share = from->share;
}

void pw_listing_add(struct pw_node *listing, enum pw_mark mark,
		    const struct pw_line *left, const struct pw_line *right)
{
	struct listing *l = &listing->listing;
	struct pair *p;

	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 16;
		l->pairs = pw_realloc(l->pairs, l->cap * sizeof(*l->pairs));
	}
	p = &l->pairs[l->n++];
	memset(p, 0, sizeof(*p));
	p->mark = mark;
	keep_side(l, &p->left, left);
	keep_side(l, &p->right, right);
}

const char *listing_mark_name(enum pw_mark mark)
{
	switch (mark) {
	case PW_MARK_LEFT:
		return "left";
	case PW_MARK_RIGHT:
		return "right";
	case PW_MARK_GUILTY:
		return "guilty";
	case PW_MARK_GAP:
		return "gap";
	default:
		return "same";
	}
}
