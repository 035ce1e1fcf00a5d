// SPDX-License-Identifier: GPL-2.0-only
/*
 * Facts of the software: kernel, its configuration, sysctl, mounts, control
 * groups, versions. Keys and secrets of sysctl are not read, nor files that do
 * something when they are.
 */
#include "machine-facts.h"
#include "system-mounts.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

/* --- versions ---------------------------------------------------------------------- */

/* PRETTY_NAME="..." */
static void distribution(struct machine *m)
{
	struct span text = machine_text(m, "etc/os-release"), line, name;

	while (take_line(&text, &line))
		if (take_until(&line, '=', &name) &&
		    span_is(name, "PRETTY_NAME")) {
			if (line.n > 1 && *line.s == '"') {
				line.s++;
				line.n -= 2;
			}
			machine_fact(m, "os", "name", line);
		}
}

static void control_groups(struct machine *m)
{
	struct span text = machine_text(m, MOUNTINFO);
	struct mount mount;
	bool one = false, two = false;

	while (take_mount(&text, &mount)) {
		one |= span_is(mount.type, "cgroup");
		two |= span_is(mount.type, "cgroup2");
	}
	if (one || two)
		machine_printf(m, "os", "control groups", "%s",
			       !one  ? "version 2"
			       : two ? "versions 1 and 2"
				     : "version 1");
}

void machine_kernel(struct machine *m)
{
	static const char *const files[][2] = {
		{ "version", "proc/version" },
		{ "command line", "proc/cmdline" },
		{ "clocksource",
		  "sys/devices/system/clocksource/clocksource0/current_clocksource" },
		{ "clocksources",
		  "sys/devices/system/clocksource/clocksource0/available_clocksource" },
		{ "preemption", "sys/kernel/debug/sched/preempt" },
		{ "security modules", "sys/kernel/security/lsm" },
		{ "interrupts may be at", "proc/irq/default_smp_affinity" },
	};
	static const char *const dmi[] = { "sys_vendor",   "product_name",
					   "board_name",   "bios_vendor",
					   "bios_version", "bios_date" };
	struct utsname u;
	char path[96];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		machine_file(m, "kernel", files[i][0], files[i][1]);
	for (size_t i = 0; i < sizeof(dmi) / sizeof(*dmi); i++) {
		snprintf(path, sizeof(path), "sys/class/dmi/id/%s", dmi[i]);
		machine_file(m, "machine", dmi[i], path);
	}
	machine_file(m, "machine", "hypervisor", "sys/hypervisor/type");
	distribution(m);
	control_groups(m);
	if (!m->is_this_machine)
		return;
	if (!uname(&u)) {
		machine_printf(m, "kernel", "release", "%s", u.release);
		machine_printf(m, "machine", "architecture", "%s", u.machine);
	}
	machine_printf(m, "os", "C library", "%s", gnu_get_libc_version());
	machine_printf(m, "os", "perf wasm", "%s", PW_VERSION);
}

/* --- the kernel's configuration ---------------------------------------------------------- */

/* "CONFIG_X=y", "# CONFIG_Y is not set" */
static void config_lines(struct machine *m, struct span text)
{
	struct span line, name, word;
	char key[128];

	while (take_line(&text, &line)) {
		bool unset = span_starts(line, "# CONFIG_") &&
			     span_ends(line, " is not set");

		if (unset) {
			take_word(&line, &word);
			take_word(&line, &name);
			line = SPAN("n");
		} else if (!span_starts(line, "CONFIG_") ||
			   !take_until(&line, '=', &name)) {
			continue;
		}
		snprintf(key, sizeof(key), "%.*s", (int)name.n, name.s);
		machine_fact(m, "config", key, line);
	}
}

static bool config_of_proc(struct machine *m)
{
	enum { MAX_CONFIG = 4 << 20 };
	int fd = openat(m->root, "proc/config.gz", O_RDONLY | O_CLOEXEC);
	gzFile z = fd < 0 ? NULL : gzdopen(fd, "rb");
	struct pw_buf b = { 0 };
	int n = 0;

	if (!z) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	gzbuffer(z, 16384);
	do {
		pw_buf_reserve(&b, 65536);
		n = gzread(z, b.data + b.len, 65536);
		b.len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && b.len < MAX_CONFIG);
	gzclose(z);
	config_lines(m, (struct span){ (char *)b.data, (uint32_t)b.len });
	pw_buf_release(&b);
	return n >= 0;
}

