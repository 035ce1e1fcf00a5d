// SPDX-License-Identifier: GPL-2.0-only
/*
 * Perfetto's trace format: packets of one sequence. Samples are PerfSample
 * with interned call stacks; a time off the CPU is a slice on the track of
 * its thread. Times are as recorded.
 */
#include "export-impl.h"

#include <stdlib.h>

/* Field numbers of protos/perfetto/trace. */
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_PERF_SAMPLE = 66,
	DEFAULTS_PERF_SAMPLE = 12,
	PERF_DEFAULTS_TIMEBASE = 1,
	TIMEBASE_NAME = 10,
	INTERNED_FUNCTION_NAMES = 5,
	INTERNED_FRAMES,
	INTERNED_CALLSTACKS,
	INTERNED_MAPPING_PATHS = 17,
	INTERNED_MAPPINGS = 19,
	IID = 1, /* of all that is interned */
	STRING_STR = 2,
	FRAME_FUNCTION_NAME_ID = 2,
	FRAME_MAPPING_ID,
	FRAME_KIND = 7,
	CALLSTACK_FRAME_IDS = 2,
	MAPPING_PATH_STRING_IDS = 7,
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD,
	DESCRIPTOR_PARENT_UUID,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID,
	THREAD_NAME = 5,
	EVENT_TYPE = 9,
	EVENT_TRACK_UUID = 11,
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
	SAMPLE_CPU = 1,
	SAMPLE_PID,
	SAMPLE_TID,
	SAMPLE_CALLSTACK_IID,
	SAMPLE_CPU_MODE
};

enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum { SLICE_BEGIN = 1, SLICE_END = 2 };
enum { MODE_KERNEL = 1, MODE_USER = 2 };
enum { KIND_NATIVE = 1, KIND_KERNEL, KIND_JIT = 4, KIND_RUNTIME = 6 };

struct perfetto {
	const struct writing *w;
	struct pw_buf packet, sub, sub2;
	struct frames f;
	const struct pw_symbol **syms;
	bool *used; /* by node: a sample ended there */
};

/* --- packets -------------------------------------------------------------------- */

static void put(struct perfetto *x, unsigned flags)
{
	struct pw_buf head = { 0 };

	proto_varint(&x->packet, PACKET_SEQUENCE_ID, 1);
	proto_varint(&x->packet, PACKET_SEQUENCE_FLAGS, flags);
	pw_buf_add_uleb(&head, TRACE_PACKET << 3 | 2);
	pw_buf_add_uleb(&head, x->packet.len);
	fwrite(head.data, 1, head.len, x->w->to);
	fwrite(x->packet.data, 1, x->packet.len, x->w->to);
	x->packet.len = 0;
	pw_buf_release(&head);
}

/* --- what is interned --------------------------------------------------------------- */

static void intern_string(struct perfetto *x, uint32_t field, uint64_t iid,
			  const char *s)
{
	proto_varint(&x->sub2, IID, iid);
	proto_string(&x->sub2, STRING_STR, s);
	proto_message(&x->sub, field, &x->sub2);
}

static unsigned kind_of(const struct pw_symbol *sym)
{
	switch (sym->kind) {
	case PW_PLACE_WASM:
	case PW_PLACE_TRAMPOLINE:
	case PW_PLACE_SCRIPT:
		return KIND_JIT;
	case PW_PLACE_RUNTIME:
		return KIND_RUNTIME;
	case PW_PLACE_KERNEL:
		return KIND_KERNEL;
	case PW_PLACE_NATIVE:
		return KIND_NATIVE;
	default:
		return 0;
	}
}

static void intern_files(struct perfetto *x, const struct string_set *files)
{
	for (uint32_t i = 0; i < string_set_n(files); i++) {
		intern_string(x, INTERNED_MAPPING_PATHS, i + 1,
			      string_set_at(files, i));
		proto_varint(&x->sub2, IID, i + 1);
		proto_varint(&x->sub2, MAPPING_PATH_STRING_IDS, i + 1);
		proto_message(&x->sub, INTERNED_MAPPINGS, &x->sub2);
	}
}

static void intern_frames(struct perfetto *x)
{
	struct string_set *files = string_set_new();

	for (uint32_t i = 0; i < x->f.n; i++) {
		const struct pw_symbol *sym = x->f.syms[i];
		char *name = frame_name(sym);
		char *file = pw_visible(frame_file(x->w->p, sym));

		intern_string(x, INTERNED_FUNCTION_NAMES, i + 1, name);
		proto_varint(&x->sub2, IID, i + 1);
		proto_varint(&x->sub2, FRAME_FUNCTION_NAME_ID, i + 1);
		proto_varint(&x->sub2, FRAME_MAPPING_ID,
			     string_set_add(files, file) + 1);
		proto_varint(&x->sub2, FRAME_KIND, kind_of(sym));
		proto_message(&x->sub, INTERNED_FRAMES, &x->sub2);
		free(name);
		free(file);
	}
	intern_files(x, files);
	string_set_free(files);
}

/* Outermost first. */
static void intern_callstack(struct perfetto *x, uint32_t node)
{
	const char *comm;
	uint32_t n = frames_of_node(x->w->p, node, x->syms, MAX_FRAMES, &comm);

	if (!n) {
		x->used[node] = false;
		return;
	}
	proto_varint(&x->sub2, IID, node);
	for (uint32_t i = n; i; i--)
		proto_varint(&x->sub2, CALLSTACK_FRAME_IDS,
			     x->f.of[x->syms[i - 1]->id] + 1);
	proto_message(&x->sub, INTERNED_CALLSTACKS, &x->sub2);
}

