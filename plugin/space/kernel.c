// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of the kernel by the lines of kallsyms: "ADDR TYPE NAME [MODULE]".
 * Those of this machine are taken only where they are the recorded kernel's:
 * same release, and _text moved by what the record says (KASLR).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "space-impl.h"

#define REGION "[kernel.kallsyms]"

/* --- reading --------------------------------------------------------------------- */

static const char *read_hex(const char *p, const char *end, uint64_t *v)
{
	for (*v = 0; p < end; p++) {
		unsigned int c = (unsigned char)*p;

		if (c - '0' < 10)
			*v = *v << 4 | (c - '0');
		else if ((c | 32) - 'a' < 6)
			*v = *v << 4 | ((c | 32) - 'a' + 10);
		else
			break;
	}
	return p;
}

/* Keeps a name; runs of the same are kept once. */
static uint32_t keep_name(struct pw_buf *b, const char *s, size_t n,
			  uint32_t last)
{
	uint32_t at = (uint32_t)b->len;

	if (last && !strncmp((char *)b->data + last, s, n) &&
	    !b->data[last + n])
		return last;
	pw_buf_add(b, s, n);
	pw_buf_add_u8(b, 0);
	return at;
}

static void add_line(struct kernel *k, const char *p, const char *end,
		     uint32_t *last_module)
{
	struct kernel_symbol sym = { 0 };
	const char *name, *name_end;
	char type;

	p = read_hex(p, end, &sym.addr);
	if (end - p < 4 || !sym.addr)
		return;
	type = p[1] | 32;
	if (type != 't' && type != 'w')
		return;
	sym.rank = p[1] == 'T' ? 2 : p[1] == 't';
	name = p + 3;
	name_end = name;
	while (name_end < end && *name_end != '\t' && *name_end != ' ')
		name_end++;
	p = memchr(name_end, '[', end - name_end);
	if (p)
		sym.module = *last_module =
			keep_name(&k->names, p, end - p, *last_module);
	sym.name = keep_name(&k->names, name, name_end - name, 0);
	if (!(k->n & (k->n - 1)))
		k->symbols = pw_realloc(k->symbols,
					(k->n ? 2 * k->n : 1) * sizeof(sym));
	k->symbols[k->n++] = sym;
}

/* Of several names for one place that comes first which perf takes. */
static int symbol_order(const void *a, const void *b, void *arg)
{
	const struct kernel_symbol *x = a, *y = b;
	const char *names = arg, *name_x, *name_y;
	size_t n_x, n_y;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	name_x = names + x->name;
	name_y = names + y->name;
	n_x = strspn(name_x, "_");
	n_y = strspn(name_y, "_");
	if (n_x != n_y)
		return n_x < n_y ? -1 : 1;
	n_x = strlen(name_x);
	n_y = strlen(name_y);
	if (n_x != n_y)
		return n_x > n_y ? -1 : 1;
	return strcmp(name_x, name_y);
}

static void sort_part(struct kernel *k, uint32_t from, uint32_t to)
{
	qsort_r(&k->symbols[from], to - from, sizeof(*k->symbols), symbol_order,
		k->names.data);
}

/* The kernel tells its functions by address, save where modules come and go:
 * mostly only those of one address are to be put in order. */
static void put_in_order(struct kernel *k)
{
	const struct kernel_symbol *s = k->symbols;
	uint32_t i, end;

	for (i = 0; i < k->n; i = end) {
		for (end = i + 1; end < k->n && s[end].addr == s[i].addr;)
			end++;
		if (end < k->n && s[end].addr < s[i].addr) {
			sort_part(k, 0, k->n);
			return;
		}
		if (end - i > 1)
			sort_part(k, i, end);
	}
}

static void sort_symbols(struct kernel *k)
{
	uint32_t i, n = 0;

	put_in_order(k);
	for (i = 0; i < k->n; i++)
		if (!n || k->symbols[n - 1].addr != k->symbols[i].addr)
			k->symbols[n++] = k->symbols[i];
	k->n = n;
}

