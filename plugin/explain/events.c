// SPDX-License-Identifier: GPL-2.0-only
/* The table of hardware events that speak for patterns. */
#include "explain-impl.h"

static const struct pw_explain_event events[] = {
#define PW_EVENT(pmu, pattern, name, cycles) \
	{ pmu, PW_PATTERN_##pattern, name, cycles },
#include "events.def"
#undef PW_EVENT
};

const struct pw_explain_event *pw_explain_events(uint32_t *n)
{
	*n = sizeof(events) / sizeof(*events);
	return events;
}
