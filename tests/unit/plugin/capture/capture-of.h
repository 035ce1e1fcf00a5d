/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens what perfdata-writer made, and gives its records one by one. */
#ifndef CAPTURE_OF_H
#define CAPTURE_OF_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "perfdata-writer.h"

struct opened {
	struct pw_buf file;
	struct pw_capture *c;
	struct pw_err err;
	struct pw_event ev;
};

static inline void open_made_with(struct opened *o, struct perfdata *p,
				  const struct pw_capture_opts *opts)
{
	memset(o, 0, sizeof(*o));
	perfdata_finish(p, &o->file);
	o->c = pw_capture_open_bytes(o->file.data, o->file.len, opts, &o->err);
	if (!o->c)
		fail_msg("%s", o->err.msg);
}

static inline void open_made(struct opened *o, struct perfdata *p)
{
	open_made_with(o, p, NULL);
}

/* The next record, of this type, in o->ev. */
static inline const struct pw_event *next_of(struct opened *o, int type)
{
	int ret = pw_capture_next(o->c, &o->ev, &o->err);
	const struct pw_capture_counts *n = pw_capture_counts(o->c);

	if (ret <= 0)
		fail_msg("no record %d: %s, %s", type, o->err.msg,
			 n->first_malformed.msg);
	assert_int_equal(o->ev.type, type);
	return &o->ev;
}

static inline void close_made(struct opened *o)
{
	assert_int_equal(pw_capture_next(o->c, &o->ev, &o->err), 0);
	pw_capture_close(o->c);
	pw_buf_release(&o->file);
}

#endif
