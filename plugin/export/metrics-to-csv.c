// SPDX-License-Identifier: GPL-2.0-only
/*
 * CSV (RFC 4180), a line a value: time at its end in seconds, which figure,
 * rate or level, unit. What a figure is stands in its first line.
 */
#include "metrics-export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void field(FILE *to, const char *s)
{
	char *safe;

	if (!s || !*s)
		return;
	safe = pw_visible(s);
	if (!strpbrk(safe, ",\"")) {
		fputs(safe, to);
		free(safe);
		return;
	}
	fputc('"', to);
	for (const char *p = safe; *p; p++) {
		if (*p == '"')
			fputc('"', to);
		fputc(*p, to);
	}
	fputc('"', to);
	free(safe);
}

static void names(const struct metrics_writing *w, const struct pw_metric *p)
{
	field(w->to, p->family);
	fputc(',', w->to);
	field(w->to, p->name);
	fputc(',', w->to);
	field(w->to, p->instance);
}

static void line(const struct metrics_writing *w, const struct pw_metric *p,
		 uint32_t bin, double x, bool first)
{
	double factor;
	const char *unit = base_unit(p->unit, &factor);

	if (isnan(x))
		return;
	fprintf(w->to, "%.17g,", bin_end_s(w, bin));
	names(w, p);
	fprintf(w->to, ",%s,%.12g,%s%s,",
		p->def->kind == PW_METRIC_COUNTER ? "rate" : "level",
		x * factor, *unit ? unit : "count", p->per_second ? "/s" : "");
	if (first) {
		field(w->to, p->def->title);
		fputc(',', w->to);
		field(w->to, p->def->about);
	} else {
		fputc(',', w->to);
	}
	fputs("\r\n", w->to);
}

/* A figure that never changed has one line, at the end. */
static void figure(const struct metrics_writing *w, const struct pw_metric *p)
{
	uint32_t n = w->span.n_bins;
	bool first = true;

	if (!p->bins) {
		line(w, p, n ? n - 1 : 0, p->mean, true);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		double x = pw_metrics_bin(w->m, p, i);

		line(w, p, i, x, first);
		first = first && isnan(x);
	}
}

void metrics_write_csv(const struct metrics_writing *w)
{
	fputs("time,family,metric,instance,kind,value,unit,title,about\r\n",
	      w->to);
	for (uint32_t i = 0; i < pw_metrics_count(w->m); i++)
		figure(w, pw_metrics_get(w->m, i));
}
