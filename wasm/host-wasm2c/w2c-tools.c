// SPDX-License-Identifier: GPL-2.0-only
/*
 * What wasm2c needs around it: wasm2c itself, a C compiler, wabt's run-time
 * source (compiled once), a cache and a place to work. Options:
 *	cc=gcc|clang  O=0..3  inline=0|1  wasm2c=PATH
 * Default is the plain `cc -O2` that a user of wasm2c would type; inline=0
 * keeps every wasm function a function of its own, for comparisons function
 * by function.
 */
#include "w2c.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* --- running a tool ------------------------------------------------------------ */

static void read_log(const char *path, struct pw_err *err)
{
	struct pw_file f = { 0 };

	if (!err)
		return;
	err->msg[0] = 0;
	err->code = EIO;
	err->off = PW_NO_OFF;
	if (!pw_file_open(&f, path, NULL) && f.size) {
		size_t n = f.size < 400 ? f.size : 400;

		memcpy(err->msg, f.data, n);
		err->msg[n] = 0;
	}
	pw_file_close(&f);
}

int w2c_run_tool(const char *const *argv, const char *log_path, int *status,
		 struct pw_err *err)
{
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int rc;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&fa, 1, log_path,
					 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&fa, 1, 2);
	rc = posix_spawnp(&pid, argv[0], &fa, NULL, (char *const *)argv,
			  environ);
	posix_spawn_file_actions_destroy(&fa);
	if (rc)
		return pw_err_set(err, rc, "cannot run %s: %s", argv[0],
				  strerror(rc));
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return pw_err_set(err, errno, "waiting for %s: %s",
					  argv[0], strerror(errno));
	read_log(log_path, err);
	return 0;
}

/* --- options ------------------------------------------------------------------- */

static int take_option(struct w2c_tools *t, const char *o, struct pw_err *err)
{
	const char *value = strchr(o, '=');
	size_t n = value ? (size_t)(value - o) : 0;

	if (n == 2 && !strncmp(o, "cc", n)) {
		free(t->cc);
		t->cc = pw_strdup(value + 1);
	} else if (n == 6 && !strncmp(o, "wasm2c", n)) {
		free(t->wasm2c);
		t->wasm2c = pw_strdup(value + 1);
	} else if (n == 1 && *o == 'O' && strlen(value + 1) == 1 &&
		   strchr("0123", value[1])) {
		t->level = value[1];
	} else if (n == 6 && !strncmp(o, "inline", n) &&
		   strlen(value + 1) == 1 && strchr("01", value[1])) {
		t->no_inline = value[1] == '0';
	} else {
		return pw_err_set(
			err, EINVAL,
			"%.60s is no option of this runtime: cc=gcc|clang, O=0..3, inline=0|1",
			o);
	}
	return 0;
}

static int find_tool(char **path, struct pw_err *err)
{
	char *found =
		strchr(*path, '/') ? pw_strdup(*path) : pw_find_program(*path);

	if (!found || access(found, X_OK)) {
		pw_err_set(err, ENOENT,
			   "%s is not on PATH: install wabt and a C compiler",
			   *path);
		free(found);
		return -ENOENT;
	}
	free(*path);
	*path = found;
	return 0;
}

/* --- versions ------------------------------------------------------------------- */

/* The first number with a dot in what `PROGRAM --version` says. */
static int ask_version(const char *program, char *dst, size_t size,
		       struct pw_err *err)
{
	const char *argv[] = { program, "--version", NULL }, *s;
	struct pw_buf out = { 0 };
	size_t len = 0;
	int status, rc;

	rc = pw_child_run(argv, 20000000000ull, &out, NULL, 4096, &status, err);
	dst[0] = 0;
	if (!rc) {
		/* the last word of the first line: "gcc (Debian 1-2) 12.2.0" */
		s = pw_buf_str(&out);
		s += strspn(s, " ");
		len = strcspn(s, "\n");
		snprintf(dst, size, "%.*s", (int)len, s);
	}
	pw_buf_release(&out);
	return rc;
}

static const char *last_word(const char *line)
{
	const char *s = strrchr(line, ' ');

	return s ? s + 1 : line;
}

static int ask_versions(struct w2c_tools *t, struct pw_err *err)
{
	char w[80], cc[160];
	int rc;

	rc = ask_version(t->wasm2c, w, sizeof(w), err)
		     ?: ask_version(t->cc, cc, sizeof(cc), err);
	if (rc)
		return rc;
	t->is_clang = strstr(cc, "clang") != NULL;
	snprintf(t->version, sizeof(t->version), "%.16s+%s-%.16s", w,
		 t->is_clang ? "clang" : "gcc", last_word(cc));
	t->what = pw_asprintf("1 %s %s O%c inline%d", w, cc, t->level,
			      !t->no_inline);
	return 0;
}

