// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of native files: which symbol covers an address. Reads ELF
 * of any class and byte order, and looks for the debug file of a stripped
 * one. Looks at no instruction.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <gelf.h>

#include <perfwasm/code.h>

struct segment {
	uint64_t off, addr, size; /* in the file */
};

struct func {
	uint64_t addr, size;
	const char *name;
	uint64_t limit; /* of one without a size: the end of its section */
	uint8_t rank;   /* of several names for one place the highest stays */
};

struct pw_symtab {
	struct pw_file file, debug_file;
	Elf *elf, *debug;
	const uint8_t *data;
	size_t size;
	uint32_t machine;
	struct segment *segments;
	size_t n_segments;
	struct func *funcs; /* by addr */
	uint32_t n_funcs;
	char **plt_names;
	size_t n_plt_names;
	uint8_t build_id[20];
	size_t build_id_size;
};

/* --- reading ------------------------------------------------------------------ */

static Elf *elf_of(const uint8_t *data, size_t size, struct pw_err *err)
{
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE || size < EI_NIDENT ||
	    memcmp(data, ELFMAG, SELFMAG)) {
		pw_err_at(err, EINVAL, 0, "expected an ELF file");
		return NULL;
	}
	/* libelf reads only, whatever its prototype says */
	elf = elf_memory((char *)data, size);
	if (!elf)
		pw_err_set(err, EINVAL, "%s", elf_errmsg(-1));
	return elf;
}

/* What was never linked has no segments (Wasmtime's artifacts). */
static void read_sections(struct pw_symtab *t)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(t->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS ||
		    !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		t->segments =
			pw_realloc(t->segments,
				   (t->n_segments + 1) * sizeof(*t->segments));
		t->segments[t->n_segments++] =
			(struct segment){ sh.sh_offset, sh.sh_addr,
					  sh.sh_size };
	}
}

static void read_segments(struct pw_symtab *t)
{
	size_t n, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(t->elf, &n) || !n) {
		read_sections(t);
		return;
	}
	t->segments = pw_alloc(n * sizeof(*t->segments));
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(t->elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		t->segments[t->n_segments++] =
			(struct segment){ ph.p_offset, ph.p_vaddr,
					  ph.p_filesz };
	}
}

static Elf_Scn *section(Elf *elf, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *s;

		if (!gelf_getshdr(scn, sh))
			continue;
		s = elf_strptr(elf, names, sh->sh_name);
		if (s && !strcmp(s, name))
			return scn;
	}
	return NULL;
}

static Elf_Scn *section_of_type(Elf *elf, uint32_t type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == type)
			return scn;
	return NULL;
}

static void note_build_id(struct pw_symtab *t, Elf_Data *data)
{
	size_t at = 0, name, desc;
	GElf_Nhdr nh;

	while (data && (at = gelf_getnote(data, at, &nh, &name, &desc))) {
		if (nh.n_type != NT_GNU_BUILD_ID || nh.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4))
			continue;
		t->build_id_size = nh.n_descsz < sizeof(t->build_id)
					   ? nh.n_descsz
					   : sizeof(t->build_id);
		memcpy(t->build_id, (char *)data->d_buf + desc,
		       t->build_id_size);
		return;
	}
}

static void read_build_id(struct pw_symtab *t)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (!t->build_id_size && (scn = elf_nextscn(t->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE)
			note_build_id(t, elf_getdata(scn, NULL));
}

/* --- functions ------------------------------------------------------------------ */

/* Whether it is a function; *limit: the end of its section. */
static bool is_code(Elf *elf, const GElf_Sym *sym, uint64_t *limit)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elf_getscn(elf, sym->st_shndx);

	*limit = scn && gelf_getshdr(scn, &sh) ? sh.sh_addr + sh.sh_size
					       : UINT64_MAX;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE: /* labels of assembly */
		return GELF_ST_VISIBILITY(sym->st_other) == STV_DEFAULT &&
		       *limit != UINT64_MAX && (sh.sh_flags & SHF_EXECINSTR);
	}
	return false;
}

