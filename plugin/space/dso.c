// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that processes mapped, and the functions in them. Finds where a
 * recorded file is now and refuses one with another build id. Knows nothing
 * of processes.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "space-impl.h"

#define DEBUG_DIR "/usr/lib/debug"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* --- where a file is now ------------------------------------------------------- */

bool is_regular(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* *path when there is such a file; else it is freed. */
static char *if_there(char *path)
{
	if (is_regular(path))
		return path;
	free(path);
	return NULL;
}

char *local_path(const struct pw_space *s, const char *recorded, uint32_t pid)
{
	const char *base = base_name(recorded);
	char *path = NULL;

	if (!*base)
		return NULL;
	if (s->dir)
		path = if_there(pw_asprintf("%s/%s", s->dir, base));
	if (!path && s->root)
		path = if_there(pw_asprintf("%s%s", s->root, recorded));
	if (!path && !s->opts.no_local) {
		path = if_there(pw_strdup(recorded));
		/* of a process in a container that is still there */
		if (!path && !s->is_foreign)
			path = if_there(
				pw_asprintf("/proc/%u/root%s", pid, recorded));
		if (!path && !s->dir)
			path = if_there(pw_strdup(base));
	}
	return path;
}

/* --- one for each file ----------------------------------------------------------- */

/* Beginnings of the file names of runtimes. */
static const char *const runtimes[] = {
	"libwasmtime", "wasmtime", "host-wasmtime", "node",
	"libnode",     "bun",      "deno",          "d8",
	"libv8",       "jsc",      "libjsc",        "libjavasc",
	"js1",         "libmozjs", "iwasm",         "libiwasm",
	"libvmlib",    "wasmer",   "libwasmer",     "wasmedge",
	"libwasmedge", "wazero",   "wasm3",         "host-command",
};

bool dso_is_runtime(const char *path)
{
	const char *base = base_name(path);
	size_t i;

	for (i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		if (!strncmp(base, runtimes[i], strlen(runtimes[i])))
			return true;
	return false;
}

static bool is_jit_marker(const char *path)
{
	const char *base = base_name(path);
	size_t len = strlen(base);

	return len > 9 && !strncmp(base, "jit-", 4) &&
	       !strcmp(base + len - 5, ".dump");
}

/* Not files though they look like it. */
static bool is_file(const char *path)
{
	static const char *const others[] = { "//anon",         "/dev/zero",
					      "/anon_hugepage", "/memfd:",
					      "/SYSV",          "/dev/shm/" };
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(path, others[i], strlen(others[i])))
			return false;
	return *path == '/';
}

struct dso *dso_get(struct pw_space *s, const struct pw_mmap *m)
{
	char hex[2 * sizeof(m->build_id) + 1] = "", *key;
	struct dso *d;
	size_t i, len;

	for (i = 0; i < m->build_id_size && i < sizeof(m->build_id); i++)
		sprintf(hex + 2 * i, "%02x", m->build_id[i]);
	key = pw_asprintf("%s\n%s", m->filename, hex);
	len = strlen(key);
	HASH_FIND(hh, s->dsos, key, len, d);
	if (d) {
		free(key);
		return d;
	}
	d = pw_zalloc(sizeof(*d));
	d->key = key;
	d->path = pw_strdup(m->filename);
	d->build_id_size = i;
	memcpy(d->build_id, m->build_id, i);
	d->is_file = is_file(d->path);
	d->is_runtime = d->is_file && dso_is_runtime(d->path);
	d->is_jit_marker = is_jit_marker(d->path);
	d->artifact = -1;
	HASH_ADD_KEYPTR(hh, s->dsos, d->key, len, d);
	return d;
}

/* --- its functions ------------------------------------------------------------------ */

/* The vDSO is the same in all processes of a kernel: ours is theirs. */
static struct pw_symtab *open_vdso(const struct pw_space *s)
{
	const uint8_t *p = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);

	if (!p || s->is_foreign || s->opts.no_local)
		return NULL;
	return pw_symtab_open_bytes(p, 2 * 4096, NULL);
}

static bool is_same_build(const struct dso *d, const struct pw_symtab *t)
{
	size_t n;
	const uint8_t *id = pw_symtab_build_id(t, &n);

	return !d->build_id_size || !n ||
	       !memcmp(id, d->build_id,
		       n < d->build_id_size ? n : d->build_id_size);
}

/* By build id alone: kept by perf, or by a debug package. */
static struct pw_symtab *open_by_build_id(const struct dso *d)
{
	const char *home = getenv("HOME");
	char hex[2 * sizeof(d->build_id) + 1] = "", *path;
	struct pw_symtab *t = NULL;
	size_t i;

	if (!d->build_id_size || !home)
		return NULL;
	for (i = 0; i < d->build_id_size; i++)
		sprintf(hex + 2 * i, "%02x", d->build_id[i]);
	path = pw_asprintf("%s/.debug/.build-id/%.2s/%s/elf", home, hex,
			   hex + 2);
	if (is_regular(path))
		t = pw_symtab_open(path, DEBUG_DIR, NULL);
	free(path);
	return t;
}

static struct pw_symtab *open_file(struct pw_space *s, struct dso *d)
{
	char *path = local_path(s, d->path, 0);
	struct pw_symtab *t = NULL;
	struct pw_err err;

