/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine of its own for the registry: a prefix with one description in
 * it, an empty cache and configuration, and a PATH that begins with a folder
 * for programs that tests write.
 */
#ifndef REGISTRY_FIXTURE_H
#define REGISTRY_FIXTURE_H

#include <perfwasm/runtime.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

static char root[64];

static inline char *below(const char *relative)
{
	return pw_asprintf("%s/%s", root, relative);
}

static inline void put_file(const char *relative, const char *text)
{
	char *path = below(relative), *slash = strrchr(path, '/');

	*slash = 0;
	pw_mkdirs(path, NULL);
	*slash = '/';
	pw_file_write(path, text, strlen(text), NULL);
	chmod(path, 0755);
	free(path);
}

static inline void set_below(const char *name, const char *relative)
{
	char *path = below(relative);

	setenv(name, path, 1);
	free(path);
}

/* a sha256 of nothing in particular */
#define HASH_OTHER \
	"ec7d7565310bb8ed5707fa29dab6fc6d8b8bf5ec1bc6630e43293714f46689a1"

static inline void put_engine_conf(void)
{
	struct utsname u;
	char text[1000];

	uname(&u);
	snprintf(text, sizeof(text),
		 "[runtime]\nname = engine\nkind = library\nhost = host-x\n"
		 "options = opt gc\nshows_code = yes\nsamples = no\n"
		 "[fetch]\npackage = enginepkg\nlibrary.%s = e/_lib.so\n"
		 "oldest = 1.0\n[sha256.%s]\n1.2 = " HASH_OTHER "\n"
		 "1.10 = " HASH_OTHER "\n2.0 = " HASH_OTHER "\n",
		 u.machine, u.machine);
	put_file("prefix/share/perf-wasm/runtimes/engine.conf", text);
}

static inline int set_up(void **state)
{
	char *path;

	(void)state;
	strcpy(root, "/tmp/pw-registry-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	set_below("PERF_WASM_PREFIX", "prefix");
	set_below("XDG_CACHE_HOME", "cache");
	set_below("XDG_CONFIG_HOME", "config");
	put_engine_conf();
	put_file("prefix/libexec/perf-wasm/host-x", "");
	put_file("prefix/libexec/perf-wasm/host-wasmtime", "");
	put_file("prefix/libexec/perf-wasm/host-command", "");
	put_file("bin/nothing", "#!/bin/sh\n");
	path = pw_asprintf("%s/bin:/usr/local/bin:/usr/bin:/bin", root);
	setenv("PATH", path, 1);
	free(path);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	return pw_remove_tree(root, NULL);
}

static inline void put_fetched(const char *version)
{
	char *path =
		pw_asprintf("cache/perf-wasm/runtimes/engine@%s/libengine.so",
			    version);

	put_file(path, "library");
	free(path);
}

#endif
