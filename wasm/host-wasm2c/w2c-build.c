// SPDX-License-Identifier: GPL-2.0-only
/*
 * One module from wasm to a shared object: the sources in a directory of
 * their own, wasm2c, the compiler, then into the cache. Knows nothing of how
 * it is run.
 */
#include "w2c.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct work {
	const struct w2c_tools *t;
	const struct pw_module *m;
	char *dir;
	enum pw_outcome outcome;
	struct pw_err *err;
};

static char *in_dir(const struct work *w, const char *file)
{
	return pw_asprintf("%s/%s", w->dir, file);
}

static int put_file(const struct work *w, const char *file,
		    const struct pw_buf *text)
{
	char *path = in_dir(w, file);
	int rc = pw_file_write(path, text->data, text->len, w->err);

	free(path);
	return rc;
}

static int get_file(const struct work *w, const char *file, struct pw_buf *text)
{
	char *path = in_dir(w, file);
	struct pw_file f = { 0 };
	int rc = pw_file_open(&f, path, w->err);

	if (!rc)
		pw_buf_add(text, f.data, f.size);
	pw_file_close(&f);
	free(path);
	return rc;
}

static int run(struct work *w, const char *const *argv, int *status)
{
	char *log = in_dir(w, "log");
	int rc = w2c_run_tool(argv, log, status, w->err);

	free(log);
	return rc;
}

/* --- wasm2c ------------------------------------------------------------------- */

/* The first proposal in the code that wasm2c may not know, as a hint. */
static const char *odd_proposal(const struct pw_module *m)
{
	uint32_t n = pw_module_n(m, PW_EXT_FUNC);
	static const char known[] =
		"mvp sign-extension saturating-float-to-int bulk-memory "
		"reference-types";
	struct pw_walk *w = pw_walk_new(m);
	const char *found = NULL;
	struct pw_insn insn;

	for (uint32_t i = pw_module_n_imported(m, PW_EXT_FUNC); i < n; i++) {
		if (found || pw_walk_start(w, i, NULL))
			break;
		while (!found && pw_walk_next(w, &insn, NULL) > 0) {
			const char *p = pw_op_info(insn.op)->proposal;

			if (!strstr(known, p))
				found = p;
		}
	}
	pw_walk_free(w);
	return found;
}

/*
 * It printed why, or it died: it aborts on instructions that it reads but
 * cannot write. A module that we find valid is not to blame.
 */
static int judge_wasm2c(struct work *w, int status)
{
	bool valid = !pw_module_check_bodies(w->m, NULL);
	const char *odd = valid ? odd_proposal(w->m) : NULL;
	char said[300];

	snprintf(said, sizeof(said), "%.299s",
		 w->err && w->err->msg[0] ? w->err->msg : "no message");
	w->outcome = valid ? PW_OUT_UNSUPPORTED : PW_OUT_REFUSED;
	if (!WIFSIGNALED(status))
		return pw_err_set(w->err, ENOTSUP, "wasm2c: %s", said);
	return pw_err_set(w->err, ENOTSUP, "wasm2c died of %s (%s)%s%s",
			  strsignal(WTERMSIG(status)), said,
			  odd ? "; the code uses " : "", odd ?: "");
}

static int run_wasm2c(struct work *w)
{
	char *in = in_dir(w, "m.wasm"), *out = in_dir(w, "m.c");
	const char *argv[] = { w->t->wasm2c, "-n", "m", in, "-o", out, NULL };
	struct pw_buf plain = { 0 };
	int status = 0, rc;

	rc = w2c_plain(w->m, &plain, w->err);
	if (rc)
		w->outcome = PW_OUT_UNSUPPORTED;
	rc = rc ?: put_file(w, "m.wasm", &plain);
	rc = rc ?: run(w, argv, &status);
	if (!rc && status)
		rc = judge_wasm2c(w, status);
	pw_buf_release(&plain);
	free(in);
	free(out);
	return rc;
}

/* --- the compiler ----------------------------------------------------------------- */

static int write_sources(struct work *w)
{
	struct pw_buf header = { 0 }, glue = { 0 }, names = { 0 }, c = { 0 },
		      edited = { 0 };
	int rc;

	rc = get_file(w, "m.h", &header);
	if (!rc) {
		w2c_glue(w->m, pw_buf_str(&header), &glue);
		pw_buf_printf(&names,
			      "#define NOINLINE __attribute__((noinline%s))\n",
			      w->t->is_clang ? "" : ", noclone");
		w2c_renames(w->m, pw_buf_str(&header), &names);
	}
	rc = rc ?: put_file(w, "glue.c", &glue);
	rc = rc ?: put_file(w, "names.h", &names);
	if (!rc && w->t->no_inline && !(rc = get_file(w, "m.c", &c))) {
		w2c_forbid_inlining(pw_buf_str(&c), &edited);
		rc = put_file(w, "m.c", &edited);
	}
	pw_buf_release(&header);
	pw_buf_release(&glue);
	pw_buf_release(&names);
	pw_buf_release(&c);
	pw_buf_release(&edited);
	return rc;
}

