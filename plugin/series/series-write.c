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
	uint64_t time_ns, before_ns, size_bytes;
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
	pw_buf_add_u8(&s->body, RECORD_TABLE);
	add_string(&s->body, t->name);
	pw_buf_add_uleb(&s->body, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		add_string(&s->body, t->columns[i].name);
		add_string(&s->body, t->columns[i].unit);
	}
}

/* --- the file ------------------------------------------------------------------ */

static int put(struct pw_series_out *s, const void *data, size_t n,
	       struct pw_err *err)
{
	const char *p = data;

	while (n) {
		ssize_t done = write(s->fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return pw_err_set(err, done ? errno : EIO,
					  "cannot write %s: %s", s->path,
					  strerror(done ? errno : EIO));
		p += done;
		n -= (size_t)done;
		s->size_bytes += (uint64_t)done;
	}
	return 0;
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

struct pw_series_out *pw_series_create(const char *path,
				       const struct pw_series_table *tables,
				       uint32_t n, struct pw_err *err)
{
	struct pw_series_out *s = pw_zalloc(sizeof(*s));

	s->path = pw_strdup(path);
	s->z = ZSTD_createCCtx();
	s->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (s->fd < 0)
		pw_err_set(err, errno, "%s: %s", path, strerror(errno));
	else if (!s->z)
		pw_err_set(err, ENOMEM, "zstd: out of memory");
	else if (!put(s, MAGIC, strlen(MAGIC), err)) {
		for (uint32_t i = 0; i < n; i++)
			add_table(s, &tables[i]);
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

void pw_series_row(struct pw_series_out *s, uint32_t table, uint64_t key,
		   const uint64_t *values)
{
	struct rows *rows = &s->rows[table];
	struct row *row = key_row_get(rows, key);
	uint64_t mask = 0;

	for (uint32_t i = 0; i < rows->n_columns; i++)
		if (values[i] != row->values[i])
			mask |= 1ULL << i;
	if (!mask)
		return;
	pw_buf_add_u8(&s->body, RECORD_ROW);
	pw_buf_add_uleb(&s->body, table);
	pw_buf_add_sleb(&s->body, (int64_t)(key - rows->last_key));
	pw_buf_add_uleb(&s->body, mask);
	for (uint32_t i = 0; i < rows->n_columns; i++)
		if (mask >> i & 1)
			pw_buf_add_sleb(&s->body,
					(int64_t)(values[i] - row->values[i]));
	memcpy(row->values, values, rows->n_columns * sizeof(*values));
	rows->last_key = key;
}

void pw_series_text(struct pw_series_out *s, uint32_t table, uint64_t key,
		    const char *name, const char *text)
{
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
	int ret;

	s->head.len = s->packed.len = 0;
	pw_buf_add_uleb(&s->head, s->body.len);
	pw_buf_add_sleb(&s->head, (int64_t)(s->time_ns - s->before_ns));
	pack(s, &s->head, ZSTD_e_continue);
	pack(s, &s->body, ZSTD_e_flush);
	s->before_ns = s->time_ns;
	s->body.len = 0;
	ret = put(s, s->packed.data, s->packed.len, err);
	return ret;
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

int pw_series_finish(struct pw_series_out *s, struct pw_err *err)
{
	int ret = 0;

	if (!s)
		return 0;
	if (s->fd >= 0 && s->z) {
		s->head.len = s->packed.len = 0;
		pack(s, &s->head, ZSTD_e_end);
		ret = put(s, s->packed.data, s->packed.len, err);
	}
	if (s->fd >= 0 && close(s->fd) && !ret)
		ret = pw_err_set(err, errno, "cannot write %s: %s", s->path,
				 strerror(errno));
	for (uint32_t i = 0; i < s->n_tables; i++)
		key_rows_release(&s->rows[i]);
	ZSTD_freeCCtx(s->z);
	pw_buf_release(&s->body);
	pw_buf_release(&s->head);
	pw_buf_release(&s->packed);
	free(s->path);
	free(s);
	return ret;
}
