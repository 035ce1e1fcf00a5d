// SPDX-License-Identifier: GPL-2.0-only
/*
 * bubblewrap around a host program: namespaces of its own; the system's
 * programs and libraries and the runtime's files read-only; the caller's box
 * writable; nothing else. Options: bwrap(1). Trying them is probe.c's.
 */
#include "sandbox.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Compilers and interpreters need these; where one is a link (a merged
 * /usr), so it is inside. */
static const char *const system_paths[] = { "/usr",
					    "/bin",
					    "/sbin",
					    "/lib",
					    "/lib32",
					    "/lib64",
					    "/libx32",
					    "/etc/alternatives",
					    "/etc/ld.so.cache",
					    "/etc/ld.so.conf",
					    "/etc/ld.so.conf.d",
					    "/nix/store",
					    "/gnu/store",
					    NULL };

/*
 * In a user namespace made by root, user 0 inside is user 0 outside, and the
 * kernel lets that number, whatever its capabilities, write here:
 * core_pattern alone would be a way out.
 */
static const char *const proc_paths[] = {
	"/proc/sys", "/proc/sysrq-trigger", "/proc/fs",       "/proc/irq",
	"/proc/bus", "/proc/mtrr",          "/proc/pressure", NULL
};

/* Memory that /tmp and /dev/shm may take, each. */
#define TMP_SIZE "1073741824"

static void add3(struct words *w, const char *a, const char *b, const char *c)
{
	words_add(w, a);
	words_add(w, b);
	words_add(w, c);
}

static void add2(struct words *w, const char *a, const char *b)
{
	words_add(w, a);
	words_add(w, b);
}

static void add_system_path(struct words *w, const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n > 0) {
		target[n] = 0;
		add3(w, "--symlink", target, path);
	} else {
		add3(w, "--ro-bind-try", path, path);
	}
}

static void add_namespaces(const struct sandbox *sb, struct words *w)
{
	words_add(w, sb->own_users ? "--unshare-user" : "--unshare-user-try");
	if (sb->own_users && sb->has_no_users)
		words_add(w, "--disable-userns");
	add3(w, "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try");
	if (sb->own_pids)
		words_add(w, "--unshare-pid");
	if (sb->own_net)
		words_add(w, "--unshare-net");
	add2(w, "--hostname", "box");
	add2(w, "--cap-drop", "ALL");
	add2(w, "--die-with-parent", "--new-session");
}

static void add_tmpfs(const struct sandbox *sb, struct words *w,
		      const char *path)
{
	if (sb->has_size)
		add2(w, "--size", TMP_SIZE);
	add2(w, "--tmpfs", path);
}

static void add_system(const struct sandbox *sb, struct words *w)
{
	for (size_t i = 0; system_paths[i]; i++)
		add_system_path(w, system_paths[i]);
	if (sb->own_pids)
		add2(w, "--proc", "/proc");
	else
		add3(w, "--ro-bind", "/proc", "/proc");
	for (size_t i = 0; sb->own_pids && proc_paths[i]; i++)
		add3(w, "--ro-bind-try", proc_paths[i], proc_paths[i]);
	add2(w, "--dev", "/dev");
	add_tmpfs(sb, w, "/dev/shm");
	add2(w, "--remount-ro", "/dev");
	add_tmpfs(sb, w, "/tmp");
	add2(w, "--dir", SANDBOX_CWD);
}

static void add_runtime(const struct pw_runtime *rt, struct words *w)
{
	const char *program = rt->host_argv[0];

	if (*program == '/')
		add3(w, "--ro-bind-try", program, program);
	if (rt->path && *rt->path == '/')
		add3(w, "--ro-bind-try", rt->path, rt->path);
	for (char **p = rt->needs; p && *p; p++)
		add3(w, "--ro-bind-try", *p, *p);
}

static void add_box(const struct pw_session_opts *opts, struct words *w)
{
	for (const char *const *d = opts->dirs; d && *d; d++)
		add3(w, "--ro-bind", *d, *d);
	for (const char *const *d = opts->writable_dirs; d && *d; d++)
		add3(w, "--bind", *d, *d);
	if (opts->box_dir)
		add3(w, "--bind", opts->box_dir, opts->box_dir);
}

void sandbox_wrap(const struct sandbox *sb, const struct pw_runtime *rt,
		  const struct pw_session_opts *opts, struct words *w)
{
	words_add(w, sb->bwrap);
	add_namespaces(sb, w);
	add_system(sb, w);
	if (rt)
		add_runtime(rt, w);
	if (opts)
		add_box(opts, w);
	add2(w, "--remount-ro", "/");
	add3(w, "--chdir", SANDBOX_CWD, "--");
}

void sandbox_environment(struct words *w, const char *tmp)
{
	char *home = pw_asprintf("HOME=%s", tmp);
	char *tmpdir = pw_asprintf("TMPDIR=%s", tmp);

	words_add(w, "PATH=/usr/local/bin:/usr/bin:/bin");
	words_add(w, "LANG=C");
	words_add(w, home);
	words_add(w, tmpdir);
	free(home);
	free(tmpdir);
}