static uint8_t rank_of(const GElf_Sym *sym)
{
	uint8_t rank = 0;

	if (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE)
		rank += 4;
	if (GELF_ST_BIND(sym->st_info) == STB_GLOBAL)
		rank += 2;
	else if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		rank += 1;
	return rank;
}

/* Of names for one place: those with a size, then by rank, then those that
 * begin with fewer underscores, then the longest: perf's order. */
static int func_order(const void *a, const void *b)
{
	const struct func *x = a, *y = b;
	size_t n_x, n_y;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (!x->size != !y->size)
		return x->size ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	n_x = strspn(x->name, "_");
	n_y = strspn(y->name, "_");
	if (n_x != n_y)
		return n_x < n_y ? -1 : 1;
	n_x = strlen(x->name);
	n_y = strlen(y->name);
	if (n_x != n_y)
		return n_x > n_y ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* A symbol without a size reaches to the next one or its section's end. */
static void set_size(const struct pw_symtab *t, uint32_t i, uint32_t n)
{
	struct func *f = &t->funcs[i];
	uint64_t end = i + 1 < n ? t->funcs[i + 1].addr : UINT64_MAX;

	if (f->size)
		return;
	if (f->limit < end && f->limit > f->addr)
		end = f->limit;
	f->size = end == UINT64_MAX ? 1 : end - f->addr;
}

static void settle(struct pw_symtab *t)
{
	uint32_t i, n = 0;

	if (t->n_funcs)
		qsort(t->funcs, t->n_funcs, sizeof(*t->funcs), func_order);
	for (i = 0; i < t->n_funcs; i++)
		if (!n || t->funcs[n - 1].addr != t->funcs[i].addr)
			t->funcs[n++] = t->funcs[i];
	for (i = 0; i < n; i++)
		set_size(t, i, n);
	t->n_funcs = n;
}

static bool add_funcs(struct pw_symtab *t, Elf *elf, uint32_t type)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section_of_type(elf, type, &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	size_t n = data && sh.sh_entsize ? data->d_size / sh.sh_entsize : 0, i;
	GElf_Sym sym;

	if (!n)
		return false;
	t->funcs = pw_alloc(n * sizeof(*t->funcs));
	for (i = 0; i < n; i++) {
		const char *name;
		uint64_t limit;

		if (!gelf_getsym(data, (int)i, &sym) ||
		    !is_code(elf, &sym, &limit))
			continue;
		name = elf_strptr(elf, sh.sh_link, sym.st_name);
		if (!name || !*name)
			continue;
		t->funcs[t->n_funcs++] =
			(struct func){ sym.st_value, sym.st_size, name, limit,
				       rank_of(&sym) };
	}
	if (t->n_funcs)
		return true;
	free(t->funcs);
	t->funcs = NULL;
	return false;
}

/* --- calls into other files --------------------------------------------------------- */

/* The linker's stubs: an entry for each relocation of .rela.plt, named after
 * what it calls. */
#define PLT_ENTRY_BYTES 16u

static void add_stub(struct pw_symtab *t, uint64_t addr, const char *name)
{
	char *own = pw_asprintf("%s@plt", name);

	t->plt_names =
		pw_realloc(t->plt_names, (t->n_plt_names + 1) * sizeof(own));
	t->plt_names[t->n_plt_names++] = own;
	t->funcs[t->n_funcs++] = (struct func){ .addr = addr,
						.size = PLT_ENTRY_BYTES,
						.name = own };
}

static void add_stubs(struct pw_symtab *t)
{
	GElf_Shdr plt, rela, dynsym;
	Elf_Scn *rela_scn = section(t->elf, ".rela.plt", &rela);
	Elf_Scn *sym_scn = section_of_type(t->elf, SHT_DYNSYM, &dynsym);
	Elf_Data *relas = rela_scn ? elf_getdata(rela_scn, NULL) : NULL;
	Elf_Data *syms = sym_scn ? elf_getdata(sym_scn, NULL) : NULL;
	uint64_t at;
	size_t n, i;

	if (!relas || !syms || !rela.sh_entsize)
		return;
	/* .plt begins with the entry that all others jump to */
	if (section(t->elf, ".plt.sec", &plt))
		at = plt.sh_addr;
	else if (section(t->elf, ".plt", &plt))
		at = plt.sh_addr + PLT_ENTRY_BYTES;
	else
		return;
	n = relas->d_size / rela.sh_entsize;
	t->funcs =
		pw_realloc(t->funcs, (t->n_funcs + n + 1) * sizeof(*t->funcs));
	for (i = 0; i < n && at < plt.sh_addr + plt.sh_size;
	     i++, at += PLT_ENTRY_BYTES) {
		const char *name = NULL;
		GElf_Rela r;
		GElf_Sym sym;

		if (gelf_getrela(relas, (int)i, &r) &&
		    gelf_getsym(syms, (int)GELF_R_SYM(r.r_info), &sym))
			name = elf_strptr(t->elf, dynsym.sh_link, sym.st_name);
		if (name && *name)
			add_stub(t, at, name);
	}
}

/* --- debug files ------------------------------------------------------------------- */

/* A debug file at a path; it is taken when it has symbols. */
static bool try_debug(struct pw_symtab *t, char *path)
{
	struct stat st;
	bool good = false;

	if (!stat(path, &st) && S_ISREG(st.st_mode) &&
	    !pw_file_open(&t->debug_file, path, NULL)) {
		t->debug = elf_of(t->debug_file.data, t->debug_file.size, NULL);
		good = t->debug && add_funcs(t, t->debug, SHT_SYMTAB);
		if (!good) {
			elf_end(t->debug);
			t->debug = NULL;
			pw_file_close(&t->debug_file);
		}
	}
	free(path);
	return good;
}

static bool by_build_id(struct pw_symtab *t, const char *debug_dir)
{
	char hex[2 * sizeof(t->build_id) + 1];
	size_t i;

	if (t->build_id_size < 2 || !debug_dir)
		return false;
	for (i = 0; i < t->build_id_size; i++)
		sprintf(hex + 2 * i, "%02x", t->build_id[i]);
	return try_debug(t, pw_asprintf("%s/.build-id/%.2s/%s.debug", debug_dir,
					hex, hex + 2));
}

static bool by_link(struct pw_symtab *t, const char *path,
		    const char *debug_dir)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section(t->elf, ".gnu_debuglink", &sh);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	const char *name = data ? data->d_buf : NULL, *slash;
	int dir;

	if (!name || !memchr(name, 0, data->d_size) || strchr(name, '/'))
		return false;
	slash = strrchr(path, '/');
	dir = slash ? (int)(slash - path) : 0;
	if (!slash) {
		path = ".";
		dir = 1;
	}
	return try_debug(t, pw_asprintf("%.*s/.debug/%s", dir, path, name)) ||
	       (debug_dir && try_debug(t, pw_asprintf("%s%.*s/%s", debug_dir,
						      dir, path, name)));
}