	if (path)
		t = pw_symtab_open(path, s->opts.no_local ? NULL : DEBUG_DIR,
				   &err);
	if (t && !is_same_build(d, t)) {
		pw_symtab_close(t);
		t = NULL;
		remark(s, "%s is another build than the one recorded", path);
	}
	if (!t && !s->opts.no_local)
		t = open_by_build_id(d);
	if (!t && !path)
		remark(s, "%s is not here: its functions have no names",
		       d->path);
	free(path);
	return t;
}

/* WasmEdge calls functions f0, f1, ... and types t0, ...: too little to know
 * them one by one, so a third of those looked at must have such a name. */
#define LOOKED_AT 1000u

static bool has_wasm_functions(const struct pw_symtab *t)
{
	uint32_t n = pw_symtab_n(t), n_wasm = 0, n_seen = 0, i;
	uint32_t step = n / LOOKED_AT + 1;
	struct pw_jit_name name;
	struct pw_native_func f;

	for (i = 0; i < n; i += step) {
		if (!pw_symtab_func(t, i, &f))
			continue;
		n_seen++;
		pw_jit_name_parse(&name, f.name, strlen(f.name), PW_NAME_ELF);
		n_wasm += name.kind == PW_KIND_WASM;
	}
	return n_wasm && n_wasm >= n_seen / 3;
}

static void dso_open(struct pw_space *s, struct dso *d)
{
	if (!strcmp(d->path, "[vdso]"))
		d->symtab = open_vdso(s);
	else if (d->is_file)
		d->symtab = open_file(s, d);
	d->state = d->symtab ? DSO_OPEN : DSO_NONE;
	if (!d->symtab)
		return;
	d->pieces =
		pw_zalloc((pw_symtab_n(d->symtab) + 1) * sizeof(*d->pieces));
	d->artifact = artifact_of_dso(s, d);
	d->is_wasm =
		d->is_file && d->artifact < 0 && has_wasm_functions(d->symtab);
}

/* --- pieces ---------------------------------------------------------------------------- */

static struct piece *unknown_piece(struct pw_space *s, struct dso *d)
{
	struct symbol_key k = { .kind = d->is_runtime ? PW_PLACE_RUNTIME
					: d->is_file  ? PW_PLACE_NATIVE
						      : PW_PLACE_UNKNOWN,
				.name = "[unknown]",
				.raw_name = "[unknown]",
				.dso = d->path,
				.func_idx = -1,
				.module = -1 };

	if (!d->unknown) {
		d->unknown =
			piece_new(&s->pieces, symbol_get(&s->pieces, &k), 0, 0);
		d->unknown->dso = d;
	}
	return d->unknown;
}

/* The name as the source has it, without the version of a library's symbol. */
static char *readable(const char *name)
{
	const char *at = strchr(name, '@');

	if (at && at > name && strcmp(at, "@plt"))
		return pw_strndup(name, (size_t)(at - name));
	return pw_demangle(name);
}

static struct piece *func_piece(struct pw_space *s, struct dso *d,
				const struct pw_native_func *f)
{
	char *plain = readable(f->name);
	struct symbol_key k = { .kind = d->is_runtime ? PW_PLACE_RUNTIME
						      : PW_PLACE_NATIVE,
				.name = plain ? plain : f->name,
				.raw_name = f->name,
				.dso = d->path,
				.func_idx = -1,
				.module = -1 };
	struct pw_jit_name name;
	struct piece *p;

	if (d->is_wasm) {
		pw_jit_name_parse(&name, f->name, strlen(f->name), PW_NAME_ELF);
		if (name.kind == PW_KIND_WASM) {
			k.kind = PW_PLACE_WASM;
			k.engine = name.engine;
			k.tier = name.tier;
			join_name(s, &k, 0, &name, -1);
		}
	}
	p = piece_new(&s->pieces, symbol_get(&s->pieces, &k), f->addr,
		      f->size_bytes);
	p->dso = d;
	free(plain);
	return p;
}

/* Of a file that is an artifact: its functions are a module's. */
static struct piece *of_artifact(struct pw_space *s, struct dso *d,
				 const struct pw_native_func *f)
{
	const struct pw_code_func *cf =
		pw_code_func_at(s->artifacts[d->artifact].code,
				f->addr - d->text_addr);

	return cf ? artifact_piece(s, d->artifact, cf, 0, d->path)
		  : func_piece(s, d, f);
}

struct piece *dso_piece(struct pw_space *s, struct dso *d, uint64_t file_off,
			uint64_t *off)
{
	struct pw_native_func f;
	uint64_t addr;
	struct piece **slot;

	if (d->state == DSO_NEW)
		dso_open(s, d);
	*off = file_off;
	if (d->state == DSO_NONE)
		return unknown_piece(s, d);
	addr = pw_symtab_addr(d->symtab, file_off);
	if (addr == PW_NO_OFF || !pw_symtab_find(d->symtab, addr, &f))
		return unknown_piece(s, d);
	/* the same segment holds its end, too */
	if (pw_symtab_addr(d->symtab, file_off + f.rest_bytes - 1) ==
	    addr + f.rest_bytes - 1)
		s->run_bytes = f.rest_bytes;
	slot = &d->pieces[f.idx];
	if (!*slot)
		*slot = d->artifact >= 0 ? of_artifact(s, d, &f)
					 : func_piece(s, d, &f);
	*off = addr - f.addr;
	return *slot;
}

void dsos_release(struct pw_space *s)
{
	struct dso *d, *next;

	HASH_ITER (hh, s->dsos, d, next) {
		HASH_DEL(s->dsos, d);
		pw_symtab_close(d->symtab);
		free(d->pieces);
		free(d->path);
		free(d->key);
		free(d);
	}
}
