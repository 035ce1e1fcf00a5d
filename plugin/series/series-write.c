// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes a series: gathers a readout, compresses it to a point from which a
 * reader can take it, appends it.
 */
#include "series-impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

struct pw_series_out {
	int fd;
	char *path;
	ZSTD_CCtx *z;
	struct rows rows[PW_SERIES_MAX_TABLES];
	uint32_t n_tables;
	struct pw_buf body, head, packed;
	struct pw_buf tables; /* as records, for the next file */
	uint64_t time_ns, before_ns, size_bytes;
	uint32_t file; /* how many there were before it */
	int failed;    /* errno of a write; nothing is behind it */
};

static void add_string(struct pw_buf *b, const char *s)
{
	size_t n = strlen(s);

	if (n > MAX_TEXT_BYTES)
		n = MAX_TEXT_BYTES;

	pw_buf_add_uleb(b, n);
	pw_buf_add(b, s, n);
}

static void add_table(struct pw_series_out *s, const struct pw_series_table *t)
{
	assert(s->n_tables < PW_SERIES_MAX_TABLES && t->n > 0 &&
	       t->n <= PW_SERIES_MAX_COLUMNS);
	s->rows[s->n_tables++].n_columns = t->n;
	pw_buf_add_u8(&s->tables, RECORD_TABLE);
	add_string(&s->tables, t->name);
	pw_buf_add_uleb(&s->tables, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		add_string(&s->tables, t->columns[i].name);
		add_string(&s->tables, t->columns[i].unit);
	}
}

/* --- the file ------------------------------------------------------------------ */

static int put_packed(struct pw_series_out *s, struct pw_err *err)
{
	if (!s->failed)
		s->failed = -pw_write_all(s->fd, s->packed.data, s->packed.len);
	if (!s->failed) {
		s->size_bytes += s->packed.len;
		return 0;
	}
	/* the stream can't go on behind a gap: what is whole stays, and what a
	 * device or a pipe took can't be taken back */
	if (ftruncate(s->fd, (off_t)s->size_bytes) && errno != EINVAL)
		s->failed = errno;
	return pw_err_set(err, s->failed, "cannot write %s: %s", s->path,
			  strerror(s->failed));
}

static void pack(struct pw_series_out *s, const struct pw_buf *b,
		 ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { .src = b->data, .size = b->len, .pos = 0 };
	size_t left;

	do {
		ZSTD_outBuffer out;

		pw_buf_reserve(&s->packed, 1 << 16);
		out = (ZSTD_outBuffer){ .dst = s->packed.data + s->packed.len,
					.size = 1 << 16,
					.pos = 0 };
		left = ZSTD_compressStream2(s->z, &out, &in, how);
		/* it fails for want of memory only, and takes none here */
		assert(!ZSTD_isError(left));
		s->packed.len += out.pos;
	} while (left || in.pos < in.size);
}

/* Opened, with the first bytes in it. */
static int start_file(struct pw_series_out *s, const char *path,
		      struct pw_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int ret;

	if (fd < 0)
		return pw_err_set(err, errno, "%s: %s", path, strerror(errno));
	ret = pw_write_all(fd, MAGIC, strlen(MAGIC));
	if (ret) {
		close(fd);
		return pw_err_set(err, -ret, "cannot write %s: %s", path,
				  strerror(-ret));
	}
	free(s->path);
	s->path = pw_strdup(path);
	s->fd = fd;
	s->size_bytes = strlen(MAGIC);
	s->before_ns = 0;
	s->failed = 0;
	return 0;
}

struct pw_series_out *pw_series_create(const char *path,
				       const struct pw_series_table *tables,
				       uint32_t n, struct pw_err *err)
{
	struct pw_series_out *s = pw_zalloc(sizeof(*s));

	s->fd = -1;
	s->z = ZSTD_createCCtx();
	if (!s->z) {
		pw_err_set(err, ENOMEM, "zstd: out of memory");
	} else if (!start_file(s, path, err)) {
		ZSTD_CCtx_setParameter(s->z, ZSTD_c_windowLog, WINDOW_LOG);
		ZSTD_CCtx_setParameter(s->z, ZSTD_c_hashLog, HASH_LOG);
		ZSTD_CCtx_setParameter(s->z, ZSTD_c_chainLog, CHAIN_LOG);
		for (uint32_t i = 0; i < n; i++)
			add_table(s, &tables[i]);
		pw_buf_add(&s->body, s->tables.data, s->tables.len);
		return s;
	}
	pw_series_finish(s, NULL);
	return NULL;
}

/* --- a readout -------------------------------------------------------------------- */

void pw_series_begin(struct pw_series_out *s, uint64_t time_ns)
{
	s->time_ns = time_ns;
}

void pw_series_fact(struct pw_series_out *s, const char *name,
		    const char *value)
{
	pw_buf_add_u8(&s->body, RECORD_FACT);
	add_string(&s->body, name);
	add_string(&s->body, value);
}

