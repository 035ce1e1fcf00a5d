/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report: the report model and its renderers. An analysis builds a model and
 * never prints; a renderer prints and never computes. JSON has everything
 * that text has: sections become objects by key, tables arrays of objects by
 * column key, listings arrays of line objects.
 */
#ifndef PERFWASM_REPORT_H
#define PERFWASM_REPORT_H

#include <perfwasm/base.h>

struct pw_report;
struct pw_node;  /* a section, fact, note, table or listing; owned by the report */

/* How a number is shown; JSON keeps the plain number and the unit's name. */
enum pw_unit {
	PW_UNIT_NONE,
	PW_UNIT_NS,      /* text: 803 ms */
	PW_UNIT_MS,
	PW_UNIT_BYTES,   /* text: 12.3 KiB */
	PW_UNIT_RATIO,   /* text: 4.54x */
	PW_UNIT_PERCENT, /* value 0..1, text: 93.1 % */
	PW_UNIT_HEX,     /* text: 0x1f4; integers only */
	PW_UNIT_COUNT,   /* text: 67,000 */
};

struct pw_report *pw_report_new(const char *key, const char *title);
void pw_report_free(struct pw_report *r);
struct pw_node *pw_report_root(struct pw_report *r);

/* Strings are copied. Keys are snake_case, unique below their parent. */
struct pw_node *pw_section(struct pw_node *parent, const char *key,
			   const char *title);
/* A section that is one element of the array `key` (findings, ...). */
struct pw_node *pw_section_item(struct pw_node *parent, const char *key,
				const char *title);
void pw_fact_str(struct pw_node *parent, const char *key, const char *label,
		 const char *value);
void pw_fact_int(struct pw_node *parent, const char *key, const char *label,
		 int64_t value, enum pw_unit unit);
void pw_fact_num(struct pw_node *parent, const char *key, const char *label,
		 double value, enum pw_unit unit);
/* value with its interval: "4.54x (4.51 to 4.58)". */
void pw_fact_interval(struct pw_node *parent, const char *key,
		      const char *label, double value, double lo, double hi,
		      enum pw_unit unit);
void pw_fact_bool(struct pw_node *parent, const char *key, const char *label,
		  bool value);
/* A paragraph; wrapped at the text renderer's width. */
void pw_note(struct pw_node *parent, const char *key, const char *fmt, ...)
	PW_PRINTF(3, 4);

/* --- tables ------------------------------------------------------------------ */

enum { PW_COL_RIGHT = 1, /* numbers: right-aligned */
       PW_COL_TRUNC = 2, /* may be cut to fit a terminal */
       PW_COL_JSON_ONLY = 4 };

struct pw_node *pw_table(struct pw_node *parent, const char *key,
			 const char *title);
/* Columns first, then rows; returns the column's index. */
int pw_column(struct pw_node *table, const char *key, const char *title,
	      enum pw_unit unit, unsigned flags);
/* A new row; cells not set stay empty (null in JSON). */
void pw_row(struct pw_node *table);
void pw_cell_str(struct pw_node *table, int col, const char *value);
void pw_cell_int(struct pw_node *table, int col, int64_t value);
void pw_cell_num(struct pw_node *table, int col, double value);

/* --- listings: two codes side by side ------------------------------------------ */

enum pw_mark {
	PW_MARK_SAME,  /* on both sides */
	PW_MARK_LEFT,  /* only on the left: removed by the change; red */
	PW_MARK_RIGHT, /* only on the right: added; green */
	PW_MARK_GUILTY, /* only on the left and accused: bold red */
	PW_MARK_GAP,   /* lines left out: "..." */
};

struct pw_line {
	const char *addr; /* "0x1f4" or NULL */
	const char *text; /* "vmulsd %xmm1, %xmm2, %xmm3" or NULL: nothing here */
	const char *note; /* wasm instruction, "@0x1c f64.mul"; or NULL */
	double share;     /* of samples, 0..1; negative: unknown */
};

struct pw_node *pw_listing(struct pw_node *parent, const char *key,
			   const char *title, const char *left_title,
			   const char *right_title);
void pw_listing_add(struct pw_node *listing, enum pw_mark mark,
		    const struct pw_line *left, const struct pw_line *right);

/* --- renderers -------------------------------------------------------------------- */

struct pw_render_opts {
	bool color;  /* ANSI colours */
	int width;   /* columns of text; 0: as wide as needed */
};

/* 0 or -errno of the stream. Control characters of names are made visible. */
int pw_render_text(const struct pw_report *r, const struct pw_render_opts *o,
		   FILE *to);
int pw_render_json(const struct pw_report *r, FILE *to);

#endif
