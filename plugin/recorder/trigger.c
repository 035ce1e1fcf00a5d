// SPDX-License-Identifier: GPL-2.0-only
/*
 * A condition on a figure of the system: its words, and whether numbers fulfil
 * it. Which figures there are it takes from system-sources.def; it reads none.
 */
#include <perfwasm/recorder.h>
#include <perfwasm/system.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- what there is ------------------------------------------------------------------ */

struct column {
	const char *table, *name, *unit;
};

static const struct column columns[] = {
#define PW_TABLE(source, id, table_name)     { table_name, NULL, NULL },
#define PW_COLUMN(table, column_name, units) { NULL, column_name, units },
#include <perfwasm/system-sources.def>
};

enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

/* "vmstat.level" is a part of family vmstat. */
static bool is_family(const char *table, const char *family)
{
	size_t n = strlen(family);

	return !strncmp(table, family, n) && (!table[n] || table[n] == '.');
}

/* The column of a figure; one called "value" is any figure of its family. */
static const struct column *find_column(const char *family, const char *metric)
{
	const struct column *any = NULL;
	bool in_family = false;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		const struct column *c = &columns[i];

		if (c->table) {
			in_family = is_family(c->table, family);
		} else if (in_family) {
			if (!strcmp(c->name, metric))
				return c;
			if (!strcmp(c->name, "value") && !any)
				any = c;
		}
	}
	return any;
}

const char *pw_trigger_family(uint32_t i)
{
	for (size_t c = 0; c < N_COLUMNS; c++)
		if (columns[c].table && !strchr(columns[c].table, '.') && !i--)
			return columns[c].table;
	return NULL;
}

void pw_trigger_metrics(const char *family, struct pw_buf *out)
{
	bool in_family = false, any = false;

	for (size_t i = 0; i < N_COLUMNS; i++) {
		const char *name = columns[i].name;

		if (columns[i].table)
			in_family = is_family(columns[i].table, family);
		else if (in_family && !strcmp(name, "value"))
			any = true;
		else if (in_family)
			pw_buf_printf(out, "%s%s", out->len ? ", " : "", name);
	}
	if (any)
		pw_buf_printf(out, "%swhat the kernel calls them",
			      out->len ? ", and " : "");
	if (!strcmp(family, "cpu"))
		pw_buf_printf(out, ", busy");
}

static int no_metric(const struct pw_trigger *t, struct pw_err *err)
{
	struct pw_buf list = { 0 };
	const char *name;

	pw_trigger_metrics(t->family, &list);
	if (list.len) {
		pw_err_set(err, EINVAL,
			   "%s: family %s has no metric '%s'; it has %s",
			   t->text, t->family, t->metric, pw_buf_str(&list));
	} else {
		for (uint32_t i = 0; (name = pw_trigger_family(i)); i++)
			pw_buf_printf(&list, "%s%s", i ? ", " : "", name);
		pw_err_set(err, EINVAL,
			   "%s: there is no family '%s'; there are %s", t->text,
			   t->family, pw_buf_str(&list));
	}
	pw_buf_release(&list);
	return -EINVAL;
}

/* --- its words -------------------------------------------------------------------------- */

static int expected(const char *text, struct pw_err *err)
{
	return pw_err_set(
		err, EINVAL,
		"expected FAMILY.METRIC > NUMBER (or <), as 'cpu.busy > 90%%', found '%s'",
		text);
}

/* What the clock can be shared by. */
static bool is_time(const char *unit)
{
	struct pw_system_unit u = pw_system_unit(unit);

	return u.counts && u.unit == PW_UNIT_NS;
}

/* A number and its unit, in what a watched figure is told in. Of a time it is
 * a share of the clock that a reader means, so there it is asked for. */
