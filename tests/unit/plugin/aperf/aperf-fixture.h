/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings of APerf written by hand, and what is read of them. */
#ifndef APERF_FIXTURE_H
#define APERF_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perfwasm/aperf.h>
#include <perfwasm/archive.h>

/* --- writing ---------------------------------------------------------------------- */

static inline void add_text(struct pw_buf *b, const char *s)
{
	pw_buf_add_u64(b, strlen(s));
	pw_buf_add(b, s, strlen(s));
}

/* The start of a record, `second` seconds after a minute. */
static inline void add_head(struct pw_buf *b, uint32_t kind, int second)
{
	char date[40];

	snprintf(date, sizeof(date), "2026-11-30T14:13:%02d.500000000Z",
		 second);
	pw_buf_add_u32(b, kind);
	pw_buf_add_u32(b, 0);
	add_text(b, date);
}

static inline void add_record(struct pw_buf *b, uint32_t kind, int second,
			      const char *text)
{
	add_head(b, kind, second);
	add_text(b, text);
}

/* Two readings of /proc/stat, 3 s apart, with 2 s of user time on one CPU. */
static inline struct pw_buf two_stats(void)
{
	struct pw_buf b = { 0 };

	add_record(&b, 0, 10,
		   "cpu  100 0 0 500 0 0 0 0 0 0\n"
		   "cpu0 100 0 0 500 0 0 0 0 0 0\nctxt 7\n");
	add_record(&b, 0, 13,
		   "cpu  300 0 0 600 0 0 0 0 0 0\n"
		   "cpu0 300 0 0 600 0 0 0 0 0 0\nctxt 37\n");
	return b;
}

struct files {
	struct pw_archive_out *out;
};

static inline struct files files_new(void)
{
	return (struct files){ pw_archive_new(PW_ARCHIVE_GZIP) };
}

/* Releases the bytes. */
static inline void add_file(struct files *f, const char *path,
			    struct pw_buf *bytes)
{
	pw_archive_add(f->out, path, bytes->data, bytes->len);
	pw_buf_release(bytes);
}

static inline void add_string(struct files *f, const char *path,
			      const char *text)
{
	pw_archive_add(f->out, path, text, strlen(text));
}

/* --- reading ---------------------------------------------------------------------- */

static inline int read_files(struct files *f, struct pw_metrics *m,
			     struct pw_err *err)
{
	struct pw_buf b = { 0 };
	int ret;

	assert_int_equal(pw_archive_finish(f->out, &b, err), 0);
	ret = pw_aperf_read_bytes(b.data, b.len, m, err);
	pw_buf_release(&b);
	pw_metrics_end(m);
	return ret;
}

static inline struct pw_metrics *must_read(struct files *f)
{
	struct pw_metrics *m = pw_metrics_new();
	struct pw_err err = { 0 };

	if (read_files(f, m, &err))
		fail_msg("%s", err.msg);
	return m;
}

static inline void refused(struct files *f, const char *why)
{
	struct pw_metrics *m = pw_metrics_new();
	struct pw_err err = { 0 };

	if (!read_files(f, m, &err))
		fail_msg("taken, though %s", why);
	if (!strstr(err.msg, why))
		fail_msg("expected '%s', found '%s'", why, err.msg);
	pw_metrics_free(m);
}

static inline const struct pw_metric *figure(const struct pw_metrics *m,
					     const char *family,
					     const char *name,
					     const char *instance)
{
	const struct pw_metric *x = pw_metrics_find(m, family, name, instance);

	if (!x)
		fail_msg("no %s.%s %s", family, name, instance);
	return x;
}

static inline void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-3 * fabs(b)))
		fail_msg("%.9g is not %.9g", a, b);
}

/* What is said of a source: its state, or "read". */
static inline const char *state_of(const struct pw_metrics *m,
				   const char *source)
{
	for (uint32_t i = 0; i < pw_metrics_n_sources(m); i++) {
		struct pw_metrics_read r = pw_metrics_get_source(m, i);

		if (!strcmp(r.source, source))
			return r.state ? r.state : "read";
	}
	return "not told";
}

static inline void has_state(const struct pw_metrics *m, const char *source,
			     const char *part)
{
	if (!strstr(state_of(m, source), part))
		fail_msg("%s: '%s', not '%s'", source, state_of(m, source),
			 part);
}

#endif