void machine_config(struct machine *m)
{
	struct span text = { NULL, 0 }, name;
	struct utsname u;

	if (config_of_proc(m)) {
		machine_printf(m, "kernel", "configuration", "/proc/config.gz");
		return;
	}
	/* a tree of a test says its release */
	name = machine_text(m, "proc/sys/kernel/osrelease");
	if (take_line(&name, &name) && name.n < sizeof(u.release)) {
		memcpy(u.release, name.s, name.n);
		u.release[name.n] = 0;
		text = machine_text(m, "boot/config-%s", u.release);
	}
	if (text.n) {
		config_lines(m, text);
		machine_printf(m, "kernel", "configuration", "/boot/config-%s",
			       u.release);
		return;
	}
	machine_printf(
		m, "kernel", "configuration",
		"not readable: neither /proc/config.gz nor /boot/config-RELEASE");
}

/* --- sysctl --------------------------------------------------------------------------------- */

/* What is a secret, changes with each reading, does something when it is read,
 * or counts and is no setting. */
static const char *const unread[] = {
	"*_key*",
	"*secret*",
	"kernel/random/*",
	"vm/stat_refresh",
	"*/flush",
	"fs/binfmt_misc/*",
	"*/ns_last_pid",
	"fs/*-nr",
	"fs/*-state",
	"kernel/pty/nr",
	"fs/quota/*",
	"*_count",
	"kernel/cap_last_cap",
	"kernel/usermodehelper/*",
	"dev/cdrom/info",
	"kernel/sched_domain/*",
	"debug/*",
};

static bool is_unread(const char *path)
{
	for (size_t i = 0; i < sizeof(unread) / sizeof(*unread); i++)
		if (!fnmatch(unread[i], path, 0))
			return true;
	return false;
}

/* Each interface repeats all of a protocol's settings: of containers' there
 * may be hundreds. */
static bool is_of_interface(struct machine *m, const char *dir,
			    const char *name)
{
	char path[320];

	if (fnmatch("net/*/conf", dir, 0) && fnmatch("net/*/neigh", dir, 0))
		return false;
	if (!strcmp(name, "all") || !strcmp(name, "default"))
		return false;
	snprintf(path, sizeof(path), "sys/class/net/%s/device", name);
	return faccessat(m->root, path, F_OK, 0) != 0;
}

static void sysctl_walk(struct machine *m, const char *dir, int depth)
{
	char *path = pw_asprintf("proc/sys/%s", dir);
	char **names = depth < 10 ? machine_names(m, path) : NULL;

	free(path);
	for (char **n = names; n && *n; n++) {
		char *key = pw_asprintf("%s%s%s", dir, *dir ? "/" : "", *n);
		struct span text;

		if (!is_unread(key) && !is_of_interface(m, dir, *n)) {
			text = machine_text(m, "proc/sys/%s", key);
			machine_fact(m, "sysctl", key, text);
			if (!text.n)
				sysctl_walk(m, key, depth + 1);
		}
		free(key);
	}
	pw_strings_free(names);
}

void machine_sysctl(struct machine *m)
{
	sysctl_walk(m, "", 0);
}

/* --- mounts ------------------------------------------------------------------------------------ */

/* "/": "ext4 of /dev/vda, rw,relatime; rw" */
void machine_mounts(struct machine *m)
{
	struct span text = machine_text(m, MOUNTINFO);
	struct mount x;
	char key[256];

	while (take_mount(&text, &x)) {
		snprintf(key, sizeof(key), "%.*s", (int)x.where.n, x.where.s);
		machine_printf(m, "mounts", key, "%.*s of %.*s, %.*s; %.*s",
			       (int)x.type.n, x.type.s, (int)x.from.n, x.from.s,
			       (int)x.options.n, x.options.s,
			       (int)x.super_options.n, x.super_options.s);
	}
}
