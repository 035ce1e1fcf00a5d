// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where things are: the user's cache and configuration, programs on PATH,
 * and our own files beside the running program. Creates nothing.
 */
#include <perfwasm/base.h>

#include <dlfcn.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* XDG base directory specification: a relative value is to be ignored. */
static const char *absolute_env(const char *name)
{
	const char *v = getenv(name);

	return v && *v == '/' ? v : NULL;
}

static char *home_dir(void)
{
	const char *home = absolute_env("HOME");
	struct passwd pw, *found = NULL;
	char buf[4096];

	if (home)
		return pw_strdup(home);
	if (!getpwuid_r(getuid(), &pw, buf, sizeof(buf), &found) && found)
		return pw_strdup(found->pw_dir);
	return pw_strdup("/");
}

static char *xdg_dir(const char *env, const char *below_home)
{
	const char *v = absolute_env(env);
	char *home, *dir;

	if (v)
		return pw_asprintf("%s/perf-wasm", v);
	home = home_dir();
	dir = pw_asprintf("%s/%s/perf-wasm", strcmp(home, "/") ? home : "",
			  below_home);
	free(home);
	return dir;
}

char *pw_cache_dir(void)
{
	return xdg_dir("XDG_CACHE_HOME", ".cache");
}

char *pw_config_dir(void)
{
	return xdg_dir("XDG_CONFIG_HOME", ".config");
}

static bool can_run(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *pw_find_program(const char *name)
{
	const char *p = getenv("PATH"), *end;
	char *path;

	if (strchr(name, '/'))
		return can_run(name) ? pw_strdup(name) : NULL;
	if (!*name)
		return NULL;
	if (!p)
		p = "/usr/local/bin:/usr/bin:/bin";
	for (; *p; p = *end ? end + 1 : end) {
		end = p + strcspn(p, ":");
		if (end == p) /* the current directory, by an old custom */
			continue;
		path = pw_asprintf("%.*s/%s", (int)(end - p), p, name);
		if (can_run(path))
			return path;
		free(path);
	}
	return NULL;
}

static char *below(const char *dir, const char *relative)
{
	char *path = pw_asprintf("%s/%s", dir, relative);

	if (!access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

/* The nearest directory above `file` that holds `relative`: PREFIX for
 * PREFIX/bin/perf-wasm, the build folder for BUILD/tests/unit/x/y/test-z.
 * That is the deepest case; further up it would be somebody else's file. */
#define MAX_UP 5

static char *above(const char *file, const char *relative)
{
	char dir[PATH_MAX], *slash, *found = NULL;

	if (!realpath(file, dir))
		return NULL;
	for (int i = 0; !found && i < MAX_UP; i++) {
		slash = strrchr(dir, '/');
		if (!slash || slash == dir)
			break;
		*slash = 0;
		found = below(dir, relative);
	}
	return found;
}

char *pw_own_path(const char *relative)
{
	const char *prefix = getenv("PERF_WASM_PREFIX");
	char *found = NULL;
	Dl_info info;

	if (prefix && *prefix)
		found = below(prefix, relative);
	/* A plugin inside perf is found by its own file, not by perf's. */
	if (!found && dladdr((void *)(uintptr_t)pw_own_path, &info) &&
	    info.dli_fname && strchr(info.dli_fname, '/'))
		found = above(info.dli_fname, relative);
	if (!found)
		found = above("/proc/self/exe", relative);
	return found;
}
