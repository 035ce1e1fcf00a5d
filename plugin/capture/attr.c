// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events of a recording: perf_event_attr of any age and byte order, their
 * names, and which of them an id belongs to. A field that an older attr does
 * not have is 0; what a newer one has beyond ours is passed over.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "session.h"

#define ATTR_MIN 64u /* the first published perf_event_attr */

struct attr_bytes {
	const uint8_t *p;
	size_t size;
	bool swap;
};

static uint64_t at64(const struct attr_bytes *b, size_t off)
{
	return off + 8 <= b->size ? load64(b->p + off, b->swap) : 0;
}

static uint32_t at32(const struct attr_bytes *b, size_t off)
{
	return off + 4 <= b->size ? load32(b->p + off, b->swap) : 0;
}

static uint16_t at16(const struct attr_bytes *b, size_t off)
{
	return off + 2 <= b->size ? load16(b->p + off, b->swap) : 0;
}

static uint64_t reverse_bits(uint64_t v)
{
	uint64_t r = 0;
	int i;

	for (i = 0; i < 64; i++, v >>= 1)
		r = r << 1 | (v & 1);
	return r;
}

static void decode(struct pw_attr *a, const struct attr_bytes *b, bool big)
{
	a->type = at32(b, 0);
	a->size = at32(b, 4);
	a->config = at64(b, 8);
	a->sample_period = at64(b, 16);
	a->sample_type = at64(b, 24);
	a->read_format = at64(b, 32);
	/* bit-fields begin at the other end of a big-endian word */
	a->flags = big ? reverse_bits(at64(b, 40)) : at64(b, 40);
	a->wakeup = at32(b, 48);
	a->bp_type = at32(b, 52);
	a->config1 = at64(b, 56);
	a->config2 = at64(b, 64);
	a->branch_sample_type = at64(b, 72);
	a->sample_regs_user = at64(b, 80);
	a->sample_stack_user = at32(b, 88);
	a->clockid = (int32_t)at32(b, 92);
	a->sample_regs_intr = at64(b, 96);
	a->aux_watermark = at32(b, 104);
	a->sample_max_stack = at16(b, 108);
	a->aux_sample_size = at32(b, 112);
	a->sig_data = at64(b, 120);
	a->config3 = at64(b, 128);
}

/* The order of the fields in a sample and in the tail of other records. */
static void lay_out(struct layout *at, const struct pw_attr *a)
{
	static const uint64_t tail[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_CPU,  PERF_SAMPLE_STREAM_ID,
		PERF_SAMPLE_ID,         PERF_SAMPLE_TIME, PERF_SAMPLE_TID
	};
	static const uint64_t head[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
		PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID
	};
	uint64_t t = a->sample_type;
	int16_t off = 0;
	size_t i;

	*at = (struct layout){ -1, -1, -1, -1, 0 };
	for (i = 0; i < 6; i++) {
		if (!(t & head[i]))
			continue;
		if (head[i] == PERF_SAMPLE_TIME)
			at->sample_time = off;
		if (head[i] == PERF_SAMPLE_IDENTIFIER ||
		    (head[i] == PERF_SAMPLE_ID && at->sample_id < 0))
			at->sample_id = off;
		off += 8;
	}
	for (i = 0; i < 6 && a->flags & PW_ATTR_SAMPLE_ID_ALL; i++) {
		if (!(t & tail[i]))
			continue;
		at->tail_bytes += 8;
		if (tail[i] == PERF_SAMPLE_TIME)
			at->tail_time = at->tail_bytes;
		if (tail[i] == PERF_SAMPLE_IDENTIFIER ||
		    (tail[i] == PERF_SAMPLE_ID && at->tail_id < 0))
			at->tail_id = at->tail_bytes;
	}
}

/* --- names ---------------------------------------------------------------- */

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static const char *const hardware[] = { "cycles",
					"instructions",
					"cache-references",
					"cache-misses",
					"branches",
					"branch-misses",
					"bus-cycles",
					"stalled-cycles-frontend",
					"stalled-cycles-backend",
					"ref-cycles" };
static const char *const software[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"
};

/*
 * What perf puts behind the name: k, u and h for what is counted when one of
 * them is not, a p for each degree of precision, H and G for host and guest
 * where they differ from what goes without saying.
 */
static void made_up_modes(const struct pw_attr *a, char mode[12])
{
	static const struct {
		uint64_t excluded;
		char letter;
	} levels[] = { { PW_ATTR_EXCLUDE_KERNEL, 'k' },
		       { PW_ATTR_EXCLUDE_USER, 'u' },
		       { PW_ATTR_EXCLUDE_HV, 'h' } };
	const uint64_t all = PW_ATTR_EXCLUDE_KERNEL | PW_ATTR_EXCLUDE_USER |
			     PW_ATTR_EXCLUDE_HV;
	unsigned int precise = a->flags >> 15 & 3, i;
	bool no_host = a->flags >> 19 & 1, no_guest = a->flags >> 20 & 1;
	size_t n = 1;

	mode[0] = ':';
	for (i = 0; a->flags & all && i < N_OF(levels); i++)
		if (!(a->flags & levels[i].excluded))
			mode[n++] = levels[i].letter;
	for (i = 0; i < precise; i++)
		mode[n++] = 'p';
	if (no_host || no_guest == (a->flags & all || precise)) {
		if (!no_host)
			mode[n++] = 'H';
		if (!no_guest)
			mode[n++] = 'G';
	}
	mode[n == 1 ? 0 : n] = 0;
}

