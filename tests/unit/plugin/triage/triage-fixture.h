/* SPDX-License-Identifier: GPL-2.0-only */
/* Triages made by hand, in milliseconds. */
#ifndef TESTS_TRIAGE_FIXTURE_H
#define TESTS_TRIAGE_FIXTURE_H

#include <perfwasm/triage.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MS 1000000ULL

/* Takes ms of that kind more; CPU and wall time grow with it. */
static inline void spend(struct pw_triage *t, enum pw_spent kind, uint64_t ms)
{
	t->n_runs = 1;
	t->spent_ns[kind] += ms * MS;
	t->wall_ns += ms * MS;
	if (kind != PW_SPENT_WAITING)
		t->cpu_ns += ms * MS;
}

static inline void call(struct pw_triage *t, const char *name, uint64_t n,
			uint64_t ms)
{
	t->has_calls = true;
	t->calls = pw_realloc(t->calls, (t->n_calls + 1) * sizeof(*t->calls));
	t->calls[t->n_calls++] = (struct pw_triage_call){
		.name = pw_strdup(name), .n = n, .ns = ms * MS
	};
}

/* The suspect and the oracle. */
struct pair {
	struct pw_triage s, o;
	struct pw_triage_side suspect, oracle;
};

static inline int pair_begin(void **state)
{
	struct pair *p = pw_zalloc(sizeof(*p));

	p->suspect = (struct pw_triage_side){ .spec = "slow@1", .t = &p->s };
	p->oracle = (struct pw_triage_side){ .spec = "fast@2", .t = &p->o };
	*state = p;
	return 0;
}

static inline int pair_end(void **state)
{
	struct pair *p = *state;

	pw_triage_release(&p->s);
	pw_triage_release(&p->o);
	free(p);
	return 0;
}

#define T(f) cmocka_unit_test_setup_teardown(f, pair_begin, pair_end)

#endif
