// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each line of rules.def: it fires on figures made just beyond its limit and
 * not just below, and is serious from where it says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../../plugin/findings/rule.h"

/* The table. */
static const struct rule *rule_at(uint32_t i)
{
	uint32_t n;
	const struct rule *all = rules_all(&n);

	return i < n ? &all[i] : NULL;
}

/* --- names ------------------------------------------------------------------------ */

/* What a pattern has in it: each * is an x, each group its first word. */
static char *sample(const char *pattern)
{
	struct pw_buf b = { 0 };
	char *s;

	for (const char *p = pattern; *p; p++) {
		if (*p == '*') {
			pw_buf_printf(&b, "x");
		} else if (*p == '[') {
			pw_buf_printf(&b, "%c", p[1]);
			p = strchr(p, ']');
		} else if (p[0] == '@' && p[1] == '(') {
			size_t n = strcspn(p + 2, "|)");

			pw_buf_printf(&b, "%.*s", (int)n, p + 2);
			p = strchr(p, ')');
		} else {
			pw_buf_printf(&b, "%c", *p);
		}
	}
	s = pw_strdup(pw_buf_str(&b));
	pw_buf_release(&b);
	return s;
}

/* The i-th metric of "family.a+b@instance", or NULL. */
static char *name_at(const char *figure, int i)
{
	const char *p = strchr(figure, '.') + 1;
	const char *at = strrchr(p, '@');
	char *all, *rest, *word, *found = NULL;

	all = at && at[1] != '(' ? pw_strndup(p, (size_t)(at - p))
				 : pw_strdup(p);
	if (strpbrk(all, "*[(")) {
		found = i ? NULL : sample(all);
		free(all);
		return found;
	}
	for (word = strtok_r(all, "+", &rest); word && i--;
	     word = strtok_r(NULL, "+", &rest))
		;
	found = word ? pw_strdup(word) : NULL;
	free(all);
	return found;
}

static bool has_name(const char *figure, const char *name)
{
	char *at;
	bool found = false;

	for (int i = 0; !found && (at = name_at(figure, i)); i++) {
		found = !strcmp(at, name);
		free(at);
	}
	return found;
}

static const char *family_of(const char *figure, char *to)
{
	size_t n = strcspn(figure, ".");

	memcpy(to, figure, n);
	to[n] = '\0';
	return to;
}

/* --- figures ------------------------------------------------------------------------ */

static bool is_level(const char *family, const char *name)
{
	static const char *const levels[] = {
		"meminfo", "numa_memory", "mounts", "files", "sockets",
		"thermal", "frequency",   "tasks",  "pmu"
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (!strcmp(family, levels[i]))
			return true;
	return !strncmp(name, "nr_d", 4) || !strcmp(name, "nr_writeback") ||
	       !strcmp(name, "blocked") || !strcmp(name, "busy");
}

static bool is_time(const char *family, const char *name)
{
	return (!strcmp(family, "cpu") && strcmp(name, "busy")) ||
	       !strcmp(family, "psi") || !strcmp(name, "run") ||
	       !strcmp(name, "wait") || !strcmp(name, "user") ||
	       !strcmp(name, "system") || strstr(name, "_time") ||
	       strstr(name, "_some");
}

#define MOST_FIGURES 64
#define WHOLE        3000 /* of what is divided by a fact */

struct made {
	struct {
		char *family, *name, *instance;
		double rate;
	} all[MOST_FIGURES];
	uint32_t n;
};

/* Takes the name over; the first value of a figure holds. */
static void set(struct made *s, const char *family, char *name,
		const char *instance, double rate)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!strcmp(s->all[i].family, family) &&
		    !strcmp(s->all[i].name, name) &&
		    !strcmp(s->all[i].instance, instance)) {
			free(name);
			return;
		}
	assert_true(s->n < MOST_FIGURES);
	s->all[s->n].family = pw_strdup(family);
	s->all[s->n].name = name;
	s->all[s->n].instance = pw_strdup(instance);
	s->all[s->n++].rate = rate;
}

static void tell(struct pw_metrics *m, struct made *s, uint32_t i, int t)
{
	bool level = is_level(s->all[i].family, s->all[i].name);
	bool time = is_time(s->all[i].family, s->all[i].name);
	double growth = s->all[i].rate * t * (time ? 1e9 : 1);

	pw_metrics_value(m,
			 pw_metrics_series(m, s->all[i].family, s->all[i].name,
					   s->all[i].instance,
					   level ? PW_METRIC_LEVEL
						 : PW_METRIC_COUNTER,
					   time ? PW_UNIT_NS : PW_UNIT_COUNT),
			 level ? s->all[i].rate : growth);
}

/* Is it the first figure of its family? */
static bool is_first(const struct made *s, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (!strcmp(s->all[k].family, s->all[i].family))
			return false;
	return true;
}

