// SPDX-License-Identifier: GPL-2.0-only
/*
 * Facts of processors and memory: what they are, how they are laid out, what
 * works around their faults, how their clocks are governed.
 */
#include "machine-facts.h"

#include <stdlib.h>

#define CPUS "sys/devices/system/cpu"

/* --- what they are ------------------------------------------------------------------ */

/* Of the first of cpuinfo; the others are the same, but for hybrids, where the
 * number of each kind is told. Names are those of x86 and Arm. */
static void model(struct machine *m)
{
	static const char *const keys[] = {
		"vendor_id",
		"cpu family",
		"model",
		"model name",
		"stepping",
		"microcode",
		"cache size",
		"address sizes",
		"flags",
		"bugs",
		"Features",
		"CPU implementer",
		"CPU architecture",
		"CPU variant",
		"CPU part",
		"CPU revision",
		"cpu",
		"isa",
		"uarch",
	};
	struct span text = machine_text(m, "proc/cpuinfo"), line, name;
	bool told[sizeof(keys) / sizeof(*keys)] = { false };

	while (take_line(&text, &line)) {
		if (!take_until(&line, ':', &name))
			continue;
		while (name.n && (name.s[name.n - 1] == '\t' ||
				  name.s[name.n - 1] == ' '))
			name.n--;
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
			if (!told[i] && span_is(name, keys[i])) {
				machine_fact(m, "cpu", keys[i], line);
				told[i] = true;
			}
	}
}

/* How many different texts the CPUs have in a file of their topology. */
static uint32_t count_kinds(struct machine *m, char **cpus, const char *file)
{
	uint64_t *seen = NULL;
	uint32_t n = 0;

	for (; cpus && *cpus; cpus++) {
		struct span text =
			machine_text(m, CPUS "/%s/topology/%s", *cpus, file);
		uint64_t h = pw_hash(text.s, text.n, 0);
		uint32_t i = 0;

		if (!text.n)
			continue;
		while (i < n && seen[i] != h)
			i++;
		if (i < n)
			continue;
		seen = pw_realloc(seen, (n + 1) * sizeof(*seen));
		seen[n++] = h;
	}
	free(seen);
	return n;
}

/* "cpu12" and not "cpufreq". */
static char **cpu_names(struct machine *m)
{
	char **all = machine_names(m, CPUS), **cpus = NULL;

	for (char **a = all; a && *a; a++)
		if (!strncmp(*a, "cpu", 3) && (*a)[3] >= '0' && (*a)[3] <= '9')
			pw_strings_add(&cpus, pw_strdup(*a));
	pw_strings_free(all);
	return cpus;
}

static void layout(struct machine *m)
{
	static const char *const lists[] = { "online", "offline", "possible",
					     "isolated", "nohz_full" };
	char **cpus = cpu_names(m), path[96];
	uint32_t sockets, cores;

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		snprintf(path, sizeof(path), CPUS "/%s", lists[i]);
		machine_file(m, "cpu", lists[i], path);
	}
	machine_file(m, "cpu", "SMT", CPUS "/smt/control");
	sockets = count_kinds(m, cpus, "physical_package_id");
	cores = count_kinds(m, cpus, "thread_siblings_list");
	if (sockets)
		machine_printf(m, "cpu", "sockets", "%u", sockets);
	if (cores)
		machine_printf(m, "cpu", "cores", "%u", cores);
	pw_strings_free(cpus);
}

/* "cache L1 Data": "32K, shared by CPUs 0-1". */
static void caches(struct machine *m)
{
	char **names = machine_names(m, CPUS "/cpu0/cache");

	for (char **n = names; n && *n; n++) {
		const char *dir = CPUS "/cpu0/cache";
		char key[64], value[160];
		struct span s = machine_text(m, "%s/%s/level", dir, *n);
		int at;

		if (!s.n)
			continue;
		at = snprintf(key, sizeof(key), "cache L%.*s ", (int)s.n - 1,
			      s.s);
		s = machine_text(m, "%s/%s/type", dir, *n);
		snprintf(key + at, sizeof(key) - (size_t)at, "%.*s",
			 (int)s.n - (s.n > 0), s.s);
		s = machine_text(m, "%s/%s/size", dir, *n);
		at = snprintf(value, sizeof(value), "%.*s",
			      (int)s.n - (s.n > 0), s.s);
		s = machine_text(m, "%s/%s/shared_cpu_list", dir, *n);
		if (s.n && at < 100)
			snprintf(value + at, sizeof(value) - (size_t)at,
				 ", shared by CPUs %.*s", (int)s.n - 1, s.s);
		machine_printf(m, "cpu", key, "%s", value);
	}
	pw_strings_free(names);
}

