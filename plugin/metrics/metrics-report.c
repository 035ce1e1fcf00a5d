// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report: which figures are shown, in which sections (families.def), and
 * what was recorded. Tables, charts and facts are other files'.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "metrics-report.h"

enum { WHOLE, NAME };

struct place {
	const char *family, *tab, *title;
	int key;
	const char *note;
};

static const struct place places[] = {
#define PW_FAMILY(f, t, title, key, note) { f, t, title, key, note },
#include "families.def"
#undef PW_FAMILY
};

#define N_PLACES (sizeof(places) / sizeof(*places))

/* --- names ------------------------------------------------------------------------- */

bool one_fits(const char *patterns, const char *s)
{
	char one[64];

	for (;;) {
		size_t n = strcspn(patterns, "|");

		if (n < sizeof(one)) {
			memcpy(one, patterns, n);
			one[n] = 0;
			if (!fnmatch(one, s, 0))
				return true;
		}
		if (!patterns[n])
			return false;
		patterns += n + 1;
	}
}

char *key_of(const char *what, const char *name)
{
	char *key = pw_asprintf("%s_%s", what, name);

	for (char *p = key; *p; p++)
		if (!isascii(*p) || !isalnum(*p))
			*p = '_';
	return key;
}

static const struct place *place_of(const char *family)
{
	size_t i = 0;

	while (i + 1 < N_PLACES && fnmatch(places[i].family, family, 0))
		i++;
	return &places[i];
}

/* --- which ------------------------------------------------------------------------------ */

/* Who asked for some figures has them alone. */
static bool is_chosen(const struct pw_metrics_view *v)
{
	return v->families || v->metrics;
}

static bool any_fits(const char *const *patterns, const char *s)
{
	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, s, 0))
			return true;
	return false;
}

static bool is_wanted(const struct report_view *v, const struct pw_metric *p)
{
	char full[256];

	if (v->v->families && !any_fits(v->v->families, p->family))
		return false;
	if (!v->v->metrics)
		return true;
	snprintf(full, sizeof(full), "%s.%s", p->family, p->name);
	return any_fits(v->v->metrics, p->name) ||
	       any_fits(v->v->metrics, full);
}

static struct family_rows rows_of(const struct report_view *v, uint32_t family)
{
	struct family_rows f = { .family =
					 pw_metrics_get_family(v->m, family) };
	const struct place *place = place_of(f.family.name);
	uint32_t n = pw_metrics_count(v->m);

	f.title = place->title ? place->title : f.family.name;
	f.has_name = place->key == NAME;
	f.rows = pw_alloc((n + 1) * sizeof(*f.rows));
	for (uint32_t i = 0; i < n; i++) {
		const struct pw_metric *p = pw_metrics_get(v->m, i);

		/* names of families are one string each */
		if (p->family != f.family.name || !is_wanted(v, p))
			continue;
		f.rows[f.n++] = p;
		f.n_changed += !p->is_constant;
		f.has_instances |= *p->instance != 0;
	}
	return f;
}

/* --- sections -------------------------------------------------------------------------------- */

static void show_family(struct report_view *v, const struct place *place,
			uint32_t family)
{
	struct family_rows f = rows_of(v, family);
	struct pw_node *section;
	char *key;

	v->n_shown += f.n;
	v->n_changed += f.n_changed;
	if (v->all ? f.n : f.n_changed) {
		key = key_of("metrics", f.family.name);
		section = pw_section(pw_report_root(v->r), key, f.title);
		pw_page_tab(section, place->tab);
		if (!v->v->whole)
			show_charts(v, &f, section);
		if (!v->all && show_processes(v, &f, section)) {
			section = pw_section(section, "all", "All figures");
			pw_page_only(section);
		}
		show_figures(v, &f, section);
		if (place->note)
			pw_note(section, "about", "%s", place->note);
		free(key);
	}
	free(f.rows);
}

static void show_families(struct report_view *v)
{
	uint32_t n = pw_metrics_n_families(v->m);

	for (size_t k = 0; k < N_PLACES; k++)
		for (uint32_t i = 0; i < n; i++) {
			struct pw_metrics_family f =
				pw_metrics_get_family(v->m, i);

			if (place_of(f.name) == &places[k])
				show_family(v, &places[k], i);
		}
}

/* --- overview ---------------------------------------------------------------------------------- */