static int read_kallsyms(struct kernel *k, const char *path, struct pw_err *err)
{
	struct pw_file f;
	const char *p, *end, *eol;
	uint32_t last_module = 0;
	int ret = pw_file_open(&f, path, err);

	if (ret)
		return ret;
	pw_buf_add_u8(&k->names, 0);
	for (p = (const char *)f.data, end = p + f.size; p < end; p = eol + 1) {
		eol = memchr(p, '\n', end - p);
		if (!eol)
			eol = end;
		add_line(k, p, eol, &last_module);
	}
	pw_file_close(&f);
	sort_symbols(k);
	if (!k->n)
		return pw_err_set(
			err, EINVAL,
			"'%s' has no addresses of functions (kernel.kptr_restrict hides them from users)",
			path);
	k->pieces = pw_zalloc(k->n * sizeof(*k->pieces));
	k->state = DSO_OPEN;
	return 0;
}

/* --- whose kernel it is -------------------------------------------------------------- */

static uint64_t address_of(const struct kernel *k, const char *name)
{
	uint32_t i;

	for (i = 0; i < k->n; i++)
		if (!strcmp((char *)k->names.data + k->symbols[i].name, name))
			return k->symbols[i].addr;
	return 0;
}

/* Addresses as they were when recorded: KASLR moves all but what modules
 * hold; false when the difference can't come from there. */
static bool move_to_recorded(struct kernel *k)
{
	uint64_t text = address_of(k, "_text"), by = k->text_addr - text;
	uint32_t i;

	if (!k->text_addr || !text || !by)
		return true;
	if (by & 0xfffff)
		return false;
	for (i = 0; i < k->n; i++)
		if (!k->symbols[i].module)
			k->symbols[i].addr += by;
	return true;
}

static bool is_this_kernel(const struct pw_space *s)
{
	struct utsname u;

	return !s->is_foreign &&
	       (!s->osrelease ||
		(!uname(&u) && !strcmp(u.release, s->osrelease)));
}

static void kernel_forget(struct kernel *k)
{
	free(k->symbols);
	free(k->pieces);
	pw_buf_release(&k->names);
	k->symbols = NULL;
	k->pieces = NULL;
	k->n = 0;
}

static void kernel_open(struct pw_space *s)
{
	struct kernel *k = &s->kernel;
	struct pw_err err;
	char *path = k->path;

	k->path = NULL;
	k->state = DSO_NONE;
	if (!path && s->dir)
		path = pw_asprintf("%s/kallsyms", s->dir);
	if (path && !is_regular(path)) {
		free(path);
		path = NULL;
	}
	if (!path && !s->opts.no_local && is_this_kernel(s))
		path = pw_strdup("/proc/kallsyms");
	if (!path) {
		remark(s,
		       "the kernel's symbols are not here: its functions have no names");
		return;
	}
	if (read_kallsyms(k, path, &err)) {
		remark(s, "%s", err.msg);
		kernel_forget(k);
	} else if (!move_to_recorded(k)) {
		remark(s, "%s is of another kernel than the one recorded",
		       path);
		kernel_forget(k);
		k->state = DSO_NONE;
	}
	free(path);
}

int pw_space_add_kallsyms(struct pw_space *s, const char *path,
			  struct pw_err *err)
{
	kernel_forget(&s->kernel);
	s->kernel.gen++;
	return read_kallsyms(&s->kernel, path, err);
}

/* --- pieces ------------------------------------------------------------------------------ */

static struct piece *new_piece(struct pw_space *s, const char *name,
			       const char *dso, uint64_t addr, uint64_t size)
{
	struct symbol_key k = { .kind = PW_PLACE_KERNEL,
				.name = name,
				.raw_name = name,
				.dso = dso,
				.func_idx = -1,
				.module = -1 };

	return piece_new(&s->pieces, symbol_get(&s->pieces, &k), addr, size);
}

