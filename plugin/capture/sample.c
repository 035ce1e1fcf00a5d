// SPDX-License-Identifier: GPL-2.0-only
/*
 * The payload of a SAMPLE: the fields of perf_event_sample_format in the
 * order in which the kernel writes them. Arrays stay where they are unless
 * their byte order or alignment is not ours.
 */
#include <linux/perf_event.h>

#include "session.h"

#define BRANCH_HW_INDEX (1ULL << 17) /* of branch_sample_type */
#define BRANCH_COUNTERS (1ULL << 19)
#define READ_LOST       (1ULL << 4) /* of read_format */

/* What is left of a payload. */
struct rest {
	const uint8_t *p, *end;
	bool swap;
};

static inline bool has(const struct rest *r, uint64_t n)
{
	return (uint64_t)(r->end - r->p) >= n;
}

static inline bool take64(struct rest *r, uint64_t *v)
{
	if (!has(r, 8))
		return false;
	*v = load64(r->p, r->swap);
	r->p += 8;
	return true;
}

static inline bool take_pair(struct rest *r, uint32_t *a, uint32_t *b)
{
	if (!has(r, 8))
		return false;
	*a = load32(r->p, r->swap);
	*b = load32(r->p + 4, r->swap);
	r->p += 8;
	return true;
}

void *scratch_take(struct pw_capture *c, size_t size_bytes)
{
	void *p;

	if (!c->scratch)
		c->scratch = pw_alloc(SCRATCH_BYTES);
	p = c->scratch + c->scratch_used;
	size_bytes = (size_bytes + 7) & ~(size_t)7;
	if (size_bytes > SCRATCH_BYTES - c->scratch_used)
		return NULL;
	c->scratch_used += size_bytes;
	return p;
}

const uint64_t *numbers(struct pw_capture *c, const uint8_t *p, uint64_t n)
{
	uint64_t *to, i;

	if (!c->swap && !((uintptr_t)p & 7))
		return (const uint64_t *)p;
	to = n > RECORD_MAX ? NULL : scratch_take(c, n * 8);
	for (i = 0; to && i < n; i++)
		to[i] = load64(p + 8 * i, c->swap);
	return to;
}

static bool take_numbers(struct pw_capture *c, struct rest *r, uint64_t n,
			 const uint64_t **v)
{
	if (n > (uint64_t)(r->end - r->p) / 8)
		return false;
	*v = numbers(c, r->p, n);
	r->p += n * 8;
	return *v != NULL;
}

static bool take_bytes(struct rest *r, uint64_t n, const uint8_t **p)
{
	if (!has(r, n))
		return false;
	*p = r->p;
	r->p += n;
	return true;
}

/* --- counter values --------------------------------------------------------- */

static bool take_read(struct pw_capture *c, uint64_t format, struct rest *r,
		      struct pw_read *out)
{
	uint64_t n = 1, i, each = 1;
	struct pw_read_value *v;

	each += !!(format & PERF_FORMAT_ID) + !!(format & READ_LOST);
	memset(out, 0, sizeof(*out));
	/* without a group the value stands before the times */
	if (format & PERF_FORMAT_GROUP && !take64(r, &n))
		return false;
	if (n > (uint64_t)(r->end - r->p) / 8 / each)
		return false;
	v = scratch_take(c, n * sizeof(*v));
	if (!v || (!(format & PERF_FORMAT_GROUP) && !take64(r, &v->value)))
		return false;
	if ((format & PERF_FORMAT_TOTAL_TIME_ENABLED &&
	     !take64(r, &out->time_enabled)) ||
	    (format & PERF_FORMAT_TOTAL_TIME_RUNNING &&
	     !take64(r, &out->time_running)))
		return false;
	for (i = 0; i < n; i++) {
		v[i].id = v[i].lost = 0;
		if ((format & PERF_FORMAT_GROUP && !take64(r, &v[i].value)) ||
		    (format & PERF_FORMAT_ID && !take64(r, &v[i].id)) ||
		    (format & READ_LOST && !take64(r, &v[i].lost)))
			return false;
	}
	out->values = v;
	out->n = (uint32_t)n;
	return true;
}

