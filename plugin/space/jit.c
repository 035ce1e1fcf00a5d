// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generated code: finds the jitdumps and perf maps of the recorded processes
 * and makes pieces of what they tell. How they are read and what was where
 * when is plugin/capture's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "space-impl.h"

/* --- adding ------------------------------------------------------------------------ */

static void remark_counts(struct pw_space *s, const char *path,
			  const struct pw_jit_counts *n)
{
	if (n->header_fault.code)
		remark(s, "%s: %s", path, n->header_fault.msg);
	if (n->malformed)
		remark(s, "%s: %llu records were passed over: %s", path,
		       (unsigned long long)n->malformed, n->first_fault.msg);
	if (n->tail_bytes)
		remark(s,
		       "%s: the last %llu bytes are no whole record; code made after them has no name",
		       path, (unsigned long long)n->tail_bytes);
	if (n->unknown)
		remark(s, "%s: %llu records of unknown types were passed over",
		       path, (unsigned long long)n->unknown);
}

static void new_code(struct pw_space *s, uint32_t pid)
{
	struct proc *p;

	s->jit_gen++;
	if (pid)
		proc_get(s, pid)->has_jit = true;
	else
		for (s->any_jit = true, p = s->procs; p; p = p->hh.next)
			p->has_jit = true;
}

/* Whose code the dump tells of when nobody says it; 0: it can't be read. */
static uint32_t own_pid(const char *path, struct pw_space *s)
{
	struct pw_jitdump d;
	uint32_t pid;

	if (pw_jitdump_open(&d, path, 0, NULL))
		return 0;
	pid = d.pid;
	if (!s->machine)
		s->machine = d.machine;
	pw_jitdump_close(&d);
	return pid;
}

static bool was_added(const struct pw_space *s, const struct stat *st,
		      uint32_t pid, uint32_t own)
{
	uint32_t i;

	for (i = 0; i < s->n_dumps; i++) {
		const struct dump *d = &s->dumps[i];

		if (d->dev == st->st_dev && d->ino == st->st_ino &&
		    (d->pid ? d->pid : d->own_pid) == (pid ? pid : own))
			return true;
	}
	return false;
}

static int add_dump(struct pw_space *s, const char *path, uint32_t pid,
		    struct pw_err *err)
{
	struct pw_jit_source src = { .pid = pid,
				     .time_shift = s->time_shift,
				     .time_mult = s->time_mult,
				     .time_zero = s->time_zero };
	struct pw_jit_counts counts = { 0 };
	uint32_t own;
	struct stat st;
	int ret;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return pw_err_set(err, ENOENT, "'%s' is no file", path);
	own = own_pid(path, s);
	if (was_added(s, &st, pid, own))
		return 0;
	ret = pw_jitmap_add_dump(s->jitmap, path, &src, &counts, err);
	if (ret)
		return ret;
	s->dumps = pw_realloc(s->dumps, (s->n_dumps + 1) * sizeof(*s->dumps));
	s->dumps[s->n_dumps++] =
		(struct dump){ st.st_dev, st.st_ino, pid, own };
	remark_counts(s, path, &counts);
	new_code(s, pid);
	return 0;
}

int pw_space_add_jitdump(struct pw_space *s, const char *path, uint32_t pid,
			 struct pw_err *err)
{
	return add_dump(s, path, pid, err);
}

int pw_space_add_perfmap(struct pw_space *s, const char *path, uint32_t pid,
			 struct pw_err *err)
{
	struct pw_jit_counts counts = { 0 };
	int ret;

	if (!is_regular(path))
		return pw_err_set(err, ENOENT, "'%s' is no file", path);
	ret = pw_jitmap_add_perfmap(s->jitmap, path, pid, &counts, err);
	if (ret)
		return ret;
	remark_counts(s, path, &counts);
	new_code(s, pid);
	return 0;
}

bool pw_space_has_jitdump(const struct pw_space *s)
{
	return s->n_dumps > 0;
}

/* --- finding ------------------------------------------------------------------------- */

void jit_marker(struct pw_space *s, const struct pw_mmap *m)
{
	char *path = local_path(s, m->filename, m->pid);
	struct pw_err err;

	if (!path)
		remark(s,
		       "%s is not here: the code that process %u made has no names (a report takes the file with --jitdump)",
		       m->filename, m->pid);
	else if (add_dump(s, path, m->pid, &err))
		remark(s, "%s", err.msg);
	free(path);
}

/* As the process is called in its own container, or 0. */
static uint32_t inner_pid(uint32_t pid)
{
	char line[256], *path = pw_asprintf("/proc/%u/status", pid);
	FILE *f = fopen(path, "re");
	uint32_t inner = 0;

	free(path);
	while (f && fgets(line, sizeof(line), f)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last)
			inner = strtoul(last, NULL, 10);
	}
	if (f)
		fclose(f);
	return inner;
}

/* Files' times are those of the last tick of the kernel's clock, and clocks
 * are set. */
#define CLOCK_SLACK_NS 2000000000ull

/* Pids are used again, perf maps stay: one that was last written before its
 * process began is another's. */
