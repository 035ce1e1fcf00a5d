// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wasmtime artifacts: which code in a process is a copy of one, by its bytes.
 * One function that is found tells where all of the artifact lies, so that
 * also those have names that a jitdump leaves out (Wasmtime 11 to 14: the
 * first of a module).
 */
#include <stdlib.h>
#include <string.h>

#include "space-impl.h"

/* --- adding ------------------------------------------------------------------------ */

/* The module that its symbols agree with. */
static int32_t module_of(struct pw_space *s, const struct pw_code *c)
{
	uint32_t n = pw_code_n_funcs(c), i, n_names = 0;
	struct pw_jit_name *names;
	int32_t module;

	names = pw_alloc((n + 1) * sizeof(*names));
	for (i = 0; i < n; i++) {
		const char *name = pw_code_func(c, i)->name;

		pw_jit_name_parse(&names[n_names], name, strlen(name),
				  PW_NAME_ELF);
		n_names += names[n_names].kind == PW_KIND_WASM;
	}
	module = join_best(s, names, n_names);
	free(names);
	return module;
}

static int32_t add(struct pw_space *s, const struct artifact *a)
{
	struct artifact *new;

	s->artifacts =
		pw_realloc(s->artifacts, (s->n_artifacts + 1) * sizeof(*new));
	new = &s->artifacts[s->n_artifacts];
	*new = *a;
	if (new->module < 0)
		new->module = module_of(s, new->code);
	return (int32_t)s->n_artifacts++;
}

int pw_space_add_artifact(struct pw_space *s, const char *path, int module,
			  struct pw_err *err)
{
	struct artifact a = { .module = module };
	const char *fault;
	int ret = pw_file_open(&a.file, path, err);

	if (ret)
		return ret;
	a.code = pw_code_open(a.file.data, a.file.size,
			      pw_space_module(s, module)
				      ? s->modules[module].n_imported
				      : 0,
			      err);
	if (!a.code) {
		pw_err_prefix(err, "%s", path);
		pw_file_close(&a.file);
		return -22;
	}
	fault = pw_code_map_fault(a.code);
	if (fault)
		remark(s, "%s: %s", path, fault);
	return add(s, &a) < 0;
}

int32_t artifact_of_dso(struct pw_space *s, struct dso *d)
{
	struct artifact a = { .dso = d, .module = -1 };
	const uint8_t *image, *text;
	uint64_t text_size;
	size_t size;

	if (!pw_symtab_has_section(d->symtab, ".wasmtime.addrmap") &&
	    !pw_symtab_has_section(d->symtab, ".wasmtime.engine"))
		return -1;
	image = pw_symtab_image(d->symtab, &size);
	a.code = pw_code_open(image, size, 0, NULL);
	if (!a.code)
		return -1;
	text = pw_code_text(a.code, &text_size);
	d->text_addr = pw_symtab_addr(d->symtab, (uint64_t)(text - image));
	return add(s, &a);
}

/* --- where it lies ------------------------------------------------------------------ */

/* Loading changes a few bytes only: addresses of the runtime's own code. */
static bool is_copy(const uint8_t *a, const uint8_t *b, uint64_t n)
{
	uint64_t same = 0, i;

	if (!memcmp(a, b, n))
		return true;
	for (i = 0; i < n; i++)
		same += a[i] == b[i];
	return same >= n - n / 4;
}

static const struct pw_code_func *copy_of(const struct pw_code *c,
					  const struct pw_jit_code *code,
					  int64_t func_idx)
{
	const struct pw_code_func *f =
		func_idx >= 0 ? pw_code_func_find(c, (uint32_t)func_idx) : NULL;
	uint64_t size;
	const uint8_t *text = pw_code_text(c, &size);

	return f && code->bytes && f->size_bytes == code->size_bytes &&
			       is_copy(text + f->text_off, code->bytes,
				       code->size_bytes)
		       ? f
		       : NULL;
}

static bool is_within(const struct placed *p, uint32_t pid, uint64_t addr)
{
	return p->pid == pid && addr - p->base < p->size_bytes;
}

static void place(struct pw_space *s, uint32_t pid, int32_t artifact,
		  uint64_t base)
{
	struct placed *p;
	uint32_t i;

	for (i = 0; i < s->n_placed; i++)
		if (s->placed[i].pid == pid && s->placed[i].base == base &&
		    s->placed[i].artifact == artifact)
			return;
	s->placed = pw_realloc(s->placed, (s->n_placed + 1) * sizeof(*p));
	p = &s->placed[s->n_placed++];
	*p = (struct placed){ .pid = pid, .artifact = artifact, .base = base };
	pw_code_text(s->artifacts[artifact].code, &p->size_bytes);
}

