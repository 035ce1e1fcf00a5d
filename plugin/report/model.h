/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * model: what a report is made of. Builders (model*.c) fill it, renderers
 * (render-*.c) only read it. Strings are kept as they were given, hostile
 * bytes too: each renderer makes them safe for its own format.
 */
#ifndef PW_REPORT_MODEL_H
#define PW_REPORT_MODEL_H

#include <perfwasm/report.h>

enum node_kind {
	NODE_SECTION,
	NODE_STR,
	NODE_INT,
	NODE_NUM,
	NODE_INTERVAL,
	NODE_BOOL,
	NODE_NOTE,
	NODE_TABLE,
	NODE_LISTING,
	NODE_CHART,
};

enum cell_kind { CELL_EMPTY, CELL_STR, CELL_INT, CELL_NUM };

/* A string is an offset into the table's text, so that a row costs no
 * allocation of its own. */
struct cell {
	enum cell_kind kind;
	uint32_t beside; /* of its table, number + 1; 0: nothing */
	union {
		size_t str;
		int64_t i;
		double num;
	};
};

/* The values of a figure in the blocks of the capture's time. */
struct series {
	double *v;
	int n;
};

/* How a column or a fact is compared. */
struct compared {
	bool is; /* texts have no amount */
	enum pw_amount amount;
	enum pw_better better;
	struct series blocks; /* of a fact; of a column's whole */
	bool has_whole;
	double whole;
};

struct column {
	char *key, *title;
	enum pw_unit unit;
	unsigned flags;
	struct compared compared;
};

/* What few cells have: blocks, and how they are compared. */
struct beside {
	struct series blocks;
	struct pw_cell_how how; /* amount NONE: as the column says */
};

struct table {
	struct column *columns;
	int n_columns;
	struct cell *cells; /* n_rows * n_columns, row by row */
	size_t n_rows, cap_rows;
	uint8_t *row_units; /* of cap_rows rows, ROW_PER_SECOND; NULL: none */
	struct pw_buf text; /* cell strings, each with its zero */
	struct pw_node *charts;
	bool only_drawn, is_cut, has_text_rows;
	size_t text_rows;
	struct beside *beside;
	uint32_t n_beside;
	bool has_how;
};

#define ROW_PER_SECOND 0x80u

struct chart {
	enum pw_chart_kind kind;
	unsigned flags;
	int cols[PW_N_ROLES]; /* -1: no column */
};

/* One side of a line; strings are offsets as in a table, 0 for none. */
struct side {
	size_t addr, text, note;
	double share;
};

struct pair {
	enum pw_mark mark;
	struct side left, right;
};

struct listing {
	char *left_title, *right_title;
	struct pair *pairs;
	size_t n, cap;
	struct pw_buf text; /* begins with one zero: the empty string */
};

struct pw_node {
	enum node_kind kind;
	char *key, *title; /* the label of a fact */
	bool item;         /* one of several with this key */
	bool hollow;       /* only says that there is such an array */
	bool page_only;    /* not in text */
	char *tab;         /* of the page; NULL: as its kind is */
	enum pw_unit unit;
	struct compared compared; /* of a fact */
	union {
		char *str;
		int64_t i;
		struct {
			double value, lo, hi;
		} num;
		bool yes;
		struct table table;
		struct listing listing;
		struct chart chart;
		struct {
			struct pw_node *children;   /* in order of adding */
			struct pw_report_time time; /* of a section; span 0:
						       as above it */
		};
	};
	struct pw_node *prev, *next; /* utlist.h: prev of the first is the
					last */
};

struct pw_report {
	struct pw_node root;
	size_t text_rows; /* of a table in text; 0: all */
	bool tell_left_out;
};

struct pw_node *node_add(struct pw_node *parent, enum node_kind kind,
			 const char *key, const char *title);
void table_release(struct table *t);
/* Below a table, charts have no key. */
const char *chart_kind_name(enum pw_chart_kind kind); /* "bars" */
const char *chart_role_name(enum pw_chart_role role); /* "x2" */
const char *chart_flag_name(unsigned flag);           /* "log_x" */
void listing_release(struct listing *l);
const char *listing_mark_name(enum pw_mark mark); /* "guilty" */
/* model-compared.c */
void series_release(struct series *s);
bool table_is_compared(const struct table *t);
const char *amount_name(enum pw_amount a); /* "total"; NONE: "text" */
const char *better_name(enum pw_better b); /* "less" */

/* The cell of the last row; NULL when there is no row or column. */
struct cell *last_row_cell(struct table *t, int col);
/* NULL for an empty cell. */
const struct cell *table_cell(const struct table *t, size_t row, int col);
/* Whether a cell has its row's unit, and which. */
static inline bool table_has_row_unit(const struct table *t,
				      const struct cell *c)
{
	return t->row_units && t->columns[(c - t->cells) % t->n_columns].flags &
				       PW_COL_ROW_UNIT;
}
static inline unsigned int table_row_unit(const struct table *t, size_t row)
{
	return t->row_units ? t->row_units[row] : PW_UNIT_NONE;
}
static inline const char *table_str(const struct table *t, const struct cell *c)
{
	return (const char *)t->text.data + c->str;
}

/* NULL when the line has none. */
static inline const char *listing_str(const struct listing *l, size_t str)
{
	return str ? (const char *)l->text.data + str : NULL;
}

#endif