static void faults(struct machine *m)
{
	char **names = machine_names(m, CPUS "/vulnerabilities");

	for (char **n = names; n && *n; n++)
		machine_fact(m, "mitigations", *n,
			     machine_text(m, CPUS "/vulnerabilities/%s", *n));
	pw_strings_free(names);
}

/* --- their clocks -------------------------------------------------------------------- */

static void frequency(struct machine *m)
{
	static const char *const files[] = {
		"scaling_driver",   "scaling_governor",
		"scaling_min_freq", "scaling_max_freq",
		"cpuinfo_max_freq", "energy_performance_preference",
	};
	char **names = machine_names(m, CPUS "/cpufreq"), key[160];

	for (char **n = names; n && *n; n++) {
		if (strncmp(*n, "policy", 6))
			continue;
		for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
			snprintf(key, sizeof(key), "%s %s", *n, files[i]);
			machine_fact(m, "frequency", key,
				     machine_text(m, CPUS "/cpufreq/%s/%s", *n,
						  files[i]));
		}
	}
	pw_strings_free(names);
	machine_file(m, "frequency", "boost", CPUS "/cpufreq/boost");
	machine_file(m, "frequency", "intel_pstate status",
		     CPUS "/intel_pstate/status");
	machine_file(m, "frequency", "intel_pstate no_turbo",
		     CPUS "/intel_pstate/no_turbo");
	machine_file(m, "frequency", "amd_pstate status",
		     CPUS "/amd_pstate/status");
	machine_file(m, "frequency", "idle driver",
		     CPUS "/cpuidle/current_driver");
	machine_file(m, "frequency", "idle governor",
		     CPUS "/cpuidle/current_governor");
}

void machine_cpus(struct machine *m)
{
	model(m);
	layout(m);
	caches(m);
	faults(m);
	frequency(m);
}

/* --- memory ----------------------------------------------------------------------------- */

#define NODES "sys/devices/system/node"
#define MM    "sys/kernel/mm"

static void nodes(struct machine *m)
{
	char **names = machine_names(m, NODES), key[96];

	for (char **n = names; n && *n; n++) {
		if (strncmp(*n, "node", 4))
			continue;
		snprintf(key, sizeof(key), "%.40s CPUs", *n);
		machine_fact(m, "numa", key,
			     machine_text(m, NODES "/%s/cpulist", *n));
		snprintf(key, sizeof(key), "%.40s distance", *n);
		machine_fact(m, "numa", key,
			     machine_text(m, NODES "/%s/distance", *n));
	}
	pw_strings_free(names);
}

void machine_memory(struct machine *m)
{
	static const char *const files[] = {
		"transparent_hugepage/enabled",
		"transparent_hugepage/defrag",
		"transparent_hugepage/shmem_enabled",
		"transparent_hugepage/khugepaged/defrag",
		"ksm/run",
		"lru_gen/enabled",
		"numa/demotion_enabled",
	};
	struct span text = machine_text(m, "proc/meminfo"), line, name;
	char path[96];

	while (take_line(&text, &line))
		if (take_until(&line, ':', &name) &&
		    (span_is(name, "MemTotal") || span_is(name, "SwapTotal") ||
		     span_is(name, "Hugepagesize")))
			machine_fact(m, "memory",
				     span_is(name, "MemTotal") ? "MemTotal"
				     : span_is(name, "SwapTotal")
					     ? "SwapTotal"
					     : "Hugepagesize",
				     line);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), MM "/%s", files[i]);
		machine_file(m, "memory", files[i], path);
	}
	nodes(m);
}