int64_t read_decode(struct pw_capture *c, const struct attr *a,
		    const uint8_t *data, size_t size, struct pw_read *out)
{
	struct rest r = { data, data + size, c->swap };

	return take_read(c, a->pub.read_format, &r, out) ? r.p - data : -1;
}

/* --- the larger fields ------------------------------------------------------ */

static bool take_raw(struct rest *r, struct pw_sample *s)
{
	if (!has(r, 4))
		return false;
	s->raw_size = load32(r->p, r->swap);
	r->p += 4;
	return take_bytes(r, s->raw_size, &s->raw);
}

/* Bit-fields of a big-endian recorder, to where ours has them. */
static uint64_t turn_branch_flags(uint64_t v)
{
	static const uint8_t width[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };
	unsigned int up = 64, down = 0, i;
	uint64_t flags = 0;

	for (i = 0; i < sizeof(width); i++) {
		up -= width[i];
		flags |= (v >> up & ((1ull << width[i]) - 1)) << down;
		down += width[i];
	}
	return flags;
}

static bool take_branches(struct pw_capture *c, const struct pw_attr *a,
			  struct rest *r, struct pw_sample *s)
{
	uint64_t n, i;
	const uint64_t *v;
	struct pw_branch *b;

	s->branch_hw_idx = UINT64_MAX;
	if (!take64(r, &n) || (a->branch_sample_type & BRANCH_HW_INDEX &&
			       !take64(r, &s->branch_hw_idx)))
		return false;
	if (n > (uint64_t)(r->end - r->p) / 24 ||
	    !take_numbers(c, r, 3 * n, &v))
		return false;
	s->n_branches = n;
	s->branches = (const struct pw_branch *)v;
	if (c->big) {
		b = scratch_take(c, n * sizeof(*b));
		if (!b)
			return false;
		for (i = 0; i < n; i++)
			b[i] = (struct pw_branch){ v[3 * i], v[3 * i + 1],
						   turn_branch_flags(
							   v[3 * i + 2]) };
		s->branches = b;
	}
	/* a word of counter values for each branch; passed over */
	return !(a->branch_sample_type & BRANCH_COUNTERS) ||
	       take_numbers(c, r, n, &v);
}

static bool take_regs(struct pw_capture *c, struct rest *r, uint64_t mask,
		      struct pw_regs *out)
{
	memset(out, 0, sizeof(*out));
	if (!take64(r, &out->abi))
		return false;
	if (!out->abi)
		return true;
	out->mask = mask;
	out->n = (uint32_t)__builtin_popcountll(mask);
	return take_numbers(c, r, out->n, &out->values);
}

static bool take_stack(struct rest *r, struct pw_sample *s)
{
	uint64_t n;

	s->stack_size = 0;
	if (!take64(r, &n))
		return false;
	if (!n)
		return true;
	if (!take_bytes(r, n, &s->stack) || !take64(r, &s->stack_size))
		return false;
	return s->stack_size <= n;
}

/* As a number both layouts of perf_sample_weight are the same. */
static bool take_weight(struct rest *r, struct pw_sample *s)
{
	if (!take64(r, &s->weight))
		return false;
	s->weight_var1 = (uint32_t)s->weight;
	s->weight_var2 = (uint16_t)(s->weight >> 32);
	s->weight_var3 = (uint16_t)(s->weight >> 48);
	return true;
}

/* --- the whole -------------------------------------------------------------- */

