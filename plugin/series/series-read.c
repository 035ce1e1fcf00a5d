// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a series: unpacks one readout at a time and gives its records. What is
 * behind the last whole readout is not given.
 */
#include "series-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct table {
	struct pw_series_table info;
	struct pw_series_column columns[PW_SERIES_MAX_COLUMNS];
	struct rows rows;
};

struct pw_series {
	struct pw_file file;
	ZSTD_DCtx *z;
	ZSTD_inBuffer in;
	struct pw_buf raw; /* unpacked; [at, len) is not used yet */
	size_t at;
	bool is_finished, was_cut;
	struct pw_cursor body; /* of this readout */
	bool in_readout;
	uint64_t time_ns, off;
	uint64_t n_rows;
	struct table *tables[PW_SERIES_MAX_TABLES];
	uint32_t n_tables;
	int64_t changes[PW_SERIES_MAX_COLUMNS];
	uint64_t last[PW_SERIES_MAX_COLUMNS]; /* of a row that is over */
	char *name, *text;
};

static int start(struct pw_series *s, const void *data, size_t size,
		 struct pw_err *err)
{
	size_t n = strlen(MAGIC);

	if (size < n || memcmp(data, MAGIC, n))
		return pw_err_at(
			err, EINVAL, 0,
			"is no series of perf wasm, or of another version");
	s->z = ZSTD_createDCtx();
	if (!s->z)
		return pw_err_set(err, ENOMEM, "zstd: out of memory");
	ZSTD_DCtx_setParameter(s->z, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
	s->in = (ZSTD_inBuffer){ .src = data, .size = size, .pos = n };
	return 0;
}

struct pw_series *pw_series_open_bytes(const void *data, size_t size,
				       struct pw_err *err)
{
	struct pw_series *s = pw_zalloc(sizeof(*s));

	if (!start(s, data, size, err))
		return s;
	pw_series_close(s);
	return NULL;
}

struct pw_series *pw_series_open(const char *path, struct pw_err *err)
{
	struct pw_series *s = pw_zalloc(sizeof(*s));

	if (!pw_file_open(&s->file, path, err)) {
		if (!start(s, s->file.data, s->file.size, err))
			return s;
		pw_err_prefix(err, "%s", path);
	}
	pw_series_close(s);
	return NULL;
}

static void table_free(struct table *t)
{
	for (uint32_t i = 0; i < t->info.n; i++) {
		free((char *)t->columns[i].name);
		free((char *)t->columns[i].unit);
	}
	free((char *)t->info.name);
	key_rows_release(&t->rows);
	free(t);
}

void pw_series_close(struct pw_series *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_tables; i++)
		table_free(s->tables[i]);
	ZSTD_freeDCtx(s->z);
	pw_buf_release(&s->raw);
	pw_file_close(&s->file);
	free(s->name);
	free(s->text);
	free(s);
}

/* --- unpacking --------------------------------------------------------------------- */

/* Some more of the stream; 0: there is no more. */
static int unpack(struct pw_series *s, struct pw_err *err)
{
	ZSTD_outBuffer out;
	size_t ret;

	if (s->at == s->raw.len)
		s->at = s->raw.len = 0;
	for (;;) {
		if (s->is_finished)
			return 0;
		pw_buf_reserve(&s->raw, 1 << 17);
		out = (ZSTD_outBuffer){ .dst = s->raw.data + s->raw.len,
					.size = 1 << 17,
					.pos = 0 };
		ret = ZSTD_decompressStream(s->z, &out, &s->in);
		if (ZSTD_isError(ret))
			return pw_err_at(err, EINVAL, s->in.pos,
					 "the series can't be read: zstd: %s",
					 ZSTD_getErrorName(ret));
		s->is_finished = !ret;
		s->raw.len += out.pos;
		if (out.pos)
			return 1;
		if (s->in.pos >= s->in.size)
			return 0;
	}
}

