// SPDX-License-Identifier: GPL-2.0-only
/* Rules on facts of the machine. */
#include "rule.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Is the value one of a list of patterns? `within`: or has it one in it. */
static bool is_one_of(const char *value, const char *list, bool within)
{
	char *copy = pw_strdup(list), *rest, *word;
	bool found = false;

	for (word = strtok_r(copy, " ", &rest); word && !found;
	     word = strtok_r(NULL, " ", &rest))
		found = within ? strstr(value, word) != NULL
			       : !fnmatch(word, value, 0);
	free(copy);
	return found;
}

static bool is_so(const struct rule *r, const char *value)
{
	return (!r->is || is_one_of(value, r->is, false)) &&
	       (!r->is_not || !is_one_of(value, r->is_not, false)) &&
	       (!r->has || is_one_of(value, r->has, true));
}

/* "group/key" of the one fact that a rule excuses. */
static const char *value_of(const struct pw_metrics *m, const char *name)
{
	const char *slash = strchr(name, '/');
	char *group = pw_strndup(name, (size_t)(slash - name));
	const char *value = pw_metrics_find_fact(m, group, slash + 1);

	free(group);
	return value;
}

static bool is_excused(const struct pw_metrics *m, const struct rule *r)
{
	const char *value = r->but_fact ? value_of(m, r->but_fact) : NULL;

	return value && is_one_of(value, r->but_is, false);
}

static void add_fact(const struct rule *r, const char *group, const char *key,
		     const char *value, struct findings *to)
{
	struct finding *x = findings_add(to, r, r->severity);
	const char *wanted = r->is_not ? r->is_not : r->has ? r->has : r->is;

	x->figure = pw_asprintf("%s/%s", group, key);
	x->instance = pw_strdup("");
	x->value = pw_strdup(value);
	x->limit = pw_asprintf("%s %s",
			       r->is_not ? "not"
			       : r->has  ? "has"
					 : "is",
			       wanted);
	x->when = pw_strdup("all the time");
	x->times = 1;
}

bool judge_fact(const struct pw_metrics *m, const struct rule *r,
		struct findings *to)
{
	const char *slash = strchr(r->fact, '/');
	bool is_group_known = false, was_asked = false;
	bool is_excuse = is_excused(m, r);

	for (uint32_t i = 0; i < pw_metrics_n_facts(m); i++) {
		struct pw_metrics_known k = pw_metrics_get_fact(m, i);

		if (strlen(k.group) != (size_t)(slash - r->fact) ||
		    strncmp(k.group, r->fact, strlen(k.group)))
			continue;
		is_group_known = true;
		if (fnmatch(slash + 1, k.key, FNM_EXTMATCH))
			continue;
		was_asked = true;
		if (is_so(r, k.value) && !is_excuse)
			add_fact(r, k.group, k.key, k.value, to);
	}
	if (!is_group_known || was_asked || !r->absent)
		return was_asked;
	if (is_so(r, r->absent) && !is_excuse) {
		char *group = pw_strndup(r->fact, (size_t)(slash - r->fact));

		add_fact(r, group, slash + 1, r->absent, to);
		free(group);
	}
	return true;
}