/* Code without an index (trampolines): where its artifact is known to lie. */
static bool origin_by_place(const struct pw_space *s,
			    const struct pw_jit_code *code, struct origin *o)
{
	uint32_t i;

	for (i = 0; i < s->n_placed; i++) {
		const struct placed *p = &s->placed[i];

		if (!is_within(p, code->pid, code->addr))
			continue;
		o->artifact = p->artifact;
		o->module = s->artifacts[p->artifact].module;
		o->text_off = code->addr - p->base;
		return true;
	}
	return false;
}

bool artifact_origin(struct pw_space *s, const struct pw_jit_code *code,
		     const struct pw_jit_name *name, struct origin *o)
{
	uint32_t i;

	if (name->engine != PW_ENGINE_WASMTIME || !s->n_artifacts)
		return false;
	if (name->kind != PW_KIND_WASM)
		return origin_by_place(s, code, o);
	for (i = 0; i < s->n_artifacts; i++) {
		const struct pw_code_func *f =
			copy_of(s->artifacts[i].code, code, name->func_idx);

		if (!f)
			continue;
		o->artifact = (int32_t)i;
		o->module = s->artifacts[i].module;
		o->text_off = f->text_off;
		place(s, code->pid, o->artifact, code->addr - f->text_off);
		return true;
	}
	return false;
}

/* --- code by its bytes alone ------------------------------------------------------------ */

static int body_order(const void *a, const void *b)
{
	const struct body *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->artifact < y->artifact ? -1 : x->artifact > y->artifact;
}

/* All functions of all artifacts by their bytes. */
static void index_bodies(struct pw_space *s)
{
	uint32_t i, k;

	if (s->n_body_artifacts == s->n_artifacts)
		return;
	s->n_body_artifacts = s->n_artifacts;
	s->n_bodies = 0;
	for (i = 0; i < s->n_artifacts; i++) {
		const struct pw_code *c = s->artifacts[i].code;
		uint64_t size;
		const uint8_t *text = pw_code_text(c, &size);

		s->bodies = pw_realloc(s->bodies,
				       (s->n_bodies + pw_code_n_funcs(c) + 1) *
					       sizeof(*s->bodies));
		for (k = 0; k < pw_code_n_funcs(c); k++) {
			const struct pw_code_func *f = pw_code_func(c, k);

			s->bodies[s->n_bodies++] =
				(struct body){ pw_hash(text + f->text_off,
						       f->size_bytes, 0),
					       f, (int32_t)i };
		}
	}
	if (s->n_bodies)
		qsort(s->bodies, s->n_bodies, sizeof(*s->bodies), body_order);
}

/* Wasmtime calls a function that the module names by that name alone. */
static bool ends_with(const char *symbol, const char *name)
{
	size_t n = strlen(symbol), tail = strlen(name);

	return n > tail + 2 && !strcmp(symbol + n - tail, name) &&
	       !strncmp(symbol + n - tail - 2, "::", 2);
}

