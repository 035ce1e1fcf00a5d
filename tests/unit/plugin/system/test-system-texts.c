// SPDX-License-Identifier: GPL-2.0-only
/* Texts of machines of all kinds become figures; garbage becomes none. */
#include <perfwasm/system.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <perfwasm/metrics.h>
#include <cmocka.h>

#define SECOND 1000000000ULL

struct told {
	struct pw_metrics *m;
	struct pw_system_texts *t;
	uint64_t time_ns;
};

static struct told start(void)
{
	struct told f = { .m = pw_metrics_new(), .time_ns = 5 * SECOND };

	f.t = pw_system_texts_new(f.m);
	return f;
}

/* One text a second. */
static void add(struct told *f, const char *path, const char *text)
{
	struct pw_system_text part = { path, text, strlen(text) };

	assert_int_equal(pw_system_texts_add(f->t, f->time_ns, &part, 1, NULL),
			 0);
	f->time_ns += SECOND;
}

static void end(struct told *f)
{
	pw_system_texts_free(f->t);
	pw_metrics_end(f->m);
}

static const struct pw_metric *get(const struct told *f, const char *family,
				   const char *name, const char *instance)
{
	const struct pw_metric *x =
		pw_metrics_find(f->m, family, name, instance);

	if (!x)
		fail_msg("there is no %s.%s of '%s'", family, name, instance);
	return x;
}

static void is_total(const struct told *f, const char *family, const char *name,
		     const char *instance, double total)
{
	assert_float_equal(get(f, family, name, instance)->total, total, 1e-6);
}

static void is_last(const struct told *f, const char *family, const char *name,
		    const char *instance, double last)
{
	assert_float_equal(get(f, family, name, instance)->last, last, 1e-6);
}

static void guest_time_is_not_user_time(void **state)
{
	struct told f = start();

	(void)state;
	add(&f, "proc/stat",
	    "cpu  100 0 0 0 0 0 0 0 10 0\n"
	    "cpu0 100 0 0 0 0 0 0 0 10 0\nctxt 5\nprocs_running 3\n");
	add(&f, "proc/stat",
	    "cpu  200 0 0 0 0 0 0 0 60 0\n"
	    "cpu0 200 0 0 0 0 0 0 0 60 0\nctxt 25\nprocs_running 7\n");
	end(&f);
	is_total(&f, "cpu", "user", "cpu0", 50 * 1e7);
	is_total(&f, "cpu", "guest", "all", 50 * 1e7);
	is_total(&f, "kernel", "switches", "", 20);
	is_last(&f, "kernel", "running", "", 7);
	pw_metrics_free(f.m);
}

/* cpu1 is unplugged: what was cpu2's stays cpu2's. */
static void figures_go_by_label_and_not_by_line(void **state)
{
	struct told f = start();

	(void)state;
	add(&f, "proc/stat", "cpu0 10 0 0 0\ncpu1 500 0 0 0\ncpu2 20 0 0 0\n");
	add(&f, "proc/stat", "cpu0 11 0 0 0\ncpu2 22 0 0 0\n");
	add(&f, "proc/stat", "cpu0 12 0 0 0\ncpu2 24 0 0 0\n");
	add(&f, "proc/softirqs",
	    "          CPU0       CPU2\n  TIMER:  5   70\n");
	add(&f, "proc/softirqs",
	    "          CPU0       CPU2\n  TIMER:  6   75\n");
	end(&f);
	is_total(&f, "cpu", "user", "cpu0", 2e7);
	is_total(&f, "cpu", "user", "cpu2", 4e7);
	is_total(&f, "cpu", "user", "cpu1", 0);
	is_total(&f, "softirqs", "TIMER", "cpu2", 5);
	assert_null(pw_metrics_find(f.m, "softirqs", "TIMER", "cpu1"));
	pw_metrics_free(f.m);
}

