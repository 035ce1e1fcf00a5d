// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine on which nothing is wrong has no findings: figures as they are on
 * idle servers, among them those that look bad by their share alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <perfwasm/findings.h>

#define C PW_METRIC_COUNTER
#define L PW_METRIC_LEVEL

/* A counter grows by so much a second, of time in ns. */
static const struct {
	const char *family, *name, *instance;
	enum pw_metric_kind kind;
	enum pw_unit unit;
	double value;
} quiet[] = {
	{ "cpu", "user", "all", C, PW_UNIT_NS, 3e7 },
	{ "cpu", "system", "all", C, PW_UNIT_NS, 2e7 },
	{ "cpu", "idle", "all", C, PW_UNIT_NS, 3.9e9 },
	{ "cpu", "iowait", "all", C, PW_UNIT_NS, 1e7 },
	{ "cpu", "steal", "all", C, PW_UNIT_NS, 4e6 },
	{ "cpu", "user", "cpu0", C, PW_UNIT_NS, 1e7 },
	{ "cpu", "idle", "cpu0", C, PW_UNIT_NS, 9.8e8 },
	{ "kernel", "switches", "", C, PW_UNIT_COUNT, 900 },
	{ "kernel", "forks", "", C, PW_UNIT_COUNT, 3 },
	{ "kernel", "blocked", "", L, PW_UNIT_COUNT, 0 },
	{ "psi", "some", "cpu", C, PW_UNIT_NS, 5e6 },
	{ "psi", "some", "io", C, PW_UNIT_NS, 2e7 },
	{ "psi", "full", "io", C, PW_UNIT_NS, 1e7 },
	{ "psi", "some", "memory", C, PW_UNIT_NS, 0 },
	{ "schedstat", "wait", "cpu0", C, PW_UNIT_NS, 1e6 },
	{ "schedstat", "slices", "cpu0", C, PW_UNIT_COUNT, 300 },
	/* waits more than it runs, but hardly runs */
	{ "process_sched", "run", "9 cron", C, PW_UNIT_NS, 1e5 },
	{ "process_sched", "wait", "9 cron", C, PW_UNIT_NS, 3e5 },
	{ "vmstat", "pgfault", "", C, PW_UNIT_COUNT, 700 },
	{ "vmstat", "pgmajfault", "", C, PW_UNIT_COUNT, 0.4 },
	{ "vmstat", "pswpin", "", C, PW_UNIT_COUNT, 0 },
	{ "vmstat", "oom_kill", "", C, PW_UNIT_COUNT, 0 },
	/* huge pages that failed, a few */
	{ "vmstat", "thp_fault_fallback", "", C, PW_UNIT_COUNT, 1 },
	{ "vmstat", "thp_fault_alloc", "", C, PW_UNIT_COUNT, 0 },
	{ "vmstat", "nr_dirty", "", L, PW_UNIT_COUNT, 300 },
	{ "vmstat", "nr_dirty_threshold", "", L, PW_UNIT_COUNT, 500000 },
	{ "meminfo", "MemTotal", "", L, PW_UNIT_BYTES, 16e9 },
	{ "meminfo", "MemAvailable", "", L, PW_UNIT_BYTES, 9e9 },
	{ "meminfo", "PageTables", "", L, PW_UNIT_BYTES, 3e7 },
	{ "meminfo", "SUnreclaim", "", L, PW_UNIT_BYTES, 4e8 },
	{ "meminfo", "HugePages_Total", "", L, PW_UNIT_COUNT, 2 },
	{ "meminfo", "HugePages_Free", "", L, PW_UNIT_COUNT, 2 },
	/* two nodes, all on one, but little */
	{ "numa", "numa_hit", "node0", C, PW_UNIT_COUNT, 800 },
	{ "numa", "numa_hit", "node1", C, PW_UNIT_COUNT, 2 },
	{ "numa", "numa_miss", "node0", C, PW_UNIT_COUNT, 90 },
	{ "numa", "numa_miss", "node1", C, PW_UNIT_COUNT, 0 },
	/* a slow disk that is asked twice a second */
	{ "disk", "reads", "sda", C, PW_UNIT_COUNT, 0 },
	{ "disk", "writes", "sda", C, PW_UNIT_COUNT, 2 },
	{ "disk", "write_time", "sda", C, PW_UNIT_NS, 6e7 },
	{ "disk", "write_bytes", "sda", C, PW_UNIT_BYTES, 8192 },
	{ "disk", "io_time", "sda", C, PW_UNIT_NS, 3e7 },
	{ "disk", "weighted_time", "sda", C, PW_UNIT_NS, 6e7 },
	{ "disk", "flushes", "sda", C, PW_UNIT_COUNT, 0.5 },
	{ "disk", "flush_time", "sda", C, PW_UNIT_NS, 2e7 },
	/* one CPU has it all, but little */
	{ "softirqs", "NET_RX", "cpu0", C, PW_UNIT_COUNT, 40 },
	{ "softirqs", "NET_RX", "cpu1", C, PW_UNIT_COUNT, 0 },
	{ "softirqs", "NET_RX", "cpu2", C, PW_UNIT_COUNT, 0 },
	{ "softirqs", "NET_RX", "cpu3", C, PW_UNIT_COUNT, 0 },
	{ "interrupts", "24 nvme0q1", "cpu0", C, PW_UNIT_COUNT, 30 },
	{ "interrupts", "24 nvme0q1", "cpu1", C, PW_UNIT_COUNT, 0 },
	{ "interrupts", "25 eth0", "cpu2", C, PW_UNIT_COUNT, 0 },
	{ "interrupts", "25 eth0", "cpu3", C, PW_UNIT_COUNT, 0 },
	{ "softnet", "dropped", "cpu0", C, PW_UNIT_COUNT, 0 },
	{ "softnet", "time_squeeze", "cpu0", C, PW_UNIT_COUNT, 0.1 },
	/* a third of the packets are of a protocol that nobody wants */
	{ "net", "rx_drops", "eth0", C, PW_UNIT_COUNT, 3 },
	{ "net", "rx_packets", "eth0", C, PW_UNIT_COUNT, 9 },
	{ "net", "tx_packets", "eth0", C, PW_UNIT_COUNT, 5 },
	/* one lost packet of ten */
	{ "netstat", "Tcp:OutSegs", "", C, PW_UNIT_COUNT, 3 },
	{ "netstat", "Tcp:RetransSegs", "", C, PW_UNIT_COUNT, 0.3 },
	{ "netstat", "TcpExt:TCPTimeouts", "", C, PW_UNIT_COUNT, 0.3 },
	{ "netstat", "TcpExt:ListenDrops", "", C, PW_UNIT_COUNT, 0 },
	{ "netstat", "Udp:RcvbufErrors", "", C, PW_UNIT_COUNT, 0 },
	{ "sockets", "TCP:tw", "", L, PW_UNIT_COUNT, 12 },
	{ "files", "open", "", L, PW_UNIT_COUNT, 3000 },
	{ "files", "open_max", "", L, PW_UNIT_COUNT, 1e6 },
	{ "tasks", "zombies", "", L, PW_UNIT_COUNT, 1 },
	/* a CPU that sleeps at its lowest clock */
	{ "frequency", "current", "cpu0", L, PW_UNIT_NONE, 8e8 },
	/* a file system of an archive is full for good, another has no inodes
	 * to count */
	{ "mounts", "size", "/snap/core", L, PW_UNIT_BYTES, 6e7 },
	{ "mounts", "free", "/snap/core", L, PW_UNIT_BYTES, 0 },
	{ "mounts", "available", "/snap/core", L, PW_UNIT_BYTES, 0 },
	{ "mounts", "files", "/snap/core", L, PW_UNIT_COUNT, 12000 },
	{ "mounts", "files_free", "/snap/core", L, PW_UNIT_COUNT, 0 },
	{ "mounts", "size", "/", L, PW_UNIT_BYTES, 1e11 },
	{ "mounts", "free", "/", L, PW_UNIT_BYTES, 6e10 },
	{ "mounts", "available", "/", L, PW_UNIT_BYTES, 5e10 },
	{ "mounts", "files", "/", L, PW_UNIT_COUNT, 0 },
	{ "mounts", "files_free", "/", L, PW_UNIT_COUNT, 0 },
	{ "cgroup", "nr_periods", "/a", C, PW_UNIT_COUNT, 10 },
	{ "cgroup", "nr_throttled", "/a", C, PW_UNIT_COUNT, 0 },
	{ "cgroup", "oom_kill", "/a", C, PW_UNIT_COUNT, 0 },
};
#define N_QUIET (sizeof(quiet) / sizeof(quiet[0]))

