// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source lines: what a jitdump tells of its code, and for wasm what the
 * module's DWARF or source map tells of the instruction. The table of lines
 * is of the code whose lines are known.
 */
#include <stdlib.h>
#include <string.h>

#include "report-impl.h"

static struct pw_lines *lines_of(struct pw_profile *p, int module)
{
	const struct pw_module *m = pw_space_module(p->space, module);
	struct module_lines *l;

	if (!m)
		return NULL;
	if ((uint32_t)module >= p->n_lines) {
		uint32_t n = pw_space_n_modules(p->space);

		p->lines = pw_realloc(p->lines, n * sizeof(*p->lines));
		memset(p->lines + p->n_lines, 0,
		       (n - p->n_lines) * sizeof(*p->lines));
		p->n_lines = n;
	}
	l = &p->lines[module];
	if (!l->is_asked) {
		struct pw_lines_opts o = {
			.module_path = pw_space_module_path(p->space, module)
		};

		l->is_asked = true;
		l->lines = pw_lines_open(m, &o, NULL);
	}
	return l->lines;
}

bool pw_profile_line(struct pw_profile *p, const struct pw_piece *piece,
		     uint64_t off, struct pw_line_frame *out)
{
	struct pw_jit_line line;
	struct pw_line_at at;
	struct pw_lines *lines;
	uint64_t wasm_off;

	if (piece->jit && piece->jit->lines.n &&
	    pw_jit_code_line(piece->jit, off, &line)) {
		*out = (struct pw_line_frame){ .file = line.file,
					       .line = line.line };
		return true;
	}
	lines = lines_of(p, piece->sym->module);
	if (!lines)
		return false;
	wasm_off = pw_space_wasm_off(p->space, piece, off, NULL);
	if (wasm_off == PW_NO_OFF || !pw_lines_find(lines, wasm_off, &at))
		return false;
	*out = at.frames[0];
	return true;
}

void lines_release(struct pw_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->n_lines; i++)
		pw_lines_close(p->lines[i].lines);
	free(p->lines);
}

/* --- the table ------------------------------------------------------------------------ */

/* Texts "file:line", each kept once; rows borrow them. */
struct places {
	char **text;
	uint32_t n;
};

static const char *place_text(struct places *k, const struct pw_line_frame *f)
{
	char *text = pw_asprintf("%s:%u", f->file, f->line);

	if (!(k->n & (k->n - 1)))
		k->text = pw_realloc(k->text,
				     (k->n ? 2 * k->n : 1) * sizeof(*k->text));
	k->text[k->n] = text;
	return k->text[k->n++];
}

static void add_hit(struct pw_profile *p, struct rows *r, struct places *k,
		    uint32_t hit)
{
	const struct pw_piece *piece =
		pw_space_piece(p->space, p->hits[hit].piece);
	const char *texts[2];
	struct pw_line_frame f;
	struct row *row;
	uint32_t e;

	if (!pw_profile_line(p, piece, p->hits[hit].off, &f) || !f.file ||
	    !f.line)
		return;
	texts[0] = place_text(k, &f);
	texts[1] = f.function ? f.function : piece->sym->name;
	row = rows_get(r, texts);
	for (e = 0; e < p->n_events; e++) {
		struct pw_count c = count_get(&p->events[e]->hits, hit);

		count_add(&row->self[e], c.samples, c.period);
	}
}

void report_lines(struct pw_profile *p, const struct pw_profile_report_opts *o,
		  struct pw_node *parent)
{
	static const struct column columns[] = {
		{ "source_line", "Source line", PW_COL_TRUNC },
		{ "function", "Function", PW_COL_TRUNC },
	};
	struct pw_profile_report_opts plain = *o;
	uint32_t event = pw_profile_main_event(p), i;
	struct places k = { 0 };
	struct rows r;

	if (event == UINT32_MAX)
		return;
	plain.children = false;
	rows_init(&r, p, 2);
	for (i = 0; i < p->n_hits; i++)
		add_hit(p, &r, &k, i);
	rows_sort(&r, event, false);
	if (r.n)
		rows_show(&r, columns, &plain,
			  p->events[event]->info.total.period, parent,
			  "source_lines", "Source lines");
	rows_release(&r);
	while (k.n)
		free(k.text[--k.n]);
	free(k.text);
}
