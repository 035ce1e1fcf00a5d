/* SPDX-License-Identifier: GPL-2.0-only */
/* The user's file: what its two forms share. */
#ifndef PMU_CONFIG_H
#define PMU_CONFIG_H

#include "pmu-impl.h"

/* Text to the plan; -EINVAL and why, with the line. */
int config_ini(struct plan *p, const char *text, struct pw_err *err);
int config_json(struct plan *p, const char *text, struct pw_err *err);
/* A formula can name it. */
bool config_event_name(const char *name);

#endif
