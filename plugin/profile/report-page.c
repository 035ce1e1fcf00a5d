// SPDX-License-Identifier: GPL-2.0-only
/*
 * What only the page of a profile has: its flame graph, its time line, its
 * hottest functions as listings; and in which tab each table stands.
 */
#include <stdlib.h>

#include "report-impl.h"

/* Functions that are listed, and what they must have of all samples. */
#define LISTED       8u
#define LISTED_SHARE 0.01
/* Of a function's samples: lines with less are left out, but for a few around
 * those with more. */
#define LINE_SHARE 0.001

struct listed {
	uint32_t function;
	uint64_t period;
};

static int hotter(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

/* Those whose code is known. */
static void list_hottest(struct pw_profile *p, struct pw_report *r)
{
	const struct pw_annotate_opts o = { .event = pw_profile_main_event(p),
					    .min_share = LINE_SHARE,
					    .page_only = true };
	uint64_t whole = p->events[o.event]->info.total.period;
	uint32_t n = pw_profile_n_functions(p), n_listed = 0, i;
	struct listed *all = pw_alloc((n + 1) * sizeof(*all));

	for (i = 0; i < n; i++) {
		struct pw_function f;

		pw_profile_function(p, i, &f);
		all[i] = (struct listed){ i, f.self[o.event].period };
	}
	qsort(all, n, sizeof(*all), hotter);
	for (i = 0; i < n && n_listed < LISTED; i++) {
		if ((double)all[i].period < LISTED_SHARE * (double)whole)
			break;
		n_listed +=
			!pw_profile_annotate(p, all[i].function, &o, r, NULL);
	}
	free(all);
}

void page_parts(struct pw_profile *p, struct pw_report *r)
{
	static const char *const tabs[][2] = {
		{ "recorded", "Overview" },    { "capture", "Overview" },
		{ "quality", "Overview" },     { "tasks", "Tasks" },
		{ "functions", "Functions" },  { "source_lines", "Functions" },
		{ "wasm_opcodes", "Opcodes" }, { "machine_opcodes", "Opcodes" },
		{ "wasm_offsets", "Opcodes" }, { "skid", "Opcodes" },
		{ "off_cpu", "Off CPU" },      { "wakers", "Off CPU" },
	};
	struct pw_node *root = pw_report_root(r);
	size_t i;

	for (i = 0; i < sizeof(tabs) / sizeof(*tabs); i++) {
		struct pw_node *n = pw_child(root, tabs[i][0]);

		if (n)
			pw_page_tab(n, tabs[i][1]);
	}
	page_flame(p, root);
	page_time_line(p, root);
	if (pw_profile_main_event(p) != UINT32_MAX)
		list_hottest(p, r);
}