/* IDENTIFIER to PERIOD: what nearly every sample has, and no more. */
static inline bool take_head(struct rest *r, uint64_t t, struct pw_event *ev)
{
	struct pw_sample *s = &ev->sample;
	uint32_t res;

	if (t & PERF_SAMPLE_IDENTIFIER && !take64(r, &ev->id))
		return false;
	if (t & PERF_SAMPLE_IP && !take64(r, &s->ip))
		return false;
	if (t & PERF_SAMPLE_TID && !take_pair(r, &ev->pid, &ev->tid))
		return false;
	if (t & PERF_SAMPLE_TIME && !take64(r, &ev->time_ns))
		return false;
	if (t & PERF_SAMPLE_ADDR && !take64(r, &s->addr))
		return false;
	if (t & PERF_SAMPLE_ID && !take64(r, &ev->id))
		return false;
	if (t & PERF_SAMPLE_STREAM_ID && !take64(r, &ev->stream_id))
		return false;
	if (t & PERF_SAMPLE_CPU && !take_pair(r, &ev->cpu, &res))
		return false;
	return !(t & PERF_SAMPLE_PERIOD) || take64(r, &s->period);
}

static bool take_middle(struct pw_capture *c, const struct pw_attr *a,
			struct rest *r, struct pw_sample *s)
{
	uint64_t t = a->sample_type;

	if (t & PERF_SAMPLE_READ && !take_read(c, a->read_format, r, &s->read))
		return false;
	if (t & PERF_SAMPLE_CALLCHAIN &&
	    (!take64(r, &s->n_callchain) ||
	     !take_numbers(c, r, s->n_callchain, &s->callchain)))
		return false;
	if (t & PERF_SAMPLE_RAW && !take_raw(r, s))
		return false;
	return !(t & PERF_SAMPLE_BRANCH_STACK) || take_branches(c, a, r, s);
}

static bool take_last(struct pw_capture *c, const struct pw_attr *a,
		      struct rest *r, struct pw_sample *s)
{
	uint64_t t = a->sample_type;

	if (t & PERF_SAMPLE_REGS_USER &&
	    !take_regs(c, r, a->sample_regs_user, &s->regs_user))
		return false;
	if (t & PERF_SAMPLE_STACK_USER && !take_stack(r, s))
		return false;
	if (t & PERF_SAMPLE_WEIGHT_TYPE && !take_weight(r, s))
		return false;
	if (t & PERF_SAMPLE_DATA_SRC && !take64(r, &s->data_src))
		return false;
	if (t & PERF_SAMPLE_TRANSACTION && !take64(r, &s->transaction))
		return false;
	if (t & PERF_SAMPLE_REGS_INTR &&
	    !take_regs(c, r, a->sample_regs_intr, &s->regs_intr))
		return false;
	if (t & PERF_SAMPLE_PHYS_ADDR && !take64(r, &s->phys_addr))
		return false;
	if (t & PERF_SAMPLE_CGROUP && !take64(r, &s->cgroup))
		return false;
	if (t & PERF_SAMPLE_DATA_PAGE_SIZE && !take64(r, &s->data_page_size))
		return false;
	if (t & PERF_SAMPLE_CODE_PAGE_SIZE && !take64(r, &s->code_page_size))
		return false;
	return !(t & PERF_SAMPLE_AUX) ||
	       (take64(r, &s->aux_size) && take_bytes(r, s->aux_size, &s->aux));
}

#define LAST                                                       \
	(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |          \
	 PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC |          \
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR |         \
	 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |              \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE | \
	 PERF_SAMPLE_AUX)

bool sample_decode(struct pw_capture *c, const struct attr *a,
		   const uint8_t *data, size_t size, struct pw_event *ev)
{
	struct rest r = { data, data + size, c->swap };
	uint64_t t = a->pub.sample_type;

	if (!take_head(&r, t, ev) ||
	    !take_middle(c, &a->pub, &r, &ev->sample) ||
	    (t & LAST && !take_last(c, &a->pub, &r, &ev->sample)))
		return false;
	ev->sample.fields = t;
	return true;
}
