// SPDX-License-Identifier: GPL-2.0-only
/*
 * OpenMetrics text 1.0: a metric family a metric, its instances by the label
 * `of`, a sample a bin with its time. A counter is its growth since the start,
 * so that rate() of it is what was recorded.
 */
#include "metrics-export.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

struct name {
	UT_hash_handle hh;
	char text[];
};

/* --- names and texts ----------------------------------------------------------------- */

static bool add_name(struct name **names, const char *text)
{
	size_t n = strlen(text) + 1;
	struct name *one;

	HASH_FIND_STR(*names, text, one);
	if (one)
		return false;
	one = pw_zalloc(sizeof(*one) + n);
	memcpy(one->text, text, n);
	HASH_ADD_KEYPTR(hh, *names, one->text, n - 1, one);
	return true;
}

static void free_names(struct name **names)
{
	struct name *one, *next;

	HASH_ITER (hh, *names, one, next) {
		HASH_DEL(*names, one);
		free(one);
	}
}

/* Letters, digits and _; "perfwasm_disk_read_bytes". What ends in a word that
 * means something to a reader of the form gets a _ behind it. */
static char *plain_name(const struct pw_metric *p, const char *unit)
{
	static const char *const taken[] = { "_total",  "_count",   "_sum",
					     "_bucket", "_created", "_info",
					     "_gsum",   "_gcount" };
	char *s = pw_asprintf("perfwasm_%s_%s", p->family, p->name), *with;
	size_t n = strlen(s), n_unit = strlen(unit);
	bool has_unit = n > n_unit && s[n - n_unit - 1] == '_' &&
			!strcmp(s + n - n_unit, unit);

	for (char *c = s; *c; c++)
		if (!isascii(*c) || !isalnum(*c))
			*c = '_';
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		size_t k = strlen(taken[i]);

		if (!n_unit && n > k && !strcmp(s + n - k, taken[i]))
			unit = "value";
	}
	with = *unit && !has_unit ? pw_asprintf("%s_%s", s, unit)
				  : pw_strdup(s);
	free(s);
	return with;
}

/* Two metrics may differ in what a name may not have. */
static char *own_name(struct name **names, const struct pw_metric *p,
		      const char *unit)
{
	char *first = plain_name(p, unit), *name = pw_strdup(first);
	size_t n = strlen(first), n_unit = strlen(unit);
	bool has_unit =
		n_unit && n > n_unit && !strcmp(first + n - n_unit, unit);

	for (int i = 2; !add_name(names, name); i++) {
		free(name);
		name = has_unit ? pw_asprintf("%.*s%d_%s", (int)(n - n_unit),
					      first, i, unit)
				: pw_asprintf("%s_%d", first, i);
	}
	free(first);
	return name;
}

static void escaped(FILE *to, const char *s)
{
	char *safe = pw_visible(s);

	for (const char *p = safe; *p; p++) {
		if (*p == '\\' || *p == '"')
			fputc('\\', to);
		fputc(*p, to);
	}
	free(safe);
}

/* --- samples ------------------------------------------------------------------------------- */

static void sample(const struct metrics_writing *w, const char *name,
		   const struct pw_metric *p, double value, uint32_t bin)
{
	if (!isfinite(value))
		return;
	fprintf(w->to, "%s%s", name,
		p->def->kind == PW_METRIC_COUNTER ? "_total" : "");
	if (*p->instance) {
		fputs("{of=\"", w->to);
		escaped(w->to, p->instance);
		fputs("\"}", w->to);
	}
	fprintf(w->to, " %.15g %.3f\n", value, bin_end_s(w, bin));
}

static void instance(const struct metrics_writing *w, const char *name,
		     const struct pw_metric *p, double factor)
{
	uint32_t n = w->span.n_bins;
	bool counter = p->def->kind == PW_METRIC_COUNTER;
	double sum = 0;

	if (!p->bins) {
		sample(w, name, p,
		       counter ? p->total * factor : p->mean * factor,
		       n ? n - 1 : 0);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (isnan(p->bins[i]))
			continue;
		sum = counter ? sum + p->bins[i] : p->bins[i];
		sample(w, name, p, sum * factor, i);
	}
}

static void head(const struct metrics_writing *w, const char *name,
		 const struct pw_metric *p, const char *unit)
{
	const struct pw_metric_def *d = p->def;

	fprintf(w->to, "# TYPE %s %s\n", name,
		d->kind == PW_METRIC_COUNTER ? "counter" : "gauge");
	if (*unit)
		fprintf(w->to, "# UNIT %s %s\n", name, unit);
	fprintf(w->to, "# HELP %s ", name);
	escaped(w->to, d->title ? d->title : p->name);
	if (d->about) {
		fputs(". ", w->to);
		escaped(w->to, d->about);
	}
	fputc('\n', w->to);
}

void metrics_write_openmetrics(const struct metrics_writing *w)
{
	struct name *names = NULL;
	const struct pw_metric *before = NULL;
	char *name = NULL;
	double factor = 1;

	for (uint32_t i = 0; i < pw_metrics_count(w->m); i++) {
		const struct pw_metric *p = pw_metrics_get(w->m, i);

		/* one definition a metric, whatever the instance */
		if (!before || before->def != p->def) {
			const char *unit = base_unit(p->def->unit, &factor);

			free(name);
			name = own_name(&names, p, unit);
			head(w, name, p, unit);
		}
		before = p;
		instance(w, name, p, factor);
	}
	fputs("# EOF\n", w->to);
	free(name);
	free_names(&names);
}
