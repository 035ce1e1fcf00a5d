/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * series: the layout of a file, and the rows that a writer and a reader
 * remember to tell differences.
 *
 *   MAGIC  one zstd frame, flushed after each readout:
 *            readout: uleb bytes of body, sleb time - time before, body
 *            body: records, each a byte of enum record and what it says there
 */
#ifndef SERIES_IMPL_H
#define SERIES_IMPL_H

#include <perfwasm/series.h>

#include <uthash.h>

#define MAGIC "perf-wasm series 1\n"

/* A string is uleb length and bytes. */
enum record {
	RECORD_TABLE = 1, /* string name, uleb n, n * (string name, unit) */
	RECORD_FACT,      /* string name, string value */
	RECORD_ROW,  /* uleb table, sleb key - key of the row before in it, uleb
		        mask of the columns that changed, sleb each change */
	RECORD_TEXT, /* uleb table, uleb key, string name, string text */
	RECORD_DROP, /* uleb table, uleb key */
};

/* Bounds of a reader: what a file may make it remember. */
enum {
	MAX_BODY_BYTES = 64 << 20,
	MAX_ROWS = 1 << 20,
	MAX_TEXT_BYTES = 64 << 10,
	ZSTD_WINDOW_LOG_MAX = 27,
	/* of a writer, which may have to be small; what repeats in a series is
	 * a readout before at most */
	WINDOW_LOG = 17,
	/* Who sleeps between readouts finds all its caches cold: with zstd's
	 * own tables of 0.8 MB half of a recorder's time was spent on them. A
	 * file is a twentieth larger. */
	HASH_LOG = 13,
	CHAIN_LOG = 12,
};

struct row {
	UT_hash_handle hh;
	uint64_t key;
	uint32_t file; /* of a writer: which one it was told in last */
	uint64_t values[];
};

/* Rows of one table. */
struct rows {
	struct row *all;
	struct row *last; /* that was found or made */
	uint32_t n_columns;
	uint64_t last_key; /* that was written or read */
};

struct row *key_row_get(struct rows *r,
			uint64_t key); /* or a new one, zeroed */
struct row *key_row_find(struct rows *r, uint64_t key);
void key_row_drop(struct rows *r, struct row *row);
void key_rows_release(struct rows *r);

/* What a writer knows of its tables: n of them. */
struct rows *series_out_rows(struct pw_series_out *s, uint32_t *n);

#endif
