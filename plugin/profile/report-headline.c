// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first lines of a report: where most of the time went, in words. All of
 * it stands in the tables, too.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report-impl.h"

#define NAMED       3u
#define NAMED_SHARE 0.01
/* Of a name, which may be a template of a page's length. */
#define NAME_CUT 60

enum { FUNCTION, KIND, PLACE, TEXTS };

static double share_of(uint64_t period, uint64_t whole)
{
	return whole ? (double)period / (double)whole : 0;
}

/* The file that a function is in, without its folders; NULL where that tells
 * nothing. */
static const char *place_of(const struct pw_profile *p,
			    const struct pw_symbol *sym)
{
	const char *module = pw_space_module_name(p->space, sym->module);
	const char *slash;

	if (module)
		return module;
	if (!sym->dso || *sym->dso == '[')
		return NULL;
	slash = strrchr(sym->dso, '/');
	return slash && slash[1] ? slash + 1 : sym->dso;
}

/* Functions in all their tiers, hottest first. */
static void sum_up(const struct pw_profile *p, uint32_t event, struct rows *r,
		   uint64_t kinds[PW_N_PLACE_KINDS])
{
	rows_init(r, p, TEXTS);
	for (uint32_t i = 0; i < pw_profile_n_functions(p); i++) {
		const struct function *f = &p->functions[i];
		const struct pw_symbol *sym = pw_space_symbol(p->space, f->sym);
		const struct pw_count *c = &f->self[event];
		const char *texts[TEXTS] = { sym->name,
					     pw_place_kind_name(sym->kind),
					     place_of(p, sym) };

		if (!c->samples)
			continue;
		kinds[sym->kind] += c->period;
		count_add(&rows_get(r, texts)->self[event], c->samples,
			  c->period);
	}
	rows_sort(r, event, false);
}

static void tell_kinds(struct pw_buf *b, const uint64_t *kinds, uint64_t whole)
{
	bool told[PW_N_PLACE_KINDS] = { false };
	const char *comma = ": ";

	for (int n = 0; n < PW_N_PLACE_KINDS; n++) {
		int most = -1;

		for (int k = 0; k < PW_N_PLACE_KINDS; k++)
			if (!told[k] && (most < 0 || kinds[k] > kinds[most]))
				most = k;
		told[most] = true;
		if (share_of(kinds[most], whole) < NAMED_SHARE)
			break;
		pw_buf_printf(b, "%s%s %.1f %%", comma,
			      pw_place_kind_name(most),
			      100 * share_of(kinds[most], whole));
		comma = ", ";
	}
	pw_buf_printf(b, ".");
}

static void tell_hottest(struct pw_buf *b, const struct rows *r, uint32_t event,
			 uint64_t whole)
{
	for (uint32_t i = 0; i < r->n && i < NAMED; i++) {
		const struct row *row = &r->rows[i];
		double share = share_of(row->self[event].period, whole);
		const char *name = row->texts[FUNCTION];
		size_t n = strlen(name);
		bool cut = n > NAME_CUT;

		n = cut ? NAME_CUT : n;
		while (cut && n && ((unsigned char)name[n] & 0xc0) == 0x80)
			n--;
		if (share < NAMED_SHARE)
			break;
		pw_buf_printf(b, "%s%.*s%s (%s%s%s) %.1f %%",
			      i ? ", " : "Hottest: ", (int)n, name,
			      cut ? ".." : "", row->texts[KIND],
			      row->texts[PLACE] ? ", " : "",
			      row->texts[PLACE] ? row->texts[PLACE] : "",
			      100 * share);
	}
	if (b->len)
		pw_buf_printf(b, ".");
}

/* As a word of a command line it needs no quotes. */
static bool is_plain(const char *word)
{
	for (; *word; word++)
		if (!isascii(*word) ||
		    (!isalnum(*word) && !strchr("_./-", *word)))
			return false;
	return true;
}

static void tell_next(struct pw_buf *b, const struct row *hottest,
		      const char *capture)
{
	const char *name = hottest->texts[FUNCTION];
	bool named = is_plain(name) && *name != '-';

	if (strcmp(hottest->texts[KIND], pw_place_kind_name(PW_PLACE_WASM)) !=
	    0)
		return;
	pw_buf_printf(b, " 'perf wasm annotate %s%s%s' shows %s code.",
		      named ? name : "FUNC", capture ? " " : "",
		      !capture            ? ""
		      : is_plain(capture) ? capture
					  : "CAPTURE",
		      named ? "its" : "a function's");
}

static void tell_none(const struct pw_profile *p, struct pw_node *root)
{
	uint64_t left_out = 0;

	for (uint32_t i = 0; i < p->n_events; i++)
		left_out += p->events[i]->info.filtered;
	if (left_out)
		pw_note(root, "headline",
			"None of the samples is of the task, module or time that was asked for; without --task, --module, --time and --wasm-only the report tells all.");
	else
		pw_note(root, "headline", "There are no samples in it.");
}

void pw_profile_headline(const struct pw_profile *p, const char *capture,
			 struct pw_report *r)
{
	uint32_t event = pw_profile_main_event(p);
	uint64_t kinds[PW_N_PLACE_KINDS] = { 0 }, whole;
	struct pw_node *root = pw_report_root(r);
	const struct pw_profile_event_info *info;
	struct pw_buf b = { 0 };
	struct rows rows;

	if (event == UINT32_MAX || !p->events[event]->info.total.period) {
		tell_none(p, root);
		return;
	}
	info = &p->events[event]->info;
	whole = info->total.period;
	sum_up(p, event, &rows, kinds);
	pw_buf_printf(&b, "Where %s went", info->name);
	tell_kinds(&b, kinds, whole);
	pw_note(root, "headline", "%s", pw_buf_str(&b));
	b.len = 0;
	tell_hottest(&b, &rows, event, whole);
	if (b.len) {
		tell_next(&b, &rows.rows[0], capture);
		pw_note(root, "hottest", "%s", pw_buf_str(&b));
	}
	pw_buf_release(&b);
	rows_release(&rows);
}
