// SPDX-License-Identifier: GPL-2.0-only
/*
 * What of bubblewrap works here, found by trying, and what to tell the user
 * about the rest. Knows the usual reasons (kernel settings, containers), not
 * how the sandbox is built (sandbox.c).
 */
#include "sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define PROBE_LIMIT_NS 10000000000ULL

static void find_options(struct sandbox *sb)
{
	const char *const argv[] = { sb->bwrap, "--help", NULL };
	struct pw_buf out = { 0 };

	/* Older releases print the help on standard error. */
	pw_child_run(argv, PROBE_LIMIT_NS, &out, &out, 65536, NULL, NULL);
	sb->has_size = strstr(pw_buf_str(&out), "--size ");
	sb->has_no_users = strstr(pw_buf_str(&out), "--disable-userns ");
	pw_buf_release(&out);
}

/* The last line that has something on it. */
static char *last_line(struct pw_buf *b)
{
	const char *s = pw_buf_str(b), *from;
	size_t n = strlen(s);

	while (n && strchr("\n\r ", s[n - 1]))
		n--;
	for (from = s + n; from > s && from[-1] != '\n'; from--)
		;
	return pw_strndup(from, s + n - from);
}

/* NULL when it works, else bwrap's complaint; the caller frees. */
static char *try_it(const struct sandbox *sb)
{
	struct pw_buf errout = { 0 };
	struct pw_err err = { 0 };
	struct words w = { 0 };
	char *why = NULL;
	int status = 0;

	sandbox_wrap(sb, NULL, NULL, &w);
	words_add(&w, "true");
	if (pw_child_run((const char *const *)w.v, PROBE_LIMIT_NS, NULL,
			 &errout, 4096, &status, &err) < 0)
		why = pw_strdup(err.msg);
	else if (!WIFEXITED(status) || WEXITSTATUS(status))
		why = last_line(&errout);
	words_release(&w);
	pw_buf_release(&errout);
	return why;
}

static bool setting_is(const char *path, char value)
{
	struct pw_file f;
	bool is;

	if (pw_file_open(&f, path, NULL) < 0)
		return false;
	is = f.size > 1 && f.data[0] == value && f.data[1] == '\n';
	pw_file_close(&f);
	return is;
}

/* What the administrator of this machine has to do. */
static const char *remedy(void)
{
	if (setting_is("/proc/sys/kernel/unprivileged_userns_clone", '0'))
		return "user namespaces are off: sysctl kernel.unprivileged_userns_clone=1";
	if (setting_is("/proc/sys/user/max_user_namespaces", '0'))
		return "user namespaces are off: sysctl user.max_user_namespaces=10000";
	if (setting_is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
		       '1'))
		return "AppArmor restricts user namespaces: give bwrap a profile or sysctl kernel.apparmor_restrict_unprivileged_userns=0";
	return "in a container, allow it user namespaces and mounts (for instance --security-opt seccomp=unconfined --security-opt systempaths=unconfined)";
}

/* Best first. As root it also works without a user namespace. */
static const struct level {
	bool users, pids, net;
	const char *lacks;
} levels[] = {
	{ true, true, true, NULL },
	{ false, true, true, "user ids" },
	{ true, true, false, "network" },
	{ true, false, true, "processes" },
	{ true, false, false, "processes and network" },
	{ false, false, false, "user ids, processes and network" },
};

static const struct level *best_level(struct sandbox *sb, char **first)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		char *why;

		sb->own_users = levels[i].users;
		sb->own_pids = levels[i].pids;
		sb->own_net = levels[i].net;
		why = try_it(sb);
		if (why && !i && sb->has_no_users) {
			/* its newest wish is the first to go */
			free(why);
			sb->has_no_users = false;
			why = try_it(sb);
		}
		if (!why)
			return &levels[i];
		if (!*first)
			*first = why;
		else
			free(why);
	}
	return NULL;
}

int sandbox_probe(struct sandbox *sb, struct pw_err *err)
{
	const struct level *l;
	char *first = NULL;
	int ret = 0;

	memset(sb, 0, sizeof(*sb));
	sb->bwrap = pw_find_program("bwrap");
	if (!sb->bwrap)
		return pw_err_set(
			err, ENOENT,
			"no sandbox: bubblewrap is not installed (apt install bubblewrap)");
	find_options(sb);
	l = best_level(sb, &first);
	if (!l) {
		sandbox_release(sb);
		ret = pw_err_set(
			err, EPERM,
			"no sandbox: bubblewrap does not work here (%s); %s",
			first, remedy());
	} else if (l->lacks) {
		ret = pw_err_set(
			err, EPERM,
			"the sandbox shares %s with this machine (%s); %s",
			l->lacks, first, remedy());
	}
	free(first);
	return ret;
}

void sandbox_release(struct sandbox *sb)
{
	free(sb->bwrap);
	memset(sb, 0, sizeof(*sb));
}

int pw_sandbox_probe(struct pw_err *err)
{
	struct sandbox sb;
	int ret = sandbox_probe(&sb, err);

	sandbox_release(&sb);
	return ret;
}
