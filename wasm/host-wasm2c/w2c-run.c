// SPDX-License-Identifier: GPL-2.0-only
/*
 * One request on wasm2c, as a list of steps: read, build, write the artifact,
 * link, start, call, and look at what is left. Runs in a process of its own,
 * so nothing is given back but what lies on disk.
 */
#include "w2c-run.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the imports reach: the one guest of this process. */
static struct w2c_guest *guest;

/* --- read and build ------------------------------------------------------------ */

static bool read_module(struct w2c_guest *g)
{
	struct pw_err err;

	if (pw_file_open(&g->file, g->run->req->module_path, &err)) {
		pw_host_fail(g->run, PW_OUT_REFUSED, "%s", err.msg);
		return false;
	}
	g->module = pw_module_decode(g->file.data, g->file.size, &err);
	if (g->module)
		return true;
	pw_host_fail(g->run,
		     err.code == ENOTSUP ? PW_OUT_UNSUPPORTED : PW_OUT_REFUSED,
		     "at byte %llu: %s", (unsigned long long)err.off, err.msg);
	return false;
}

/* What a builder says at its end. */
struct built {
	int rc;
	enum pw_outcome outcome;
	struct pw_err err;
	uint64_t compile_ns;
	char so_path[1024], dir[1024];
};

static void __attribute__((noreturn)) builder(struct w2c_guest *g, int to)
{
	struct built r = { 0 };
	struct w2c_built b;
	ssize_t n;

	signal(SIGCHLD, SIG_DFL);
	r.rc = w2c_build(g->tools, g->module, &b, &r.outcome, &r.err);
	r.compile_ns = b.compile_ns;
	snprintf(r.so_path, sizeof(r.so_path), "%s", b.so_path ?: "");
	snprintf(r.dir, sizeof(r.dir), "%s", b.dir ?: "");
	n = write(to, &r, sizeof(r));
	_exit(n != sizeof(r));
}

/* In a process that nobody waits for: what the compiler used would be added
 * to our own CPU time, and so to that of a guest that is killed. */
static bool run_builder(struct w2c_guest *g, struct built *r)
{
	int fds[2];
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return false;
	signal(SIGCHLD, SIG_IGN);
	pid = fork();
	if (!pid)
		builder(g, fds[1]);
	close(fds[1]);
	do {
		n = read(fds[0], r, sizeof(*r));
	} while (n < 0 && errno == EINTR);
	close(fds[0]);
	signal(SIGCHLD, SIG_DFL);
	return pid > 0 && n == sizeof(*r);
}

static bool build(struct w2c_guest *g)
{
	struct built r;

	if (!run_builder(g, &r)) {
		pw_host_fail(g->run, PW_OUT_CRASH, "the compilation died");
		return false;
	}
	if (r.dir[0])
		g->built.dir = pw_strdup(r.dir);
	if (r.rc) {
		pw_host_fail(g->run, r.outcome, "%s", r.err.msg);
		return false;
	}
	g->built.so_path = pw_strdup(r.so_path);
	g->run->reply.compile_ns = r.compile_ns;
	return true;
}

static bool keep_artifact(struct w2c_guest *g)
{
	const char *to = g->run->req->artifact_path;
	struct pw_err err;

	if (pw_file_open(&g->so, g->built.so_path, &err) ||
	    (to && pw_file_write(to, g->so.data, g->so.size, &err))) {
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED, "%s", err.msg);
		return false;
	}
	return true;
}

/* --- load ------------------------------------------------------------------------ */

static bool load(struct w2c_guest *g)
{
	struct w2c_code *c = &g->code;
	const struct {
		const char *name;
		void *to;
	} symbols[] = {
		{ "pw_set_host", &c->set_host },   { "pw_start", &c->start },
		{ "pw_call", &c->call },           { "pw_result", &c->result },
		{ "pw_memory", &c->memory },       { "pw_global", &c->global },
		{ "pw_trap_text", &c->trap_text },
	};
	void *so = dlopen(g->built.so_path, RTLD_LAZY | RTLD_LOCAL);
	size_t n = sizeof(symbols) / sizeof(*symbols);

	for (size_t i = 0; so && i < n; i++) {
		void *p = dlsym(so, symbols[i].name);

		if (!p)
			so = NULL;
		memcpy(symbols[i].to, &p, sizeof(p));
	}
	if (!so)
		pw_host_fail(g->run, PW_OUT_CRASH,
			     "cannot load what was built: %s", dlerror());
	g->handle = so;
	return so;
}