static int parse_limit(struct pw_trigger *t, const char *p, const char *unit,
		       struct pw_err *err)
{
	static const struct {
		const char *name;
		bool of_time;
		double factor;
	} units[] = {
		{ "%", true, 1e7 },        { "ms", true, 1e6 },
		{ "", false, 1 },          { "K", false, 1024 },
		{ "M", false, 1048576.0 }, { "G", false, 1073741824.0 },
	};
	char *end, *word;

	t->limit = strtod(p, &end);
	if (end == p || t->limit != t->limit)
		return expected(t->text, err);
	end += strspn(end, " \t");
	word = pw_strndup(end, strcspn(end, " \t"));
	end += strlen(word);
	end += strspn(end, " \t");
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (units[i].of_time == is_time(unit) && !*end &&
		    !strcmp(units[i].name, word)) {
			t->limit *= units[i].factor;
			free(word);
			return 0;
		}
	free(word);
	return pw_err_set(err, EINVAL, "%s: expected a number %s, found '%s'",
			  t->text,
			  is_time(unit) ? "with % or ms (a second)"
					: "without a unit or with K, M or G",
			  p);
}

/* Family cpu splits all time into its columns. */
static void set_share(struct pw_trigger *t)
{
	bool busy = !strcmp(t->metric, "busy"), is_cpu = false;

	t->is_share = true;
	t->n_parts = 0;
	for (size_t i = 0; i < N_COLUMNS; i++) {
		const char *name = columns[i].name;

		if (columns[i].table) {
			is_cpu = !strcmp(columns[i].table, t->family);
		} else if (is_cpu && t->n_parts < PW_TRIGGER_MAX_PARTS) {
			t->parts[t->n_parts].metric = name;
			t->parts[t->n_parts++].counts =
				busy ? pw_system_is_work(name)
				     : !strcmp(name, t->metric);
		}
	}
}

/* The unit of the figure, or NULL after an error. */
static const char *find_unit(struct pw_trigger *t, struct pw_err *err)
{
	const struct column *c = find_column(t->family, t->metric);

	t->parts[0].metric = t->metric;
	t->parts[0].counts = true;
	t->n_parts = 1;
	if (!strcmp(t->family, "cpu") && (c || !strcmp(t->metric, "busy"))) {
		set_share(t);
		return "ns+";
	}
	if (c)
		return c->unit;
	no_metric(t, err);
	return NULL;
}

int pw_trigger_parse(struct pw_trigger *t, const char *text, struct pw_err *err)
{
	size_t dot = strcspn(text, ".");
	const char *p = text + dot + (text[dot] == '.');
	size_t n = strcspn(p, " \t[<>");
	const char *unit;

	memset(t, 0, sizeof(*t));
	t->text = pw_strdup(text);
	if (text[dot] != '.' || !dot || !n)
		return expected(text, err);
	t->family = pw_strndup(text, dot);
	t->metric = pw_strndup(p, n);
	p += n;
	if (*p == '[') {
		n = strcspn(++p, "]");
		t->instance = pw_strndup(p, n);
		p += n + (p[n] == ']');
	}
	p += strspn(p, " \t");
	if (*p != '<' && *p != '>')
		return expected(text, err);
	t->is_less = *p++ == '<';
	unit = find_unit(t, err);
	if (!unit)
		return -EINVAL;
	if (!t->instance)
		t->instance = pw_strdup(strcmp(t->family, "cpu") ? "" : "all");
	return parse_limit(t, p + strspn(p, " \t"), unit, err);
}

void pw_trigger_release(struct pw_trigger *t)
{
	free(t->text);
	free(t->family);
	free(t->metric);
	free(t->instance);
	memset(t, 0, sizeof(*t));
}

bool pw_trigger_holds(const struct pw_trigger *t, const double *values)
{
	double v = 0, all = 0;

	for (uint32_t i = 0; i < t->n_parts; i++) {
		v += t->parts[i].counts ? values[i] : 0;
		all += values[i];
	}
	if (t->is_share && all <= 0)
		return false;
	if (t->is_share)
		v *= 1e9 / all;
	return t->is_less ? v < t->limit : v > t->limit;
}
