// SPDX-License-Identifier: GPL-2.0-only
/*
 * pprof's profile.proto: a sample for each call chain with two values for each
 * event (how many samples, how much of what is counted), innermost frame
 * first; the task is a label. Not compressed: pprof takes both.
 */
#include "export-impl.h"

#include <stdlib.h>

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING_TABLE,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
	VALUE_TYPE = 1,
	VALUE_UNIT,
	SAMPLE_LOCATION_ID = 1,
	SAMPLE_VALUE,
	SAMPLE_LABEL,
	LABEL_KEY = 1,
	LABEL_STR,
	MAPPING_ID = 1,
	MAPPING_FILENAME = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	LOCATION_ID = 1,
	LOCATION_MAPPING_ID,
	LOCATION_LINE = 4,
	LINE_FUNCTION_ID = 1,
	FUNCTION_ID = 1,
	FUNCTION_NAME,
	FUNCTION_SYSTEM_NAME,
	FUNCTION_FILENAME
};

struct pprof {
	const struct writing *w;
	struct pw_buf out, sub, sub2;
	struct string_set *strings, *files;
	struct frames f;
	const struct pw_symbol **syms;
	uint64_t *ids, *values;
	uint32_t *events, n_events; /* those that count something */
};

static uint32_t str(struct pprof *x, const char *s)
{
	return string_set_add(x->strings, s);
}

static void add_type(struct pprof *x, const char *type, const char *unit)
{
	proto_varint(&x->sub, VALUE_TYPE, str(x, type));
	proto_varint(&x->sub, VALUE_UNIT, str(x, unit));
	proto_message(&x->out, PROFILE_SAMPLE_TYPE, &x->sub);
}

static void add_types(struct pprof *x)
{
	for (uint32_t i = 0; i < x->n_events; i++) {
		const struct pw_profile_event_info *e =
			pw_profile_event_info(x->w->p, x->events[i]);
		char *name = pw_visible(e->name);
		char *n = pw_asprintf("%s.%s", name,
				      e->is_off_cpu ? "switches" : "samples");

		add_type(x, n, "count");
		add_type(x, name, event_is_time(e) ? "nanoseconds" : "count");
		if (x->events[i] == x->w->event)
			proto_varint(&x->out, PROFILE_DEFAULT_SAMPLE_TYPE,
				     str(x, name));
		free(n);
		free(name);
	}
}

/* False when nothing ended in the node. */
static bool take_values(struct pprof *x, uint32_t node)
{
	bool any = false;

	for (uint32_t i = 0; i < x->n_events; i++) {
		struct pw_count c =
			pw_profile_node_count(x->w->p, node, x->events[i]);

		x->values[2 * i] = c.samples;
		x->values[2 * i + 1] = c.period;
		any |= c.samples || c.period;
	}
	return any;
}

static void add_sample(struct pprof *x, uint32_t node)
{
	const char *comm;
	uint32_t n = frames_of_node(x->w->p, node, x->syms, MAX_FRAMES, &comm);
	char *safe = pw_visible(comm ?: "?");

	for (uint32_t i = 0; i < n; i++)
		x->ids[i] = x->f.of[x->syms[i]->id] + 1;
	proto_packed(&x->sub, SAMPLE_LOCATION_ID, x->ids, n);
	proto_packed(&x->sub, SAMPLE_VALUE, x->values, 2 * x->n_events);
	proto_varint(&x->sub2, LABEL_KEY, str(x, "task"));
	proto_varint(&x->sub2, LABEL_STR, str(x, safe));
	proto_message(&x->sub, SAMPLE_LABEL, &x->sub2);
	proto_message(&x->out, PROFILE_SAMPLE, &x->sub);
	free(safe);
}