/* A number at the front of a readout is whole when a byte ends it. */
static int whole_number(struct pw_series *s, size_t *at, struct pw_err *err)
{
	for (int i = 0; i < 10; i++) {
		while (*at >= s->raw.len - s->at) {
			int ret = unpack(s, err);

			if (ret <= 0)
				return ret;
		}
		if (!(s->raw.data[s->at + (*at)++] & 0x80))
			return 1;
	}
	return pw_err_at(err, EINVAL, s->in.pos,
			 "a readout's head is no number");
}

static int next_readout(struct pw_series *s, struct pw_err *err)
{
	size_t head = 0;
	struct pw_cursor c;
	uint64_t size;
	int ret;

	/* a body that was given is no longer needed */
	if (s->at)
		memmove(s->raw.data, s->raw.data + s->at, s->raw.len - s->at);
	s->raw.len -= s->at;
	s->at = 0;
	ret = whole_number(s, &head, err);
	if (ret > 0)
		ret = whole_number(s, &head, err);
	if (ret <= 0) {
		s->was_cut = !s->is_finished || s->raw.len;
		return ret;
	}
	pw_cursor_init(&c, s->raw.data, head, s->off, err);
	size = pw_cursor_uleb64(&c);
	s->time_ns += (uint64_t)pw_cursor_sleb64(&c);
	if (c.failed)
		return -EINVAL;
	if (size > MAX_BODY_BYTES)
		return pw_err_at(err, EINVAL, s->in.pos,
				 "a readout says that it is %llu bytes long",
				 (unsigned long long)size);
	while (s->raw.len < head + size) {
		ret = unpack(s, err);
		if (ret <= 0) {
			s->was_cut = true;
			return ret;
		}
	}
	pw_cursor_init(&s->body, s->raw.data + head, size, s->off + head, err);
	s->at = head + size;
	s->off += head + size;
	return 1;
}

/* --- records -------------------------------------------------------------------------- */

static char *read_string(struct pw_cursor *c)
{
	uint64_t n = pw_cursor_uleb64(c);
	const uint8_t *p;

	if (!c->failed && n > MAX_TEXT_BYTES)
		pw_cursor_fail(c, EINVAL, "a text is %llu bytes long",
			       (unsigned long long)n);
	p = c->failed ? NULL : pw_cursor_bytes(c, n);
	return p ? pw_strndup((const char *)p, n) : pw_strdup("");
}

static int read_table(struct pw_series *s)
{
	struct pw_cursor *c = &s->body;
	struct table *t = pw_zalloc(sizeof(*t));
	uint64_t n;

	t->info.name = read_string(c);
	n = pw_cursor_uleb64(c);
	if (!c->failed && (!n || n > PW_SERIES_MAX_COLUMNS ||
			   s->n_tables == PW_SERIES_MAX_TABLES))
		pw_cursor_fail(c, EINVAL, "table %u has %llu columns",
			       s->n_tables, (unsigned long long)n);
	for (; !c->failed && t->info.n < n; t->info.n++) {
		t->columns[t->info.n].name = read_string(c);
		t->columns[t->info.n].unit = read_string(c);
	}
	t->info.columns = t->columns;
	t->rows.n_columns = t->info.n;
	if (c->failed)
		table_free(t);
	else
		s->tables[s->n_tables++] = t;
	return c->failed ? -EINVAL : 0;
}

static struct table *read_table_number(struct pw_series *s,
				       struct pw_series_item *item)
{
	uint64_t n = pw_cursor_uleb64(&s->body);

	if (!s->body.failed && n >= s->n_tables)
		pw_cursor_fail(&s->body, EINVAL, "there is no table %llu",
			       (unsigned long long)n);
	if (s->body.failed)
		return NULL;
	item->table = (uint32_t)n;
	return s->tables[n];
}

