// SPDX-License-Identifier: GPL-2.0-only
/* The user's own events and metrics: both forms, and what is wrong in them. */
#include "pmu-machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct given {
	char *root, *path;
	struct plan plan;
	struct devices devices;
	struct pw_err err;
};

static int setup(void **state)
{
	struct given *g = pw_zalloc(sizeof(*g));

	g->root = machine_root();
	g->path = pw_asprintf("%s/own", g->root);
	machine_intel(g->root);
	machine_msr(g->root);
	devices_open(&g->devices, g->root);
	plan_family(&g->plan, family_find("icelake"));
	*state = g;
	return 0;
}

static int teardown(void **state)
{
	struct given *g = *state;

	plan_release(&g->plan);
	devices_close(&g->devices);
	pw_remove_tree(g->root, NULL);
	free(g->root);
	free(g->path);
	free(g);
	return 0;
}

static int read_text_of_user(struct given *g, const char *text)
{
	int ret;

	machine_file(g->root, "own", text);
	ret = plan_read(&g->plan, g->path, &g->err);
	return ret ? ret : plan_resolve(&g->plan, &g->devices, &g->err);
}

static void assert_fault(struct given *g, const char *text, const char *part)
{
	assert_true(read_text_of_user(g, text) < 0);
	if (!strstr(g->err.msg, part))
		fail_msg("\"%s\" does not hold \"%s\"", g->err.msg, part);
}

static void an_ini_file_adds_and_replaces(void **state)
{
	struct given *g = *state;
	struct figure *f;

	assert_int_equal(
		read_text_of_user(
			g,
			"; mine\n"
			"[event my_event]\n"
			"code = cpu/event=0x2e,umask=0x41,cmask=2/\n"
			"fixed = yes\n"
			"[metric my-figure]\n"
			"formula = my_event / instructions * 1000\n"
			"unit = pki\nbetter = less\nabout = A sentence.\n"
			"[metric ipc]\n"
			"formula = cycles > 0 ? instructions / cycles : 0\n"),
		0);
	f = plan_find_figure(&g->plan, "my-figure");
	assert_string_equal(f->unit, "pki");
	assert_int_equal(f->better, PW_BETTER_LESS);
	assert_int_equal(f->n, 2);
	assert_int_equal(f->line, 6);
	f = plan_find_figure(&g->plan, "ipc");
	assert_int_equal(f->line, 11);
	assert_null(f->about);
	assert_int_equal(plan_find_event(&g->plan, "my_event")->code.config,
			 0x0200412e);
	assert_true(plan_find_event(&g->plan, "my_event")->flags & EVENT_FIXED);
}

static void aperfs_files_are_read_as_they_are(void **state)
{
	struct given *g = *state;
	const struct event *e;

	assert_int_equal(
		read_text_of_user(
			g,
			"{\n  \"events\": {\n"
			"    \"Instructions\": \"cpu/event=0xc0,umask=0x0/\",\n"
			"    \"L3\": \"cpu/event=0x2e,umask=0x41/\"\n  },\n"
			"  \"metrics\": {\n"
			"    \"l3-mpki\": \"L3 / Instructions * 1000\"\n  }\n}\n"),
		0);
	e = plan_find_event(&g->plan, "L3");
	assert_int_equal(e->code.config, 0x412e);
	assert_int_equal(e->code.type, 4);
	assert_int_equal(plan_find_figure(&g->plan, "l3-mpki")->line, 7);
}

/* Of its files for a family, which its base file completes. */
static void aperfs_names_of_what_is_counted_anyway_are_known(void **state)
{
	struct given *g = *state;
	const struct figure *f;

	assert_int_equal(
		read_text_of_user(
			g,
			"{ \"events\": { \"L2\": \"cpu/event=0xf1,umask=0x1f/\" },"
			" \"metrics\": { \"l2-mpki\": \"L2 / Instructions * 1000\" } }"),
		0);
	f = plan_find_figure(&g->plan, "l2-mpki");
	assert_string_equal(f->formula, "L2 / instructions * 1000");
	assert_int_equal(f->n, 2);
}

static void an_unknown_event_is_told_with_line_and_a_near_name(void **state)
{
	assert_fault(
		*state, "[metric mine]\n\nformula = instructionss / cycles\n",
		"line 3: metric \"mine\": its formula names \"instructionss\", which is no event; did you mean \"instructions\"?");
}

static void an_unknown_term_is_told_with_the_line(void **state)
{
	assert_fault(
		*state,
		"[event e]\ncode = cpu/event=0x1,mask=2/\n[metric m]\nformula = e / cycles\n",
		"line 2: event \"e\": PMU \"cpu\" has no term \"mask\"");
}

