// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the captures and saved reports of a comparison, one after another.
 * What is compared in them, plugin/compare knows.
 */
#include "compare-sides.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- which ------------------------------------------------------------------------- */

static struct side *side_new(struct sides *s, const char *label)
{
	s->v = pw_realloc(s->v, (s->n + 1) * sizeof(*s->v));
	s->v[s->n] = (struct side){ .label = pw_strdup(label) };
	return &s->v[s->n++];
}

void sides_add(struct sides *s, const char *list)
{
	struct side *side = side_new(s, list);
	size_t len;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len)
			cmd_words_add(&side->runs, pw_strndup(list, len));
	}
}

void sides_add_run(struct sides *s, const char *label, const char *path)
{
	struct side *side = NULL;

	for (uint32_t i = 0; i < s->n && !side; i++)
		if (!strcmp(s->v[i].label, label))
			side = &s->v[i];
	if (!side)
		side = side_new(s, label);
	cmd_words_add(&side->runs, pw_strdup(path));
}

void sides_release(struct sides *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < s->v[i].runs.n; k++)
			free((char *)s->v[i].runs.v[k]);
		free(s->v[i].runs.v);
		free(s->v[i].label);
	}
	free(s->v);
}

/* Sides are told apart in little room: without the folders they share. */
static void shorten_labels(struct sides *s)
{
	size_t same = 0, at = 0;

	for (; s->v[0].label[at]; at++) {
		for (uint32_t i = 1; i < s->n; i++)
			if (s->v[i].label[at] != s->v[0].label[at])
				goto differ;
		if (s->v[0].label[at] == '/' && s->v[0].label[at + 1])
			same = at + 1;
	}
	return; /* two of one name: as they were given */
differ:
	for (uint32_t i = 0; i < s->n; i++)
		memmove(s->v[i].label, s->v[i].label + same,
			strlen(s->v[i].label + same) + 1);
}

/* --- one run -------------------------------------------------------------------------- */

/* A report in JSON begins with a brace, which no capture does. */
static bool is_json(const struct pw_file *f)
{
	size_t i = 0;

	while (i < f->size && (f->data[i] == ' ' || f->data[i] == '\n'))
		i++;
	return i < f->size && f->data[i] == '{';
}

static struct pw_report *read_capture(struct sides *s, const char *path,
				      const struct source *like,
				      struct pw_err *err)
{
	struct source source = *like;
	struct pw_report *r = pw_report_new(s->kind, NULL);
	int ret = s->prepare ? s->prepare(s->ctx, &source, err) : 0;

	source.path = path;
	source.opts.no_chains = true;
	source.opts.blocks = true;
	if (!ret)
		ret = cmd_source_read(&source, err);
	if (!ret)
		ret = s->make(s->ctx, &source, r, err);
	/* the words are of `like` */
	memset(&source.tasks, 0, sizeof(source.tasks));
	memset(&source.modules, 0, sizeof(source.modules));
	memset(&source.wasm, 0, sizeof(source.wasm));
	memset(&source.jitdumps, 0, sizeof(source.jitdumps));
	cmd_source_release(&source);
	if (!ret)
		return r;
	pw_report_free(r);
	return NULL;
}

static struct pw_report *read_run(struct sides *s, const char *path,
				  const struct source *like, struct pw_err *err)
{
	struct pw_file f = { 0 };
	struct pw_report *r;

	if (strcmp(path, "-") != 0 && !pw_file_open(&f, path, NULL) &&
	    is_json(&f))
		r = pw_report_read_json((const char *)f.data, f.size, err);
	else
		r = read_capture(s, path, like, err);
	pw_file_close(&f);
	return r;
}

/* --- all ---------------------------------------------------------------------------------- */

static int compare(const struct sides *s, struct pw_report **runs,
		   const struct pw_compare_opts *o,
		   const struct cmd_opts *common)
{
	struct pw_compare_side *sides = pw_zalloc(s->n * sizeof(*sides));
	char *title =
		pw_asprintf("%s against %s", s->v[1].label, s->v[0].label);
	struct pw_report *r =
		pw_report_new("compare", s->n == 2 ? title : "Comparison");
	struct pw_err err = { .off = PW_NO_OFF };
	uint32_t run = 0;
	int ret;

	for (uint32_t i = 0; i < s->n; i++) {
		sides[i] = (struct pw_compare_side){
			.label = s->v[i].label,
			.runs = (const struct pw_report *const *)&runs[run],
			.n_runs = (uint32_t)s->v[i].runs.n,
		};
		run += sides[i].n_runs;
	}
	if (pw_compare(sides, s->n, o, r, NULL, &err))
		ret = cmd_fail(&err);
	else
		ret = cmd_report(r, common);
	pw_report_free(r);
	free(title);
	free(sides);
	return ret;
}

int sides_compare(struct sides *s, const struct source *like,
		  const struct pw_compare_opts *o,
		  const struct cmd_opts *common)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_report **runs;
	uint32_t n = 0, max = 0;
	int ret = CMD_DONE;

	for (uint32_t i = 0; i < s->n; i++)
		max += (uint32_t)s->v[i].runs.n;
	runs = pw_zalloc((max + 1) * sizeof(struct pw_report *));
	for (uint32_t i = 0; i < s->n && ret == CMD_DONE; i++) {
		for (size_t k = 0; k < s->v[i].runs.n && !ret; k++) {
			const char *path = s->v[i].runs.v[k];

			runs[n] = read_run(s, path, like, &err);
			if (runs[n])
				n++;
			else
				ret = cmd_fail(&err);
			if (ret)
				cmd_error("%s cannot be compared", path);
		}
	}
	shorten_labels(s);
	if (ret == CMD_DONE)
		ret = compare(s, runs, o, common);
	while (n--)
		pw_report_free(runs[n]);
	free(runs);
	return ret;
}