static void put_interned(struct perfetto *x)
{
	const struct pw_profile_event_info *e =
		pw_profile_event_info(x->w->p, x->w->event);

	intern_frames(x);
	for (uint32_t i = 1; i < pw_profile_n_nodes(x->w->p); i++)
		if (x->used[i])
			intern_callstack(x, i);
	proto_message(&x->packet, PACKET_INTERNED_DATA, &x->sub);
	proto_string(&x->sub, TIMEBASE_NAME, e->name);
	proto_message(&x->sub2, PERF_DEFAULTS_TIMEBASE, &x->sub);
	proto_message(&x->sub, DEFAULTS_PERF_SAMPLE, &x->sub2);
	proto_message(&x->packet, PACKET_DEFAULTS, &x->sub);
	put(x, STATE_CLEARED);
}

/* --- tracks --------------------------------------------------------------------------- */

/* Odd and even, so that they differ. */
static uint64_t thread_uuid(const struct tl_task *t)
{
	return (uint64_t)t->idx * 2 + 1;
}

static uint64_t process_uuid(const struct tl_task *t)
{
	return (uint64_t)t->pid * 2 + 2;
}

/* A process is told once more with each of its threads. */
static void put_tracks(struct perfetto *x, const struct tl_task *t)
{
	char *process = pw_visible(time_line_process(x->w->tl, t));
	char *thread = pw_visible(t->comm ?: "?");

	proto_varint(&x->sub2, PROCESS_PID, t->pid);
	proto_string(&x->sub2, PROCESS_NAME, process);
	proto_varint(&x->sub, DESCRIPTOR_UUID, process_uuid(t));
	proto_message(&x->sub, DESCRIPTOR_PROCESS, &x->sub2);
	proto_message(&x->packet, PACKET_TRACK_DESCRIPTOR, &x->sub);
	put(x, NEEDS_STATE);
	proto_varint(&x->sub2, THREAD_PID, t->pid);
	proto_varint(&x->sub2, THREAD_TID, t->tid);
	proto_string(&x->sub2, THREAD_NAME, thread);
	proto_varint(&x->sub, DESCRIPTOR_UUID, thread_uuid(t));
	proto_varint(&x->sub, DESCRIPTOR_PARENT_UUID, process_uuid(t));
	proto_message(&x->sub, DESCRIPTOR_THREAD, &x->sub2);
	proto_message(&x->packet, PACKET_TRACK_DESCRIPTOR, &x->sub);
	put(x, NEEDS_STATE);
	free(process);
	free(thread);
}

/* --- what happened ------------------------------------------------------------------------ */

static void put_edge(struct perfetto *x, const struct tl_task *t,
		     uint64_t time_ns, unsigned type, const char *reason)
{
	proto_varint(&x->sub, EVENT_TYPE, type);
	proto_varint(&x->sub, EVENT_TRACK_UUID, thread_uuid(t));
	if (reason) {
		proto_string(&x->sub, EVENT_CATEGORIES, "off-cpu");
		proto_string(&x->sub, EVENT_NAME, reason);
	}
	proto_varint(&x->packet, PACKET_TIMESTAMP, time_ns);
	proto_message(&x->packet, PACKET_TRACK_EVENT, &x->sub);
	put(x, NEEDS_STATE);
}

static void put_sample(struct perfetto *x, const struct tl_task *t,
		       const struct tl_entry *e)
{
	struct pw_chain_node node;
	bool kernel;

	pw_profile_node(x->w->p, e->node, &node);
	kernel = node.sym && node.sym->kind == PW_PLACE_KERNEL;
	if (e->cpu != UINT16_MAX)
		proto_varint(&x->sub, SAMPLE_CPU, e->cpu);
	proto_varint(&x->sub, SAMPLE_PID, t->pid);
	proto_varint(&x->sub, SAMPLE_TID, t->tid);
	if (x->used[e->node])
		proto_varint(&x->sub, SAMPLE_CALLSTACK_IID, e->node);
	proto_varint(&x->sub, SAMPLE_CPU_MODE,
		     kernel ? MODE_KERNEL : MODE_USER);
	proto_varint(&x->packet, PACKET_TIMESTAMP, e->time_ns);
	proto_message(&x->packet, PACKET_PERF_SAMPLE, &x->sub);
	put(x, NEEDS_STATE);
}

static void put_entry(struct perfetto *x, const struct tl_entry *e)
{
	const struct tl_task *t = x->w->tl->tasks[e->task];

	if (e->event == pw_profile_off_cpu(x->w->p)) {
		put_edge(x, t, e->time_ns, SLICE_BEGIN,
			 pw_off_reason_name(e->reason));
		put_edge(x, t, e->time_ns + e->period, SLICE_END, NULL);
	} else if (e->event == x->w->event) {
		put_sample(x, t, e);
	}
}

void write_perfetto(const struct writing *w)
{
	struct perfetto x = { .w = w };
	const struct time_line *tl = w->tl;

	frames_init(&x.f, w->p);
	x.syms = pw_alloc(MAX_FRAMES * sizeof(*x.syms));
	x.used = pw_zalloc(pw_profile_n_nodes(w->p) + 1);
	for (uint64_t i = 0; i < tl->n; i++)
		x.used[tl->entries[i].node] = true;
	put_interned(&x);
	for (uint32_t i = 0; i < tl->n_tasks; i++)
		put_tracks(&x, tl->tasks[i]);
	for (uint64_t i = 0; i < tl->n; i++)
		put_entry(&x, &tl->entries[i]);
	frames_release(&x.f);
	free(x.syms);
	free(x.used);
	pw_buf_release(&x.packet);
	pw_buf_release(&x.sub);
	pw_buf_release(&x.sub2);
}