/* The first of the bodies with this hash. */
static uint32_t first_body(const struct pw_space *s, uint64_t hash)
{
	uint32_t lo = 0, hi;

	for (hi = s->n_bodies; lo < hi;) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s->bodies[mid].hash < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct pw_code_func *artifact_by_bytes(struct pw_space *s,
					     const struct pw_jit_code *code,
					     struct origin *o)
{
	const struct body *found = NULL, *b;
	uint64_t hash;
	uint32_t lo;

	if (!s->n_artifacts || !code->bytes)
		return NULL;
	index_bodies(s);
	hash = pw_hash(code->bytes, code->size_bytes, 0);
	/* of several that are alike, the one with the name */
	for (lo = first_body(s, hash);
	     lo < s->n_bodies && s->bodies[lo].hash == hash; lo++) {
		b = &s->bodies[lo];
		if (b->func->size_bytes == code->size_bytes &&
		    (!found || ends_with(b->func->name, code->name)))
			found = b;
	}
	if (!found)
		return NULL;
	*o = (struct origin){ found->artifact,
			      s->artifacts[found->artifact].module,
			      found->func->text_off };
	place(s, code->pid, o->artifact, code->addr - o->text_off);
	return found->func;
}

/*
 * Of a module of one function, a dump of Wasmtime 11 to 14 has nothing but
 * trampolines. One that calls a function holds how far that is; it tells where
 * an artifact lies when no other one has its like.
 */
static void place_by_trampoline(struct pw_space *s,
				const struct pw_jit_code *code)
{
	const struct body *found = NULL, *b;
	struct origin o;
	uint64_t hash;
	uint32_t i;

	if (!s->n_artifacts || !code->bytes || origin_by_place(s, code, &o))
		return;
	index_bodies(s);
	hash = pw_hash(code->bytes, code->size_bytes, 0);
	for (i = first_body(s, hash);
	     i < s->n_bodies && s->bodies[i].hash == hash; i++) {
		b = &s->bodies[i];
		if (b->func->size_bytes != code->size_bytes ||
		    strcmp(b->func->name, code->name))
			continue;
		if (found)
			return;
		found = b;
	}
	if (found)
		place(s, code->pid, found->artifact,
		      code->addr - found->func->text_off);
}

/* --- pieces without a jitdump ----------------------------------------------------------- */

struct piece *artifact_piece(struct pw_space *s, int32_t artifact,
			     const struct pw_code_func *f, uint32_t pid,
			     const char *dso)
{
	struct symbol_key k = { .kind = PW_PLACE_RUNTIME,
				.engine = PW_ENGINE_WASMTIME,
				.name = f->name,
				.raw_name = f->name,
				.dso = dso,
				.func_idx = -1,
				.module = -1 };
	struct pw_jit_name name;
	struct piece *p;

	pw_jit_name_parse(&name, f->name, strlen(f->name), PW_NAME_ELF);
	if (name.kind == PW_KIND_UNKNOWN)
		pw_jit_name_parse(&name, f->name, strlen(f->name), PW_NAME_JIT);
	if (name.kind == PW_KIND_WASM) {
		k.kind = PW_PLACE_WASM;
		join_name(s, &k, pid, &name, s->artifacts[artifact].module);
	} else if (name.kind == PW_KIND_TRAMPOLINE) {
		k.kind = PW_PLACE_TRAMPOLINE;
	}
	p = piece_new(&s->pieces, symbol_get(&s->pieces, &k), f->text_off,
		      f->size_bytes);
	p->artifact = artifact;
	p->text_off = f->text_off;
	return p;
}

/* Looks at all code that came since the last time. */
static void place_all(struct pw_space *s)
{
	uint32_t n = pw_jitmap_n_codes(s->jitmap);
	struct pw_jit_name name;
	struct origin o;

	for (; s->n_placed_codes < n; s->n_placed_codes++) {
		const struct pw_jit_code *c =
			pw_jitmap_code(s->jitmap, s->n_placed_codes);

		pw_jit_name_parse(&name, c->name, strlen(c->name), PW_NAME_JIT);
		if (name.kind == PW_KIND_WASM)
			artifact_origin(s, c, &name, &o);
		else if (name.kind == PW_KIND_UNKNOWN)
			artifact_by_bytes(s, c, &o);
		else if (name.engine == PW_ENGINE_WASMTIME &&
			 name.func_idx >= 0)
			place_by_trampoline(s, c);
	}
}

static struct piece *piece_in(struct pw_space *s, struct placed *p,
			      uint64_t addr, uint64_t *off)
{
	const struct pw_code *c = s->artifacts[p->artifact].code;
	const struct pw_code_func *f = pw_code_func_at(c, addr - p->base);
	size_t idx;

	if (!f)
		return NULL;
	idx = (size_t)(f - pw_code_func(c, 0));
	if (!p->pieces)
		p->pieces = pw_zalloc(pw_code_n_funcs(c) * sizeof(*p->pieces));
	if (!p->pieces[idx])
		p->pieces[idx] =
			artifact_piece(s, p->artifact, f, p->pid, "[JIT]");
	*off = addr - p->base - f->text_off;
	return p->pieces[idx];
}

struct piece *artifact_left_out(struct pw_space *s, uint32_t pid, uint64_t addr,
				uint64_t *off)
{
	const struct proc *proc;
	int generation;
	uint32_t i;

	if (!s->n_artifacts)
		return NULL;
	place_all(s);
	/* a child has what its parent had */
	for (generation = 0; generation < 8; generation++) {
		for (i = 0; i < s->n_placed; i++)
			if (is_within(&s->placed[i], pid, addr))
				return piece_in(s, &s->placed[i], addr, off);
		proc = proc_find(s, pid);
		if (!proc || proc->ppid == PW_NO_PID)
			break;
		pid = proc->ppid;
	}
	return NULL;
}

void artifacts_release(struct pw_space *s)
{
	uint32_t i;

	for (i = 0; i < s->n_placed; i++)
		free(s->placed[i].pieces);
	for (i = 0; i < s->n_artifacts; i++) {
		pw_code_close(s->artifacts[i].code);
		pw_file_close(&s->artifacts[i].file);
	}
	free(s->bodies);
	free(s->placed);
	free(s->artifacts);
}