static void interrupts_are_named_by_line_and_device(void **state)
{
	const char *form =
		"           CPU0       CPU1\n"
		" 36:     0     %d  PCI-MSIX-0000:00:02.0  1-edge      virtio1-req.0\n"
		" 16:     %d     0  IO-APIC  16-fasteoi  ehci_hcd:usb1, ehci_hcd:usb2\n"
		"LOC:     %d     7   Local timer interrupts\n"
		"ERR:     %d\n";
	struct told f = start();
	char text[512];

	(void)state;
	for (int i = 1; i < 3; i++) {
		snprintf(text, sizeof(text), form, 10 * i, i, 5 * i, i);
		add(&f, "proc/interrupts", text);
	}
	end(&f);
	is_total(&f, "interrupts", "36 virtio1-req.0", "cpu1", 10);
	is_total(&f, "interrupts", "16 ehci_hcd:usb1, ehci_hcd:usb2", "cpu0",
		 1);
	is_total(&f, "interrupts", "LOC", "cpu0", 5);
	is_total(&f, "interrupts", "ERR", "", 1);
	/* a line and CPU that never had one has no figure */
	assert_null(
		pw_metrics_find(f.m, "interrupts", "36 virtio1-req.0", "cpu0"));
	pw_metrics_free(f.m);
}

static void counts_and_levels_of_vmstat_are_told_apart(void **state)
{
	struct told f = start();

	(void)state;
	add(&f, "proc/vmstat",
	    "nr_free_pages 100\npgfault 10\nworkingset_nodes 4\n");
	add(&f, "proc/vmstat",
	    "nr_free_pages 90\npgfault 25\nworkingset_nodes 5\n");
	end(&f);
	is_total(&f, "vmstat", "pgfault", "", 15);
	is_last(&f, "vmstat", "nr_free_pages", "", 90);
	is_last(&f, "vmstat", "workingset_nodes", "", 5);
	pw_metrics_free(f.m);
}

static void memory_is_bytes_and_huge_pages_are_counts(void **state)
{
	struct told f = start();

	(void)state;
	add(&f, "proc/meminfo", "MemTotal:  1000 kB\nHugePages_Total:   5\n");
	add(&f, "sys/devices/system/node/node3/meminfo",
	    "Node 3 MemTotal:  64 kB\nNode 3 HugePages_Total:     2\n");
	end(&f);
	is_last(&f, "meminfo", "MemTotal", "", 1024000);
	is_last(&f, "meminfo", "HugePages_Total", "", 5);
	is_last(&f, "numa_memory", "MemTotal", "node3", 65536);
	is_last(&f, "numa_memory", "HugePages_Total", "node3", 2);
	pw_metrics_free(f.m);
}

static void protocols_are_named_before_their_figures(void **state)
{
	struct told f = start();
	struct pw_system_text parts[] = {
		{ .path = "proc/net/netstat",
		  .text = "TcpExt: A B\nTcpExt: 1 2\nIpExt: InOctets\nIpExt: 99\n" },
		{ .path = "proc/net/snmp",
		  .text = "Tcp: MaxConn CurrEstab OutSegs\nTcp: -1 3 70\n" },
		{ .path = "proc/net/snmp6", .text = "Ip6InOctets  \t\t 12\n" },
	};

	(void)state;
	for (int i = 0; i < 3; i++)
		parts[i].size = strlen(parts[i].text);
	assert_int_equal(pw_system_texts_add(f.t, 1, parts, 3, NULL), 0);
	end(&f);
	is_last(&f, "netstat", "TcpExt:B", "", 2);
	is_last(&f, "netstat", "IpExt:InOctets", "", 99);
	is_last(&f, "netstat", "Tcp:MaxConn", "", -1);
	is_last(&f, "netstat", "Tcp:CurrEstab", "", 3);
	is_last(&f, "netstat", "Ip6:InOctets", "", 12);
	pw_metrics_free(f.m);
}

