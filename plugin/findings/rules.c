// SPDX-License-Identifier: GPL-2.0-only
/* The table of rules. */
#include "rule.h"

static const struct rule rules[] = {
#define HINT    PW_SEVERITY_HINT
#define NOTABLE PW_SEVERITY_NOTABLE
#define SERIOUS PW_SEVERITY_SERIOUS
#define PW_RULE(name, least, says, ...) \
	{ .key = #name, .severity = least, .what = says, __VA_ARGS__ },
#include "rules.def"
#undef PW_RULE
};

const struct rule *rules_all(uint32_t *n)
{
	*n = sizeof(rules) / sizeof(rules[0]);
	return rules;
}