static const char *const facts[][3] = {
	{ "config", "CONFIG_TRANSPARENT_HUGEPAGE", "y" },
	{ "config", "CONFIG_KASAN", "n" },
	{ "kernel", "clocksource", "tsc" },
	{ "memory", "transparent_hugepage/enabled", "always [madvise] never" },
	{ "mitigations", "meltdown", "Not affected" },
	{ "frequency", "policy0 scaling_driver", "intel_pstate" },
	{ "frequency", "policy0 scaling_governor", "powersave" },
	{ "frequency", "policy0 cpuinfo_max_freq", "3600000" },
	{ "frequency", "intel_pstate no_turbo", "0" },
	{ "sysctl", "vm/zone_reclaim_mode", "0" },
};

static void tell_family(struct pw_metrics *m, size_t first, int t)
{
	const char *family = quiet[first].family;

	pw_metrics_begin(m, family, (uint64_t)t * 1000000000);
	for (size_t i = first; i < N_QUIET; i++) {
		if (strcmp(quiet[i].family, family))
			continue;
		pw_metrics_value(m,
				 pw_metrics_series(m, family, quiet[i].name,
						   quiet[i].instance,
						   quiet[i].kind,
						   quiet[i].unit),
				 quiet[i].value * (quiet[i].kind == L ? 1 : t));
	}
}

static void a_quiet_machine_has_no_findings(void **state)
{
	struct pw_metrics *m = pw_metrics_new();
	struct pw_report *r = pw_report_new("system", NULL);
	struct pw_render_opts o = { 0 };
	struct pw_findings_found found;

	(void)state;
	for (int t = 0; t <= 30; t++)
		for (size_t i = 0; i < N_QUIET; i++)
			if (!i || strcmp(quiet[i].family, quiet[i - 1].family))
				tell_family(m, i, t);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		pw_metrics_fact(m, facts[i][0], facts[i][1], facts[i][2]);
	pw_metrics_end(m);
	found = pw_findings(m, r);
	for (int s = 0; s < PW_N_SEVERITIES; s++)
		if (found.n[s]) {
			pw_render_text(r, &o, stderr);
			fail_msg("%u findings are %s", found.n[s],
				 pw_severity_name(s));
		}
	/* nearly all were asked */
	assert_true(found.n_unasked < found.n_rules / 2);
	pw_report_free(r);
	pw_metrics_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_machine_has_no_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