static struct piece *added_piece(struct pw_space *s, uint64_t addr)
{
	struct kernel *k = &s->kernel;
	uint32_t i;

	for (i = k->n_added; i-- > 0;) {
		uint64_t start = k->added[i].addr;

		if (addr < start || addr >= k->added_end[i])
			continue;
		if (!k->added_pieces[i])
			k->added_pieces[i] =
				new_piece(s,
					  (char *)k->added_names.data +
						  k->added[i].name,
					  "[bpf]", start,
					  k->added_end[i] - start);
		return k->added_pieces[i];
	}
	return NULL;
}

static struct piece *symbol_piece(struct pw_space *s, uint64_t addr)
{
	struct kernel *k = &s->kernel;
	uint32_t lo = 0, hi = k->n;
	const struct kernel_symbol *sym;
	const char *names = (const char *)k->names.data;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (k->symbols[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	sym = &k->symbols[lo - 1];
	if (!k->pieces[lo - 1])
		k->pieces[lo - 1] =
			new_piece(s, names + sym->name,
				  sym->module ? names + sym->module : REGION,
				  sym->addr,
				  lo < k->n ? sym[1].addr - sym->addr : 0);
	/* programs of BPF may lie over it */
	if (lo < k->n && !k->n_added)
		s->run_bytes = sym[1].addr - addr;
	return k->pieces[lo - 1];
}

struct piece *kernel_piece(struct pw_space *s, uint64_t addr, uint64_t *off)
{
	struct kernel *k = &s->kernel;
	struct piece *p;

	if (k->state == DSO_NEW)
		kernel_open(s);
	p = added_piece(s, addr);
	if (!p && k->state == DSO_OPEN)
		p = symbol_piece(s, addr);
	if (!p) {
		if (!k->unknown)
			k->unknown = new_piece(s, "[unknown]", REGION, 0, 0);
		p = k->unknown;
	}
	*off = addr - p->pub.addr;
	return p;
}

/* --- records ------------------------------------------------------------------------------- */

static void add_ksymbol(struct kernel *k, const struct pw_event *ev)
{
	uint32_t n = k->n_added;

	if (!(n & (n - 1))) {
		uint32_t cap = n ? 2 * n : 1;

		k->added = pw_realloc(k->added, cap * sizeof(*k->added));
		k->added_end =
			pw_realloc(k->added_end, cap * sizeof(*k->added_end));
		k->added_pieces = pw_realloc(k->added_pieces,
					     cap * sizeof(*k->added_pieces));
	}
	k->added[n].addr = ev->ksymbol.addr;
	k->added[n].name = keep_name(&k->added_names, ev->ksymbol.name,
				     strlen(ev->ksymbol.name), 0);
	k->added_end[n] = ev->ksymbol.addr + ev->ksymbol.len;
	k->added_pieces[n] = NULL;
	k->n_added++;
	k->gen++;
}

#define KSYMBOL_UNREGISTER 1 /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
#define KSYMBOLS_MAX       65536u

void kernel_event(struct pw_space *s, const struct pw_event *ev)
{
	struct kernel *k = &s->kernel;

	if (ev->type == PW_REC_KSYMBOL) {
		if (!(ev->ksymbol.flags & KSYMBOL_UNREGISTER) &&
		    k->n_added < KSYMBOLS_MAX)
			add_ksymbol(k, ev);
	} else if (!strcmp(ev->mmap.filename, REGION "_text")) {
		/* pgoff: where the recorder saw _text */
		k->text_addr = ev->mmap.pgoff;
	}
}

void kernel_release(struct kernel *k)
{
	kernel_forget(k);
	pw_buf_release(&k->added_names);
	free(k->added);
	free(k->added_end);
	free(k->added_pieces);
	free(k->path);
}