/* --- the whole ----------------------------------------------------------------------- */

static int read_elf(struct pw_symtab *t, const char *path,
		    const char *debug_dir, struct pw_err *err)
{
	GElf_Ehdr eh;

	t->elf = elf_of(t->data, t->size, err);
	if (!t->elf)
		return -EINVAL;
	if (!gelf_getehdr(t->elf, &eh))
		return pw_err_set(err, EINVAL, "%s", elf_errmsg(-1));
	t->machine = eh.e_machine;
	read_segments(t);
	read_build_id(t);
	if (!add_funcs(t, t->elf, SHT_SYMTAB) &&
	    !(path && by_build_id(t, debug_dir)) &&
	    !(path && by_link(t, path, debug_dir)))
		add_funcs(t, t->elf, SHT_DYNSYM);
	add_stubs(t);
	settle(t);
	return 0;
}

struct pw_symtab *pw_symtab_open(const char *path, const char *debug_dir,
				 struct pw_err *err)
{
	struct pw_symtab *t = pw_zalloc(sizeof(*t));

	if (pw_file_open(&t->file, path, err))
		goto fail;
	t->data = t->file.data;
	t->size = t->file.size;
	if (!read_elf(t, path, debug_dir, err))
		return t;
	pw_err_prefix(err, "%s", path);
fail:
	pw_symtab_close(t);
	return NULL;
}

