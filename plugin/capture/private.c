// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of perf's own that change how others are read: attrs, names and
 * features that come with the data, compressed records, data behind a record.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "session.h"

struct record {
	uint64_t off;
	const uint8_t *p; /* behind the header */
	size_t size;
};

static int handle_attr(struct pw_capture *c, const struct record *r,
		       struct pw_err *err)
{
	size_t size = r->size >= 8 ? load32(r->p + 4, c->swap) : 0;

	(void)err;
	if (!size)
		size = 64; /* the first perf left it out */
	if (size < 64 || size > r->size) {
		count_malformed(c, r->off, "an event attribute does not fit");
		return 0;
	}
	if (attr_add(c, r->p, size, r->p + size, (r->size - size) / 8, r->off,
		     err))
		return -EINVAL;
	tracing_name_attr(c, c->attrs[c->n_attrs - 1]);
	return 0;
}

/* More than any recorder has events. */
#define MOST_EVENT_TYPES 4096

/* u64 config, name: before perf 3.10 or so. */
static int handle_event_type(struct pw_capture *c, const struct record *r,
			     struct pw_err *err)
{
	uint64_t config = r->size >= 8 ? load64(r->p, c->swap) : 0;
	uint32_t i;

	(void)err;
	if (r->size <= 8 || c->n_event_types++ >= MOST_EVENT_TYPES)
		return 0;
	for (i = 0; i < c->n_attrs; i++)
		if (c->attrs[i]->pub.config == config)
			attr_set_name(c, c->attrs[i], (const char *)r->p + 8,
				      r->size - 8);
	return 0;
}

#define UPDATE_NAME 2

/* u64 kind, u64 id, content. */
static int handle_event_update(struct pw_capture *c, const struct record *r,
			       struct pw_err *err)
{
	struct attr *a;

	(void)err;
	if (r->size < 16) {
		count_malformed(c, r->off, "EVENT_UPDATE is too short");
		return 0;
	}
	a = attr_by_id(c, load64(r->p + 8, c->swap));
	if (a && load64(r->p, c->swap) == UPDATE_NAME)
		attr_set_name(c, a, (const char *)r->p + 16, r->size - 16);
	return 0;
}

#define BUILD_ID_HAS_SIZE (1u << 15) /* of misc */

/* i32 pid, 20 bytes of build id, u8 size, 3 unused, name. */
bool build_id_add(struct pw_capture *c, uint16_t misc, const uint8_t *data,
		  size_t size)
{
	uint32_t n = c->facts.n_build_ids;
	struct pw_build_id *b;

	if (size < 28)
		return false;
	if (!(n & (n - 1)))
		c->build_ids =
			pw_realloc(c->build_ids, (n ? 2 * n : 1) * sizeof(*b));
	b = &c->build_ids[n];
	b->misc = misc;
	b->pid = load32(data, c->swap);
	memcpy(b->id, data + 4, sizeof(b->id));
	b->size = misc & BUILD_ID_HAS_SIZE ? data[24] : sizeof(b->id);
	if (b->size > sizeof(b->id))
		b->size = sizeof(b->id);
	b->filename =
		keep_memory(c, pw_strndup((const char *)data + 28, size - 28));
	c->facts.build_ids = c->build_ids;
	c->facts.n_build_ids++;
	return true;
}

static int handle_build_id(struct pw_capture *c, const struct record *r)
{
	if (!build_id_add(c, load16(r->p - 4, c->swap), r->p, r->size))
		count_malformed(c, r->off, "BUILD_ID is too short");
	return 0;
}

static int handle_feature(struct pw_capture *c, const struct record *r,
			  uint32_t type)
{
	struct pw_err why = { 0 };
	uint64_t feature = r->size >= 8 ? load64(r->p, c->swap) : UINT64_MAX;
	size_t head = 8;

	if (c->early_pipe) {
		feature = type - EARLY_FEATURE;
		head = 0;
	}
	if (feature > 255)
		count_malformed(c, r->off, "a header feature without a number");
	else if (feature_read(c, (unsigned int)feature, r->p + head,
			      r->size - head, r->off + HEADER_BYTES + head,
			      &why) &&
		 !c->counts.features_unread++)
		c->counts.first_unread = why;
	return 0;
}

/* u32 size, then behind the record that many bytes. */
static int handle_tracing_data(struct pw_capture *c, const struct record *r,
			       struct pw_err *err)
{
	struct pw_buf data = { 0 };
	struct pw_err why = { 0 };
	uint64_t size = r->size >= 4 ? load32(r->p, c->swap) : 0;
	int64_t got = incoming_data(c, &data, (size + 7) & ~7ull, err);

	if (got >= 0 && (uint64_t)got < size) {
		c->counts.tail_off = r->off;
		c->counts.tail_bytes += HEADER_BYTES + r->size + data.len;
	} else if (got >= 0 &&
		   feature_read(c, 1, data.data, size,
				r->off + HEADER_BYTES + r->size, &why) &&
		   !c->counts.features_unread++) {
		c->counts.first_unread = why;
	}
	pw_buf_release(&data);
	return got < 0 ? (int)got : 0;
}

static int handle_auxtrace(struct pw_capture *c, const struct record *r,
			   struct pw_err *err)
{
	uint64_t size = r->size >= 8 ? load64(r->p, c->swap) : 0;
	int64_t got;

	if (size > INT64_MAX)
		return pw_err_at(
			err, EINVAL, r->off,
			"AUX area data of %llu bytes can't be passed over",
			(unsigned long long)size);
	got = incoming_data(c, NULL, size, err);
	if (got < 0)
		return (int)got;
	c->counts.aux_bytes += (uint64_t)got;
	if ((uint64_t)got < size)
		c->facts.is_cut = true;
	return 0;
}

static int handle_compressed(struct pw_capture *c, const struct record *r,
			     struct pw_err *err)
{
	return inflate_start(c, r->p, r->size, err);
}

/* u64 size, that many bytes, padding. */
static int handle_compressed2(struct pw_capture *c, const struct record *r,
			      struct pw_err *err)
{
	uint64_t size = r->size >= 8 ? load64(r->p, c->swap) : UINT64_MAX;

	if (size > r->size - 8)
		return pw_err_at(
			err, EINVAL, r->off,
			"a compressed record of %zu bytes says that it holds %llu",
			r->size, (unsigned long long)size);
	return inflate_start(c, r->p + 8, size, err);
}

int private_handle(struct pw_capture *c, const uint8_t *rec, struct pw_err *err)
{
	struct record r = { .off = block_off(rec),
			    .p = rec + HEADER_BYTES,
			    .size = load16(rec + 6, c->swap) - HEADER_BYTES };

	switch (record_type(c, rec)) {
	case PW_REC_ATTR:
		return handle_attr(c, &r, err);
	case PW_REC_EVENT_TYPE:
		return handle_event_type(c, &r, err);
	case PW_REC_EVENT_UPDATE:
		return handle_event_update(c, &r, err);
	case PW_REC_FEATURE:
		return handle_feature(c, &r, load32(rec, c->swap));
	case PW_REC_TRACING_DATA:
		return handle_tracing_data(c, &r, err);
	case PW_REC_BUILD_ID:
		return handle_build_id(c, &r);
	case PW_REC_AUXTRACE:
		return handle_auxtrace(c, &r, err);
	case PW_REC_COMPRESSED:
		return handle_compressed(c, &r, err);
	case PW_REC_COMPRESSED2:
		return handle_compressed2(c, &r, err);
	default:
		return 0;
	}
}