/* What perf would call it, from its numbers alone. */
static char *made_up_name(const struct pw_attr *a)
{
	char mode[12];

	made_up_modes(a, mode);
	if (a->type == PERF_TYPE_HARDWARE && a->config < N_OF(hardware))
		return pw_asprintf("%s%s", hardware[a->config], mode);
	if (a->type == PERF_TYPE_SOFTWARE && a->config < N_OF(software))
		return pw_asprintf("%s%s", software[a->config], mode);
	if (a->type == PERF_TYPE_RAW)
		return pw_asprintf("raw 0x%llx%s",
				   (unsigned long long)a->config, mode);
	if (a->type == PERF_TYPE_TRACEPOINT)
		return pw_asprintf("tracepoint 0x%llx",
				   (unsigned long long)a->config);
	return pw_asprintf("type %u config 0x%llx%s", a->type,
			   (unsigned long long)a->config, mode);
}

void attr_set_name(struct pw_capture *c, struct attr *a, const char *name,
		   size_t len)
{
	/* the caller may hold the old one */
	a->name = keep_memory(c, pw_strndup(name, len));
	a->pub.name = a->name;
	a->is_named = true;
}

/* --- ids -------------------------------------------------------------------- */

static uint32_t slot_of(const struct pw_capture *c, uint64_t id)
{
	uint32_t i = (uint32_t)((id * 0x9e3779b97f4a7c15ull) >> 32);

	i &= c->cap_ids - 1;
	while (c->ids[i].id && c->ids[i].id != id)
		i = (i + 1) & (c->cap_ids - 1);
	return i;
}

static void grow_ids(struct pw_capture *c)
{
	struct id_slot *old = c->ids;
	uint32_t n = c->cap_ids, i;

	c->cap_ids = n ? 2 * n : 64;
	c->ids = pw_zalloc(c->cap_ids * sizeof(*c->ids));
	for (i = 0; i < n; i++)
		if (old[i].id)
			c->ids[slot_of(c, old[i].id)] = old[i];
	free(old);
}

void attr_add_id(struct pw_capture *c, struct attr *a, uint64_t id)
{
	struct id_slot *slot;

	if (!id)
		return;
	if (2 * (c->n_ids + 1) > c->cap_ids)
		grow_ids(c);
	slot = &c->ids[slot_of(c, id)];
	if (slot->id)
		return; /* the first one has it */
	c->n_ids++;
	slot->id = id;
	slot->attr = a;
	if (!(a->pub.n_ids & (a->pub.n_ids - 1)))
		a->ids = pw_realloc(a->ids,
				    (a->pub.n_ids ? 2 * a->pub.n_ids : 1) *
					    sizeof(*a->ids));
	a->ids[a->pub.n_ids++] = id;
	a->pub.ids = a->ids;
}

struct attr *attr_by_id(const struct pw_capture *c, uint64_t id)
{
	if (c->n_attrs <= 1 || !id)
		return c->n_attrs ? c->attrs[0] : NULL;
	return c->cap_ids ? c->ids[slot_of(c, id)].attr : NULL;
}

/* --- clocks ------------------------------------------------------------------- */

static void note_clock(struct pw_capture *c, const struct pw_attr *a)
{
	struct pw_capture_facts *f = &c->facts;
	bool use = a->flags & PW_ATTR_USE_CLOCKID;

	if (!c->n_attrs) {
		f->use_clockid = use;
		f->clockid = use ? a->clockid : 0;
	} else if (f->use_clockid != use || (use && f->clockid != a->clockid)) {
		f->clocks_differ = true;
	}
}

/* --- the whole ---------------------------------------------------------------- */

int attr_add(struct pw_capture *c, const uint8_t *data, size_t size,
	     const uint8_t *ids, size_t n_ids, uint64_t off, struct pw_err *err)
{
	struct attr_bytes b = { data, size, c->swap };
	struct attr *a;
	size_t i;

	if (size < ATTR_MIN)
		return pw_err_at(
			err, EINVAL, off,
			"an event attribute has %zu bytes, expected %u or more",
			size, ATTR_MIN);
	/* some old recorders left the size out */
	if (at32(&b, 4) >= ATTR_MIN && at32(&b, 4) < b.size)
		b.size = at32(&b, 4);
	a = pw_zalloc(sizeof(*a));
	decode(&a->pub, &b, c->big);
	lay_out(&a->at, &a->pub);
	a->pub.idx = a->pub.leader_idx = c->n_attrs;
	note_clock(c, &a->pub);
	a->name = keep_memory(c, made_up_name(&a->pub));
	a->pub.name = a->name;
	if (!(c->n_attrs & (c->n_attrs - 1)))
		c->attrs =
			pw_realloc(c->attrs, (c->n_attrs ? 2 * c->n_attrs : 1) *
						     sizeof(*c->attrs));
	c->uniform = !c->n_attrs ||
		     (c->uniform &&
		      !memcmp(&a->at, &c->attrs[0]->at, sizeof(a->at)));
	c->attrs[c->n_attrs++] = a;
	for (i = 0; i < n_ids; i++)
		attr_add_id(c, a, load64(ids + 8 * i, c->swap));
	return 0;
}

void attrs_release(struct pw_capture *c)
{
	uint32_t i;

	for (i = 0; i < c->n_attrs; i++) {
		free(c->attrs[i]->ids);
		free(c->attrs[i]);
	}
	free(c->attrs);
	free(c->ids);
}
