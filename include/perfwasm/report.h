/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report: the report model and its renderers. An analysis builds a model and
 * never prints; a renderer prints and never computes. Names may hold any
 * bytes: each renderer makes them safe for its own format.
 *
 * JSON has everything that text has, by key, in the order of adding:
 *   report   {"report": KEY, "format": 1, SECTION...}
 *   section  {"title", "units": {FACT: UNIT}, FACT: value, NOTE: "...", ...}
 *   items    [SECTION, ...]
 *   interval {"value", "lo", "hi"}
 *   table    {"title", "units": {COLUMN: UNIT}, "rows": [{COLUMN: value}]};
 *            with "charts": [{"kind", "title", ROLE: COLUMN, FLAG: true}]
 *   compared {"time": {"span", "block", "start"}} of the report or a section,
 *            in ns; {"compared":
 *            {NAME: {"title", "amount", "better", "blocks"}}} of a section's
 *            facts and a table's columns, whose "blocks" are arrays or null,
 *            one a row, and which may have "whole" and "whole_blocks", and
 *            "cells": {"unit", "amount", "better", "least"} or null, one a
 *            row; a table with it has "key": {COLUMN: TITLE} and may have
 *            "cut": true
 *   listing  {"title", "left_title", "right_title", "units", "lines":
 *             [{"mark", "left": {"addr", "text", "note", "share"} or null,
 *               "right"}]}; marks: same, left, right, guilty, gap
 * Numbers are plain, in the unit that "units" names; what is not finite is
 * null. Bytes that are no UTF-8 become \xNN in the string.
 */
#ifndef PERFWASM_REPORT_H
#define PERFWASM_REPORT_H

#include <perfwasm/base.h>

struct pw_report;
struct pw_node; /* a section, fact, note, table or listing; owned by the report */

/* How a number is shown; JSON keeps the plain number and the unit's name. */
enum pw_unit {
	PW_UNIT_NONE,
	PW_UNIT_NS,      /* text: 803 ms; JSON: ns */
	PW_UNIT_MS,      /* text: 0.012 ms; JSON: ms */
	PW_UNIT_BYTES,   /* text: 12.3 KiB; JSON: bytes */
	PW_UNIT_RATIO,   /* text: 4.54x; JSON: ratio */
	PW_UNIT_PERCENT, /* value 0..1, text: 93.1 %; JSON: fraction */
	PW_UNIT_HEX,     /* text: 0x1f4; integers only. JSON: a plain number,
			    from 2^53 on the string "0x..." */
	PW_UNIT_COUNT,   /* text: 67,000; JSON: count */
};

/* Titles and labels may be NULL. */
struct pw_report *pw_report_new(const char *key, const char *title);
void pw_report_free(struct pw_report *r);
struct pw_node *pw_report_root(struct pw_report *r);

/* Strings are copied. Keys are snake_case, unique below their parent, and
 * not "title", "units", "compared", "time", "report" or "format". */
struct pw_node *pw_section(struct pw_node *parent, const char *key,
			   const char *title);
/* A section that is one element of the array `key` (findings, ...). */
struct pw_node *pw_section_item(struct pw_node *parent, const char *key,
				const char *title);
/* The array `key` is in the JSON even when no item is added. */
void pw_section_array(struct pw_node *parent, const char *key);
/* A value of NULL is unknown: "-", null in JSON. */
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
/* A paragraph; wrapped at the text renderer's width. No line breaks in it:
 * they are control characters like others. */
void pw_note(struct pw_node *parent, const char *key, const char *fmt, ...)
	PW_PRINTF(3, 4);

/*
 * In which tab of the page a node of the top level stands; nodes with one
 * title share a tab, tabs come in the order of their first nodes. Without:
 * a section is a tab of its own, all else is in "Overview", the first.
 */
void pw_page_tab(struct pw_node *top, const char *title);

/* Text leaves a section or table out; JSON and the page have it. */
void pw_page_only(struct pw_node *n);
/* The first child of this key, or NULL. */
struct pw_node *pw_child(struct pw_node *parent, const char *key);
/* Text has at most so many rows of each table, and says how many it left out
 * when `tell`; JSON and the page have all. */
void pw_report_text_rows(struct pw_report *r, size_t most, bool tell);
/* But so many of this one, and says so; 0: all. */
void pw_table_text_rows(struct pw_node *table, size_t most);

/* --- tables ------------------------------------------------------------------ */

enum {
	PW_COL_RIGHT = 1, /* numbers: right-aligned */
	PW_COL_TRUNC = 2, /* may be cut to fit a terminal */
	PW_COL_JSON_ONLY = 4,
	PW_COL_KEY = 8, /* part of what a row is, the same from run to run: a
			   role, a name, a function; never a tid or an address */
	PW_COL_ROW_UNIT = 16, /* numbers are in the unit of their row */
};

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

