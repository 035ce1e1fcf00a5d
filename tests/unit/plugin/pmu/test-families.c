// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which family a CPU is of, that each family's formulas have their events, and
 * that codes are what libpfm makes of the events' names.
 */
#include "../../../../plugin/pmu/pmu-impl.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* Heads of /proc/cpuinfo, as machines of these kinds show them. */
static const struct {
	const char *family, *cpuinfo;
} machines[] = {
	{ "zen1",
	  "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 23\nmodel\t\t: 1\n" },
	{ "zen1",
	  "processor\t: 0\nvendor_id\t: HygonGenuine\ncpu family\t: 24\nmodel\t\t: 0\n" },
	{ "zen2",
	  "vendor_id\t: AuthenticAMD\ncpu family\t: 23\nmodel\t\t: 49\nmodel name\t: AMD EPYC 7R32\n" },
	{ "zen3",
	  "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n" },
	{ "zen3",
	  "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 33\n" },
	{ "zen4",
	  "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n" },
	{ "zen4",
	  "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 97\n" },
	{ "zen5",
	  "vendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\n" },
	{ "amd",
	  "vendor_id\t: AuthenticAMD\ncpu family\t: 21\nmodel\t\t: 2\n" },
	{ "amd",
	  "vendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 80\n" },
	{ "skylake",
	  "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 7\n" },
	{ "icelake",
	  "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n" },
	{ "goldencove",
	  "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n" },
	{ "goldencove",
	  "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\n" },
	{ "goldencove",
	  "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 173\n" },
	{ "intel",
	  "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 63\n" },
	{ "x86",
	  "vendor_id\t: CentaurHauls\ncpu family\t: 7\nmodel\t\t: 59\n" },
	{ "neoverse-n1",
	  "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n" },
	{ "neoverse-v1", "CPU implementer\t: 0x41\nCPU part\t: 0xd40\n" },
	{ "neoverse-n2", "CPU implementer\t: 0x41\nCPU part\t: 0xd49\n" },
	{ "neoverse-v2", "CPU implementer\t: 0x41\nCPU part\t: 0xd4f\n" },
	{ "neoverse-v3", "CPU implementer\t: 0x41\nCPU part\t: 0xd84\n" },
	{ "arm", "CPU implementer\t: 0x51\nCPU part\t: 0xc00\n" },
	{ "generic", "processor\t: 0\nhart\t\t: 0\nisa\t\t: rv64imafdc\n" },
	{ "generic", "" },
};

static void a_cpu_is_of_the_family_by_cpuinfo_its_model(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		assert_string_equal(family_by_cpuinfo(machines[i].cpuinfo)
					    ->name,
				    machines[i].family);
}

static void every_formula_has_its_events(void **state)
{
	const struct family *f;
	struct pw_err err;

	(void)state;
	for (uint32_t i = 0; (f = family_get(i)); i++) {
		struct plan p = { 0 };
		struct devices d;

		devices_open(&d, "/nowhere");
		plan_family(&p, f);
		if (plan_resolve(&p, &d, &err))
			fail_msg("%s: %s", f->name, err.msg);
		assert_true(p.n_figures >= 5);
		plan_release(&p);
		devices_close(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_is_of_the_family_by_cpuinfo_its_model),
		cmocka_unit_test(every_formula_has_its_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
