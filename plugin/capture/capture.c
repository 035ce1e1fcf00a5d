// SPDX-License-Identifier: GPL-2.0-only
/*
 * A capture from its opening to its end: what comes in is given at once or
 * waits for its turn. A recorder empties its buffers in rounds; after the
 * second end of a round nothing can come any more that is older than the end
 * of the first. Decoding, headers and bytes are other files'.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "session.h"

#define READS       (1ULL << 4) /* PERF_SAMPLE_READ */
#define QUEUE_BYTES (128ull << 20)

/* --- memory ------------------------------------------------------------------ */

void *keep_memory(struct pw_capture *c, void *p)
{
	struct keep *k = &c->keep;

	if (!(k->n & (k->n - 1)))
		k->p = pw_realloc(k->p, (k->n ? 2 * k->n : 1) * sizeof(void *));
	k->p[k->n++] = p;
	return p;
}

void count_malformed(struct pw_capture *c, uint64_t off, const char *what)
{
	if (!c->counts.malformed++)
		pw_err_at(&c->counts.first_malformed, EINVAL, off, "%s", what);
}

void pw_capture_close(struct pw_capture *c)
{
	if (!c)
		return;
	inflate_free(c, c->inflate);
	folder_release(c);
	split_release(c);
	stream_release(&c->inner);
	stream_release(&c->outer);
	order_release(&c->order, &c->pool);
	block_pool_release(&c->pool);
	attrs_release(c);
	tracing_release(c);
	while (c->keep.n)
		free(c->keep.p[--c->keep.n]);
	free(c->keep.p);
	free(c->more);
	free(c->build_ids);
	free(c->scratch);
	source_close(&c->src);
	free(c);
}

/* --- opening ------------------------------------------------------------------ */

static struct pw_capture *capture_new(const struct pw_capture_opts *opts)
{
	struct pw_capture *c = pw_zalloc(sizeof(*c));

	if (opts)
		c->opts = *opts;
	if (!c->opts.queue_bytes)
		c->opts.queue_bytes = QUEUE_BYTES;
	c->src.fd = -1;
	c->outer.pool = &c->pool;
	c->counts.first_ns = PW_NO_TIME;
	return c;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

struct pw_capture *pw_capture_open(const char *path,
				   const struct pw_capture_opts *opts,
				   struct pw_err *err)
{
	struct pw_capture *c = capture_new(opts);

	if (is_folder(path) ? folder_open(c, path, err)
			    : source_open(&c->src, path, err))
		goto fail;
	if (header_read(c, err) || folder_opened(c, err)) {
		pw_err_prefix(err, "%s", path);
		goto fail;
	}
	return c;
fail:
	pw_capture_close(c);
	return NULL;
}

struct pw_capture *pw_capture_open_bytes(const void *data, size_t size,
					 const struct pw_capture_opts *opts,
					 struct pw_err *err)
{
	struct pw_capture *c = capture_new(opts);

