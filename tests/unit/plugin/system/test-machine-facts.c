// SPDX-License-Identifier: GPL-2.0-only
/* What a machine is, of a tree of files; and what of it is nobody's business. */
#include "machine-tree.h"

#include <errno.h>

static const char *fact(const struct tree *t, const char *group,
			const char *key)
{
	return pw_metrics_find_fact(t->m, group, key);
}

static void gather(struct tree *t)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/" PW_SYSTEM_MACHINE, t->root);
	assert_int_equal(pw_system_machine(path, t->root, NULL), 0);
	tree_read(t, t->root);
}

static void files_are_facts(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	tree_put(
		&t, "proc/cpuinfo",
		"processor\t: 0\nmodel name\t: A CPU\nflags\t\t: a b\n\nprocessor\t: 1\nmodel name\t: Another\n");
	tree_put(&t, "sys/devices/system/cpu/cpu0/topology/physical_package_id",
		 "0\n");
	tree_put(&t, "sys/devices/system/cpu/cpu1/topology/physical_package_id",
		 "3\n");
	tree_put(&t,
		 "sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
		 "0-1\n");
	tree_put(&t,
		 "sys/devices/system/cpu/cpu1/topology/thread_siblings_list",
		 "0-1\n");
	tree_put(&t, "sys/devices/system/cpu/cpu0/cache/index0/level", "1\n");
	tree_put(&t, "sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
	tree_put(&t, "sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
	tree_put(&t, "sys/devices/system/cpu/vulnerabilities/meltdown",
		 "Not affected\n");
	tree_put(&t, "sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
		 "performance\n");
	tree_put(&t, "sys/kernel/mm/transparent_hugepage/enabled",
		 "always [madvise] never\n");
	tree_put(&t, "sys/block/sda/size", "1000\n");
	tree_put(&t, "sys/block/sda/queue/scheduler", "[none] kyber\n");
	tree_put(&t, "sys/block/loop0/size", "0\n");
	tree_put(&t, "sys/class/net/eth0/device/x", "");
	tree_put(&t, "sys/class/net/eth0/mtu", "1500\n");
	tree_put(&t, "sys/class/net/veth9/mtu", "1500\n");
	tree_put(&t, "etc/os-release", "NAME=X\nPRETTY_NAME=\"An OS 1\"\n");
	tree_put(&t, "proc/self/mountinfo",
		 "27 1 254:0 / / rw,noatime - ext4 /dev/vda rw,discard\n");
	gather(&t);
	assert_string_equal(fact(&t, "cpu", "model name"), "A CPU");
	assert_string_equal(fact(&t, "cpu", "sockets"), "2");
	assert_string_equal(fact(&t, "cpu", "cores"), "1");
	assert_string_equal(fact(&t, "cpu", "cache L1 Data"), "32K");
	assert_string_equal(fact(&t, "mitigations", "meltdown"),
			    "Not affected");
	assert_string_equal(fact(&t, "frequency", "policy0 scaling_governor"),
			    "performance");
	assert_string_equal(fact(&t, "memory", "transparent_hugepage/enabled"),
			    "always [madvise] never");
	assert_string_equal(fact(&t, "disk", "sda scheduler"), "[none] kyber");
	assert_null(fact(&t, "disk", "loop0 size"));
	assert_string_equal(fact(&t, "net", "eth0 mtu"), "1500");
	assert_null(fact(&t, "net", "veth9 mtu"));
	assert_string_equal(fact(&t, "os", "name"), "An OS 1");
	assert_string_equal(fact(&t, "mounts", "/"),
			    "ext4 of /dev/vda, rw,noatime; rw,discard");
	/* of files that are not there nothing is said */
	assert_null(fact(&t, "kernel", "version"));
	tree_release(&t);
}

static void sysctl_is_told_without_secrets_and_counts(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	tree_put(&t, "proc/sys/vm/swappiness", "60\n");
	tree_put(&t, "proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
	tree_put(&t, "proc/sys/net/ipv4/tcp_fastopen_key", "secret\n");
	tree_put(&t, "proc/sys/net/ipv6/conf/all/stable_secret", "secret\n");
	tree_put(&t, "proc/sys/net/ipv4/conf/all/rp_filter", "2\n");
	tree_put(&t, "proc/sys/net/ipv4/conf/veth9/rp_filter", "2\n");
	tree_put(&t, "proc/sys/kernel/random/uuid", "1-2-3\n");
	tree_put(&t, "proc/sys/fs/file-nr", "1 2 3\n");
	tree_put(&t, "proc/sys/vm/stat_refresh", "1\n");
	gather(&t);
	assert_string_equal(fact(&t, "sysctl", "vm/swappiness"), "60");
	assert_string_equal(fact(&t, "sysctl", "net/ipv4/tcp_rmem"),
			    "4096 131072 6291456");
	assert_string_equal(fact(&t, "sysctl", "net/ipv4/conf/all/rp_filter"),
			    "2");
	for (uint32_t i = 0; i < pw_metrics_n_facts(t.m); i++)
		assert_null(
			strstr(pw_metrics_get_fact(t.m, i).value, "secret"));
	assert_null(fact(&t, "sysctl", "net/ipv4/conf/veth9/rp_filter"));
	assert_null(fact(&t, "sysctl", "kernel/random/uuid"));
	assert_null(fact(&t, "sysctl", "fs/file-nr"));
	assert_null(fact(&t, "sysctl", "vm/stat_refresh"));
	tree_release(&t);
}

static void a_configuration_that_is_not_there_is_not_unset(void **state)
{
	struct tree t;

	(void)state;
	tree_make(&t);
	gather(&t);
	assert_non_null(
		strstr(fact(&t, "kernel", "configuration"), "not readable"));
	assert_null(fact(&t, "config", "CONFIG_NUMA"));
	tree_put(&t, "proc/sys/kernel/osrelease", "6.1.0-x\n");
	tree_put(
		&t, "boot/config-6.1.0-x",
		"# Linux\nCONFIG_HZ=250\nCONFIG_NAME=\"a=b\"\n# CONFIG_NUMA is not set\n");
	gather(&t);
	assert_string_equal(fact(&t, "config", "CONFIG_HZ"), "250");
	assert_string_equal(fact(&t, "config", "CONFIG_NAME"), "\"a=b\"");
	assert_string_equal(fact(&t, "config", "CONFIG_NUMA"), "n");
	assert_string_equal(fact(&t, "kernel", "configuration"),
			    "/boot/config-6.1.0-x");
	tree_release(&t);
}

static void a_place_that_can_not_be_written_is_named(void **state)
{
	struct pw_err err = { .msg = "" };

	(void)state;
	assert_int_equal(pw_system_machine("/nowhere/machine", "/nowhere/root",
					   &err),
			 -ENOENT);
	assert_non_null(strstr(err.msg, "/nowhere/root"));
	assert_int_equal(pw_system_machine("/nowhere/machine", "/", &err),
			 -ENOENT);
	assert_non_null(strstr(err.msg, "/nowhere/machine"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_facts),
		cmocka_unit_test(sysctl_is_told_without_secrets_and_counts),
		cmocka_unit_test(
			a_configuration_that_is_not_there_is_not_unset),
		cmocka_unit_test(a_place_that_can_not_be_written_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
