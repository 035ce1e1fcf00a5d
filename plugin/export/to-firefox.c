// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Firefox Profiler's processed profile format, version 60 (newer readers
 * upgrade it): tables as columns, shared by all threads. Tasks are threads,
 * place kinds are categories with tiers below them, and a time off the CPU is
 * a marker with the call chain it has.
 */
#include "export-impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION 60

/* By enum pw_place_kind; the default category has to be grey. */
static const char *const colors[PW_N_PLACE_KINDS] = {
	[PW_PLACE_UNKNOWN] = "grey",       [PW_PLACE_WASM] = "purple",
	[PW_PLACE_TRAMPOLINE] = "magenta", [PW_PLACE_SCRIPT] = "yellow",
	[PW_PLACE_RUNTIME] = "blue",       [PW_PLACE_NATIVE] = "green",
	[PW_PLACE_KERNEL] = "orange",      [PW_PLACE_HYPERVISOR] = "red",
};

struct firefox {
	const struct writing *w;
	FILE *to;
	struct string_set *strings, *files;
	struct frames f;
	uint32_t *name_of, *file_of; /* by frame: string, resource */
	uint32_t *stack_of;          /* by node; NONE */
	uint32_t n_stacks;
};

/* --- columns ------------------------------------------------------------------ */

