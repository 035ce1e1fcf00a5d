// SPDX-License-Identifier: GPL-2.0-only
/* Lists of CPUs as the kernel writes them, and which PMU is the cores'. */
#include "pmu-machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void lists_have_ranges_and_holes(void **state)
{
	struct cpus c;

	(void)state;
	assert_true(cpus_parse(&c, "0-3,8,64-65"));
	assert_int_equal(cpus_count(&c), 7);
	assert_true(cpus_has(&c, 8));
	assert_false(cpus_has(&c, 4));
	assert_false(cpus_has(&c, 100000));
	assert_int_equal(cpus_next(&c, 4), 8);
	assert_int_equal(cpus_next(&c, 9), 64);
	assert_int_equal(cpus_next(&c, 66), UINT32_MAX);
	cpus_release(&c);
}

static void what_is_no_list_is_none(void **state)
{
	static const char *const wrong[] = { "",     "x",  "1-", "3-1",
					     "1,,2", "1,", "-1", "0-99999999" };
	struct cpus c;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_false(cpus_parse(&c, wrong[i]));
		assert_int_equal(cpus_count(&c), 0);
	}
}

static const char *core_of(const char *const *pmus)
{
	static char name[32];
	char *root = machine_root();
	struct devices d;

	for (; *pmus; pmus++)
		machine_pmu(root, *pmus, "type", "10\n");
	devices_open(&d, root);
	snprintf(name, sizeof(name), "%s",
		 d.core < 0 ? "none" : d.list[d.core].name);
	devices_close(&d);
	pw_remove_tree(root, NULL);
	free(root);
	return name;
}

static void the_cores_pmu_has_many_names(void **state)
{
	(void)state;
	assert_string_equal(core_of((const char *[]){ "msr", "cpu", "power",
						      NULL }),
			    "cpu");
	assert_string_equal(core_of((const char *[]){ "cpu_atom", "cpu_core",
						      "msr", NULL }),
			    "cpu_core");
	assert_string_equal(core_of((const char *[]){ "arm_cmn_0",
						      "armv8_pmuv3_0",
						      "arm_spe_0", NULL }),
			    "armv8_pmuv3_0");
	assert_string_equal(core_of((const char *[]){ "armv8_neoverse_n1",
						      NULL }),
			    "armv8_neoverse_n1");
	assert_string_equal(core_of((const char *[]){ "msr", "software",
						      NULL }),
			    "none");
}

/* Of two kinds of cores "hardware" must say which. */
static void codes_of_the_larger_cores_say_so(void **state)
{
	char *root = machine_root();
	struct devices d;
	struct pw_pmu_code c;

	(void)state;
	machine_pmu(root, "cpu_core", "type", "4\n");
	machine_pmu(root, "cpu_core", "cpus", "0-15\n");
	machine_pmu(root, "cpu_atom", "type", "10\n");
	devices_open(&d, root);
	assert_true(code_parse(&d, "hardware/cycles/", &c, NULL) >= 0);
	assert_int_equal(c.config, 4ULL << 32);
	assert_int_equal(cpus_count(&d.list[d.core].cpus), 16);
	devices_close(&d);
	pw_remove_tree(root, NULL);
	free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_have_ranges_and_holes),
		cmocka_unit_test(what_is_no_list_is_none),
		cmocka_unit_test(the_cores_pmu_has_many_names),
		cmocka_unit_test(codes_of_the_larger_cores_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
