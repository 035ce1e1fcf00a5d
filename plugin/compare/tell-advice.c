// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the first differences mean and where to look next, as plugin/findings
 * knows it of metrics: for each group the first that it knows something of.
 */
#include "compare-impl.h"

#include <perfwasm/findings.h>

#include <string.h>

/* More is not read. */
#define MOST_ADVISED 5u

static struct pw_advice advice_of(const struct comparison *c,
				  const struct figure *f)
{
	static const struct pw_advice none = { NULL, NULL };
	const char *where = c->tables[f->table].where;
	const char *dot = strrchr(where, '.');

	/* rules of processes are of certain ones, as ksoftirqd */
	return f->is_lone && f->kind->layer == LAYER_METRIC
		       ? pw_findings_advice(dot ? dot + 1 : where,
					    strchr(f->id, ':') + 1)
		       : none;
}

static void tell_one(const struct comparison *c, const struct figure *f,
		     struct pw_advice a, uint32_t n, struct pw_node *to)
{
	char key[32], *what = short_text(c, f);

	snprintf(key, sizeof(key), "advice_%u", n);
	pw_note(to, key, "%s: %s%s%s%s", what, a.meaning ? a.meaning : "",
		a.next ? " Next: " : "", a.next ? a.next : "",
		a.next ? "." : "");
	free(what);
}

/* The same is said of several figures; once is enough. */
static bool is_told(const char *const *told, uint32_t n, struct pw_advice a)
{
	for (uint32_t i = 0; i < n; i++)
		if (told[i] == a.meaning)
			return true;
	return false;
}

void tell_advice(struct comparison *c, struct pw_node *root)
{
	const char *told[MOST_ADVISED];
	struct pw_node *to = NULL;
	uint32_t group = 0, n = 0;

	for (uint32_t i = 0; i < c->n_different && n < MOST_ADVISED; i++) {
		const struct found *x = &c->found[i];
		struct pw_advice a = advice_of(c, x->f);

		if (x->group == group || (!a.meaning && !a.next) ||
		    is_told(told, n, a))
			continue;
		group = x->group;
		if (!to)
			to = pw_section(
				root, "advice",
				"What it means, and where to look next");
		told[n] = a.meaning;
		tell_one(c, x->f, a, ++n, to);
	}
	if (to)
		pw_page_tab(to, "Overview");
}