	source_open_bytes(&c->src, data, size);
	if (!header_read(c, err))
		return c;
	pw_capture_close(c);
	return NULL;
}

void pw_capture_lend(struct pw_capture *c, const void *file, size_t size)
{
	c->src.lent = file;
	c->src.lent_size = size;
}

/* --- records in order ----------------------------------------------------------- */

static void count(struct pw_capture *c, const struct pw_event *ev)
{
	struct pw_capture_counts *n = &c->counts;

	if (ev->time_ns != PW_NO_TIME && ev->type < 64 && ev->time_ns) {
		n->out_of_order += ev->time_ns < c->given_ns;
		if (ev->time_ns > c->given_ns)
			c->given_ns = ev->time_ns;
	}
	switch (ev->type) {
	case PW_REC_SAMPLE:
		if (ev->time_ns == PW_NO_TIME)
			break;
		if (ev->time_ns < n->first_ns)
			n->first_ns = ev->time_ns;
		if (ev->time_ns > n->last_ns)
			n->last_ns = ev->time_ns;
		break;
	case PW_REC_LOST:
		n->lost += ev->lost.lost;
		n->n_lost_chunks++;
		break;
	case PW_REC_LOST_SAMPLES:
		n->lost_samples += ev->lost.lost;
		n->n_lost_chunks++;
		break;
	}
}

/* The caller gets the record. False when it was passed over, or was taken apart
 * into nothing. */
static bool give(struct pw_capture *c, const uint8_t *rec, struct pw_event *ev)
{
	const char *name;

	if (!record_decode(c, rec, ev)) {
		name = pw_record_name(ev->type);
		if (!c->counts.malformed++)
			pw_err_at(
				&c->counts.first_malformed, EINVAL, ev->off,
				"the content of a %s record does not fit in its %u bytes",
				name ? name : "unknown",
				ev->n_bytes + HEADER_BYTES);
		return false;
	}
	name = pw_record_name(ev->type);
	c->counts.records[name ? ev->type : PW_N_RECORDS]++;
	count(c, ev);
	if (c->opts.split_reads && ev->type == PW_REC_SAMPLE &&
	    ev->sample.fields & READS)
		return split_start(c, ev);
	return true;
}

static void end_round(struct pw_capture *c)
{
	c->flush_ns = c->next_flush_ns;
	c->next_flush_ns = c->order.max_ns;
}

/* Whether the earliest record that waits may go. */
static bool may_go(struct pw_capture *c)
{
	uint64_t held;

	if (order_is_empty(&c->order)) {
		c->draining = false;
		return false;
	}
	if (c->at_end || order_first_ns(&c->order) <= c->flush_ns)
		return true;
	/* more than may wait: go on until a quarter is free again */
	held = c->pool.n_used * BLOCK_BYTES + c->order.bytes;
	if (held > c->opts.queue_bytes)
		c->draining = true;
	else if (held < c->opts.queue_bytes / 4 * 3)
		c->draining = false;
	return c->draining;
}

static void let_go(struct pw_capture *c)
{
	if (c->held)
		block_drop(&c->pool, block_of(c->held));
	c->held = NULL;
}

/* A record comes in. 1: it is given at once; 0: it waits. */
static int arrive(struct pw_capture *c, const uint8_t *rec, struct pw_event *ev,
		  struct pw_err *err)
{
	uint32_t type, size = load16(rec + 6, c->swap);
	uint64_t time_ns;
	int ret;

	if (c->facts.is_pipe && !c->n_arrived++)
		c->early_pipe = load32(rec, c->swap) == PW_REC_ID_INDEX;
	type = record_type(c, rec);
	if (type < 64 && !c->opts.file_order) {
		time_ns = record_time(c, rec, type, size);
		if (time_ns && time_ns != PW_NO_TIME) {
			c->arrived_ns = time_ns;
			order_add(&c->order, time_ns, rec);
			return 0;
		}
	}
	/* what is read behind it may take its block away */
	c->held = rec;
	block_of(rec)->refs++;
	if (type == PW_REC_FINISHED_ROUND)
		end_round(c);
	ret = type < 64 ? 0 : private_handle(c, rec, err);
	return ret ? ret : give(c, rec, ev);
}

int pw_capture_next(struct pw_capture *c, struct pw_event *ev,
		    struct pw_err *err)
{
	const uint8_t *rec;
	int ret;

	if (split_next(c, ev))
		return 1;
	for (;;) {
		let_go(c);
		if (may_go(c)) {
			c->held = order_take(&c->order).record;
			if (give(c, c->held, ev))
				return 1;
			continue;
		}
		if (c->at_end)
			break;
		ret = incoming_next(c, &rec, &c->fault);
		if (ret > 0)
			ret = arrive(c, rec, ev, &c->fault);
		else
			c->at_end = true;
		if (ret > 0)
			return 1;
		if (ret < 0) {
			c->at_end = true;
			folder_prefix(c, &c->fault);
		}
	}
	if (c->fault.code && err)
		*err = c->fault;
	return -c->fault.code;
}

uint64_t pw_capture_past_ns(const struct pw_capture *c)
{
	uint64_t past = c->at_end ? UINT64_MAX : c->flush_ns;

	/* a round is that of one file of a folder */
	if ((c->opts.file_order || c->folder) && !c->at_end)
		return 0;
	if (!order_is_empty(&c->order) && past >= order_first_ns(&c->order))
		return order_first_ns(&c->order) - 1;
	return past;
}

/* --- what is known ------------------------------------------------------------- */

const struct pw_capture_facts *pw_capture_facts(const struct pw_capture *c)
{
	return &c->facts;
}

const struct pw_capture_counts *pw_capture_counts(const struct pw_capture *c)
{
	return &c->counts;
}

uint32_t pw_capture_n_attrs(const struct pw_capture *c)
{
	return c->n_attrs;
}

const struct pw_attr *pw_capture_attr(const struct pw_capture *c, uint32_t i)
{
	return i < c->n_attrs ? &c->attrs[i]->pub : NULL;
}

const struct pw_attr *pw_capture_attr_by_id(const struct pw_capture *c,
					    uint64_t id)
{
	const struct attr *a = attr_by_id(c, id);

	return a ? &a->pub : NULL;
}
