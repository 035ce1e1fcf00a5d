// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records, one decoder each, found by records.def. Other than in samples the
 * kernel puts who, when and which event behind the content (the tail).
 */
#include "session.h"

#include <linux/perf_event.h>

/* The payload of one record, read front to back; `bad` once it was too
 * short. */
struct body {
	struct pw_capture *c;
	const struct attr *a; /* whose tail it has; may be NULL */
	uint16_t misc;
	const uint8_t *p, *end;
	bool bad;
};

static const uint8_t *bytes(struct body *b, uint64_t n)
{
	const uint8_t *p = b->p;

	if (n > (uint64_t)(b->end - b->p)) {
		b->bad = true;
		return NULL;
	}
	b->p += n;
	return p;
}

static uint16_t u16(struct body *b)
{
	const uint8_t *p = bytes(b, 2);

	return p ? load16(p, b->c->swap) : 0;
}

static uint32_t u32(struct body *b)
{
	const uint8_t *p = bytes(b, 4);

	return p ? load32(p, b->c->swap) : 0;
}

static uint64_t u64(struct body *b)
{
	const uint8_t *p = bytes(b, 8);

	return p ? load64(p, b->c->swap) : 0;
}

/* Text up to its zero; what fills it up to eight bytes is passed over. */
static const char *text(struct body *b)
{
	const uint8_t *zero = memchr(b->p, 0, (size_t)(b->end - b->p));
	const char *s = (const char *)b->p;

	if (!zero) {
		b->bad = true;
		return "";
	}
	b->p = b->end;
	return s;
}

static const uint64_t *array(struct body *b, uint64_t n)
{
	const uint8_t *p =
		n > RECORD_MAX ? bytes(b, UINT64_MAX) : bytes(b, n * 8);

	return p ? numbers(b->c, p, n) : NULL;
}

/* --- one decoder a kind ------------------------------------------------------ */

static void decode_raw(struct body *b, struct pw_event *ev)
{
	(void)b;
	(void)ev;
}

static void decode_mmap(struct body *b, struct pw_event *ev)
{
	struct pw_mmap *m = &ev->mmap;

	m->pid = u32(b);
	m->tid = u32(b);
	m->addr = u64(b);
	m->len = u64(b);
	m->pgoff = u64(b);
	m->filename = text(b);
}

static void decode_build_id(struct body *b, struct pw_mmap *m)
{
	const uint8_t *id;

	m->build_id_size = (uint8_t)(bytes(b, 1) ? b->p[-1] : 0);
	bytes(b, 3);
	id = bytes(b, sizeof(m->build_id));
	if (m->build_id_size > sizeof(m->build_id))
		m->build_id_size = sizeof(m->build_id);
	if (id)
		memcpy(m->build_id, id, sizeof(m->build_id));
}

static void decode_mmap2(struct body *b, struct pw_event *ev)
{
	struct pw_mmap *m = &ev->mmap;

	m->pid = u32(b);
	m->tid = u32(b);
	m->addr = u64(b);
	m->len = u64(b);
	m->pgoff = u64(b);
	if (ev->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		decode_build_id(b, m);
	} else {
		m->maj = u32(b);
		m->min = u32(b);
		m->ino = u64(b);
		m->ino_generation = u64(b);
	}
	m->prot = u32(b);
	m->flags = u32(b);
	m->filename = text(b);
}

static void decode_lost(struct body *b, struct pw_event *ev)
{
	ev->lost.id = u64(b);
	ev->lost.lost = u64(b);
}

static void decode_lost_samples(struct body *b, struct pw_event *ev)
{
	ev->lost.lost = u64(b);
}

static void decode_comm(struct body *b, struct pw_event *ev)
{
	ev->comm.pid = u32(b);
	ev->comm.tid = u32(b);
	ev->comm.comm = text(b);
	ev->comm.is_exec = ev->misc & PERF_RECORD_MISC_COMM_EXEC;
}

static void decode_task(struct body *b, struct pw_event *ev)
{
	ev->task.pid = u32(b);
	ev->task.ppid = u32(b);
	ev->task.tid = u32(b);
	ev->task.ptid = u32(b);
	ev->task.time_ns = u64(b);
}