static int read_row(struct pw_series *s, struct pw_series_item *item)
{
	struct pw_cursor *c = &s->body;
	struct table *t = read_table_number(s, item);
	struct row *row;
	uint64_t mask;

	if (!t)
		return -EINVAL;
	item->key = t->rows.last_key + (uint64_t)pw_cursor_sleb64(c);
	mask = pw_cursor_uleb64(c);
	if (!c->failed && t->info.n < 64 && mask >> t->info.n)
		return pw_cursor_fail(c, EINVAL, "a row has columns too many");
	row = key_row_find(&t->rows, item->key);
	if (!row && s->n_rows >= MAX_ROWS)
		return pw_cursor_fail(c, E2BIG, "there are too many rows");
	if (c->failed)
		return -EINVAL;
	s->n_rows += !row;
	row = row ?: key_row_get(&t->rows, item->key);
	for (uint32_t i = 0; i < t->info.n; i++) {
		s->changes[i] = mask >> i & 1 ? pw_cursor_sleb64(c) : 0;
		row->values[i] += (uint64_t)s->changes[i];
	}
	t->rows.last_key = item->key;
	item->values = row->values;
	item->changes = s->changes;
	return c->failed ? -EINVAL : 0;
}

static int read_drop(struct pw_series *s, struct pw_series_item *item)
{
	struct table *t = read_table_number(s, item);
	struct row *row;

	if (!t)
		return -EINVAL;
	item->key = pw_cursor_uleb64(&s->body);
	memset(s->last, 0, sizeof(s->last));
	row = key_row_find(&t->rows, item->key);
	if (row) {
		memcpy(s->last, row->values, t->info.n * sizeof(*s->last));
		key_row_drop(&t->rows, row);
		s->n_rows--;
	}
	item->values = s->last;
	return s->body.failed ? -EINVAL : 0;
}

static int read_words(struct pw_series *s, struct pw_series_item *item)
{
	free(s->name);
	free(s->text);
	s->name = read_string(&s->body);
	s->text = read_string(&s->body);
	item->name = s->name;
	item->text = s->text;
	return s->body.failed ? -EINVAL : 0;
}

static int read_record(struct pw_series *s, struct pw_series_item *item)
{
	switch (pw_cursor_u8(&s->body)) {
	case RECORD_FACT:
		item->kind = PW_SERIES_FACT;
		return read_words(s, item);
	case RECORD_ROW:
		item->kind = PW_SERIES_ROW;
		return read_row(s, item);
	case RECORD_TEXT:
		item->kind = PW_SERIES_TEXT;
		if (!read_table_number(s, item))
			return -EINVAL;
		item->key = pw_cursor_uleb64(&s->body);
		return read_words(s, item);
	case RECORD_DROP:
		item->kind = PW_SERIES_DROP;
		return read_drop(s, item);
	default:
		return pw_cursor_fail(&s->body, EINVAL,
				      "expected a record of a series");
	}
}

int pw_series_next(struct pw_series *s, struct pw_series_item *item,
		   struct pw_err *err)
{
	int ret;

	memset(item, 0, sizeof(*item));
	s->body.err = err;
	if (!s->in_readout || !pw_cursor_left(&s->body)) {
		s->in_readout = false;
		ret = next_readout(s, err);
		if (ret <= 0)
			return ret;
		s->in_readout = true;
		/* tables come first, and are no items */
		while (pw_cursor_left(&s->body) && *s->body.p == RECORD_TABLE) {
			pw_cursor_u8(&s->body);
			if (read_table(s))
				return -EINVAL;
		}
		item->kind = PW_SERIES_READOUT;
		item->time_ns = s->time_ns;
		return 1;
	}
	item->time_ns = s->time_ns;
	return read_record(s, item) ? -EINVAL : 1;
}

/* --- tables ------------------------------------------------------------------------------ */

uint32_t pw_series_n_tables(const struct pw_series *s)
{
	return s->n_tables;
}

const struct pw_series_table *pw_series_table(const struct pw_series *s,
					      uint32_t table)
{
	return &s->tables[table]->info;
}

uint32_t pw_series_find(const struct pw_series *s, const char *table)
{
	for (uint32_t i = 0; i < s->n_tables; i++)
		if (!strcmp(s->tables[i]->info.name, table))
			return i;
	return UINT32_MAX;
}

uint32_t pw_series_column(const struct pw_series_table *t, const char *column)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (!strcmp(t->columns[i].name, column))
			return i;
	return UINT32_MAX;
}

bool pw_series_was_cut(const struct pw_series *s)
{
	return s->was_cut;
}