static void disks_have_as_many_fields_as_their_kernel(void **state)
{
	struct told f = start();

	(void)state;
	add(&f, "proc/diskstats",
	    " 8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n"
	    " 259 0 nvme0n1 1 2 3 4 5 6 8 8 9 10 11 12 13 14 15 16 17\n"
	    " 7 0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	end(&f);
	is_last(&f, "disk", "write_bytes", "sda", 7 * 512);
	is_last(&f, "disk", "flushes", "sda", 0);
	is_last(&f, "disk", "flush_time", "nvme0n1", 17e6);
	assert_null(pw_metrics_find(f.m, "disk", "reads", "loop0"));
	pw_metrics_free(f.m);
}

static void a_process_is_its_number_and_name(void **state)
{
	const char *form =
		"%d (%s) S 1 1 1 0 -1 4194304 %d 0 2 0 %d 7 0 0 20 0 3 0 12345 4096000 100 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 5 0 0 0\n";
	struct told f = start();
	char a[512], b[512];
	struct pw_system_text parts[] = {
		{ "proc/12/stat", a, 0 },
		{ "proc/13/stat", b, 0 },
	};

	(void)state;
	for (int i = 1; i <= 3; i++) {
		parts[0].size = (size_t)snprintf(a, sizeof(a), form, 12,
						 "a) R (b", 10 * i, 5 * i);
		parts[1].size =
			(size_t)snprintf(b, sizeof(b), form, 13, "x", 1, 1);
		/* the second ends */
		assert_int_equal(pw_system_texts_add(f.t, (uint64_t)i * SECOND,
						     parts, i < 3 ? 2 : 1,
						     NULL),
				 0);
	}
	end(&f);
	is_total(&f, "process", "user", "12 a) R (b", 10 * 1e7);
	is_total(&f, "process", "minor_faults", "12 a) R (b", 20);
	is_last(&f, "process", "threads", "13 x", 3);
	assert_int_equal(get(&f, "process", "threads", "13 x")->n, 2);
	pw_metrics_free(f.m);
}

static void the_rest_of_the_sources_is_read(void **state)
{
	struct told f = start();

	(void)state;
	add(&f, "proc/net/dev",
	    "Inter-|   Receive  |  Transmit\n face |bytes packets\n"
	    "  eth0:2908101795   73757    0    0    0     0          0         0  3684699   45521    0    0    0     0       0          0\n");
	add(&f, "proc/net/softnet_stat",
	    "000120b5 00000000 000000Ff 0 0 0 0 0 0 00000003 00000002 00000001 00000005 0 0\n");
	add(&f, "proc/net/sockstat", "TCP: inuse 4 mem 2\nFRAG: memory 9\n");
	add(&f, "proc/pressure/io",
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=17\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
	add(&f, "proc/schedstat",
	    "version 17\ncpu3 1 0 2 3 4 5 600 700 8\ndomain0 MC 3 0 0\n");
	add(&f, "proc/buddyinfo",
	    "Node 0, zone   Normal  14410   6669 0 0 0 0 0 0 0 0 2591 \n");
	add(&f, "proc/pagetypeinfo",
	    "Page block order: 9\nNode    0, zone      DMA, type    Unmovable >100000 2\nNumber of blocks type     Unmovable\nNode 0, zone      DMA            1            7\n");
	add(&f, "proc/slabinfo",
	    "slabinfo - version: 2.1\n# name <active_objs>\nbio-312  12  24    320   12    1 : tunables    0    0    0 : slabdata      2      2      0\nnone 0 0 320 12 1 : tunables 0 0 0 : slabdata 0 0 0\n");
	add(&f, "sys/devices/system/node/node0/numastat",
	    "numa_hit 5\nnuma_miss 6\n");
	add(&f, "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq",
	    "2900000\n");
	add(&f, "sys/class/infiniband/mlx5_0/ports/1/hw_counters/np_cnp_sent",
	    "44\n");
	add(&f, "sys/class/thermal/thermal_zone2/temp", "-5500\n");
	add(&f,
	    "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count",
	    "3\n");
	end(&f);
	is_last(&f, "net", "tx_packets", "eth0", 45521);
	is_last(&f, "softnet", "time_squeeze", "cpu5", 255);
	is_last(&f, "softnet", "backlog", "cpu5", 1);
	is_last(&f, "sockets", "TCP:inuse", "", 4);
	is_last(&f, "sockets", "FRAG:memory", "", 9);
	is_last(&f, "psi", "full", "io", 5e3);
	is_last(&f, "schedstat", "run", "cpu3", 600);
	is_last(&f, "schedstat", "slices", "cpu3", 8);
	is_last(&f, "schedstat", "schedules", "cpu3", 2);
	is_last(&f, "buddy", "order10", "node0 Normal", 2591);
	is_last(&f, "pagetype", "order0", "node0 DMA Unmovable", 100000);
	is_last(&f, "slab", "objects", "bio-312", 24);
	is_last(&f, "numa", "numa_miss", "node0", 6);
	is_last(&f, "frequency", "current", "cpu1", 2.9e9);
	is_last(&f, "rdma", "np_cnp_sent", "mlx5_0 1", 44);
	is_last(&f, "thermal", "temperature", "thermal_zone2", -5.5);
	is_last(&f, "throttle", "core", "cpu1", 3);
	assert_null(pw_metrics_find(f.m, "slab", "objects", "none"));
	pw_metrics_free(f.m);
}

/* 128 CPUs, of which every line has 128 numbers. */
static void many_cpus_are_no_trouble(void **state)
{
	struct told f = start();
	struct pw_buf b = { 0 };

	(void)state;
	for (int round = 1; round < 4; round++) {
		b.len = 0;
		for (int i = 0; i < 128; i++)
			pw_buf_printf(&b, "      CPU%d", i);
		for (int line = 0; line < 200; line++) {
			pw_buf_printf(&b, "\n%d:", line);
			for (int i = 0; i < 128; i++)
				pw_buf_printf(&b, " %d", round * (i + 1));
			pw_buf_printf(&b, "  PCI-MSI nvme0q%d", line);
		}
		add(&f, "proc/interrupts", pw_buf_str(&b));
	}
	pw_buf_release(&b);
	end(&f);
	is_total(&f, "interrupts", "199 nvme0q199", "cpu127", 256);
	is_total(&f, "interrupts", "0 nvme0q0", "cpu0", 2);
	pw_metrics_free(f.m);
}

static void what_is_no_text_of_a_source_is_nothing(void **state)
{
	static const char *const paths[] = {
		"proc/stat",         "proc/softirqs",
		"proc/interrupts",   "proc/schedstat",
		"proc/pressure/cpu", "proc/vmstat",
		"proc/meminfo",      "proc/net/netstat",
		"proc/net/snmp6",    "proc/net/dev",
		"proc/diskstats",    "proc/buddyinfo",
		"proc/slabinfo",     "proc/pagetypeinfo",
		"proc/1/stat",       "proc/net/softnet_stat",
	};
	static const char *const texts[] = {
		"",     "\n",    ":",         "a b c\n\n::\n : : \n",
		"cpu",  "cpu0:", "TcpExt: a", "Node 0, zone\nNode 0, zone ,",
		"CPU0", "1 (x",  "1 )x( S",   "-\n- -\n",
	};
	struct told f = start();
	struct pw_err err;
	struct pw_system_text no = { "proc/nothing", "", 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
			add(&f, paths[i], texts[k]);
	assert_int_equal(pw_system_texts_add(f.t, f.time_ns, &no, 1, &err),
			 -ENOENT);
	assert_non_null(strstr(err.msg, "proc/nothing"));
	end(&f);
	pw_metrics_free(f.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guest_time_is_not_user_time),
		cmocka_unit_test(figures_go_by_label_and_not_by_line),
		cmocka_unit_test(interrupts_are_named_by_line_and_device),
		cmocka_unit_test(counts_and_levels_of_vmstat_are_told_apart),
		cmocka_unit_test(memory_is_bytes_and_huge_pages_are_counts),
		cmocka_unit_test(protocols_are_named_before_their_figures),
		cmocka_unit_test(disks_have_as_many_fields_as_their_kernel),
		cmocka_unit_test(a_process_is_its_number_and_name),
		cmocka_unit_test(the_rest_of_the_sources_is_read),
		cmocka_unit_test(many_cpus_are_no_trouble),
		cmocka_unit_test(what_is_no_text_of_a_source_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