/* --- places ----------------------------------------------------------------------- */

/* A cache that can't be written is read where it can, and no harm. */
static void find_places(struct w2c_tools *t)
{
	char *base = pw_cache_dir();
	const char *tmp = getenv("TMPDIR");

	if (base) {
		t->cache_dir = pw_asprintf("%s/wasm2c", base);
		pw_mkdirs(t->cache_dir, NULL);
	}
	free(base);
	if (t->cache_dir && !access(t->cache_dir, W_OK))
		t->scratch_dir = pw_strdup(t->cache_dir);
	else
		t->scratch_dir = pw_strdup(tmp && *tmp ? tmp : "/tmp");
}

/* Beside the program, as wabt and its packages lay it; the whole source where
 * there is a choice. */
static int find_rt(struct w2c_tools *t, struct pw_err *err)
{
	static const char *const places[] = { "../src/wasm2c",
					      "../share/wabt/wasm2c",
					      "../wasm2c" };
	char *real = realpath(t->wasm2c, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;

	if (slash)
		*slash = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char *dir = pw_asprintf("%s/%s", real ?: "", places[i]);
		char *file = pw_asprintf("%s/wasm-rt-impl.c", dir);

		if (!t->rt_dir && !access(file, R_OK))
			t->rt_dir = realpath(dir, NULL);
		free(file);
		free(dir);
	}
	t->include_dir = pw_asprintf("%s/../include", real ?: "");
	free(real);
	if (!t->rt_dir)
		return pw_err_set(
			err, ENOENT,
			"wasm-rt-impl.c, which belongs to %s, was not found: install wabt",
			t->wasm2c);
	return 0;
}

/* --- the run-time object ------------------------------------------------------------- */

static int compile_rt(const struct w2c_tools *t, const char *dir,
		      struct pw_err *err)
{
	char *pattern = pw_asprintf("%s/wasm-rt*.c", t->rt_dir);
	char *out = pw_asprintf("%s/rt.o", dir);
	char *log = pw_asprintf("%s/log", dir);
	const char *argv[32] = { t->cc,
				 "-O2",
				 "-fPIC",
				 "-w",
				 "-r",
				 "-nostdlib",
				 "-fvisibility=hidden",
				 "-o",
				 out,
				 "-I",
				 t->rt_dir };
	size_t n = 11;
	glob_t g = { 0 };
	int status, rc;

	rc = glob(pattern, 0, NULL, &g);
	for (size_t i = 0; !rc && i < g.gl_pathc && n < 31; i++)
		argv[n++] = g.gl_pathv[i];
	rc = w2c_run_tool(argv, log, &status, err);
	if (!rc && status) {
		pw_err_prefix(err, "%s does not compile wabt's run-time source",
			      t->cc);
		rc = -EIO;
	}
	unlink(log);
	globfree(&g);
	free(pattern);
	free(out);
	free(log);
	return rc;
}

static int build_rt(struct w2c_tools *t, struct pw_err *err)
{
	char *what = pw_asprintf("rt %s %s", t->what, t->rt_dir), *dir;
	char key[40];
	int rc;

	snprintf(key, sizeof(key), "rt-%016llx",
		 (unsigned long long)pw_hash(what, strlen(what), 0));
	free(what);
	t->rt_obj = w2c_cache_find(t, key, "rt.o");
	if (t->rt_obj)
		return 0;
	dir = pw_asprintf("%s/tmp-XXXXXX", t->scratch_dir);
	if (!mkdtemp(dir)) {
		rc = pw_err_set(err, errno, "cannot make a directory in %s: %s",
				t->scratch_dir, strerror(errno));
		free(dir);
		return rc;
	}
	rc = compile_rt(t, dir, err);
	if (!rc && !w2c_cache_put(t, key, dir))
		t->rt_obj = w2c_cache_find(t, key, "rt.o");
	if (!rc && !t->rt_obj)
		t->rt_obj = pw_asprintf("%s/rt.o", dir);
	else if (rc)
		pw_remove_tree(dir, NULL);
	free(dir);
	return rc;
}

int w2c_tools_init(struct w2c_tools *t, int argc, char **argv,
		   struct pw_err *err)
{
	int rc = 0;

	memset(t, 0, sizeof(*t));
	t->wasm2c = pw_strdup("wasm2c");
	t->cc = pw_strdup("cc");
	t->level = '2';
	for (int i = 1; i < argc && !rc; i++)
		rc = take_option(t, argv[i], err);
	rc = rc ?: find_tool(&t->wasm2c, err);
	rc = rc ?: find_tool(&t->cc, err);
	rc = rc ?: ask_versions(t, err);
	rc = rc ?: find_rt(t, err);
	if (rc)
		return rc;
	find_places(t);
	w2c_cache_prune(t);
	return build_rt(t, err);
}
