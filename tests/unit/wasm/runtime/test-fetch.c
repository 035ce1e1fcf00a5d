// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fetching with a python3 that the test writes: it "downloads" a file and
 * "unpacks" a library, or fails as pip does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "registry-fixture.h"

#include "../../../../wasm/runtime/pip.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* python3 -m pip download ... -d DIR -r FILE; python3 -m zipfile -e W DIR */
#define PYTHON                                                               \
	"#!/bin/sh\n"                                                        \
	"echo \"$*\" >>\"$ROOT/calls\"\n"                                    \
	"if [ \"$2\" = pip ]; then\n"                                        \
	"  while [ $# -gt 1 ]; do case $1 in -d) d=$2 ;; -r) r=$2 ;; esac; " \
	"shift; done\n"                                                      \
	"  [ \"$1\" = -r ] || :\n"                                           \
	"  cat \"$r\" >>\"$ROOT/calls\"\n"                                   \
	"  echo wheel >\"$d/enginepkg-$GIVES-py3-none-any.whl\"\n"           \
	"else\n"                                                             \
	"  mkdir -p \"$5/e\"; echo library >\"$5/e/_lib.so\"\n"              \
	"fi\n"

#define FAILS(text) "#!/bin/sh\necho '" text "' >&2\nexit 1\n"

static int set_up_python(void **state)
{
	if (set_up(state))
		return -1;
	setenv("ROOT", root, 1);
	setenv("GIVES", "3.0", 1);
	put_file("bin/python3", PYTHON);
	return 0;
}

static char *calls(void)
{
	char *path = below("calls"), *text;
	struct pw_file f;

	assert_int_equal(pw_file_open(&f, path, NULL), 0);
	text = pw_strndup((const char *)f.data, f.size);
	pw_file_close(&f);
	free(path);
	return text;
}

static int fetch(const char *spec, char **resolved, bool *pinned,
		 struct pw_err *err)
{
	char *sha256 = NULL;
	int rc = pw_runtime_fetch(spec, resolved, &sha256, pinned, err);

	if (!rc)
		assert_int_equal(strlen(sha256), 64);
	free(sha256);
	return rc;
}

static void assert_fails(const char *spec, int rc, const char *part)
{
	char *resolved = NULL;
	struct pw_err err;
	bool pinned;

	assert_int_equal(fetch(spec, &resolved, &pinned, &err), rc);
	if (!strstr(err.msg, part))
		fail_msg("'%s' does not say '%s'", err.msg, part);
	assert_null(resolved);
}