static bool is_stale(struct pw_space *s, const struct proc *p, const char *path)
{
	struct stat st;
	uint64_t written_ns;

	if (!s->epoch_ns || !p->start_ns || stat(path, &st))
		return false;
	written_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 +
		     (uint64_t)st.st_mtim.tv_nsec;
	if (written_ns + CLOCK_SLACK_NS >= s->epoch_ns + p->start_ns)
		return false;
	remark(s,
	       "%s was written before process %u began, by another one of that number: it is not used",
	       path, p->pid);
	return true;
}

bool jit_look_for_map(struct pw_space *s, struct proc *p)
{
	char *name, *path;
	uint32_t inner;
	bool found;

	if (p->asked_perfmap)
		return false;
	p->asked_perfmap = true;
	name = pw_asprintf("/tmp/perf-%u.map", p->pid);
	path = local_path(s, name, p->pid);
	free(name);
	if (!path && !s->opts.no_local && !s->is_foreign) {
		inner = inner_pid(p->pid);
		if (inner && inner != p->pid)
			path = pw_asprintf("/proc/%u/root/tmp/perf-%u.map",
					   p->pid, inner);
	}
	found = path && !is_stale(s, p, path) &&
		!pw_space_add_perfmap(s, path, p->pid, NULL);
	free(path);
	return found;
}

/* --- pieces --------------------------------------------------------------------------- */

static enum pw_place_kind kind_of(const struct pw_jit_name *n)
{
	switch (n->kind) {
	case PW_KIND_WASM:
		return PW_PLACE_WASM;
	case PW_KIND_TRAMPOLINE:
		return PW_PLACE_TRAMPOLINE;
	case PW_KIND_BUILTIN:
		return PW_PLACE_RUNTIME;
	default: /* whatever makes code at run time is a script's engine */
		return PW_PLACE_SCRIPT;
	}
}

/* Whether a process has code that Wasmtime named. */
static bool has_wasmtime(struct pw_space *s, uint32_t pid)
{
	uint32_t n = pw_jitmap_n_codes(s->jitmap), i;

	if (s->wasmtime_pid == pid && s->wasmtime_codes == n)
		return s->has_wasmtime;
	s->wasmtime_pid = pid;
	s->wasmtime_codes = n;
	s->has_wasmtime = false;
	for (i = 0; i < n && !s->has_wasmtime; i++) {
		const struct pw_jit_code *c = pw_jitmap_code(s->jitmap, i);
		struct pw_jit_name name;

		if (c->pid != pid || c->is_perfmap)
			continue;
		pw_jit_name_parse(&name, c->name, strlen(c->name), PW_NAME_JIT);
		s->has_wasmtime = name.engine == PW_ENGINE_WASMTIME;
	}
	return s->has_wasmtime;
}

/*
 * Newer releases of Wasmtime call a function that the module names by that
 * name and no more, so it takes the company it is in, or its bytes, to know.
 */
static void read_name(struct pw_space *s, const struct pw_jit_code *code,
		      struct pw_jit_name *n, struct origin *from)
{
	const struct pw_code_func *f;

	pw_jit_name_parse(n, code->name, strlen(code->name), PW_NAME_JIT);
	if (n->kind != PW_KIND_UNKNOWN) {
		artifact_origin(s, code, n, from);
		return;
	}
	f = artifact_by_bytes(s, code, from);
	if (f)
		pw_jit_name_parse(n, f->name, strlen(f->name), PW_NAME_ELF);
	if (n->kind != PW_KIND_UNKNOWN || !has_wasmtime(s, code->pid))
		return;
	n->engine = PW_ENGINE_WASMTIME;
	n->kind = PW_KIND_WASM;
	n->text = code->name;
	n->text_len = strlen(code->name);
	artifact_origin(s, code, n, from);
}

static struct piece *make_piece(struct pw_space *s,
				const struct pw_jit_code *code)
{
	struct symbol_key k = { .name = code->name,
				.raw_name = code->name,
				.dso = "[JIT]",
				.func_idx = -1,
				.module = -1 };
	struct origin from = { -1, -1, 0 };
	struct pw_jit_name name;
	struct piece *p;

	read_name(s, code, &name, &from);
	k.kind = kind_of(&name);
	k.engine = name.engine;
	k.tier = name.tier;
	if (k.kind == PW_PLACE_WASM)
		join_name(s, &k, code->pid, &name, from.module);
	p = piece_new(&s->pieces, symbol_get(&s->pieces, &k), code->addr,
		      code->size_bytes);
	p->pub.jit = code;
	p->artifact = from.artifact;
	p->text_off = from.text_off;
	return p;
}

struct piece *jit_piece(struct pw_space *s, const struct pw_jit_code *code)
{
	if (code->idx >= s->n_jit_pieces) {
		uint32_t n = pw_jitmap_n_codes(s->jitmap);

		s->jit_pieces =
			pw_realloc(s->jit_pieces, n * sizeof(*s->jit_pieces));
		memset(s->jit_pieces + s->n_jit_pieces, 0,
		       (n - s->n_jit_pieces) * sizeof(*s->jit_pieces));
		s->n_jit_pieces = n;
	}
	if (!s->jit_pieces[code->idx])
		s->jit_pieces[code->idx] = make_piece(s, code);
	return s->jit_pieces[code->idx];
}

void jit_release(struct pw_space *s)
{
	pw_jitmap_free(s->jitmap);
	free(s->jit_pieces);
	free(s->dumps);
}