struct pw_symtab *pw_symtab_open_bytes(const uint8_t *data, size_t size,
				       struct pw_err *err)
{
	struct pw_symtab *t = pw_zalloc(sizeof(*t));

	t->data = data;
	t->size = size;
	if (!read_elf(t, NULL, NULL, err))
		return t;
	pw_symtab_close(t);
	return NULL;
}

void pw_symtab_close(struct pw_symtab *t)
{
	if (!t)
		return;
	while (t->n_plt_names)
		free(t->plt_names[--t->n_plt_names]);
	free(t->plt_names);
	elf_end(t->debug);
	elf_end(t->elf);
	free(t->funcs);
	free(t->segments);
	pw_file_close(&t->debug_file);
	pw_file_close(&t->file);
	free(t);
}

/* --- questions ------------------------------------------------------------------------ */

uint32_t pw_symtab_n(const struct pw_symtab *t)
{
	return t->n_funcs;
}

bool pw_symtab_func(const struct pw_symtab *t, uint32_t idx,
		    struct pw_native_func *f)
{
	if (idx >= t->n_funcs)
		return false;
	*f = (struct pw_native_func){ t->funcs[idx].name, t->funcs[idx].addr,
				      t->funcs[idx].size, t->funcs[idx].size,
				      idx };
	return true;
}

/* A function may lie within another: of those before the address, the few
 * nearest are tried. */
#define NESTED_MAX 8

bool pw_symtab_find(const struct pw_symtab *t, uint64_t addr,
		    struct pw_native_func *f)
{
	uint32_t lo = 0, hi = t->n_funcs, tries;
	uint64_t rest;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->funcs[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	rest = lo < t->n_funcs ? t->funcs[lo].addr - addr : UINT64_MAX;
	for (tries = 0; lo && tries < NESTED_MAX; tries++) {
		const struct func *x = &t->funcs[--lo];

		if (addr - x->addr >= x->size)
			continue;
		if (rest > x->size - (addr - x->addr))
			rest = x->size - (addr - x->addr);
		*f = (struct pw_native_func){ x->name, x->addr, x->size, rest,
					      lo };
		return true;
	}
	return false;
}

uint64_t pw_symtab_addr(const struct pw_symtab *t, uint64_t file_off)
{
	size_t i;

	for (i = 0; i < t->n_segments; i++) {
		const struct segment *s = &t->segments[i];

		if (file_off - s->off < s->size)
			return file_off - s->off + s->addr;
	}
	return PW_NO_OFF;
}

const uint8_t *pw_symtab_bytes(const struct pw_symtab *t, uint64_t addr,
			       uint64_t n)
{
	size_t i;

	for (i = 0; i < t->n_segments; i++) {
		const struct segment *s = &t->segments[i];
		uint64_t at = addr - s->addr;

		if (at >= s->size || n > s->size - at || s->off > t->size ||
		    at > t->size - s->off || n > t->size - s->off - at)
			continue;
		return t->data + s->off + at;
	}
	return NULL;
}

const uint8_t *pw_symtab_image(const struct pw_symtab *t, size_t *size)
{
	*size = t->size;
	return t->data;
}

const uint8_t *pw_symtab_build_id(const struct pw_symtab *t, size_t *n)
{
	*n = t->build_id_size;
	return t->build_id;
}

uint32_t pw_symtab_machine(const struct pw_symtab *t)
{
	return t->machine;
}

bool pw_symtab_has_section(const struct pw_symtab *t, const char *name)
{
	GElf_Shdr sh;

	return section(t->elf, name, &sh);
}
