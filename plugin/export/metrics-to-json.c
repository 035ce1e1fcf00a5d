// SPDX-License-Identifier: GPL-2.0-only
/*
 * JSON: {"format": 1, "span": {...}, "sources": [...], "facts": {GROUP: {KEY:
 * VALUE}}, "metrics": [{"family", "metric", "instance", "kind", "unit", ...,
 * "bins": [...]}]}: numbers in seconds, bytes, ratios or counts, of counters per
 * second, null where nothing is known; "total" is a counter's growth.
 */
#include "metrics-export.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static void dump_exact(FILE *to, json_t *v, size_t digits)
{
	json_dumpf(v, to,
		   JSON_COMPACT | JSON_ENCODE_ANY |
			   JSON_REAL_PRECISION(digits));
	json_decref(v);
}

static void dump(FILE *to, json_t *v)
{
	dump_exact(to, v, 12);
}

/* Bytes of others: no control characters, UTF-8. */
static json_t *text(const char *s)
{
	char *safe;
	json_t *v;

	if (!s)
		return json_null();
	safe = pw_visible(s);
	v = json_string(safe);
	free(safe);
	return v;
}

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *bins(const struct metrics_writing *w, const struct pw_metric *p,
		    double factor)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < w->span.n_bins; i++)
		json_array_append_new(a, number(pw_metrics_bin(w->m, p, i) *
						factor));
	return a;
}

static json_t *figure(const struct metrics_writing *w,
		      const struct pw_metric *p)
{
	static const char *const better[] = { "neither", "less", "more" };
	bool counter = p->def->kind == PW_METRIC_COUNTER;
	double factor, of_total;
	const char *unit = base_unit(p->unit, &factor);
	json_t *o = json_object();
	const struct {
		const char *key;
		double value;
	} numbers[] = { { "mean", p->mean }, { "std", p->std },
			{ "min", p->min },   { "p50", p->p50 },
			{ "p90", p->p90 },   { "p99", p->p99 },
			{ "max", p->max } };

	json_object_set_new(o, "family", text(p->family));
	json_object_set_new(o, "metric", text(p->name));
	json_object_set_new(o, "instance", text(p->instance));
	json_object_set_new(o, "kind",
			    json_string(counter ? "counter" : "level"));
	json_object_set_new(o, "unit", json_string(*unit ? unit : "count"));
	json_object_set_new(o, "per_second", json_boolean(p->per_second));
	json_object_set_new(o, "derived", json_boolean(p->is_derived));
	json_object_set_new(o, "better", json_string(better[p->def->better]));
	json_object_set_new(o, "title", text(p->def->title));
	json_object_set_new(o, "about", text(p->def->about));
	json_object_set_new(o, "readings", json_integer((json_int_t)p->n));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		json_object_set_new(o, numbers[i].key,
				    number(numbers[i].value * factor));
	base_unit(p->def->unit, &of_total);
	if (counter)
		json_object_set_new(o, "total", number(p->total * of_total));
	if (p->bins)
		json_object_set_new(o, "bins", bins(w, p, factor));
	return o;
}

static void sources(const struct metrics_writing *w)
{
	fputs(",\n\"sources\":[", w->to);
	for (uint32_t i = 0; i < pw_metrics_n_sources(w->m); i++) {
		struct pw_metrics_read s = pw_metrics_get_source(w->m, i);
		json_t *o = json_object();

		json_object_set_new(o, "source", text(s.source));
		json_object_set_new(o, "unreadable", text(s.state));
		json_object_set_new(o, "reads",
				    json_integer((json_int_t)s.reads));
		json_object_set_new(o, "cost", number((double)s.cost_ns / 1e9));
		fputs(i ? ",\n" : "\n", w->to);
		dump(w->to, o);
	}
	fputs("]", w->to);
}

static void facts(const struct metrics_writing *w)
{
	json_t *all = json_object(), *group;
	char *safe;

	for (uint32_t i = 0; i < pw_metrics_n_facts(w->m); i++) {
		struct pw_metrics_known f = pw_metrics_get_fact(w->m, i);

		safe = pw_visible(f.group);
		group = json_object_get(all, safe);
		if (!group) {
			group = json_object();
			json_object_set_new(all, safe, group);
		}
		free(safe);
		safe = pw_visible(f.key);
		json_object_set_new(group, safe, text(f.value));
		free(safe);
	}
	fputs(",\n\"facts\":", w->to);
	dump(w->to, all);
}

void metrics_write_json(const struct metrics_writing *w)
{
	uint64_t ns = w->span.to_ns - w->span.from_ns;
	json_t *span = json_object();

	json_object_set_new(span, "seconds", number((double)ns / 1e9));
	json_object_set_new(span, "bin", number((double)w->span.bin_ns / 1e9));
	json_object_set_new(span, "missed",
			    json_integer((json_int_t)w->span.missed));
	json_object_set_new(span, "start",
			    w->epoch_ns ? number((double)(w->epoch_ns +
							  w->span.from_ns) /
						 1e9)
					: json_null());
	fputs("{\"format\":1,\n\"span\":", w->to);
	dump_exact(w->to, span, 16); /* since 1970, to the millisecond */
	sources(w);
	facts(w);
	fputs(",\n\"metrics\":[", w->to);
	for (uint32_t i = 0; i < pw_metrics_count(w->m); i++) {
		fputs(i ? ",\n" : "\n", w->to);
		dump(w->to, figure(w, pw_metrics_get(w->m, i)));
	}
	fputs("]}\n", w->to);
}