static void a_number_too_large_for_its_bits_is_a_fault(void **state)
{
	assert_fault(
		*state,
		"[event e]\ncode = cpu/event=0x1ff/\n[metric m]\nformula = e / cycles\n",
		"0x1ff does not fit into \"event\"");
}

static void an_unknown_key_is_told_with_a_near_one(void **state)
{
	assert_fault(
		*state, "[metric m]\nformla = e / cycles\n",
		"line 2: a metric has no key \"formla\"; did you mean \"formula\"?");
}

static void a_section_of_another_kind_is_a_fault(void **state)
{
	assert_fault(*state, "[metrics]\nx = 1\n",
		     "sections are [event NAME] and [metric NAME]");
}

static void what_is_no_ini_is_told_with_the_line(void **state)
{
	assert_fault(*state, "[event e]\ncode\n", "line 2");
}

static void broken_json_is_told_with_the_line(void **state)
{
	assert_fault(*state, "{\n \"events\": {\n \"a\" 3\n} }\n", "line 3");
}

static void another_key_of_json_is_told(void **state)
{
	assert_fault(*state, "{\n \"event\": {}\n}\n",
		     "line 2: expected the objects");
}

static void a_name_that_no_formula_can_have_is_a_fault(void **state)
{
	assert_fault(*state, "[event my-event]\ncode = cpu/event=1/\n",
		     "letters, digits and _");
}

/* A file may be for several machines. */
static void a_pmu_that_is_not_here_only_misses(void **state)
{
	struct given *g = *state;

	assert_int_equal(
		read_text_of_user(
			g,
			"[event e]\ncode = armv8_pmuv3_0/event=0x8/\n[metric m]\nformula = e / cycles\n"),
		0);
	assert_non_null(strstr(plan_find_event(&g->plan, "e")->missing,
			       "no PMU \"armv8_pmuv3_0\" (it has: "));
}

static void names_of_the_devices_and_of_the_kernel_are_codes(void **state)
{
	struct given *g = *state;
	struct pw_pmu_code c;

	assert_true(code_parse(&g->devices, "cpu/cache-misses/", &c, NULL) >=
		    0);
	assert_int_equal(c.config, 0x412e);
	assert_true(code_parse(&g->devices, "cpu/event=0xd1,edge/", &c, NULL) >=
		    0);
	assert_int_equal(c.config, 0x400d1);
	assert_true(code_parse(&g->devices, "hardware/ref-cycles/", &c, NULL) >=
		    0);
	assert_int_equal(c.type, PERF_TYPE_HARDWARE);
	assert_int_equal(c.config, PERF_COUNT_HW_REF_CPU_CYCLES);
	assert_true(code_parse(&g->devices, "software/cpu-clok/", &c, &g->err) <
		    0);
	assert_non_null(strstr(g->err.msg, "did you mean \"cpu-clock\"?"));
	assert_true(code_parse(&g->devices, "cpu/config=0x1234/", &c, NULL) >=
		    0);
	assert_int_equal(c.config, 0x1234);
	assert_true(code_parse(&g->devices, "cpu/../x/", &c, NULL) < 0);
	assert_true(code_parse(&g->devices, "cpu/event=-1/", &c, NULL) < 0);
	assert_true(code_parse(&g->devices, "../cpu/event=1/", &c, NULL) < 0);
}

static void formulas_are_checked_before_anything_is_recorded(void **state)
{
	struct given *g = *state;

	machine_file(g->root, "own",
		     "[metric m]\nformula = (instructions / cycles\n");
	assert_true(pw_pmu_check(g->path, &g->err) < 0);
	assert_non_null(strstr(g->err.msg, "line 2: metric \"m\""));
	machine_file(g->root, "own",
		     "[metric m]\nformula = (instructions) / cycles\n");
	assert_int_equal(pw_pmu_check(g->path, &g->err), 0);
	assert_int_equal(pw_pmu_check("/nowhere", &g->err), -ENOENT);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_ini_file_adds_and_replaces),
		T(aperfs_files_are_read_as_they_are),
		T(aperfs_names_of_what_is_counted_anyway_are_known),
		T(an_unknown_event_is_told_with_line_and_a_near_name),
		T(an_unknown_term_is_told_with_the_line),
		T(a_number_too_large_for_its_bits_is_a_fault),
		T(an_unknown_key_is_told_with_a_near_one),
		T(a_section_of_another_kind_is_a_fault),
		T(what_is_no_ini_is_told_with_the_line),
		T(broken_json_is_told_with_the_line),
		T(another_key_of_json_is_told),
		T(a_name_that_no_formula_can_have_is_a_fault),
		T(a_pmu_that_is_not_here_only_misses),
		T(names_of_the_devices_and_of_the_kernel_are_codes),
		T(formulas_are_checked_before_anything_is_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