/* What was asked for; of a recorder that does not say it, what came. */
static uint64_t interval_ns(const struct pw_metrics *m)
{
	const char *told = pw_metrics_find_fact(m, "recorder", "interval ns");
	uint64_t least = told ? strtoull(told, NULL, 10) : 0;

	if (least)
		return least;
	for (uint32_t i = 0; i < pw_metrics_n_families(m); i++) {
		struct pw_metrics_family f = pw_metrics_get_family(m, i);
		uint64_t each;

		if (f.n_readings < 2)
			continue;
		each = (f.to_ns - f.from_ns) / (f.n_readings - 1);
		if (!least || each < least)
			least = each;
	}
	return least;
}

/* The sources from the i-th on that are in its state; none when one before it
 * is. */
static void add_unread(const struct pw_metrics *m, uint32_t i, struct pw_buf *b)
{
	const char *state = pw_metrics_get_source(m, i).state;
	size_t before = b->len;

	for (uint32_t k = 0; k < pw_metrics_n_sources(m); k++) {
		struct pw_metrics_read s = pw_metrics_get_source(m, k);

		if (!state || !s.state || strcmp(s.state, state))
			continue;
		if (k < i)
			return;
		pw_buf_printf(b, "%s%s", !b->len ? "" : ", ", s.source);
	}
	if (b->len > before)
		pw_buf_printf(b, " (%s)", state);
}

static void note_unread(const struct report_view *v, struct pw_node *n)
{
	struct pw_buf b = { 0 };

	for (uint32_t i = 0; i < pw_metrics_n_sources(v->m); i++)
		add_unread(v->m, i, &b);
	if (b.len)
		pw_note(n, "unread", "Not readable here: %s.", pw_buf_str(&b));
	pw_buf_release(&b);
}

static void note_quality(const struct report_view *v, struct pw_node *n)
{
	uint64_t folded = 0;

	if (v->span.missed)
		pw_note(n, "missed",
			"%" PRIu64
			" ticks were missed: what changed then is in the next reading, and peaks in between are flatter than they were. A longer interval, or a less busy machine, misses none.",
			v->span.missed);
	for (uint32_t i = 0; i < pw_metrics_n_families(v->m); i++)
		folded += pw_metrics_get_family(v->m, i).n_folded;
	if (folded)
		pw_note(n, "folded",
			"%" PRIu64
			" processes and the like that ended and did little are summed up as [gone].",
			folded);
}

static struct pw_node *show_overview(const struct report_view *v)
{
	struct pw_node *n =
		pw_section(pw_report_root(v->r), "system", "System");
	uint64_t each = interval_ns(v->m);

	pw_page_tab(n, "Overview");
	pw_fact_int(n, "duration", "Time",
		    (int64_t)(v->span.to_ns - v->span.from_ns), PW_UNIT_NS);
	if (each)
		pw_fact_int(n, "interval", "Interval", (int64_t)each,
			    PW_UNIT_NS);
	return n;
}

/* What the CPUs did, beside the rest of it. */
static void show_cpus(const struct report_view *v, struct pw_node *n)
{
	for (uint32_t i = 0; i < pw_metrics_n_families(v->m); i++) {
		struct family_rows f;

		if (strcmp(pw_metrics_get_family(v->m, i).name, "cpu"))
			continue;
		f = rows_of(v, i);
		show_first_chart(v, &f, n);
		free(f.rows);
	}
}

bool pw_metrics_report(const struct pw_metrics *m,
		       const struct pw_metrics_view *opts, struct pw_report *r)
{
	static const struct pw_metrics_view all = { 0 };
	struct report_view v = { .m = m, .v = opts ? opts : &all, .r = r };
	struct pw_node *overview;

	v.span = pw_metrics_get_span(m);
	v.all = v.v->whole || is_chosen(v.v);
	overview = show_overview(&v);
	show_families(&v);
	pw_fact_int(overview, "figures", "Figures", v.n_shown, PW_UNIT_COUNT);
	pw_fact_int(overview, "changed", "that changed", v.n_changed,
		    PW_UNIT_COUNT);
	note_quality(&v, overview);
	if (is_chosen(v.v))
		return v.n_shown;
	note_unread(&v, overview);
	if (!v.v->whole) {
		show_glance(&v, overview);
		show_cpus(&v, overview);
	}
	if (!v.all)
		show_still(&v);
	show_sources(&v);
	if (v.v->whole)
		pw_metrics_compared(m, r);
	else
		show_facts(&v);
	return v.n_shown;
}