/* Only what makes a shared object of it is added to -O and -g. */
static int run_cc(struct work *w)
{
	char level[4] = { '-', 'O', w->t->level, 0 };
	char *c = in_dir(w, "m.c"), *glue = in_dir(w, "glue.c");
	char *names = in_dir(w, "names.h"), *so = in_dir(w, "m.so");
	char *prefix = pw_asprintf("-fdebug-prefix-map=%s=w2c", w->dir);
	const char *argv[] = { w->t->cc,
			       level,
			       "-g",
			       "-w",
			       "-pipe",
			       "-fPIC",
			       "-fvisibility=hidden",
			       "-shared",
			       prefix,
			       "-include",
			       names,
			       "-I",
			       w->t->rt_dir,
			       "-I",
			       w->t->include_dir,
			       "-o",
			       so,
			       c,
			       glue,
			       w->t->rt_obj,
			       "-lm",
			       NULL };
	int status = 0, rc;

	rc = run(w, argv, &status);
	if (!rc && status) {
		pw_err_prefix(w->err, "%s does not compile what wasm2c wrote",
			      w->t->cc);
		w->outcome = PW_OUT_UNSUPPORTED;
		rc = -ENOTSUP;
	}
	free(c);
	free(glue);
	free(names);
	free(so);
	free(prefix);
	return rc;
}

/* --- an entry ---------------------------------------------------------------------- */

static char *entry_key(const struct w2c_tools *t, const struct pw_module *m)
{
	uint64_t seed = pw_hash(t->what, strlen(t->what), 0);
	const uint8_t *bytes;
	size_t size;

	bytes = pw_module_bytes(m, &size);
	return pw_asprintf("%016llx%016llx",
			   (unsigned long long)pw_hash(bytes, size, seed),
			   (unsigned long long)pw_hash(bytes, size, ~seed));
}

static uint64_t children_cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

/* The sources have done their work; the debug info keeps their lines. */
static int leave_result(struct work *w, uint64_t compile_ns)
{
	static const char *const gone[] = { "m.wasm", "m.c",     "m.h",
					    "glue.c", "names.h", "log" };
	struct pw_buf ns = { 0 };
	int rc;

	for (size_t i = 0; i < sizeof(gone) / sizeof(*gone); i++) {
		char *path = in_dir(w, gone[i]);

		unlink(path);
		free(path);
	}
	pw_buf_printf(&ns, "%llu\n", (unsigned long long)compile_ns);
	rc = put_file(w, "compile_ns", &ns);
	pw_buf_release(&ns);
	return rc;
}

static int build(struct work *w)
{
	uint64_t from = children_cpu_ns();
	int rc;

	w->dir = pw_asprintf("%s/tmp-XXXXXX", w->t->scratch_dir);
	if (!mkdtemp(w->dir)) {
		rc = pw_err_set(w->err, errno,
				"cannot make a directory in %s: %s",
				w->t->scratch_dir, strerror(errno));
		free(w->dir);
		w->dir = NULL;
		return rc;
	}
	return run_wasm2c(w) ?:
		       write_sources(w) ?:
		       run_cc(w) ?:
		       leave_result(w, children_cpu_ns() - from);
}

static uint64_t read_number(const char *so_path)
{
	size_t dir = (size_t)(strrchr(so_path, '/') - so_path);
	char *path = pw_asprintf("%.*s/compile_ns", (int)dir, so_path);
	FILE *f = fopen(path, "re");
	unsigned long long v = 0;

	if (f && fscanf(f, "%llu", &v) != 1)
		v = 0;
	if (f)
		fclose(f);
	free(path);
	return v;
}

int w2c_build(const struct w2c_tools *t, const struct pw_module *m,
	      struct w2c_built *b, enum pw_outcome *outcome, struct pw_err *err)
{
	struct work w = { .t = t, .m = m, .outcome = PW_OUT_CRASH, .err = err };
	char *key = entry_key(t, m);
	int rc = 0;

	memset(b, 0, sizeof(*b));
	b->so_path = w2c_cache_find(t, key, "m.so");
	if (!b->so_path) {
		rc = build(&w);
		/* now and then, chosen by what is random enough */
		if (!rc && !strncmp(key, "00", 2))
			w2c_cache_prune(t);
		if (!rc && !w2c_cache_put(t, key, w.dir))
			b->so_path = w2c_cache_find(t, key, "m.so");
		else
			b->dir = w.dir ? pw_strdup(w.dir) : NULL;
		if (!rc && !b->so_path)
			b->so_path = in_dir(&w, "m.so");
	}
	if (!rc)
		b->compile_ns = read_number(b->so_path);
	*outcome = w.outcome;
	free(w.dir);
	free(key);
	return rc;
}

void w2c_built_release(struct w2c_built *b)
{
	if (b->dir)
		pw_remove_tree(b->dir, NULL);
	free(b->dir);
	free(b->so_path);
	memset(b, 0, sizeof(*b));
}
