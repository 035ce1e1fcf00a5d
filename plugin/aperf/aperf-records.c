// SPDX-License-Identifier: GPL-2.0-only
/*
 * The records of a file, as Rust's bincode writes them: little-endian, with no
 * word on what they are.
 *
 *   u32 number of the kind of data, the same in all of a file
 *   u32 0: a date follows
 *   u64 its length, "2026-11-30T13:55:26.259649237Z"
 *   what the kind has: strings with their lengths before them, numbers
 */
#include "aperf-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct text take_string(struct pw_cursor *c)
{
	uint64_t n = pw_cursor_u64(c);
	const uint8_t *s = pw_cursor_bytes(c, n);

	return (struct text){ (const char *)s, s ? n : 0 };
}

/* --- dates ------------------------------------------------------------------------ */

static bool digits(struct text *t, int n, char behind, int *to)
{
	*to = 0;
	if (t->n < (size_t)n + 1 || t->s[n] != behind)
		return false;
	for (int i = 0; i < n; i++) {
		if (t->s[i] < '0' || t->s[i] > '9')
			return false;
		*to = *to * 10 + t->s[i] - '0';
	}
	t->s += n + 1;
	t->n -= (size_t)n + 1;
	return true;
}

/* "259649237Z": the part of a second, in ns. */
static bool read_fraction(struct text *t, uint64_t *ns)
{
	uint64_t unit = 100000000;

	while (t->n && *t->s >= '0' && *t->s <= '9') {
		*ns += (uint64_t)(*t->s - '0') * unit;
		unit /= 10;
		t->s++;
		t->n--;
	}
	return (t->n == 1 && *t->s == 'Z') ||
	       (t->n == 6 && !memcmp(t->s, "+00:00", 6));
}

static bool read_date(struct text t, uint64_t *time_ns)
{
	struct tm tm = { 0 };
	struct text seconds;
	time_t s;

	*time_ns = 0;
	if (!digits(&t, 4, '-', &tm.tm_year) ||
	    !digits(&t, 2, '-', &tm.tm_mon) ||
	    !digits(&t, 2, 'T', &tm.tm_mday) ||
	    !digits(&t, 2, ':', &tm.tm_hour) || !digits(&t, 2, ':', &tm.tm_min))
		return false;
	seconds = t;
	if (!digits(&t, 2, '.', &tm.tm_sec)) {
		/* no part of a second */
		t = seconds;
		if (!digits(&t, 2, 'Z', &tm.tm_sec))
			return false;
		t = (struct text){ "Z", 1 };
	}
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	s = timegm(&tm);
	if (s < 0 || !read_fraction(&t, time_ns))
		return false;
	*time_ns += (uint64_t)s * 1000000000;
	return true;
}

/* --- records ---------------------------------------------------------------------- */

static bool has_sign(const struct record *x, const char *sign)
{
	return !sign || !x->n_texts || !x->texts[0].n ||
	       memmem(x->texts[0].s, x->texts[0].n, sign, strlen(sign));
}

/* -EBADMSG: it is not what the file's name says. */
static int read_record(struct pw_cursor *c, const struct file_def *d,
		       struct record *x, struct pw_err *err)
{
	uint32_t of_date = pw_cursor_u32(c);
	struct text date = take_string(c);

	*x = (struct record){ .rest = c };
	if (c->failed)
		return -EBADMSG;
	if (of_date || !read_date(date, &x->time_ns))
		return pw_err_at(err, EBADMSG, pw_cursor_off(c),
				 "a record has no date");
	if (d->shape == SHAPE_OTHER)
		return 0;
	if (d->shape == SHAPE_TICKS)
		x->ticks = pw_cursor_u64(c);
	x->n_texts = d->shape == SHAPE_THREE ? 3 : 1;
	for (uint32_t i = 0; i < x->n_texts; i++)
		x->texts[i] = take_string(c);
	if (c->failed)
		return -EBADMSG;
	return has_sign(x, d->sign)
		       ? 0
		       : pw_err_at(err, EBADMSG, pw_cursor_off(c),
				   "a text has no \"%s\" in it", d->sign);
}

/* Number of records that were taken. */
static uint64_t read_records(struct recording *r, const struct file_def *d,
			     struct pw_cursor *c, struct pw_err *err)
{
	uint32_t first = 0, kind;
	uint64_t n = 0;
	struct record x;

	while (pw_cursor_left(c)) {
		kind = pw_cursor_u32(c);
		if (!n)
			first = kind;
		if (kind != first) {
			pw_err_at(err, EBADMSG, pw_cursor_off(c),
				  "records of two kinds");
			break;
		}
		if (read_record(c, d, &x, err) || d->take(r, &x, err))
			break;
		n++;
	}
	return n;
}

void read_file(struct recording *r, const struct file_def *d,
	       const struct pw_buf *bytes)
{
	const char *name = d->source ? d->source : d->name;
	struct pw_err err = { 0 };
	struct pw_cursor c;
	uint64_t n;
	char *state;

	if (!d->take) {
		state = pw_asprintf("not read: %s", d->sign);
		pw_metrics_source(r->m, d->name, state, 0, 0);
		free(state);
		return;
	}
	pw_cursor_init(&c, bytes->data, bytes->len, 0, &err);
	/* which tells the source as read when it is freed */
	r->texts = pw_system_texts_new(r->m);
	n = read_records(r, d, &c, &err);
	pw_system_texts_free(r->texts);
	if (!err.code) {
		pw_metrics_source(r->m, name, n ? NULL : "no records", n, 0);
		return;
	}
	state = err.code == ENOENT ? pw_strdup(err.msg)
		: n                ? pw_asprintf("%llu records, and then %s",
						 (unsigned long long)n, err.msg)
		    : pw_asprintf("not of a form that is known: %s", err.msg);
	pw_metrics_source(r->m, name, state, n, 0);
	free(state);
}