static void tell_row(struct pw_series_out *s, uint32_t table, struct row *row,
		     const uint64_t *values)
{
	static const uint64_t zeros[PW_SERIES_MAX_COLUMNS];
	struct rows *rows = &s->rows[table];
	/* a file begins with rows of zeros */
	const uint64_t *before = row->file == s->file ? row->values : zeros;
	uint64_t mask = 0;

	for (uint32_t i = 0; i < rows->n_columns; i++)
		if (values[i] != before[i])
			mask |= 1ULL << i;
	if (mask) {
		pw_buf_add_u8(&s->body, RECORD_ROW);
		pw_buf_add_uleb(&s->body, table);
		pw_buf_add_sleb(&s->body, (int64_t)(row->key - rows->last_key));
		pw_buf_add_uleb(&s->body, mask);
		rows->last_key = row->key;
	}
	for (uint32_t i = 0; i < rows->n_columns; i++)
		if (mask >> i & 1)
			pw_buf_add_sleb(&s->body,
					(int64_t)(values[i] - before[i]));
	memmove(row->values, values, rows->n_columns * sizeof(*values));
	row->file = s->file;
}

void pw_series_row(struct pw_series_out *s, uint32_t table, uint64_t key,
		   const uint64_t *values)
{
	tell_row(s, table, key_row_get(&s->rows[table], key), values);
}

void pw_series_text(struct pw_series_out *s, uint32_t table, uint64_t key,
		    const char *name, const char *text)
{
	/* of a row of zeros its name is all that is written, and it ends */
	key_row_get(&s->rows[table], key);
	pw_buf_add_u8(&s->body, RECORD_TEXT);
	pw_buf_add_uleb(&s->body, table);
	pw_buf_add_uleb(&s->body, key);
	add_string(&s->body, name);
	add_string(&s->body, text);
}

void pw_series_drop(struct pw_series_out *s, uint32_t table, uint64_t key)
{
	struct row *row = key_row_find(&s->rows[table], key);

	if (!row)
		return;
	key_row_drop(&s->rows[table], row);
	pw_buf_add_u8(&s->body, RECORD_DROP);
	pw_buf_add_uleb(&s->body, table);
	pw_buf_add_uleb(&s->body, key);
}

int pw_series_end(struct pw_series_out *s, struct pw_err *err)
{
	s->head.len = s->packed.len = 0;
	pw_buf_add_uleb(&s->head, s->body.len);
	pw_buf_add_sleb(&s->head, (int64_t)(s->time_ns - s->before_ns));
	pack(s, &s->head, ZSTD_e_continue);
	pack(s, &s->body, ZSTD_e_flush);
	s->before_ns = s->time_ns;
	s->body.len = 0;
	return put_packed(s, err);
}

struct rows *series_out_rows(struct pw_series_out *s, uint32_t *n)
{
	*n = s->n_tables;
	return s->rows;
}

uint64_t pw_series_size_bytes(const struct pw_series_out *s)
{
	return s->size_bytes;
}

static int end_file(struct pw_series_out *s, struct pw_err *err)
{
	int ret = 0;

	s->head.len = s->packed.len = 0;
	pack(s, &s->head, ZSTD_e_end);
	/* a failed write was told */
	if (!s->failed)
		ret = put_packed(s, err);
	if (close(s->fd) && !ret)
		ret = pw_err_set(err, errno, "cannot write %s: %s", s->path,
				 strerror(errno));
	s->fd = -1;
	return ret;
}

int pw_series_restart(struct pw_series_out *s, const char *path,
		      struct pw_err *err)
{
	struct pw_series_out old = { .fd = s->fd, .failed = s->failed };
	int ret;

	/* the new one first: when it can't be, all stays */
	ret = start_file(s, path, err);
	if (ret)
		return ret;
	s->head.len = s->packed.len = 0;
	pack(s, &s->head, ZSTD_e_end);
	if (!old.failed && pw_write_all(old.fd, s->packed.data, s->packed.len))
		s->packed.len = 0; /* all its readouts are in it */
	close(old.fd);
	s->file++;
	s->body.len = 0;
	pw_buf_add(&s->body, s->tables.data, s->tables.len);
	for (uint32_t i = 0; i < s->n_tables; i++)
		s->rows[i].last_key = 0;
	return 0;
}

void pw_series_again(struct pw_series_out *s, uint32_t table)
{
	struct row *row, *next;

	HASH_ITER (hh, s->rows[table].all, row, next)
		if (row->file != s->file)
			tell_row(s, table, row, row->values);
}

int pw_series_finish(struct pw_series_out *s, struct pw_err *err)
{
	int ret;

	if (!s)
		return 0;
	ret = s->fd >= 0 ? end_file(s, err) : 0;
	for (uint32_t i = 0; i < s->n_tables; i++)
		key_rows_release(&s->rows[i]);
	ZSTD_freeCCtx(s->z);
	pw_buf_release(&s->body);
	pw_buf_release(&s->head);
	pw_buf_release(&s->packed);
	pw_buf_release(&s->tables);
	free(s->path);
	free(s);
	return ret;
}
