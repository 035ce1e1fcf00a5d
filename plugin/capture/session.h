/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of a capture: what capture.c owns and the other files of the
 * room fill or read. Who does what is in the functions' comments below.
 */
#ifndef PLUGIN_CAPTURE_SESSION_H
#define PLUGIN_CAPTURE_SESSION_H

#include <perfwasm/capture.h>

#include "load.h"
#include "order.h"
#include "stream.h"

#define RECORD_MAX   UINT16_MAX
#define HEADER_BYTES 8u /* u32 type, u16 misc, u16 size */

/* Where times and ids lie, in bytes; -1: nowhere. */
struct layout {
	int16_t sample_time, sample_id; /* from the start of the payload */
	int16_t tail_time, tail_id;     /* back from the end of the record */
	int16_t tail_bytes;
};

struct attr {
	struct pw_attr pub; /* first: a pw_attr of ours is an attr */
	struct layout at;
	char *name;
	bool is_named; /* by the recorder, not made up here */
	uint64_t *ids;
};

struct id_slot {
	uint64_t id; /* 0: free */
	struct attr *attr;
};

/* Strings and arrays that live as long as the capture. */
struct keep {
	void **p;
	uint32_t n;
};

struct inflate; /* inflate.c */
struct folder;  /* folder.c */
struct tracing; /* tracing.c */
struct split;   /* split-reads.c */

struct pw_capture {
	struct source src;
	struct block_pool pool;
	struct stream outer, inner; /* inner: what COMPRESSED records held */
	struct inflate *inflate;    /* NULL: nothing was compressed so far */
	struct folder *folder; /* NULL: a file; else the three are of the file
				  in it that is read */
	uint64_t arrived_ns;   /* the time of the last record of that file */
	bool swap, big;        /* other byte order than ours; big-endian file */
	bool early_pipe;       /* see record_type() */
	struct pw_capture_opts opts;

	struct attr **attrs;
	uint32_t n_attrs;
	bool uniform; /* all attrs have the layout of the first */
	struct id_slot *ids;
	uint32_t n_ids, cap_ids; /* cap: a power of two */

	struct tracing *tracing; /* NULL: no formats of tracepoints */

	struct order order;
	uint64_t flush_ns, next_flush_ns;
	bool draining, at_end;
	uint64_t n_arrived;     /* records of a pipe */
	uint32_t n_event_types; /* records EVENT_TYPE */
	uint64_t given_ns;      /* the latest time given */
	const uint8_t *held;    /* the record that the caller has */
	struct split *split;    /* NULL: none was taken apart */
	struct pw_err fault;    /* code != 0: reading ended with it */

	struct pw_capture_facts facts;
	struct pw_fact *more; /* of facts */
	struct pw_build_id *build_ids;
	struct pw_capture_counts counts;
	struct keep keep;
	uint8_t *scratch; /* arrays of one event in our byte order; or NULL */
	size_t scratch_used;
};

/* Bytes for one event's arrays: a record and what widens in it. */
#define SCRATCH_BYTES (4 * (RECORD_MAX + 1))

/* capture.c: memory that the capture owns. */
void *keep_memory(struct pw_capture *c, void *p);
/* Counts a record that is passed over for what is wrong with it. */
void count_malformed(struct pw_capture *c, uint64_t off, const char *what);

/* incoming.c: the next whole record: 1, 0 at the end, -errno. It stays while
 * its block is held, at least until the next call. */
int incoming_next(struct pw_capture *c, const uint8_t **rec,
		  struct pw_err *err);
/* n bytes that follow the record last given; to may be NULL. The number that
 * was there, or -errno. */
int64_t incoming_data(struct pw_capture *c, struct pw_buf *to, uint64_t n,
		      struct pw_err *err);

/* folder.c: opens the first file of a folder. */
int folder_open(struct pw_capture *c, const char *path, struct pw_err *err);
/* After header_read(), which left the source at the data. */
int folder_opened(struct pw_capture *c, struct pw_err *err);
/* Before more is read: takes the file that lags, and says 1 when that is
 * another one. At the end of a file: the same of those that are left, 0 when
 * none is. */
int folder_turn(struct pw_capture *c, struct pw_err *err);
int folder_next(struct pw_capture *c, struct pw_err *err);
/* Puts the file's name before a sentence with an offset in it. */
void folder_prefix(const struct pw_capture *c, struct pw_err *err);
void folder_release(struct pw_capture *c);

/* pass-samples.c, with opts.no_samples: passes over the samples at the front of
 * a stream. */
void pass_samples(struct pw_capture *c, struct stream *s);
/* The same where the source can be looked at, up to the record that follows,
 * which is taken. NULL: what follows must be read. Nothing is left in
 * c->outer. */