/* --- link -------------------------------------------------------------------------- */

/* "mod.name" stands in the comma-separated list, or the list is "*". */
static bool is_listed(const char *list, const struct pw_import *im)
{
	size_t n_mod = im->module.len, n_name = im->name.len;

	if (!list)
		return false;
	if (!strcmp(list, "*"))
		return true;
	for (const char *p = list; *p; p += *p == ',') {
		size_t n = strcspn(p, ",");

		if (n == n_mod + 1 + n_name && p[n_mod] == '.' &&
		    !memcmp(p, im->module.s, n_mod) &&
		    !memcmp(p + n_mod + 1, im->name.s, n_name))
			return true;
		p += n;
	}
	return false;
}

static bool is_wasi(const struct pw_import *im)
{
	static const char name[] = "wasi_snapshot_preview1";

	return im->kind == PW_EXT_FUNC && im->module.len == strlen(name) &&
	       !memcmp(im->module.s, name, strlen(name));
}

/* Types that differ from WASI's are not WASI's functions. */
static bool same_type(const struct wasi_func *f, const struct pw_functype *t)
{
	static const uint32_t types[] = { ['i'] = PW_I32, ['I'] = PW_I64 };

	if (!t || t->n_params != strlen(f->params))
		return false;
	for (uint32_t i = 0; i < t->n_params; i++)
		if (t->params[i] != types[(int)f->params[i]])
			return false;
	return !t->n_results == !strcmp(f->name, "proc_exit") &&
	       t->n_results <= 1;
}

/* What import i is: a function of WASI, an empty one, or nothing we have. */
static bool resolve(struct w2c_guest *g, uint32_t i, struct pw_buf *missing)
{
	const struct pw_import *im = pw_module_import(g->module, i);
	const struct pw_functype *t = NULL;

	if (im->kind == PW_EXT_FUNC)
		t = pw_module_functype(g->module,
				       pw_module_func(g->module, im->idx)
					       ->type_idx);
	if (is_wasi(im))
		g->imports[i] = wasi_find(im->name.s, im->name.len);
	if (g->imports[i] && same_type(g->imports[i], t))
		return true;
	g->imports[i] = NULL;
	if (t && is_listed(g->run->req->empty_imports, im)) {
		if (w2c_can_pass(t))
			return true;
		pw_host_fail(
			g->run, PW_OUT_UNSUPPORTED,
			"the import %.*s.%.*s has types that this host does not pass",
			(int)im->module.len, im->module.s, (int)im->name.len,
			im->name.s);
		return false;
	}
	pw_buf_printf(missing, "%s%.*s.%.*s", missing->len ? ", " : "",
		      (int)im->module.len, im->module.s, (int)im->name.len,
		      im->name.s);
	return true;
}

static uint8_t *guest_memory(void *arg, uint64_t *size)
{
	struct w2c_guest *g = arg;

	if (!g->wasi_memory) {
		*size = 0;
		return NULL;
	}
	return g->code.memory(g->wasi_memory - 1, size);
}

static void guest_exit(void *arg, int code)
{
	struct w2c_guest *g = arg;

	g->exit_code = code;
	siglongjmp(g->exit_to, 1);
}

/* 1 + the export of that name and kind, or 0. */
static uint32_t find_export(struct w2c_guest *g, const char *name,
			    enum pw_extern kind)
{
	for (uint32_t k = 0; k < pw_module_n_exports(g->module); k++) {
		const struct pw_export *e = pw_module_export(g->module, k);

		if (e->kind == kind && e->name.len == strlen(name) &&
		    !memcmp(e->name.s, name, e->name.len))
			return k + 1;
	}
	return 0;
}