static void decode_throttle(struct body *b, struct pw_event *ev)
{
	ev->throttle.time_ns = u64(b);
	ev->throttle.id = u64(b);
	ev->throttle.stream_id = u64(b);
}

static void decode_read(struct body *b, struct pw_event *ev)
{
	int64_t n;

	ev->read.pid = u32(b);
	ev->read.tid = u32(b);
	if (!b->a || b->bad)
		return;
	n = read_decode(b->c, b->a, b->p, (size_t)(b->end - b->p),
			&ev->read.read);
	b->bad = n < 0;
}

static void decode_sample(struct body *b, struct pw_event *ev)
{
	if (b->a)
		b->bad = !sample_decode(b->c, b->a, b->p,
					(size_t)(b->end - b->p), ev);
}

static void decode_aux(struct body *b, struct pw_event *ev)
{
	ev->aux.off = u64(b);
	ev->aux.size = u64(b);
	ev->aux.flags = u64(b);
}

static void decode_itrace_start(struct body *b, struct pw_event *ev)
{
	ev->itrace_start.pid = u32(b);
	ev->itrace_start.tid = u32(b);
}

static void decode_switch(struct body *b, struct pw_event *ev)
{
	(void)b;
	ev->swtch.is_out = ev->misc & PERF_RECORD_MISC_SWITCH_OUT;
	ev->swtch.is_preempt = ev->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	ev->swtch.next_prev_pid = ev->swtch.next_prev_tid = PW_NO_PID;
}

static void decode_switch_cpu_wide(struct body *b, struct pw_event *ev)
{
	decode_switch(b, ev);
	ev->swtch.next_prev_pid = u32(b);
	ev->swtch.next_prev_tid = u32(b);
}

static void decode_namespaces(struct body *b, struct pw_event *ev)
{
	ev->namespaces.pid = u32(b);
	ev->namespaces.tid = u32(b);
	ev->namespaces.n = u64(b);
	if (ev->namespaces.n > RECORD_MAX)
		b->bad = true;
	else
		ev->namespaces.links = (const struct pw_namespace *)
			array(b, 2 * ev->namespaces.n);
}

static void decode_ksymbol(struct body *b, struct pw_event *ev)
{
	ev->ksymbol.addr = u64(b);
	ev->ksymbol.len = u32(b);
	ev->ksymbol.ksym_type = u16(b);
	ev->ksymbol.flags = u16(b);
	ev->ksymbol.name = text(b);
}

static void decode_bpf_event(struct body *b, struct pw_event *ev)
{
	ev->bpf.bpf_type = u16(b);
	ev->bpf.flags = u16(b);
	ev->bpf.id = u32(b);
	ev->bpf.tag = bytes(b, 8);
}

static void decode_cgroup(struct body *b, struct pw_event *ev)
{
	ev->cgroup.id = u64(b);
	ev->cgroup.path = text(b);
}

static void decode_text_poke(struct body *b, struct pw_event *ev)
{
	ev->text_poke.addr = u64(b);
	ev->text_poke.old_len = u16(b);
	ev->text_poke.new_len = u16(b);
	ev->text_poke.old_bytes = bytes(b, ev->text_poke.old_len);
	ev->text_poke.new_bytes = bytes(b, ev->text_poke.new_len);
}

static void decode_aux_output_hw_id(struct body *b, struct pw_event *ev)
{
	ev->aux_output_hw_id.hw_id = u64(b);
}

static void decode_callchain_deferred(struct body *b, struct pw_event *ev)
{
	ev->deferred.cookie = u64(b);
	ev->deferred.n = u64(b);
	ev->deferred.ips = array(b, ev->deferred.n);
}

/* An array with its length in front; the items are 64-bit numbers. */
static const void *items(struct body *b, uint64_t *n, unsigned int words)
{
	*n = u64(b);
	if (*n > RECORD_MAX) {
		b->bad = true;
		return NULL;
	}
	return array(b, *n * words);
}

static void decode_id_index(struct body *b, struct pw_event *ev)
{
	ev->id_index.entries = items(b, &ev->id_index.n, 4);
}