/* A location and a function for each frame, a mapping for each file. */
static void add_frame(struct pprof *x, uint32_t i)
{
	const struct pw_symbol *sym = x->f.syms[i];
	char *name = frame_name(sym);
	char *raw = pw_visible(sym->raw_name ?: sym->name);
	char *file = pw_visible(frame_file(x->w->p, sym));
	uint32_t mapping = string_set_add(x->files, file) + 1;

	proto_varint(&x->sub, LOCATION_ID, i + 1);
	proto_varint(&x->sub, LOCATION_MAPPING_ID, mapping);
	proto_varint(&x->sub2, LINE_FUNCTION_ID, i + 1);
	proto_message(&x->sub, LOCATION_LINE, &x->sub2);
	proto_message(&x->out, PROFILE_LOCATION, &x->sub);
	proto_varint(&x->sub, FUNCTION_ID, i + 1);
	proto_varint(&x->sub, FUNCTION_NAME, str(x, name));
	proto_varint(&x->sub, FUNCTION_SYSTEM_NAME, str(x, raw));
	proto_varint(&x->sub, FUNCTION_FILENAME, str(x, file));
	proto_message(&x->out, PROFILE_FUNCTION, &x->sub);
	free(name);
	free(raw);
	free(file);
}

static void add_mappings(struct pprof *x)
{
	for (uint32_t i = 0; i < string_set_n(x->files); i++) {
		proto_varint(&x->sub, MAPPING_ID, i + 1);
		proto_varint(&x->sub, MAPPING_FILENAME,
			     str(x, string_set_at(x->files, i)));
		proto_varint(&x->sub, MAPPING_HAS_FUNCTIONS, 1);
		proto_message(&x->out, PROFILE_MAPPING, &x->sub);
	}
}

static void add_times(struct pprof *x)
{
	uint64_t first = PW_NO_TIME, last = 0;
	struct pw_task t;

	for (uint32_t i = 0; i < pw_profile_n_tasks(x->w->p); i++) {
		pw_profile_task(x->w->p, i, &t);
		first = t.first_ns < first ? t.first_ns : first;
		last = t.last_ns != PW_NO_TIME && t.last_ns > last ? t.last_ns
								   : last;
	}
	if (first == PW_NO_TIME || last < first)
		return;
	if (x->w->o->epoch_ns)
		proto_varint(&x->out, PROFILE_TIME_NANOS,
			     x->w->o->epoch_ns + first);
	proto_varint(&x->out, PROFILE_DURATION_NANOS, last - first);
}

static void init(struct pprof *x)
{
	uint32_t n = pw_profile_n_events(x->w->p);

	x->strings = string_set_new();
	x->files = string_set_new();
	str(x, ""); /* string 0 must be empty */
	frames_init(&x->f, x->w->p);
	x->syms = pw_alloc(MAX_FRAMES * sizeof(*x->syms));
	x->ids = pw_alloc(MAX_FRAMES * sizeof(*x->ids));
	x->events = pw_alloc((n + 1) * sizeof(*x->events));
	x->values = pw_alloc((2 * n + 1) * sizeof(*x->values));
	for (uint32_t e = 0; e < n; e++)
		if (pw_profile_event_info(x->w->p, e)->total.samples)
			x->events[x->n_events++] = e;
}

static void release(struct pprof *x)
{
	string_set_free(x->strings);
	string_set_free(x->files);
	frames_release(&x->f);
	free(x->syms);
	free(x->ids);
	free(x->events);
	free(x->values);
	pw_buf_release(&x->out);
	pw_buf_release(&x->sub);
	pw_buf_release(&x->sub2);
}

/* What is made so far goes out, so that it need not be held. */
static void put(struct pprof *x)
{
	fwrite(x->out.data, 1, x->out.len, x->w->to);
	x->out.len = 0;
}

void write_pprof(const struct writing *w)
{
	struct pprof x = { .w = w };

	init(&x);
	add_types(&x);
	for (uint32_t i = 1; i < pw_profile_n_nodes(w->p); i++) {
		if (take_values(&x, i))
			add_sample(&x, i);
		if (x.out.len > 1 << 20)
			put(&x);
	}
	for (uint32_t i = 0; i < x.f.n; i++)
		add_frame(&x, i);
	add_mappings(&x);
	add_times(&x);
	for (uint32_t i = 0; i < string_set_n(x.strings); i++)
		proto_string(&x.out, PROFILE_STRING_TABLE,
			     string_set_at(x.strings, i));
	put(&x);
	release(&x);
}
