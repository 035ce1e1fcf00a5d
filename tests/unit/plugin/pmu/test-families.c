// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which family a CPU is of, that each family's formulas have their events, and
 * that codes are what libpfm makes of the events' names.
 */
#include "pmu-machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
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

/* --- libpfm's opinion -------------------------------------------------------- */

static const struct {
	const char *family, *pmu;
	void (*machine)(const char *root);
} pmus[] = {
	{ "zen1", "amd64_fam17h_zen1", machine_amd },
	{ "zen2", "amd64_fam17h_zen2", machine_amd },
	{ "zen3", "amd64_fam19h_zen3", machine_amd },
	{ "zen4", "amd64_fam19h_zen4", machine_amd },
	{ "zen5", "amd64_fam1ah_zen5", machine_amd },
	{ "skylake", "skl", machine_intel },
	{ "skylake", "skx", machine_intel },
	{ "skylake", "clx", machine_intel },
	{ "icelake", "icl", machine_intel },
	{ "icelake", "icx", machine_intel },
	{ "goldencove", "spr", machine_intel },
	{ "goldencove", "emr", machine_intel },
	{ "goldencove", "gnr", machine_intel },
	{ "neoverse-n1", "arm_n1", machine_arm },
	{ "neoverse-v1", "arm_v1", machine_arm },
	{ "neoverse-n2", "arm_n2", machine_arm },
	{ "neoverse-v2", "arm_v2", machine_arm },
	{ "neoverse-v3", "arm_v3", machine_arm },
};

enum { UNKNOWN_PMU = 200 };

/* The name of a plan's event: the last line of the table is in force. */
static const char *pfm_of(const struct family *f, const char *event)
{
	uint32_t n;
	const struct family_event *e = family_events(&n);

	for (uint32_t i = n; i-- > 0;)
		if (!strcmp(e[i].family, f->name) && !strcmp(e[i].name, event))
			return e[i].pfm;
	return *f->base ? pfm_of(family_find(f->base), event) : "";
}

/* One of "A|B" that libpfm has; false: none. */
static bool encode(struct devices *d, const char *pmu, const char *names,
		   struct pw_pmu_code *out, struct pw_err *err)
{
	char *copy = pw_strdup(names), *save = NULL, *name, *full;
	bool found = false;

	for (name = strtok_r(copy, "|", &save); name && !found;
	     name = strtok_r(NULL, "|", &save)) {
		full = pw_asprintf("%s::%s", pmu, name);
		found = code_by_name(d, full, out, err) >= 0;
		free(full);
	}
	free(copy);
	return found;
}

static int compare_event(struct devices *d, const char *pmu,
			 const struct family *f, const struct event *e)
{
	const char *names = pfm_of(f, e->name);
	struct pw_pmu_code raw, named;
	struct pw_err err = { 0 };

	if (!*names)
		return 0;
	if (code_parse(d, e->text, &raw, &err) < 0 ||
	    !encode(d, pmu, names, &named, &err)) {
		print_error("%s %s: %s\n", pmu, e->name, err.msg);
		return 1;
	}
	if (raw.config == named.config)
		return 0;
	print_error("%s %s: 0x%llx, libpfm says 0x%llx\n", pmu, e->name,
		    (unsigned long long)raw.config,
		    (unsigned long long)named.config);
	return 1;
}

/* In a process of its own: which PMU is forced, libpfm looks up but once. */
static int compare_family(size_t i)
{
	const struct family *f = family_find(pmus[i].family);
	char *root = machine_root(), *any;
	struct plan p = { 0 };
	struct devices d;
	struct pw_pmu_code code;
	int wrong = 0;

	setenv("LIBPFM_FORCE_PMU", pmus[i].pmu, 1);
	pmus[i].machine(root);
	devices_open(&d, root);
	plan_family(&p, f);
	any = pw_asprintf("%s::%s", pmus[i].pmu, pfm_of(f, "cycles"));
	if (code_by_name(&d, any, &code, NULL) < 0)
		wrong = UNKNOWN_PMU;
	for (uint32_t k = 0; k < p.n_events && wrong < UNKNOWN_PMU; k++)
		wrong += compare_event(&d, pmus[i].pmu, f, &p.events[k]);
	pw_remove_tree(root, NULL);
	return wrong;
}

static void codes_are_those_of_libpfms_names(void **state)
{
	int status, wrong = 0, known = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(pmus) / sizeof(*pmus); i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(compare_family(i));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == UNKNOWN_PMU)
			print_message("this libpfm knows no %s\n", pmus[i].pmu);
		else
			known++;
		wrong += WEXITSTATUS(status) % UNKNOWN_PMU;
	}
	assert_int_equal(wrong, 0);
	assert_true(known >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_is_of_the_family_by_cpuinfo_its_model),
		cmocka_unit_test(every_formula_has_its_events),
		cmocka_unit_test(codes_are_those_of_libpfms_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