static void decode_stat_config(struct body *b, struct pw_event *ev)
{
	ev->stat_config.settings = items(b, &ev->stat_config.n, 2);
}

static void decode_thread_map(struct body *b, struct pw_event *ev)
{
	uint64_t n = u64(b), i;
	struct pw_thread_entry *e;

	if (n > (uint64_t)(b->end - b->p) / sizeof(*e)) {
		b->bad = true;
		return;
	}
	e = scratch_take(b->c, n * sizeof(*e));
	for (i = 0; i < n; i++) {
		e[i].pid = u64(b);
		memcpy(e[i].comm, bytes(b, sizeof(e->comm)), sizeof(e->comm));
		e[i].comm[sizeof(e->comm) - 1] = 0;
	}
	ev->thread_map.n = n;
	ev->thread_map.entries = e;
}

static void decode_event_update(struct body *b, struct pw_event *ev)
{
	uint64_t bits;

	ev->event_update.kind = u64(b);
	ev->event_update.id = u64(b);
	if (ev->event_update.kind == 0 || ev->event_update.kind == 2) {
		ev->event_update.text = text(b);
	} else if (ev->event_update.kind == 1) {
		bits = u64(b);
		memcpy(&ev->event_update.scale, &bits, sizeof(bits));
	}
}

static void decode_auxtrace(struct body *b, struct pw_event *ev)
{
	ev->auxtrace.size = u64(b);
	ev->auxtrace.offset = u64(b);
	ev->auxtrace.reference = u64(b);
	ev->auxtrace.idx = u32(b);
	ev->auxtrace.tid = u32(b);
	ev->auxtrace.cpu = u32(b);
}

static void decode_auxtrace_error(struct body *b, struct pw_event *ev)
{
	ev->auxtrace_error.error_type = u32(b);
	ev->auxtrace_error.code = u32(b);
	ev->auxtrace_error.cpu = u32(b);
	ev->auxtrace_error.pid = u32(b);
	ev->auxtrace_error.tid = u32(b);
	u32(b);
	ev->auxtrace_error.ip = u64(b);
}

static void decode_stat(struct body *b, struct pw_event *ev)
{
	ev->stat.id = u64(b);
	ev->stat.cpu = u32(b);
	ev->stat.thread = u32(b);
	ev->stat.value = u64(b);
	ev->stat.enabled = u64(b);
	ev->stat.running = u64(b);
}

static void decode_stat_round(struct body *b, struct pw_event *ev)
{
	ev->stat_round.round_type = u64(b);
	ev->stat_round.time_ns = u64(b);
}

/* The last three came with Linux 5.8's perf. */
static void decode_time_conv(struct body *b, struct pw_event *ev)
{
	const uint8_t *caps;

	ev->time_conv.shift = u64(b);
	ev->time_conv.mult = u64(b);
	ev->time_conv.zero = u64(b);
	if (b->p == b->end)
		return;
	ev->time_conv.cycles = u64(b);
	ev->time_conv.mask = u64(b);
	caps = bytes(b, 2);
	if (caps) {
		ev->time_conv.cap_zero = caps[0];
		ev->time_conv.cap_short = caps[1];
	}
}

/* --- the table --------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*decode)(struct body *b, struct pw_event *ev);
} kinds[PW_N_RECORDS] = {
#define PW_RECORD(id, number, decoder) [number] = { #id, decode_##decoder },
#include <perfwasm/records.def>
#undef PW_RECORD
};

const char *pw_record_name(unsigned int type)
{
	return type < PW_N_RECORDS ? kinds[type].name : NULL;
}

#define FIRST_OF_PERF 64u /* record types from here on are perf's own */

