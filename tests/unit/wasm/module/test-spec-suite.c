// SPDX-License-Identifier: GPL-2.0-only
/*
 * The specification's test suite: what it calls valid decodes and types, what
 * it calls malformed or invalid is refused with an offset. The totals are
 * printed; the walker and the fast check must agree on each module.
 */
#include "spec-suite.h"

struct totals {
	uint32_t n[N_SUITE_KINDS], accepted[N_SUITE_KINDS];
	uint32_t refused[N_SUITE_KINDS], unsupported[N_SUITE_KINDS];
	uint32_t wrong;
};

/* Proposals that this version may refuse, or accepts though the files say
 * they are invalid, because they are from before 3.0 allowed it. */
static bool is_newer(const struct suite_module *sm)
{
	return strstr(sm->place, "proposals/custom-descriptors/");
}

static bool is_older(const struct suite_module *sm)
{
	return strstr(sm->place, "proposals/threads/") &&
	       (!strcmp(sm->reason, "multiple memories") ||
		!strcmp(sm->reason, "multiple tables"));
}

static void wrong(struct totals *t, const struct suite_module *sm,
		  const char *what)
{
	print_error("%s (%s): %s\n", sm->place, sm->reason, what);
	t->wrong++;
}

/* Both walks of a decoded module. */
static int check(struct totals *t, const struct suite_module *sm,
		 const struct pw_module *m, struct pw_err *err)
{
	struct pw_err slow = { 0 };
	int rc = pw_module_check_bodies(m, err);

	if (walk_all(m, &slow) != rc)
		wrong(t, sm, "the walker and the fast check disagree");
	else if (rc && (slow.off != err->off || !strstr(err->msg, slow.msg)))
		wrong(t, sm, "the walker and the fast check differ in why");
	return rc;
}

static void check_error(struct totals *t, const struct suite_module *sm,
			const struct pw_err *err)
{
	if (err->off == PW_NO_OFF || err->off > sm->size)
		wrong(t, sm, "refused without an offset in the module");
	if (strlen(err->msg) < 10)
		wrong(t, sm, "refused without a sentence");
	if (err->code == ENOTSUP)
		t->unsupported[sm->kind]++;
	else
		t->refused[sm->kind]++;
	if (sm->kind == SUITE_VALID && !is_newer(sm))
		wrong(t, sm, err->msg);
}

static void judge(void *ctx, const struct suite_module *sm)
{
	struct totals *t = ctx;
	struct pw_err err = { 0 };
	/* A copy of exact size: a sanitizer sees reads behind it. */
	uint8_t *bytes = malloc(sm->size ? sm->size : 1);
	struct pw_module *m;
	int rc = 0;

	memcpy(bytes, sm->bytes, sm->size);
	m = pw_module_decode(bytes, sm->size, &err);
	if (m)
		rc = check(t, sm, m, &err);
	t->n[sm->kind]++;
	if (!m || rc)
		check_error(t, sm, &err);
	else
		t->accepted[sm->kind]++;
	if (m && !rc && sm->kind != SUITE_VALID && !is_older(sm))
		wrong(t, sm, "accepted");
	pw_module_free(m);
	free(bytes);
}

static void the_suite_is_read_as_it_wants_to_be(void **state)
{
	static const char *const kinds[] = { "valid", "invalid", "malformed" };
	struct totals t = { 0 };

	(void)state;
	if (!each_suite_module(judge, &t))
		skip();
	for (int i = 0; i < N_SUITE_KINDS; i++)
		print_message(
			"%-9s %4u: accepted %4u, refused %4u, not supported %4u\n",
			kinds[i], t.n[i], t.accepted[i], t.refused[i],
			t.unsupported[i]);
	assert_int_equal(t.wrong, 0);
	/* What has been reached; more is welcome, less is not. */
	assert_in_range(t.accepted[SUITE_VALID], 1843, t.n[SUITE_VALID]);
	assert_in_range(t.refused[SUITE_INVALID], 2637, t.n[SUITE_INVALID]);
	assert_in_range(t.refused[SUITE_MALFORMED], 712, t.n[SUITE_MALFORMED]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_suite_is_read_as_it_wants_to_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