/* Eleven readings, a second apart. */
static struct pw_metrics *metrics_of(struct made *s, const char *per_fact)
{
	struct pw_metrics *m = pw_metrics_new();

	if (per_fact) {
		const char *slash = strchr(per_fact, '/');
		char *group = pw_strndup(per_fact, (size_t)(slash - per_fact));

		pw_metrics_fact(m, group, slash + 1, "3000");
		free(group);
	}
	for (int t = 0; t <= 10; t++)
		for (uint32_t i = 0; i < s->n; i++) {
			if (!is_first(s, i))
				continue;
			pw_metrics_begin(m, s->all[i].family,
					 (uint64_t)t * 1000000000);
			for (uint32_t k = i; k < s->n; k++)
				if (!strcmp(s->all[k].family, s->all[i].family))
					tell(m, s, k, t);
		}
	pw_metrics_end(m);
	for (uint32_t i = 0; i < s->n; i++) {
		free(s->all[i].family);
		free(s->all[i].name);
		free(s->all[i].instance);
	}
	return m;
}

/* --- figures of a rule ------------------------------------------------------------------- */

static void set_quotient(struct made *s, const struct rule *r,
			 const char *instance, double value)
{
	char family[64], by[64], *name = name_at(r->figure, 0), *per;
	const char *at = strrchr(r->per, '@');
	double whole = 1, part;
	int i = 0;

	family_of(r->figure, family);
	family_of(r->per, by);
	per = name_at(r->per, 0);
	if (is_time(family, name) && !is_time(by, per))
		value /= 1e9;
	if (r->only && has_name(r->only, name))
		whole = 2 * r->only_over / value;
	else if (r->only && has_name(r->only, per))
		whole = 2 * r->only_over /
			(has_name(r->per, name) ? 1 - value : 1);
	part = value * whole;
	/* a part of the whole, of which another figure is the rest */
	if (!strcmp(family, by) && has_name(r->per, name)) {
		while (has_name(r->figure, per)) {
			free(per);
			per = name_at(r->per, ++i);
		}
		whole -= part;
	}
	set(s, family, name, instance, part);
	set(s, by, per, at && at[1] != '(' ? at + 1 : instance, whole);
}

static void set_only(struct made *s, const struct rule *r, const char *instance)
{
	const char *at = strrchr(r->only, '@');
	char family[64];

	if (at && at[1] != '(')
		instance = at + 1;
	set(s, family_of(r->only, family), name_at(r->only, 0), instance,
	    2 * r->only_over);
}

static void set_top(struct made *s, const struct rule *r, double value)
{
	char family[64], instance[16];
	double all = 2 * r->only_over;

	family_of(r->figure, family);
	for (uint32_t i = 0; i < r->instances; i++) {
		snprintf(instance, sizeof(instance), "cpu%u", i);
		set(s, family, name_at(r->figure, 0), instance,
		    i ? all * (1 - value) / (r->instances - 1) : all * value);
	}
}

/* More instances, of which nothing is to be said. */
static void set_others(struct made *s, const struct rule *r)
{
	char family[64], instance[16];

	for (uint32_t i = 1; i < r->instances; i++) {
		snprintf(instance, sizeof(instance), "cpuy%u", i);
		set(s, family_of(r->figure, family), name_at(r->figure, 0),
		    instance, 0);
		if (r->per)
			set(s, family_of(r->per, family), name_at(r->per, 0),
			    instance, r->under > 0 ? 0 : 1);
	}
}

static struct pw_metrics *figures_of(const struct rule *r, double value)
{
	struct made s = { 0 };
	char *instance = r->on ? sample(r->on) : pw_strdup("");
	char family[64];

	if (r->how == HOW_TOP) {
		set_top(&s, r, value);
		free(instance);
		return metrics_of(&s, r->per_fact);
	}
	family_of(r->figure, family);
	if (r->how == HOW_TOTAL && !is_level(family, ""))
		value /= 10;
	if (r->per)
		set_quotient(&s, r, instance, value);
	else
		set(&s, family, name_at(r->figure, 0), instance,
		    value * (r->per_fact ? WHOLE * r->fact_unit : 1));
	if (r->only)
		set_only(&s, r, instance);
	set_others(&s, r);
	free(instance);
	return metrics_of(&s, r->per_fact);
}

/* --- what comes of it ------------------------------------------------------------------------ */

/* The severity in the row of this rule; NULL: it has none. */
static char *judged(struct pw_metrics *m, const struct rule *r)
{
	struct pw_report *report = pw_report_new("system", NULL);
	char *json = NULL, *row, *found = NULL;
	char *what = pw_asprintf("\"what\":\"%s\"", r->what);
	size_t n;
	FILE *to = open_memstream(&json, &n);

	pw_findings(m, report);
	assert_int_equal(pw_render_json(report, to), 0);
	fclose(to);
	row = strstr(json, what);
	if (row) {
		*row = '\0';
		while (strncmp(--row, "\"severity\":\"", 12))
			;
		row += 12;
		found = pw_strndup(row, strcspn(row, "\""));
	}
	free(json);
	free(what);
	pw_report_free(report);
	pw_metrics_free(m);
	return found;
}