/* The event a kernel record belongs to; NULL when none has its id. */
static struct attr *attr_of(const struct pw_capture *c, const uint8_t *rec,
			    uint32_t type, uint32_t size)
{
	const struct layout *at;
	const uint8_t *p;

	if (c->n_attrs <= 1)
		return c->n_attrs ? c->attrs[0] : NULL;
	at = &c->attrs[0]->at;
	p = rec + HEADER_BYTES;
	if (type == PW_REC_SAMPLE) {
		if (at->sample_id < 0 ||
		    HEADER_BYTES + (uint32_t)at->sample_id + 8 > size)
			return c->attrs[0];
		return attr_by_id(c, load64(p + at->sample_id, c->swap));
	}
	if (at->tail_id < 0 || HEADER_BYTES + (uint32_t)at->tail_id > size)
		return c->attrs[0];
	return attr_by_id(c, load64(rec + size - at->tail_id, c->swap));
}

uint64_t record_time(const struct pw_capture *c, const uint8_t *rec,
		     uint32_t type, uint32_t size)
{
	const struct attr *a;
	const struct layout *at;

	if (type >= FIRST_OF_PERF || !c->n_attrs)
		return PW_NO_TIME;
	a = c->uniform ? c->attrs[0] : attr_of(c, rec, type, size);
	if (!a)
		return PW_NO_TIME;
	at = &a->at;
	if (type == PW_REC_SAMPLE) {
		if (at->sample_time < 0 ||
		    HEADER_BYTES + (uint32_t)at->sample_time + 8 > size)
			return PW_NO_TIME;
		return load64(rec + HEADER_BYTES + at->sample_time, c->swap);
	}
	if (at->tail_time < 0 || HEADER_BYTES + (uint32_t)at->tail_time > size)
		return PW_NO_TIME;
	return load64(rec + size - at->tail_time, c->swap);
}

/* Takes the tail off the body. */
static void decode_tail(struct body *b, struct pw_event *ev)
{
	const struct pw_attr *a = &b->a->pub;
	struct body t = *b;

	if (b->a->at.tail_bytes > b->end - b->p) {
		b->bad = true;
		return;
	}
	b->end -= b->a->at.tail_bytes;
	if (!b->a->at.tail_bytes)
		return;
	t.p = b->end;
	if (a->sample_type & PERF_SAMPLE_TID) {
		ev->pid = u32(&t);
		ev->tid = u32(&t);
	}
	if (a->sample_type & PERF_SAMPLE_TIME)
		ev->time_ns = u64(&t);
	if (a->sample_type & PERF_SAMPLE_ID)
		ev->id = u64(&t);
	if (a->sample_type & PERF_SAMPLE_STREAM_ID)
		ev->stream_id = u64(&t);
	if (a->sample_type & PERF_SAMPLE_CPU) {
		ev->cpu = u32(&t);
		u32(&t);
	}
	if (a->sample_type & PERF_SAMPLE_IDENTIFIER)
		ev->id = u64(&t);
}

/* Of a number that it knows gcc makes a "rep stos", which for so few bytes takes
 * several times as long as the C library's memset(). */
#define HIDE_VALUE(v) __asm__("" : "+r"(v))

bool record_decode(struct pw_capture *c, const uint8_t *rec,
		   struct pw_event *ev)
{
	uint32_t type = record_type(c, rec);
	uint32_t size = load16(rec + 6, c->swap);
	struct body b = { .c = c, .p = rec + HEADER_BYTES, .end = rec + size };
	size_t n = sizeof(*ev);

	HIDE_VALUE(n);
	memset(ev, 0, n);
	c->scratch_used = 0;
	ev->type = type > UINT16_MAX ? UINT16_MAX : (uint16_t)type;
	ev->misc = b.misc = load16(rec + 4, c->swap);
	ev->off = block_off(rec);
	ev->bytes = b.p;
	ev->n_bytes = size - HEADER_BYTES;
	ev->time_ns = PW_NO_TIME;
	ev->pid = ev->tid = ev->cpu = PW_NO_PID;
	if (type < FIRST_OF_PERF) {
		b.a = attr_of(c, rec, type, size);
		ev->attr = b.a ? &b.a->pub : NULL;
		c->counts.unknown_ids += !b.a;
		if (b.a && type != PW_REC_SAMPLE)
			decode_tail(&b, ev);
	}
	if (!b.bad && type < PW_N_RECORDS && kinds[type].decode)
		kinds[type].decode(&b, ev);
	return !b.bad;
}
