// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several series of the same tables, one after the other in time, become one.
 * Knows what a file leaves out at its start: that rows of the one before are
 * over.
 */
#include "series-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct joint {
	struct pw_series_out *out;
	const char *path;
	struct pw_series *in; /* the one that is read */
	bool in_readout;
	/* while the first readout of a file that is not the first is read */
	bool is_taking_over;
	/* its rows; their only value says that there was one, not a name only */
	struct rows seen[PW_SERIES_MAX_TABLES];
	struct rows *rows; /* of out */
	uint32_t n_tables;
	uint64_t n_readouts;
};

static int same_tables(const struct joint *j, struct pw_err *err)
{
	bool same = pw_series_n_tables(j->in) == j->n_tables;

	for (uint32_t i = 0; same && i < j->n_tables; i++)
		same = pw_series_table(j->in, i)->n == j->rows[i].n_columns;
	if (same)
		return 0;
	return pw_err_set(err, EINVAL,
			  "has other tables than the series before it");
}

/* The first file says which tables there are. */
static int open_out(struct joint *j, struct pw_err *err)
{
	struct pw_series_table tables[PW_SERIES_MAX_TABLES];
	uint32_t n = pw_series_n_tables(j->in);

	for (uint32_t i = 0; i < n; i++)
		tables[i] = *pw_series_table(j->in, i);
	j->out = pw_series_create(j->path, tables, n, err);
	if (!j->out)
		return -EIO;
	j->rows = series_out_rows(j->out, &j->n_tables);
	return 0;
}

static void saw(struct joint *j, const struct pw_series_item *item)
{
	struct rows *seen = &j->seen[item->table];

	seen->n_columns = 1;
	if (j->is_taking_over)
		key_row_get(seen, item->key)->values[0] |=
			item->kind == PW_SERIES_ROW;
}

/* A row that the file before had is over when this one does not have it. One
 * with a name and no values has become all zero, as new rows are. */
static void take_over(struct joint *j)
{
	static const uint64_t zeros[PW_SERIES_MAX_COLUMNS];

	for (uint32_t t = 0; t < j->n_tables; t++) {
		struct row *row, *next, *seen;

		HASH_ITER (hh, j->rows[t].all, row, next) {
			seen = key_row_find(&j->seen[t], row->key);
			if (!seen)
				pw_series_drop(j->out, t, row->key);
			else if (!seen->values[0])
				pw_series_row(j->out, t, row->key, zeros);
		}
		key_rows_release(&j->seen[t]);
	}
	j->is_taking_over = false;
}

static int end_readout(struct joint *j, struct pw_err *err)
{
	if (!j->in_readout)
		return 0;
	if (j->is_taking_over)
		take_over(j);
	j->in_readout = false;
	return pw_series_end(j->out, err);
}

static int begin_readout(struct joint *j, uint64_t time_ns, struct pw_err *err)
{
	int ret = end_readout(j, err);

	if (!ret && !j->out)
		ret = open_out(j, err);
	else if (!ret)
		ret = same_tables(j, err);
	if (ret)
		return ret;
	pw_series_begin(j->out, time_ns);
	j->in_readout = true;
	j->n_readouts++;
	return 0;
}

static int take(struct joint *j, const struct pw_series_item *item,
		struct pw_err *err)
{
	switch (item->kind) {
	case PW_SERIES_READOUT:
		return begin_readout(j, item->time_ns, err);
	case PW_SERIES_FACT:
		pw_series_fact(j->out, item->name, item->text);
		break;
	case PW_SERIES_ROW:
		saw(j, item);
		pw_series_row(j->out, item->table, item->key, item->values);
		break;
	case PW_SERIES_TEXT:
		saw(j, item);
		pw_series_text(j->out, item->table, item->key, item->name,
			       item->text);
		break;
	case PW_SERIES_DROP:
		pw_series_drop(j->out, item->table, item->key);
		break;
	}
	return 0;
}

static int take_all(struct joint *j, const char *path, struct pw_err *err)
{
	struct pw_series_item item;
	int ret;

	j->in = pw_series_open(path, err);
	if (!j->in)
		return -EINVAL;
	j->is_taking_over = j->out;
	while ((ret = pw_series_next(j->in, &item, err)) > 0) {
		ret = take(j, &item, err);
		if (ret)
			break;
	}
	if (!ret)
		ret = end_readout(j, err);
	j->is_taking_over = false;
	pw_series_close(j->in);
	return ret;
}

/* Under another name until it is whole: a part of it would be taken for all. */
static int join(const char *path, const char *const *paths, size_t n,
		struct pw_err *err)
{
	struct joint j = { .path = path };
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++)
		ret = take_all(&j, paths[i], err);
	for (uint32_t t = 0; t < PW_SERIES_MAX_TABLES; t++)
		key_rows_release(&j.seen[t]);
	if (!ret && !j.n_readouts)
		ret = pw_err_set(err, ENODATA, "no readout is in %s",
				 n ? paths[0] : "any file");
	if (!ret)
		return pw_series_finish(j.out, err);
	pw_series_finish(j.out, NULL);
	return ret;
}

int pw_series_join(const char *to, const char *const *paths, size_t n,
		   struct pw_err *err)
{
	char *path = pw_asprintf("%s.part", to);
	int ret = join(path, paths, n, err);

	if (!ret && rename(path, to))
		ret = pw_err_set(err, errno, "cannot rename %s to %s: %s", path,
				 to, strerror(errno));
	if (ret)
		unlink(path);
	free(path);
	return ret;
}