static bool is_left(const char *relative)
{
	char *path = below(relative);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

static void a_pinned_release_is_asked_for_by_its_hash(void **state)
{
	char *resolved = NULL, *said;
	bool pinned = false;

	(void)state;
	setenv("GIVES", "1.2", 1);
	assert_int_equal(fetch("engine@1.2", &resolved, &pinned, NULL), 0);
	assert_string_equal(resolved, "engine@1.2");
	assert_true(pinned);
	said = calls();
	assert_non_null(strstr(said, "--require-hashes"));
	assert_non_null(
		strstr(said, "enginepkg==1.2 --hash=sha256:" HASH_OTHER));
	assert_true(
		is_left("cache/perf-wasm/runtimes/engine@1.2/libengine.so"));
	free(said);
	free(resolved);
}

static void an_unpinned_release_is_hashed(void **state)
{
	char *resolved = NULL, *said;
	bool pinned = true;

	(void)state;
	assert_int_equal(fetch("engine@3.0", &resolved, &pinned, NULL), 0);
	assert_false(pinned);
	said = calls();
	assert_null(strstr(said, "--require-hashes"));
	free(said);
	free(resolved);
}

static void the_newest_is_what_pip_gives(void **state)
{
	char *resolved = NULL;
	bool pinned;

	(void)state;
	assert_int_equal(fetch("engine@newest", &resolved, &pinned, NULL), 0);
	assert_string_equal(resolved, "engine@3.0");
	free(resolved);
}

static void the_newest_must_match_its_pin_too(void **state)
{
	(void)state;
	setenv("GIVES", "2.0", 1);
	assert_fails("engine@newest", -EBADMSG, "another sha256");
	assert_false(is_left("cache/perf-wasm/runtimes/engine@2.0"));
}

static void what_is_there_is_not_fetched_again(void **state)
{
	char *resolved = NULL, *sha256 = NULL;
	bool pinned;

	(void)state;
	put_fetched("1.2");
	assert_int_equal(pw_runtime_fetch("engine@1.2", &resolved, &sha256,
					  &pinned, NULL),
			 0);
	assert_false(pinned); /* nobody knows its hash */
	assert_false(is_left("calls"));
	free(resolved);
	free(sha256);
}

static void a_failed_fetch_leaves_nothing(void **state)
{
	char *dir = below("cache/perf-wasm/runtimes");

	(void)state;
	put_file("bin/python3", FAILS("ERROR: the disk is on fire"));
	assert_fails("engine@1.2", -EIO, "the disk is on fire");
	assert_int_equal(rmdir(dir), 0); /* empty */
	free(dir);
}

static void a_package_without_the_library_is_refused(void **state)
{
	(void)state;
	put_engine_conf();
	put_file("bin/python3",
		 "#!/bin/sh\nwhile [ $# -gt 1 ]; do case $1 in -d) "
		 "echo x >\"$2/enginepkg-3.0-py3.whl\" ;; esac; shift; done\n");
	assert_fails("engine@3.0", -ENOENT, "has no e/_lib.so");
}

static void a_broken_entry_of_the_cache_is_replaced(void **state)
{
	char *resolved = NULL;
	bool pinned;

	(void)state;
	put_file("cache/perf-wasm/runtimes/engine@3.0/rubbish", "");
	assert_int_equal(fetch("engine@3.0", &resolved, &pinned, NULL), 0);
	assert_false(is_left("cache/perf-wasm/runtimes/engine@3.0/rubbish"));
	free(resolved);
}

static void specs_that_cannot_be_fetched_say_why(void **state)
{
	(void)state;
	assert_fails("engine@0.9", -ENOTSUP, "releases from 1.0 on");
	assert_fails("engine@1.2?opt=none", -EINVAL, "without options");
	assert_fails("motor@1", -ENOENT, "there is no runtime motor");
	put_file("prefix/share/perf-wasm/runtimes/tool.conf",
		 "[runtime]\nname = tool\nkind = node\nhost = host-x\n");
	assert_fails("tool", -EINVAL, "is not fetched");
}

static void a_release_that_pip_does_not_have_names_its_neighbours(void **state)
{
	(void)state;
	put_file(
		"bin/python3",
		FAILS("ERROR: Could not find a version that satisfies the requirement enginepkg==1.5 (from versions: 1.2, 1.10)\nERROR: No matching distribution found for enginepkg==1.5"));
	assert_fails("engine@1.5", -ENOENT, "near it there is 1.2 and 1.10");
}

static void what_pip_says_is_explained(void **state)
{
	static const struct {
		const char *said;
		int rc;
		const char *part;
	} cases[] = {
		{ "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM",
		  -EBADMSG, "another sha256" },
		{ "/usr/bin/python3: No module named pip", -ENOPKG,
		  "python3-pip" },
		{ "ERROR: Could not find a version (from versions: none)\nERROR: No matching distribution found for x",
		  -ENETUNREACH, "offline" },
		{ "Traceback\n  line 1\nOSError: no space\n\n", -EIO,
		  "OSError: no space" },
		{ "", -EIO, "pip failed" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pw_err err;

		assert_int_equal(pip_explain(cases[i].said, "x", "1", &err),
				 cases[i].rc);
		assert_non_null(strstr(err.msg, cases[i].part));
	}
}

static void a_package_file_tells_its_version(void **state)
{
	char *v = pip_file_version("wasmtime-13.0.0-py3-none-any.whl");

	(void)state;
	assert_string_equal(v, "13.0.0");
	free(v);
	assert_null(pip_file_version("wasmtime.whl"));
	assert_null(pip_file_version("wasmtime--x.whl"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up_python, tear_down)

/* fetch-shop PACKAGE VERSION DIR */
#define SHOP                                                                   \
	"#!/bin/sh\n"                                                          \
	"[ -z \"$BROKEN\" ] || { echo first >&2; echo closed >&2; exit 1; }\n" \
	"mkdir \"$3/bin\"; echo \"$1\" >\"$3/bin/tool\"\n"                     \
	"echo version 4.0; echo sha256 " HASH_OTHER "\n"                       \
	"echo main bin/tool; echo need /opt/more\n"

static void put_shop(void)
{
	put_file("prefix/share/perf-wasm/runtimes/shopped.conf",
		 "[runtime]\nname = shopped\nkind = command\n"
		 "command = {main} -x {module}\nhost = host-x\n"
		 "compile = {main} -c {module} {artifact}\ncode = elf\n"
		 "[fetch]\nfrom = shop\npackage = wares\noldest = 2.0\n");
	put_file("prefix/libexec/perf-wasm/fetch-shop", SHOP);
}

static void a_program_fetches_what_pip_does_not_have(void **state)
{
	char *resolved = NULL, *tool;
	struct pw_runtime rt;
	bool pinned = true;

	(void)state;
	put_shop();
	assert_int_equal(fetch("shopped@newest", &resolved, &pinned, NULL), 0);
	assert_string_equal(resolved, "shopped@4.0");
	assert_false(pinned);
	assert_int_equal(pw_runtime_find(&rt, "shopped", NULL), 0);
	tool = below("cache/perf-wasm/runtimes/shopped@4.0/bin/tool");
	assert_string_equal(rt.path, tool);
	assert_string_equal(rt.host_argv[2], "--compile");
	assert_non_null(strstr(rt.host_argv[1], tool));
	assert_non_null(strstr(rt.host_argv[3], tool));
	pw_runtime_release(&rt);
	free(tool);
	free(resolved);
}

static void what_a_fetching_program_says_is_told(void **state)
{
	(void)state;
	put_shop();
	setenv("BROKEN", "1", 1);
	assert_fails("shopped@4.0", -EIO, "cannot fetch shopped@4.0: closed");
	unsetenv("BROKEN");
	assert_fails("shopped@3.0", -ENOENT, "no release 3.0 now");
	assert_fails("shopped@1.0", -ENOTSUP, "too old");
	assert_false(is_left("cache/perf-wasm/runtimes/shopped@3.0"));
}

/* fetch_apart(): fetches in a process, which writes the inode of the entry. */
static pid_t fetch_apart(int to)
{
	char *entry = below("cache/perf-wasm/runtimes/shopped@4.0");
	pid_t pid = fork();

	if (!pid) {
		char *resolved = NULL;
		bool pinned;
		struct stat st = { 0 };
		int rc = fetch("shopped@4.0", &resolved, &pinned, NULL);

		if (rc || stat(entry, &st))
			_exit(1);
		_exit(write(to, &st.st_ino, sizeof(ino_t)) != sizeof(ino_t));
	}
	free(entry);
	return pid;
}

static void several_fetch_the_same_at_once(void **state)
{
	enum { N = 8 };
	ino_t seen[N];
	int fd[2];

	(void)state;
	put_shop();
	for (int round = 0; round < 5; round++) {
		/* what is not whole is in the way of all of them */
		put_file("cache/perf-wasm/runtimes/shopped@4.0/junk", "");
		assert_int_equal(pipe(fd), 0);
		for (int i = 0; i < N; i++)
			assert_true(fetch_apart(fd[1]) > 0);
		close(fd[1]);
		for (int i = 0; i < N; i++) {
			int status;

			assert_true(wait(&status) > 0);
			assert_int_equal(status, 0);
		}
		assert_int_equal(read(fd[0], seen, sizeof(seen)), sizeof(seen));
		for (int i = 1; i < N; i++)
			assert_true(seen[i] == seen[0]);
		close(fd[0]);
		assert_int_equal(pw_runtime_remove("shopped@4.0", NULL), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_pinned_release_is_asked_for_by_its_hash),
		T(an_unpinned_release_is_hashed),
		T(the_newest_is_what_pip_gives),
		T(the_newest_must_match_its_pin_too),
		T(what_is_there_is_not_fetched_again),
		T(a_failed_fetch_leaves_nothing),
		T(a_package_without_the_library_is_refused),
		T(a_broken_entry_of_the_cache_is_replaced),
		T(specs_that_cannot_be_fetched_say_why),
		T(a_release_that_pip_does_not_have_names_its_neighbours),
		T(what_pip_says_is_explained),
		T(a_package_file_tells_its_version),
		T(a_program_fetches_what_pip_does_not_have),
		T(what_a_fetching_program_says_is_told),
		T(several_fetch_the_same_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