static bool link_imports(struct w2c_guest *g)
{
	uint32_t n = pw_module_n_imports(g->module);
	struct pw_buf missing = { 0 };
	struct pw_err err;
	bool ok = true;

	g->imports = pw_zalloc((n + 1) * sizeof(*g->imports));
	for (uint32_t i = 0; i < n && ok; i++)
		ok = resolve(g, i, &missing);
	if (ok && missing.len) {
		pw_host_fail(g->run, PW_OUT_LINK,
			     "wants imports that nobody offers: %s",
			     pw_buf_str(&missing));
		ok = false;
	}
	pw_buf_release(&missing);
	g->wasi_memory = find_export(g, "memory", PW_EXT_MEMORY);
	g->wasi = (struct wasi){ .memory = guest_memory,
				 .leave = guest_exit,
				 .arg = g };
	if (ok && wasi_init(&g->wasi, g->run->req, &err)) {
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED, "%s", err.msg);
		ok = false;
	}
	return ok;
}

/* The code calls this for every import; an empty one returns zero. */
static void call_import(unsigned i, const uint64_t *args, uint64_t *result)
{
	const struct wasi_func *f = guest->imports[i];

	if (f)
		*result = f->run(&guest->wasi, args);
}

/* --- call -------------------------------------------------------------------------- */

static bool find_func(struct w2c_guest *g)
{
	const char *name = g->run->req->invoke ?: "_start";
	uint32_t found = find_export(g, name, PW_EXT_FUNC);
	const struct pw_functype *t;
	const struct pw_export *e;

	if (!found) {
		pw_host_fail(
			g->run, PW_OUT_LINK,
			"exports no function %s; name another with --invoke",
			name);
		return false;
	}
	e = pw_module_export(g->module, found - 1);
	t = pw_module_functype(g->module,
			       pw_module_func(g->module, e->idx)->type_idx);
	if (!w2c_can_pass(t) || t->n_params) {
		pw_host_fail(
			g->run, PW_OUT_UNSUPPORTED,
			"%s takes arguments or gives no number; only functions without are called",
			name);
		return false;
	}
	g->invoke = found - 1;
	g->has_result = t->n_results;
	return true;
}

static void judge(struct w2c_guest *g, int trap)
{
	struct pw_host_reply *r = &g->run->reply;

	if (r->outcome != PW_OUT_OK)
		return;
	if (trap) {
		pw_host_fail(g->run, PW_OUT_TRAP, "%s",
			     g->code.trap_text(trap));
	} else if (g->exit_code) {
		r->exit_code = g->exit_code;
		pw_host_fail(g->run, PW_OUT_EXIT, "exited with status %d",
			     g->exit_code);
	}
}

static bool start(struct w2c_guest *g)
{
	int trap;

	guest = g;
	g->code.set_host(call_import);
	if (sigsetjmp(g->exit_to, 0))
		return judge(g, 0), false;
	pw_host_start_begin(g->run);
	trap = g->code.start();
	judge(g, trap);
	return !trap;
}

static void call(struct w2c_guest *g)
{
	volatile int trap = 0;

	if (!sigsetjmp(g->exit_to, 0)) {
		pw_host_call_begin(g->run);
		trap = g->code.call(g->invoke);
	}
	pw_host_call_end(g->run);
	judge(g, trap);
}

void w2c_run(void *self, struct pw_host_run *run)
{
	struct w2c_guest g = { .tools = self, .run = run };
	const struct pw_host_request *req = run->req;

	if (read_module(&g) && build(&g) && keep_artifact(&g) &&
	    !req->compile_only && link_imports(&g) && load(&g) &&
	    find_func(&g) && start(&g)) {
		call(&g);
		if (req->digest)
			w2c_digest(&g);
		if (req->counts_path)
			w2c_counts(&g);
		if (req->samples_path)
			w2c_keep_samples(&g);
	}
	w2c_built_release(&g.built);
}