static void constant(FILE *to, const char *key, const char *value, uint32_t n)
{
	fprintf(to, "\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++)
		fprintf(to, "%s%s", i ? "," : "", value);
	fputs("],", to);
}

static void numbers(FILE *to, const char *key, const uint32_t *v, uint32_t n)
{
	fprintf(to, "\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++)
		fprintf(to, "%s%u", i ? "," : "", v[i]);
	fputs("],", to);
}

static void counting(FILE *to, const char *key, uint32_t n)
{
	fprintf(to, "\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++)
		fprintf(to, "%s%u", i ? "," : "", i);
	fputs("],", to);
}

/* --- shared tables ---------------------------------------------------------------- */

static void init(struct firefox *x)
{
	const struct pw_profile *p = x->w->p;
	uint32_t n_nodes = pw_profile_n_nodes(p);
	struct pw_chain_node node;

	frames_init(&x->f, p);
	x->strings = string_set_new();
	x->files = string_set_new();
	x->name_of = pw_alloc((x->f.n + 1) * sizeof(*x->name_of));
	x->file_of = pw_alloc((x->f.n + 1) * sizeof(*x->file_of));
	for (uint32_t i = 0; i < x->f.n; i++) {
		char *name = frame_name(x->f.syms[i]);

		x->name_of[i] = string_set_add(x->strings, name);
		x->file_of[i] =
			string_set_add(x->files,
				       file_name(frame_file(p, x->f.syms[i])));
		free(name);
	}
	x->stack_of = pw_alloc((n_nodes + 1) * sizeof(*x->stack_of));
	for (uint32_t i = 0; i < n_nodes; i++) {
		pw_profile_node(p, i, &node);
		x->stack_of[i] = i && node.sym ? x->n_stacks++ : NONE;
	}
	for (uint32_t i = 0; i < PW_N_OFF_REASONS; i++)
		string_set_add(x->strings, pw_off_reason_name(i));
}

static void release(struct firefox *x)
{
	frames_release(&x->f);
	string_set_free(x->strings);
	string_set_free(x->files);
	free(x->name_of);
	free(x->file_of);
	free(x->stack_of);
}

static void write_stacks(const struct firefox *x)
{
	const struct pw_profile *p = x->w->p;
	uint32_t n_nodes = pw_profile_n_nodes(p);
	struct pw_chain_node node;
	const char *sep = "";

	fputs("\"stackTable\":{\"frame\":[", x->to);
	for (uint32_t i = 0; i < n_nodes; i++) {
		if (x->stack_of[i] == NONE)
			continue;
		pw_profile_node(p, i, &node);
		fprintf(x->to, "%s%u", sep, x->f.of[node.sym->id]);
		sep = ",";
	}
	fputs("],\"prefix\":[", x->to);
	sep = "";
	for (uint32_t i = 0; i < n_nodes; i++) {
		if (x->stack_of[i] == NONE)
			continue;
		pw_profile_node(p, i, &node);
		if (x->stack_of[node.parent] == NONE)
			fprintf(x->to, "%snull", sep);
		else
			fprintf(x->to, "%s%u", sep, x->stack_of[node.parent]);
		sep = ",";
	}
	fprintf(x->to, "],\"length\":%u},\n", x->n_stacks);
}

static void write_frames(const struct firefox *x)
{
	uint32_t n = x->f.n, *kind = pw_alloc((n + 1) * sizeof(*kind));
	uint32_t *tier = pw_alloc((n + 1) * sizeof(*tier));

	for (uint32_t i = 0; i < n; i++) {
		kind[i] = x->f.syms[i]->kind;
		tier[i] = x->f.syms[i]->tier;
	}
	fputs("\"frameTable\":{", x->to);
	constant(x->to, "address", "-1", n);
	constant(x->to, "inlineDepth", "0", n);
	numbers(x->to, "category", kind, n);
	numbers(x->to, "subcategory", tier, n);
	counting(x->to, "func", n);
	constant(x->to, "nativeSymbol", "null", n);
	constant(x->to, "innerWindowID", "0", n);
	constant(x->to, "line", "null", n);
	constant(x->to, "column", "null", n);
	fprintf(x->to, "\"length\":%u},\n", n);
	free(kind);
	free(tier);
}

static void write_funcs(const struct firefox *x)
{
	uint32_t n = x->f.n;

	fputs("\"funcTable\":{", x->to);
	numbers(x->to, "name", x->name_of, n);
	fputs("\"isJS\":[", x->to);
	for (uint32_t i = 0; i < n; i++)
		fprintf(x->to, "%s%s", i ? "," : "",
			x->f.syms[i]->kind == PW_PLACE_SCRIPT ? "true"
							      : "false");
	fputs("],", x->to);
	constant(x->to, "relevantForJS", "false", n);
	numbers(x->to, "resource", x->file_of, n);
	constant(x->to, "source", "null", n);
	constant(x->to, "lineNumber", "null", n);
	constant(x->to, "columnNumber", "null", n);
	fprintf(x->to, "\"length\":%u},\n", n);
}

/* Files are resources of type library (1). */
static void write_resources(const struct firefox *x)
{
	uint32_t n = string_set_n(x->files);

	fputs("\"resourceTable\":{\"name\":[", x->to);
	for (uint32_t i = 0; i < n; i++)
		fprintf(x->to, "%s%u", i ? "," : "",
			string_set_add(x->strings, string_set_at(x->files, i)));
	fputs("],", x->to);
	constant(x->to, "lib", "null", n);
	constant(x->to, "host", "null", n);
	constant(x->to, "type", "1", n);
	fprintf(x->to, "\"length\":%u},\n", n);
}

static void write_strings(const struct firefox *x)
{
	fputs("\"stringArray\":[", x->to);
	for (uint32_t i = 0; i < string_set_n(x->strings); i++) {
		fputs(i ? ",\n" : "", x->to);
		put_json_string(x->to, string_set_at(x->strings, i));
	}
	fputs("]", x->to);
}

static void write_shared(const struct firefox *x)
{
	fputs("\"shared\":{", x->to);
	write_stacks(x);
	write_frames(x);
	write_funcs(x);
	write_resources(x);
	fputs("\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0},\n",
	      x->to);
	fputs("\"sources\":{\"uuid\":[],\"filename\":[],\"length\":0},\n",
	      x->to);
	write_strings(x);
	fputs("},\n", x->to);
}

/* --- threads ------------------------------------------------------------------------ */

static void write_time(const struct firefox *x, uint64_t time_ns)
{
	put_json_ms(x->to, time_ns - x->w->tl->first_ns);
}

static void write_stack(const struct firefox *x, uint32_t node)
{
	if (x->stack_of[node] == NONE)
		fputs("null", x->to);
	else
		fprintf(x->to, "%u", x->stack_of[node]);
}

/* Of a clock: the time on the CPU that each sample stands for. */
static void write_cpu_deltas(const struct firefox *x, const struct tl_entry *e,
			     uint64_t n)
{
	const char *sep = "";

	if (!event_is_time(pw_profile_event_info(x->w->p, x->w->event)))
		return;
	fputs("\"threadCPUDelta\":[", x->to);
	for (uint64_t i = 0; i < n; i++) {
		if (e[i].event != x->w->event)
			continue;
		fprintf(x->to, "%s%" PRIu64, sep, e[i].period);
		sep = ",";
	}
	fputs("],", x->to);
}

static void write_samples(const struct firefox *x, const struct tl_entry *e,
			  uint64_t n)
{
	const char *sep = "";
	uint64_t n_samples = 0;

	fputs("\"samples\":{\"stack\":[", x->to);
	for (uint64_t i = 0; i < n; i++) {
		if (e[i].event != x->w->event)
			continue;
		fputs(sep, x->to);
		write_stack(x, e[i].node);
		sep = ",";
		n_samples++;
	}
	fputs("],\"time\":[", x->to);
	sep = "";
	for (uint64_t i = 0; i < n; i++) {
		if (e[i].event != x->w->event)
			continue;
		fputs(sep, x->to);
		write_time(x, e[i].time_ns);
		sep = ",";
	}
	fputs("],", x->to);
	write_cpu_deltas(x, e, n);
	fprintf(x->to,
		"\"weight\":null,\"weightType\":\"samples\",\"length\":%" PRIu64
		"},\n",
		n_samples);
}

static void write_marker(const struct firefox *x, const struct tl_entry *e)
{
	fprintf(x->to, "{\"type\":\"OffCpu\",\"reason\":\"%s\"",
		pw_off_reason_name(e->reason));
	if (x->stack_of[e->node] != NONE) {
		fprintf(x->to, ",\"cause\":{\"stack\":%u,\"time\":",
			x->stack_of[e->node]);
		write_time(x, e->time_ns);
		fputc('}', x->to);
	}
	fputc('}', x->to);
}

/* What a column of markers holds of an entry. */
enum marker_column { M_DATA, M_NAME, M_START, M_END, M_PHASE, M_CATEGORY };

static void write_marker_column(const struct firefox *x, const char *key,
				enum marker_column column,
				const struct tl_entry *e, uint64_t n)
{
	uint32_t off = pw_profile_off_cpu(x->w->p);
	const char *sep = "";

	fprintf(x->to, "\"%s\":[", key);
	for (uint64_t i = 0; i < n; i++) {
		if (e[i].event != off)
			continue;
		fputs(sep, x->to);
		sep = ",";
		if (column == M_DATA)
			write_marker(x, &e[i]);
		else if (column == M_NAME)
			fprintf(x->to, "%u",
				string_set_add(x->strings,
					       pw_off_reason_name(
						       e[i].reason)));
		else if (column == M_START)
			write_time(x, e[i].time_ns);
		else if (column == M_END)
			write_time(x, e[i].time_ns + e[i].period);
		else
			fputc(column == M_PHASE ? '1' : '0', x->to);
	}
	fputs("],", x->to);
}

static void write_markers(const struct firefox *x, const struct tl_entry *e,
			  uint64_t n)
{
	uint32_t off = pw_profile_off_cpu(x->w->p);
	uint64_t n_markers = 0;

	for (uint64_t i = 0; i < n; i++)
		n_markers += e[i].event == off;
	fputs("\"markers\":{", x->to);
	write_marker_column(x, "data", M_DATA, e, n);
	write_marker_column(x, "name", M_NAME, e, n);
	write_marker_column(x, "startTime", M_START, e, n);
	write_marker_column(x, "endTime", M_END, e, n);
	write_marker_column(x, "phase", M_PHASE, e, n); /* 1: an interval */
	write_marker_column(x, "category", M_CATEGORY, e, n);
	fprintf(x->to, "\"length\":%" PRIu64 "}", n_markers);
}

static void write_thread(const struct firefox *x, const struct tl_task *t,
			 const struct tl_entry *e)
{
	fputs("{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"showMarkersInTimeline\":true,\"name\":",
	      x->to);
	put_json_string(x->to, t->comm ?: "?");
	fputs(",\"processName\":", x->to);
	put_json_string(x->to, time_line_process(x->w->tl, t));
	fprintf(x->to, ",\"isMainThread\":%s,\"pid\":\"%d\",\"tid\":%d,\n",
		t->pid == t->tid ? "true" : "false", (int)t->pid, (int)t->tid);
	write_samples(x, e, t->n);
	write_markers(x, e, t->n);
	fputc('}', x->to);
}

/* Entries are sorted by task. */
static void write_threads(const struct firefox *x)
{
	const struct time_line *tl = x->w->tl;
	const struct tl_entry *e = tl->entries;

	fputs("\"threads\":[", x->to);
	for (uint32_t i = 0; i < tl->n_tasks; i++) {
		fputs(i ? ",\n" : "", x->to);
		write_thread(x, tl->tasks[i], e);
		e += tl->tasks[i]->n;
	}
	fputs("],\n", x->to);
}

/* --- meta ------------------------------------------------------------------------------ */

static void write_categories(FILE *to)
{
	fputs("\"categories\":[", to);
	for (int k = 0; k < PW_N_PLACE_KINDS; k++) {
		fprintf(to,
			"%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"",
			k ? ",\n" : "", k ? pw_place_kind_name(k) : "Other",
			colors[k]);
		for (int t = PW_TIER_NONE + 1; t < PW_N_TIERS; t++)
			fprintf(to, ",\"%s\"", pw_jit_tier_name(t));
		fputs("]}", to);
	}
	fputs("],\n", to);
}

static uint64_t interval_ns(const struct firefox *x)
{
	const struct pw_profile_event_info *e =
		pw_profile_event_info(x->w->p, x->w->event);

	if (!event_is_time(e) || e->is_off_cpu || !e->total.samples)
		return 1000000;
	return e->total.period / e->total.samples;
}

static void write_meta(const struct firefox *x)
{
	const struct time_line *tl = x->w->tl;
	uint64_t start_ns = tl->n ? x->w->o->epoch_ns + tl->first_ns : 0;

	fprintf(x->to,
		"{\"meta\":{\"version\":30,\"preprocessedProfileVersion\":%d,\"interval\":",
		FORMAT_VERSION);
	put_json_ms(x->to, interval_ns(x));
	fputs(",\"startTime\":", x->to);
	put_json_ms(x->to, x->w->o->epoch_ns ? start_ns : 0);
	fputs(",\"processType\":0,\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,\"symbolicationNotSupported\":true,\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\"importedFrom\":\"perf wasm " PW_VERSION
	      "\",\"product\":",
	      x->to);
	put_json_string(x->to, x->w->o->title ?: "perf wasm");
	fputs(",\n\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},\"extensions\":{\"baseURL\":[],\"id\":[],\"name\":[],\"length\":0},\n",
	      x->to);
	write_categories(x->to);
	fputs("\"markerSchema\":[{\"name\":\"OffCpu\",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\"tooltipLabel\":\"off the CPU: {marker.name}\",\"tableLabel\":\"off the CPU: {marker.data.reason}\",\"chartLabel\":\"{marker.name}\",\"fields\":[{\"key\":\"reason\",\"label\":\"Reason\",\"format\":\"string\"}]}]},\n\"libs\":[],\"pages\":[],\"counters\":[],\n",
	      x->to);
}

void write_firefox(const struct writing *w)
{
	struct firefox x = { .w = w, .to = w->to };

	init(&x);
	write_meta(&x);
	/* threads first: they add strings */
	write_threads(&x);
	write_shared(&x);
	fputs("\"profilerOverhead\":[]}\n", x.to);
	release(&x);
}
