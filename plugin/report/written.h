/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * written: a fact's value and a cell as people read them, in text and on the
 * page alike. What is hostile in a name is made visible here.
 */
#ifndef PW_REPORT_WRITTEN_H
#define PW_REPORT_WRITTEN_H

#include "model.h"
#include "quantity.h"

static inline bool is_fact(const struct pw_node *n)
{
	return n && n->kind >= NODE_STR && n->kind <= NODE_BOOL;
}

/* The value of a fact, without its label. */
void written_value(struct pw_buf *b, const struct pw_node *fact);
/* What people know a fact by. */
const char *written_label(const struct pw_node *fact);

/* One scale for all numbers of a column. */
struct scale written_scale(const struct table *t, int col);
void written_cell(struct pw_buf *b, const struct table *t, const struct cell *c,
		  const struct scale *s);

#endif