/* Of the last row, for columns with PW_COL_ROW_UNIT, where the rows of a table
 * are different things; their own unit is NONE. per_second: "12.3 KiB/s". JSON:
 * a member "unit" of the row, "bytes", "count/s". */
void pw_row_unit(struct pw_node *table, enum pw_unit unit, bool per_second);

/* For its charts: text leaves the table out, JSON and the page have it. */
void pw_table_only_drawn(struct pw_node *table);

/* --- charts: how a table may be drawn ---------------------------------------- */

/*
 * A chart is a view of its table, so that each has its numbers as a table. It
 * says which column plays which role, never how things look. The maker bins:
 * a chart has at most a few thousand rows, whatever the capture's size.
 */
enum pw_chart_kind {
	PW_CHART_BARS,  /* a bar a row: LABEL, X: its length; rows of one LABEL
			   are stacked by GROUP; X2: a second axis, as dots */
	PW_CHART_LINES, /* a point a row: X, Y; a line for each GROUP */
	PW_CHART_HEAT,  /* a cell a row: X, Y (numbers or names; X2, Y2: where
			   bins of numbers end), VALUE; empty ones left out.
			   VALUE2: a second value, in the cell's lower half.
			   GROUP: one map each, chosen by the reader */
	PW_CHART_SPANS, /* a piece of a lane a row: LABEL: the lane, X to X2,
			   GROUP: what fills it; VALUE: which share, 0..1 */
	PW_CHART_FLAME, /* a frame a row: LABEL, PARENT: the row above it in the
			   stack, -1: none; VALUE: its own, without children;
			   VALUE2: the same in another unit (off CPU); GROUP:
			   kind of code, the colour. Parents come first */
};

enum pw_chart_role {
	PW_ROLE_X,
	PW_ROLE_X2,
	PW_ROLE_Y,
	PW_ROLE_Y2,
	PW_ROLE_LABEL,
	PW_ROLE_GROUP,
	PW_ROLE_VALUE,
	PW_ROLE_VALUE2,
	PW_ROLE_PARENT,
	PW_N_ROLES
};

enum {
	PW_CHART_LOG_X = 1,
	PW_CHART_LOG_Y = 2,
	PW_CHART_TIME = 4,  /* X is time from the capture's start, PW_UNIT_NS:
			     such charts are zoomed together */
	PW_CHART_BESIDE = 8 /* bars of one LABEL stand side by side */
};

/* Columns first. A table may have several charts. */
struct pw_node *pw_chart(struct pw_node *table, enum pw_chart_kind kind,
			 const char *title, unsigned flags);
void pw_chart_role(struct pw_node *chart, enum pw_chart_role role, int col);

/* --- comparing: what two reports of one kind have in common -------------------- */

/*
 * Of a report that says the following, two can be compared, from memory or
 * from their JSON. Rows are matched by the texts of their key columns; rows of
 * one key are added up. Only columns and facts that are marked are compared.
 *
 * So that noise can be told from a difference within one capture, the time of
 * the capture is cut into equal blocks (16 to 64; the last may be shorter), and
 * a figure says what it is in each block. Figures without blocks can be judged
 * only by repeated runs.
 */
enum pw_amount {
	PW_AMOUNT_NONE,
	/* grows as time goes on (samples, nanoseconds, events): compared per
	 * second. Its blocks add up to it; a row that is not there is 0 */
	PW_AMOUNT_TOTAL,
	/* a mean, a quantile, a gauge: compared as it is. Its blocks are the
	 * same of each block alone, NAN where there was nothing */
	PW_AMOUNT_LEVEL,
	/* a level that was there before the capture and stays (memory used,
	 * open sockets): how it flickers tells nothing of how it differs from
	 * run to run, so only repeated runs can be judged */
	PW_AMOUNT_STATE,
	/* a count that is the same in each run of the same (instructions of a
	 * function): any difference is one. A row that is not there is 0 where
	 * others with its first key are, else not known */
	PW_AMOUNT_EXACT,
};

enum pw_better { PW_BETTER_NEITHER, PW_BETTER_LESS, PW_BETTER_MORE };

/* The time that all totals are of, and the length of a block; 0: no blocks. */
void pw_report_time(struct pw_report *r, uint64_t span_ns, uint64_t block_ns);
/* When its first block begins, on the clock of the capture, so that parts of
 * one capture have one axis of time. */
void pw_report_start(struct pw_report *r, uint64_t start_ns);
/* Moves all nodes of `from`, with its time, into a new section below `parent`,
 * and frees it: a capture has parts, and their keys do not clash. */
struct pw_node *pw_report_append(struct pw_node *parent, const char *key,
				 const char *title, struct pw_report *from);
/* Columns first. Strings that are compared are no columns but keys. */
void pw_column_compared(struct pw_node *table, int col, enum pw_amount amount,
			enum pw_better better);
/* What the cells of a total are parts of, also those of rows left out; blocks
 * may be NULL. Without, it is the sum of the rows. */
