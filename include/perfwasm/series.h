/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * series: numbers that are read out again and again, in one file that only
 * grows: tables of rows, each row under a key, of which a readout holds what
 * changed since the one before. The file tells its own tables, columns and
 * units; it is compressed as a whole (zstd) and can be read up to its last
 * whole readout wherever it was cut. Layout: Kbuild-notes/formats.md. Knows
 * nothing of what the numbers mean.
 */
#ifndef PERFWASM_SERIES_H
#define PERFWASM_SERIES_H

#include <perfwasm/base.h>

#define PW_SERIES_MAX_TABLES  128
#define PW_SERIES_MAX_COLUMNS 64

struct pw_series_column {
	const char *name, *unit; /* "run", "ns" */
};

struct pw_series_table {
	const char *name;
	const struct pw_series_column *columns;
	uint32_t n;
};

/* --- writing ---------------------------------------------------------------- */

struct pw_series_out;

/* A new file; what is there is replaced. The tables are written into it, and
 * need not outlive the call. The caller ends it with pw_series_finish(). */
struct pw_series_out *pw_series_create(const char *path,
				       const struct pw_series_table *tables,
				       uint32_t n, struct pw_err *err);
/* Between begin and end: one readout, of this moment. Times do not go back. */
void pw_series_begin(struct pw_series_out *s, uint64_t time_ns);
void pw_series_fact(struct pw_series_out *s, const char *name,
		    const char *value);
/* The row's values as they are now, one for each column; what is as it was is
 * not written. A new row was all zero before. */
void pw_series_row(struct pw_series_out *s, uint32_t table, uint64_t key,
		   const uint64_t *values);
/* A name of a row, which holds until another is given. */
void pw_series_text(struct pw_series_out *s, uint32_t table, uint64_t key,
		    const char *name, const char *text);
/* The row is over: its key may be another row's later. */
void pw_series_drop(struct pw_series_out *s, uint32_t table, uint64_t key);
/* Compresses and writes it: from now on it is in the file, whatever becomes of
 * this process. Once a write failed (ENOSPC) the file stays as it was, and all
 * later ones fail. */
int pw_series_end(struct pw_series_out *s, struct pw_err *err);
uint64_t pw_series_size_bytes(const struct pw_series_out *s);
/*
 * Between readouts: ends this file and goes on in a new one, where all begins
 * at nothing: facts and texts are the caller's to tell again, rows too unless
 * pw_series_again() tells, in a readout, those of a table that were not yet, as
 * they were last. On failure all stays as it was.
 */
int pw_series_restart(struct pw_series_out *s, const char *path,
		      struct pw_err *err);
void pw_series_again(struct pw_series_out *s, uint32_t table);
/* Closes and frees; NULL is fine. */
int pw_series_finish(struct pw_series_out *s, struct pw_err *err);

/*
 * Makes one series of n, in the order of their times, which may be cut: each of
 * the same tables, and whole in itself, so that its first readout holds all rows
 * and names anew. A row that is not among them there is over. EINVAL when one is
 * no series or has other tables, ENODATA when there is no readout at all, ENOSPC;
 * then there is nothing new at `to`.
 */
int pw_series_join(const char *to, const char *const *paths, size_t n,
		   struct pw_err *err);

/* --- reading ------------------------------------------------------------------ */

struct pw_series;

enum pw_series_kind {
	PW_SERIES_READOUT, /* one begins: time_ns */
	PW_SERIES_FACT,    /* name, text */
	PW_SERIES_ROW,     /* table, key, values, changes */
	PW_SERIES_TEXT,    /* table, key, name, text */
	PW_SERIES_DROP,    /* table, key, values: its last ones */
};

struct pw_series_item {
	enum pw_series_kind kind;
	uint64_t time_ns; /* of its readout */
	uint32_t table;   /* index */
	uint64_t key;
	/* One for each column. A change is the difference to the value before,
	 * which may be less than nothing; both wrap around at 2^64. */
	const uint64_t *values;
	const int64_t *changes;
	const char *name, *text;
};

/* The bytes are untrusted. NULL with err->code EINVAL when it is no series. */
struct pw_series *pw_series_open(const char *path, struct pw_err *err);
/* Borrows the bytes. */
struct pw_series *pw_series_open_bytes(const void *data, size_t size,
				       struct pw_err *err);
void pw_series_close(struct pw_series *s);
/* 1 and an item, which is borrowed until the next call; 0 at the end;
 * -errno. */
int pw_series_next(struct pw_series *s, struct pw_series_item *item,
		   struct pw_err *err);
/* Tables that were told so far: all of them once there was a readout. */
uint32_t pw_series_n_tables(const struct pw_series *s);
const struct pw_series_table *pw_series_table(const struct pw_series *s,
					      uint32_t table);
/* By name: an index, or UINT32_MAX when there is none. */
uint32_t pw_series_find(const struct pw_series *s, const char *table);
uint32_t pw_series_column(const struct pw_series_table *t, const char *column);
/* At the end: the file was not finished, what was read is all that is whole. */
bool pw_series_was_cut(const struct pw_series *s);

#endif
