// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `record --sources help` and its like list, and whether words name what
 * there is.
 */
#include "record.h"

#include <perfwasm/pmu.h>
#include <perfwasm/recorder.h>
#include <perfwasm/system.h>

#include <stdlib.h>
#include <string.h>

#define HELP "help"
/* The recorder's source that is not plugin/system's. */
#define PMU "pmu"

static bool has_help(const struct cmd_words *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->v[i], HELP))
			return true;
	return false;
}

bool record_wants_list(const struct record *r)
{
	return has_help(&r->sources) || has_help(&r->skip_sources) ||
	       has_help(&r->triggers) ||
	       (r->pmu_config && !strcmp(r->pmu_config, HELP));
}

/* --- sources ------------------------------------------------------------------------ */

/* The families that a source fills, by its row in system-sources.def. */
static const struct filled {
	const char *source, *table; /* an id and a family or a part of it */
	const char *name;           /* of a source, on its own row */
} filled[] = {
#define PW_SOURCE(id, source_name, every_ms, flags) { #id, NULL, source_name },
#define PW_TABLE(source, id, table_name)            { #source, table_name, NULL },
#include <perfwasm/system-sources.def>
};

enum { N_FILLED = sizeof(filled) / sizeof(*filled) };

/* The source that fills a family; NULL: there is none of that name. */
static const char *source_of(const char *family)
{
	const char *id = NULL;
	size_t n = strlen(family);

	for (size_t i = 0; i < N_FILLED && !id; i++)
		if (filled[i].table && strcspn(filled[i].table, ".") == n &&
		    !strncmp(filled[i].table, family, n))
			id = filled[i].source;
	for (size_t i = 0; i < N_FILLED && id; i++)
		if (filled[i].name && !strcmp(filled[i].source, id))
			return filled[i].name;
	return NULL;
}

static void check_source(const char *name, size_t len,
			 const struct argp_state *state)
{
	uint32_t n;
	const struct pw_system_source *all = pw_system_sources(&n);
	const char **names = pw_zalloc((n + 1) * sizeof(*names));
	char *word = pw_strndup(name, len), *near;
	const char *source;

	names[n] = PMU;
	if (!strcmp(word, PMU))
		goto out;
	for (uint32_t i = 0; i < n; i++) {
		names[i] = all[i].name;
		if (!strcmp(word, names[i]))
			goto out;
	}
	source = source_of(word);
	if (source)
		argp_error(
			state,
			"'%s' is a family of metrics; the source of it is '%s'",
			word, source);
	near = pw_did_you_mean('\'', word, names, n + 1);
	argp_error(state,
		   "there is no source '%s'%s; --sources help lists them", word,
		   near);
	free(near);
out:
	free(word);
	free(names);
}

void record_check_sources(const struct cmd_words *w,
			  const struct argp_state *state)
{
	for (size_t i = 0; i < w->n; i++)
		for (const char *p = w->v[i]; *p;) {
			size_t len = strcspn(p, ",");

			check_source(p, len, state);
			p += len + (p[len] == ',');
		}
}

static void list_families(const char *source, struct pw_buf *out)
{
	const char *id = "";

	for (size_t i = 0; i < N_FILLED; i++)
		if (filled[i].name && !strcmp(filled[i].name, source))
			id = filled[i].source;
	for (size_t i = 0; i < N_FILLED; i++) {
		const char *table = filled[i].table;

		if (!table || strcmp(filled[i].source, id) ||
		    (out->len && strchr(table, '.')))
			continue;
		pw_buf_printf(out, "%s%.*s", out->len ? ", " : "",
			      (int)strcspn(table, "."), table);
	}
}

static void list_sources(struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "sources", "Sources");
	int name = pw_column(t, "source", "Source", PW_UNIT_NONE, 0);
	int every = pw_column(t, "every", "Read every", PW_UNIT_NS, 0);
	int tables = pw_column(t, "families", "Families", PW_UNIT_NONE, 0);
	uint32_t n;
	const struct pw_system_source *all = pw_system_sources(&n);

	pw_note(root, "clock",
		"A source without a time of its own is read at every --interval; the others that often, or at every one when it is longer. While the machine idles processes are read a third as often. Where the PMU counts nothing but software events they are read at most every second.");
	for (uint32_t i = 0; i < n; i++) {
		struct pw_buf list = { 0 };

		pw_row(t);
		pw_cell_str(t, name, all[i].name);
		if (all[i].every_ns)
			pw_cell_int(t, every, (int64_t)all[i].every_ns);
		list_families(all[i].name, &list);
		pw_cell_str(t, tables, pw_buf_str(&list));
		pw_buf_release(&list);
	}
	pw_row(t);
	pw_cell_str(t, name, PMU);
	pw_cell_str(t, tables, "pmu, software");
}

/* --- conditions ------------------------------------------------------------------------ */

void record_check_triggers(const struct cmd_words *w,
			   const struct argp_state *state)
{
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_trigger t;

	for (size_t i = 0; i < w->n; i++) {
		if (pw_trigger_parse(&t, w->v[i], &err))
			argp_error(state, "--trigger: %s", err.msg);
		pw_trigger_release(&t);
	}
}

static void list_triggers(struct pw_node *root)
{
	struct pw_node *t = pw_table(root, "metrics", "Metrics of a trigger");
	int family = pw_column(t, "family", "Family", PW_UNIT_NONE, 0);
	int metrics = pw_column(t, "metrics", "Metrics", PW_UNIT_NONE, 0);
	const char *name;

	pw_note(root, "how",
		"FAMILY.METRIC > NUMBER, or <; FAMILY.METRIC[INSTANCE] where there are several: psi.some[memory], disk.write_bytes[sda]. What counts up is looked at per second. A time's number has %% or ms, another may have K, M or G.");
	for (uint32_t i = 0; (name = pw_trigger_family(i)); i++) {
		struct pw_buf list = { 0 };

		pw_trigger_metrics(name, &list);
		pw_row(t);
		pw_cell_str(t, family, name);
		pw_cell_str(t, metrics, pw_buf_str(&list));
		pw_buf_release(&list);
	}
}

/* --- counters -------------------------------------------------------------------------- */

void record_check_pmu(const char *config, const struct argp_state *state)
{
	struct pw_err err = { .off = PW_NO_OFF };

	if (config && pw_pmu_check(config, &err))
		argp_error(state, "--pmu-config: %s", err.msg);
}

static int list_counters(const struct record *r)
{
	struct pw_err err = { .off = PW_NO_OFF };
	const struct pw_pmu_opts opts = { 0 };
	struct pw_pmu *pmu = pw_pmu_open(&opts, &err);
	struct cmd_output out;
	struct pw_buf text = { 0 };
	int ret;

	if (!pmu)
		return cmd_fail(&err);
	pw_pmu_describe(pmu, &text);
	pw_pmu_close(pmu);
	ret = cmd_output_open(&out, &r->common);
	if (ret == CMD_DONE) {
		fputs(pw_buf_str(&text), out.to);
		ret = cmd_output_close(&out);
	}
	pw_buf_release(&text);
	return ret;
}

int record_list(const struct record *r)
{
	struct pw_report *report = pw_report_new("record", NULL);
	struct pw_node *root = pw_report_root(report);
	int ret;

	if (r->pmu_config && !strcmp(r->pmu_config, HELP)) {
		pw_report_free(report);
		return list_counters(r);
	}
	if (has_help(&r->sources) || has_help(&r->skip_sources))
		list_sources(root);
	if (has_help(&r->triggers))
		list_triggers(root);
	ret = cmd_report(report, &r->common);
	pw_report_free(report);
	return ret;
}