const uint8_t *pass_to_record(struct pw_capture *c);

/* A record at the front of n bytes: its size, 0 when it is not all there, or
 * -1 when it can't be one. */
static inline int32_t record_whole(const struct pw_capture *c, const uint8_t *p,
				   size_t n)
{
	uint16_t size;

	if (n < HEADER_BYTES)
		return 0;
	size = load16(p + 6, c->swap);
	if (size < HEADER_BYTES)
		return -1;
	return size <= n ? size : 0;
}

/* header.c: reads what stands before the data, and the features behind it. */
int header_read(struct pw_capture *c, struct pw_err *err);
/* The same of a later piece of the same recording, whose source is at its data:
 * where they end. */
int header_data(struct pw_capture *c, const uint8_t *header,
		struct pw_err *err);

/* attr.c: one attr from its bytes, with ids in the file's byte order. */
int attr_add(struct pw_capture *c, const uint8_t *data, size_t size,
	     const uint8_t *ids, size_t n_ids, uint64_t off,
	     struct pw_err *err);
void attr_set_name(struct pw_capture *c, struct attr *a, const char *name,
		   size_t len);
void attr_add_id(struct pw_capture *c, struct attr *a, uint64_t id);
/* NULL when no attr has it. 0 is the first attr's, as perf has it. */
struct attr *attr_by_id(const struct pw_capture *c, uint64_t id);
void attrs_release(struct pw_capture *c);

/* split-reads.c: takes the sample in *ev apart, which becomes the first part;
 * split_next() gives the others. False: there is none (more). */
bool split_start(struct pw_capture *c, struct pw_event *ev);
bool split_next(struct pw_capture *c, struct pw_event *ev);
void split_release(struct pw_capture *c);

/* private.c: what follows the header of a BUILD_ID record. False: it does not
 * fit. */
bool build_id_add(struct pw_capture *c, uint16_t misc, const uint8_t *data,
		  size_t size);

/* feature.c: a header feature's content. What does not fit is an error. */
int feature_read(struct pw_capture *c, unsigned int feature,
		 const uint8_t *data, size_t size, uint64_t off,
		 struct pw_err *err);

/*
 * In pipes of perf before Linux 3.4 a feature is a record of its own type: 66
 * and the feature's number. Such a pipe begins with the name of the host, 69,
 * which later became ID_INDEX and never comes first.
 */
#define EARLY_FEATURE 66u

static inline uint32_t record_type(const struct pw_capture *c,
				   const uint8_t *rec)
{
	uint32_t type = load32(rec, c->swap);

	return c->early_pipe && type > PW_REC_FINISHED_ROUND ? PW_REC_FEATURE
							     : type;
}

/* record.c: fills ev from a whole record. False: its content does not fit
 * its size, and ev has its bytes only. */
bool record_decode(struct pw_capture *c, const uint8_t *rec,
		   struct pw_event *ev);
/* The time a kernel record carries, or PW_NO_TIME. */
uint64_t record_time(const struct pw_capture *c, const uint8_t *rec,
		     uint32_t type, uint32_t size);

/* sample.c: the payload of a SAMPLE of attr `a`. */
bool sample_decode(struct pw_capture *c, const struct attr *a,
		   const uint8_t *data, size_t size, struct pw_event *ev);
/* The values of a READ record or sample field; the bytes used, -1: broken. */
int64_t read_decode(struct pw_capture *c, const struct attr *a,
		    const uint8_t *data, size_t size, struct pw_read *r);
/* n numbers at p in our byte order and aligned: there, or in scratch. */
const uint64_t *numbers(struct pw_capture *c, const uint8_t *p, uint64_t n);
void *scratch_take(struct pw_capture *c, size_t size_bytes);

/* private.c: what a record of perf's own (64 and up) changes here, the data
 * behind it included. */
int private_handle(struct pw_capture *c, const uint8_t *rec,
		   struct pw_err *err);

/* tracing.c: the formats of tracepoints; the events are named by them. */
int tracing_read(struct pw_capture *c, const uint8_t *data, size_t size,
		 uint64_t off, struct pw_err *err);
/* Names an event that is a tracepoint and has no name yet. */
void tracing_name_attr(struct pw_capture *c, struct attr *a);
void tracing_release(struct pw_capture *c);

/* inflate.c: takes a COMPRESSED record as input for c->inner. */
int inflate_start(struct pw_capture *c, const uint8_t *data, size_t size,
		  struct pw_err *err);
/* More bytes into c->inner: 1, 0 when all input is used up, -errno. */
int inflate_fill(struct pw_capture *c, struct pw_err *err);
void inflate_free(struct pw_capture *c, struct inflate *f);

#endif