static void expect(const struct rule *r, double value, const char *severity)
{
	char *found = judged(figures_of(r, value), r);

	if (!severity && found)
		fail_msg("%s fires at %g", r->key, value);
	if (severity && !found)
		fail_msg("%s does not fire at %g", r->key, value);
	if (severity && strcmp(severity, found))
		fail_msg("%s is %s at %g, not %s", r->key, found, value,
			 severity);
	free(found);
}

static void each_rule_fires_beyond_its_limit_and_not_before(void **state)
{
	(void)state;
	for (uint32_t i = 0; rule_at(i); i++) {
		const struct rule *r = rule_at(i);
		const char *name = pw_severity_name(r->severity);

		if (!r->figure)
			continue;
		if (r->under > 0) {
			expect(r, r->under * 0.99, name);
			expect(r, r->under * 1.01, NULL);
		} else {
			expect(r, r->over > 0 ? r->over * 1.01 : 1, name);
			expect(r, r->over * 0.99, NULL);
		}
	}
}

static void each_rule_is_serious_from_where_it_says(void **state)
{
	(void)state;
	for (uint32_t i = 0; rule_at(i); i++) {
		const struct rule *r = rule_at(i);
		double step = r->under > 0 ? -0.01 : 0.01;

		if (!(r->serious > 0))
			continue;
		expect(r, r->serious * (1 + step), "serious");
		expect(r, r->serious * (1 - step),
		       pw_severity_name(r->severity));
	}
}

static void what_is_small_is_no_finding(void **state)
{
	(void)state;
	for (uint32_t i = 0; rule_at(i); i++) {
		struct rule r = *rule_at(i);
		double value = r.under > 0 ? r.under * 0.9 : r.over * 1.05;

		if (!r.figure || !r.only)
			continue;
		/* figures of half the size that matters */
		r.only_over *= 0.45;
		expect(&r, value, NULL);
	}
}

static void each_rule_says_what_it_means_and_where_to_look(void **state)
{
	(void)state;
	for (uint32_t i = 0; rule_at(i); i++) {
		const struct rule *r = rule_at(i);

		if (!r->what || !r->meaning || !r->next ||
		    !r->figure == !r->fact)
			fail_msg("%s is not whole", r->key);
		assert_int_equal(r->meaning[strlen(r->meaning) - 1], '.');
		for (uint32_t k = 0; k < i; k++)
			if (!strcmp(r->key, rule_at(k)->key) ||
			    !strcmp(r->what, rule_at(k)->what))
				fail_msg("%s is there twice", r->key);
	}
}

/* --- facts ------------------------------------------------------------------------------------ */

static char *judged_fact(const struct rule *r, const char *value,
			 const char *but)
{
	struct pw_metrics *m = pw_metrics_new();
	char *name = sample(r->fact), *slash = strchr(name, '/');

	*slash = '\0';
	if (value)
		pw_metrics_fact(m, name, slash + 1, value);
	else
		pw_metrics_fact(m, name, "another", "y");
	if (but) {
		const char *at = strchr(r->but_fact, '/');
		char *group =
			pw_strndup(r->but_fact, (size_t)(at - r->but_fact));

		pw_metrics_fact(m, group, at + 1, but);
		free(group);
	}
	free(name);
	pw_metrics_end(m);
	return judged(m, r);
}

static void expect_fact(const struct rule *r, const char *value,
			const char *but, bool fires)
{
	char *found = judged_fact(r, value, but);

	if (fires != (found != NULL))
		fail_msg("%s: %s", r->key, value ? value : "(absent)");
	free(found);
}

static void facts_are_judged_by_their_value(void **state)
{
	(void)state;
	for (uint32_t i = 0; rule_at(i); i++) {
		const struct rule *r = rule_at(i);
		char *bad, *excuse;

		if (!r->fact)
			continue;
		bad = pw_strdup(r->is ? r->is : r->has ? r->has : "neither");
		bad[strcspn(bad, " ")] = '\0';
		expect_fact(r, bad, NULL, true);
		expect_fact(r, r->is_not ? r->is_not : "something", NULL,
			    false);
		expect_fact(r, NULL, NULL, r->absent != NULL);
		if (r->but_is) {
			excuse = pw_strdup(r->but_is);
			excuse[strcspn(excuse, " ")] = '\0';
			expect_fact(r, bad, excuse, false);
			free(excuse);
		}
		free(bad);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_rule_fires_beyond_its_limit_and_not_before),
		cmocka_unit_test(each_rule_is_serious_from_where_it_says),
		cmocka_unit_test(what_is_small_is_no_finding),
		cmocka_unit_test(
			each_rule_says_what_it_means_and_where_to_look),
		cmocka_unit_test(facts_are_judged_by_their_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
