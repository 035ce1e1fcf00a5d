// SPDX-License-Identifier: GPL-2.0-only
/*
 * speedscope's file format: one list of frames, and a sampled profile for
 * each event, its stacks from the outermost frame to the innermost.
 */
#include "export-impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* Tasks stand for frames, too: they are what a stack begins with. */
struct speedscope {
	const struct writing *w;
	struct frames f;
	struct string_set *comms; /* their frames follow the others */
	const struct pw_symbol **syms;
};

static void write_frames(const struct speedscope *s)
{
	FILE *to = s->w->to;
	const char *sep = "";

	fputs("\"shared\":{\"frames\":[", to);
	for (uint32_t i = 0; i < s->f.n; i++, sep = ",\n") {
		char *name = frame_name(s->f.syms[i]);

		fprintf(to, "%s{\"name\":", sep);
		put_json_string(to, name);
		fputs(",\"file\":", to);
		put_json_string(to, frame_file(s->w->p, s->f.syms[i]));
		fputc('}', to);
		free(name);
	}
	for (uint32_t i = 0; i < string_set_n(s->comms); i++, sep = ",\n") {
		fprintf(to, "%s{\"name\":", sep);
		put_json_string(to, string_set_at(s->comms, i));
		fputc('}', to);
	}
	fputs("]}", to);
}

static uint64_t weight_of(struct pw_count c, bool is_time)
{
	return is_time ? c.period : c.samples;
}

static void write_stack(struct speedscope *s, uint32_t node, const char *sep)
{
	const char *comm;
	uint32_t n = frames_of_node(s->w->p, node, s->syms, MAX_FRAMES, &comm);

	fprintf(s->w->to, "%s[%u", sep,
		s->f.n + string_set_add(s->comms, comm ?: "?"));
	while (n)
		fprintf(s->w->to, ",%u", s->f.of[s->syms[--n]->id]);
	fputc(']', s->w->to);
}

static void write_profile(struct speedscope *s, uint32_t event)
{
	const struct pw_profile_event_info *e =
		pw_profile_event_info(s->w->p, event);
	bool is_time = event_is_time(e);
	uint32_t n_nodes = pw_profile_n_nodes(s->w->p);
	FILE *to = s->w->to;
	const char *sep = "";
	uint64_t sum = 0;

	fputs("{\"type\":\"sampled\",\"name\":", to);
	put_json_string(to, e->name);
	fprintf(to, ",\"unit\":\"%s\",\"startValue\":0,\"samples\":[",
		is_time ? "nanoseconds" : "none");
	for (uint32_t i = 1; i < n_nodes; i++) {
		struct pw_count c = pw_profile_node_count(s->w->p, i, event);

		if (!weight_of(c, is_time))
			continue;
		write_stack(s, i, sep);
		sep = ",\n";
	}
	fputs("],\"weights\":[", to);
	sep = "";
	for (uint32_t i = 1; i < n_nodes; i++) {
		struct pw_count c = pw_profile_node_count(s->w->p, i, event);
		uint64_t weight = weight_of(c, is_time);

		if (!weight)
			continue;
		fprintf(to, "%s%" PRIu64, sep, weight);
		sep = ",";
		sum += weight;
	}
	fprintf(to, "],\"endValue\":%" PRIu64 "}", sum);
}

static void add_comms(struct speedscope *s)
{
	struct pw_chain_node n;

	for (uint32_t i = 1; i < pw_profile_n_nodes(s->w->p); i++) {
		pw_profile_node(s->w->p, i, &n);
		if (!n.sym)
			string_set_add(s->comms, n.comm ?: "?");
	}
	string_set_add(s->comms, "?");
}

void write_speedscope(const struct writing *w)
{
	struct speedscope s = { .w = w, .comms = string_set_new() };
	uint32_t active = 0, n = 0;

	frames_init(&s.f, w->p);
	s.syms = pw_alloc(MAX_FRAMES * sizeof(*s.syms));
	add_comms(&s);
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":\"perf-wasm@" PW_VERSION
	      "\",\n\"name\":",
	      w->to);
	put_json_string(w->to, w->o->title ?: "perf wasm");
	fputs(",\n", w->to);
	write_frames(&s);
	fputs(",\n\"profiles\":[", w->to);
	for (uint32_t e = 0; e < pw_profile_n_events(w->p); e++) {
		if (!pw_profile_event_info(w->p, e)->total.samples)
			continue;
		if (e == w->event)
			active = n;
		fputs(n++ ? ",\n" : "", w->to);
		write_profile(&s, e);
	}
	fprintf(w->to, "],\n\"activeProfileIndex\":%u}\n", active);
	free(s.syms);
	frames_release(&s.f);
	string_set_free(s.comms);
}