void pw_column_whole(struct pw_node *table, int col, double value,
		     const double *blocks, int n);
/* Rows were left out: what is not there is not known. */
void pw_table_cut(struct pw_node *table);
/* Of a cell of the last row. */
void pw_cell_blocks(struct pw_node *table, int col, const double *blocks,
		    int n);

/*
 * Of a cell of the last row, where the rows of a table are different things (a
 * metric each): how it is compared, in place of what its column says.
 * `least`: the least difference that is worth a reader's time, in the unit, of
 * a total per second; 0: not known. Such a total is no part of a whole.
 */
struct pw_cell_how {
	enum pw_unit unit;
	enum pw_amount amount;
	enum pw_better better;
	double least;
};
void pw_cell_compared(struct pw_node *table, int col, struct pw_cell_how how);
/* Only the least difference; else as the column says. */
void pw_cell_matters(struct pw_node *table, int col, double least);
/* Of the last fact of a section: a number, or a text (what was recorded, on
 * what machine), of which it is only told that it differs. */
void pw_fact_compared(struct pw_node *parent, enum pw_amount amount,
		      enum pw_better better);
void pw_fact_blocks(struct pw_node *parent, const double *blocks, int n);

/* start_ns 0: not told. */
struct pw_report_time {
	uint64_t span_ns, block_ns, start_ns;
};

/* What is compared, as an analysis of reports reads it; all is borrowed. */
struct pw_figure {
	const char *where, *where_title; /* keys down to the table or section,
					    "a.b"; its title or NULL */
	const char *key, *title;         /* of the column or fact */
	enum pw_unit unit;
	enum pw_amount amount; /* NONE: a text */
	enum pw_better better;
	int n_names;              /* of the row; 0: a fact */
	const char *const *names; /* texts of its key columns; "" for none */
	const char *const *name_keys, *const *name_titles;
	const char *text; /* of a text */
	double value;     /* NAN: not known */
	const double *blocks;
	int n_blocks; /* 0: none */
	double whole; /* NAN: not told */
	const double *whole_blocks;
	int n_whole_blocks;
	bool is_cut;
	double least;               /* 0: not known */
	bool is_lone;               /* no part of a whole: pw_cell_compared() */
	struct pw_report_time time; /* of its part of the capture */
};
/* Calls fn for each figure, in the order of the report. */
void pw_report_figures(const struct pw_report *r,
		       void (*fn)(void *ctx, const struct pw_figure *f),
		       void *ctx);
struct pw_report_time pw_report_get_time(const struct pw_report *r);
const char *pw_report_key(const struct pw_report *r);
/* Of a JSON report what is compared, and no more: its key, its time, tables
 * and facts. NULL: it is no report of ours, err says why. The caller frees. */
struct pw_report *pw_report_read_json(const char *json, size_t n,
				      struct pw_err *err);
/* "803 ms", "93.1 %": value as text shows it, written to dst, cut to size;
 * returns dst. */
const char *pw_quantity(char *dst, size_t size, double value,
			enum pw_unit unit);

/* --- listings: two codes side by side ------------------------------------------ */

enum pw_mark {
	PW_MARK_SAME,   /* on both sides */
	PW_MARK_LEFT,   /* only on the left: removed by the change; red */
	PW_MARK_RIGHT,  /* only on the right: added; green */
	PW_MARK_GUILTY, /* only on the left and accused: bold red */
	PW_MARK_GAP,    /* lines left out: "... TEXT of the left line" */
};

struct pw_line {
	const char *addr; /* "0x1f4" or NULL */
	const char
		*text; /* "vmulsd %xmm1, %xmm2, %xmm3" or NULL: nothing here */
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
	bool color; /* ANSI colours */
	int width;  /* columns of text; 0: as wide as needed (notes: 80) */
};

/*
 * 0 or -errno of the stream. In text, control and direction characters of
 * names are made visible. A listing that is too wide for two columns becomes
 * one column, as in a unified diff. LC_CTYPE should be UTF-8.
 */
int pw_render_text(const struct pw_report *r, const struct pw_render_opts *o,
		   FILE *to);
int pw_render_json(const struct pw_report *r, FILE *to);
/*
 * One HTML page that loads nothing: readable with scripts off, with tables
 * that sort and charts with scripts on. It is made from page.html of the build
 * or installation (-ENOENT: not there), in which control and direction
 * characters of names are made visible as in text.
 */
int pw_render_html(const struct pw_report *r, FILE *to, struct pw_err *err);
/* s as text shows it: control and direction characters and what is no UTF-8
 * as \xNN; the caller frees. For messages. */
char *pw_visible(const char *s);
/* "jansson 2.14, libsmartcols 2.38.1": what is linked at run time; written
 * to dst, cut to size; returns dst. */
const char *pw_render_libraries(char *dst, size_t size);

#endif
