// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens an ELF image of machine code: .text, its functions, the address map
 * and constants outside .text. Looks at no instruction.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "image.h"

/* What the walk over the sections found. */
struct sections {
	Elf_Scn *text, *symtab, *rela, *addrmap;
	size_t text_idx, strtab_idx;
	bool wasmtime;
};

static int check_header(const uint8_t *elf, size_t size, enum code_arch *arch,
			struct pw_err *err)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)elf;
	uint16_t machine;

	if (size < sizeof(*eh) || memcmp(elf, ELFMAG, SELFMAG))
		return pw_err_at(
			err, EINVAL, 0,
			"expected an ELF image of machine code, found %zu bytes that are none",
			size);
	if (elf[EI_CLASS] != ELFCLASS64 || elf[EI_DATA] != ELFDATA2LSB)
		return pw_err_at(err, ENOTSUP, EI_CLASS,
				 "expected a 64-bit little-endian ELF image");
	memcpy(&machine, elf + offsetof(Elf64_Ehdr, e_machine),
	       sizeof(machine));
	if (machine != EM_X86_64 && machine != EM_AARCH64)
		return pw_err_at(
			err, ENOTSUP, offsetof(Elf64_Ehdr, e_machine),
			"machine code of ELF machine %u is not supported, only x86-64 and AArch64",
			machine);
	*arch = machine == EM_X86_64 ? CODE_X86_64 : CODE_AARCH64;
	return 0;
}

/* A section's bytes inside the image; NULL when it has none or lies. */
static const uint8_t *section_bytes(Elf_Scn *scn, const uint8_t *image,
				    size_t image_size, GElf_Shdr *sh)
{
	if (!scn || !gelf_getshdr(scn, sh) || sh->sh_type == SHT_NOBITS ||
	    sh->sh_offset > image_size ||
	    sh->sh_size > image_size - sh->sh_offset)
		return NULL;
	return image + sh->sh_offset;
}

static void add_data(struct pw_code *c, const GElf_Shdr *sh,
		     const uint8_t *bytes)
{
	/* in a relocatable object every section begins at 0 */
	if (!bytes || !sh->sh_addr || !(sh->sh_flags & SHF_ALLOC) ||
	    (sh->sh_flags & SHF_WRITE))
		return;
	c->data = pw_realloc(c->data, (c->n_data + 1) * sizeof(*c->data));
	c->data[c->n_data++] = (struct code_data){ .addr = sh->sh_addr,
						   .size = sh->sh_size,
						   .bytes = bytes };
}

static int find_sections(struct pw_code *c, const uint8_t *image, size_t size,
			 struct sections *s, struct pw_err *err)
{
	Elf_Scn *scn = NULL;
	size_t shstrndx;

	memset(s, 0, sizeof(*s));
	if (elf_getshdrstrndx(c->elf, &shstrndx))
		return pw_err_set(err, EINVAL, "ELF section names: %s",
				  elf_errmsg(-1));
	while ((scn = elf_nextscn(c->elf, scn))) {
		GElf_Shdr sh;
		const char *name;

		if (!gelf_getshdr(scn, &sh))
			return pw_err_set(err, EINVAL, "ELF section: %s",
					  elf_errmsg(-1));
		name = elf_strptr(c->elf, shstrndx, sh.sh_name);
		if (!name)
			return pw_err_set(err, EINVAL, "ELF section name: %s",
					  elf_errmsg(-1));
		if (!strcmp(name, ".text") && !s->text) {
			s->text = scn;
			s->text_idx = elf_ndxscn(scn);
		} else if (!strcmp(name, ".wasmtime.addrmap")) {
			s->addrmap = scn;
		} else if (!strcmp(name, ".rela.text")) {
			s->rela = scn;
		} else if (sh.sh_type == SHT_SYMTAB ||
			   (sh.sh_type == SHT_DYNSYM && !s->symtab)) {
			s->symtab = scn;
			s->strtab_idx = sh.sh_link;
		}
		s->wasmtime |= !strncmp(name, ".wasmtime.", 10);
		add_data(c, &sh, section_bytes(scn, image, size, &sh));
	}
	if (!s->text)
		return pw_err_set(err, EINVAL,
				  "the ELF image has no section .text");
	return 0;
}

static int read_text(struct pw_code *c, const uint8_t *image, size_t size,
		     const struct sections *s, struct pw_err *err)
{
	GElf_Shdr sh;

	c->text = section_bytes(s->text, image, size, &sh);
	if (!c->text)
		return pw_err_set(
			err, EINVAL,
			"section .text does not lie within the %zu bytes of the image",
			size);
	c->text_size = sh.sh_size;
	c->text_addr = sh.sh_addr;
	return 0;
}

static int func_order(const void *a, const void *b)
{
	const struct pw_code_func *x = a, *y = b;

	if (x->text_off != y->text_off)
		return x->text_off < y->text_off ? -1 : 1;
	/* of two names for one place the one that tells more comes first */
	if ((x->wasm_idx < 0) != (y->wasm_idx < 0))
		return x->wasm_idx < 0 ? 1 : -1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes > y->size_bytes ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Sorts, leaves second names out and cuts what reaches into the next. */
static void settle_funcs(struct pw_code *c)
{
	uint32_t i, n = 0;

	if (c->n_funcs)
		qsort(c->funcs, c->n_funcs, sizeof(*c->funcs), func_order);
	for (i = 0; i < c->n_funcs; i++) {
		struct pw_code_func *prev = n ? &c->funcs[n - 1] : NULL;

		if (prev && prev->text_off == c->funcs[i].text_off)
			continue;
		if (prev &&
		    prev->size_bytes > c->funcs[i].text_off - prev->text_off)
			prev->size_bytes =
				c->funcs[i].text_off - prev->text_off;
		c->funcs[n++] = c->funcs[i];
	}
	c->n_funcs = n;
}

static int add_func(struct pw_code *c, const char *name, const GElf_Sym *sym,
		    uint32_t n_imported, struct pw_err *err)
{
	uint64_t off = sym->st_value - c->text_addr;

	if (off > c->text_size || sym->st_size > c->text_size - off)
		return pw_err_set(
			err, EINVAL,
			"function %s at 0x%llx of 0x%llx bytes does not lie within .text",
			name, (unsigned long long)off,
			(unsigned long long)sym->st_size);
	c->funcs[c->n_funcs].name = name;
	c->funcs[c->n_funcs].text_off = off;
	c->funcs[c->n_funcs].size_bytes = sym->st_size;
	c->funcs[c->n_funcs].wasm_idx = symbol_wasm_idx(name, n_imported);
	c->n_funcs++;
	c->data_in_text |= symbol_has_data_in_text(name);
	return 0;
}

static int read_symbols(struct pw_code *c, const struct sections *s,
			uint32_t n_imported, struct pw_err *err)
{
	Elf_Data *data = s->symtab ? elf_getdata(s->symtab, NULL) : NULL;
	size_t n = data ? data->d_size / sizeof(Elf64_Sym) : 0, i;
	int ret;

	if (!n)
		return pw_err_set(
			err, EINVAL,
			"the ELF image has no symbols, expected one per function");
	c->funcs = pw_alloc(n * sizeof(*c->funcs));
	for (i = 0; i < n; i++) {
		GElf_Sym sym;
		const char *name;

		if (!gelf_getsym(data, (int)i, &sym) ||
		    GELF_ST_TYPE(sym.st_info) != STT_FUNC || !sym.st_size ||
		    sym.st_shndx != s->text_idx)
			continue;
		name = elf_strptr(c->elf, s->strtab_idx, sym.st_name);
		if (!name)
			return pw_err_set(err, EINVAL,
					  "the name of symbol %zu: %s", i,
					  elf_errmsg(-1));
		ret = add_func(c, name, &sym, n_imported, err);
		if (ret)
			return ret;
	}
	settle_funcs(c);
	return 0;
}

static int idx_order(const void *a, const void *b, void *arg)
{
	const struct pw_code_func *f = arg, *x = &f[*(const uint32_t *)a],
				  *y = &f[*(const uint32_t *)b];

	if (x->wasm_idx != y->wasm_idx)
		return x->wasm_idx < y->wasm_idx ? -1 : 1;
	/* the function itself before what was split off it */
	if (symbol_is_part(x->name) != symbol_is_part(y->name))
		return symbol_is_part(x->name) ? 1 : -1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes > y->size_bytes ? -1 : 1;
	return x->text_off < y->text_off ? -1 : x->text_off > y->text_off;
}

static void index_funcs(struct pw_code *c)
{
	uint32_t i;

	c->by_idx = pw_alloc((c->n_funcs + 1) * sizeof(*c->by_idx));
	for (i = 0; i < c->n_funcs; i++)
		if (c->funcs[i].wasm_idx >= 0)
			c->by_idx[c->n_by_idx++] = i;
	if (c->n_by_idx)
		qsort_r(c->by_idx, c->n_by_idx, sizeof(*c->by_idx), idx_order,
			c->funcs);
}

static int reloc_order(const void *a, const void *b)
{
	const struct code_reloc *x = a, *y = b;

	return x->text_off < y->text_off ? -1 : x->text_off > y->text_off;
}

static void add_reloc(struct pw_code *c, const GElf_Rela *rela,
		      const GElf_Sym *sym, const struct sections *s,
		      const uint8_t *image, size_t size)
{
	struct code_reloc *r = &c->reloc[c->n_reloc++];
	const char *name = elf_strptr(c->elf, s->strtab_idx, sym->st_name);
	Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE
			       ? elf_getscn(c->elf, sym->st_shndx)
			       : NULL;
	GElf_Shdr sh;

	*r = (struct code_reloc){ .text_off = rela->r_offset,
				  .name = name ? name : "",
				  .addend = rela->r_addend };
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == s->text_idx)
		return;
	r->data = section_bytes(scn, image, size, &sh);
	if (r->data) {
		r->data_off = sym->st_value;
		r->data_size = sh.sh_size;
	}
}

/* Only of a relocatable object; a broken entry is left out. */
static void read_relocs(struct pw_code *c, const struct sections *s,
			const uint8_t *image, size_t size)
{
	Elf_Data *data = s->rela ? elf_getdata(s->rela, NULL) : NULL;
	Elf_Data *syms = s->symtab ? elf_getdata(s->symtab, NULL) : NULL;
	size_t n = data ? data->d_size / sizeof(Elf64_Rela) : 0, i;

	if (!n || !syms)
		return;
	c->reloc = pw_alloc(n * sizeof(*c->reloc));
	for (i = 0; i < n; i++) {
		GElf_Rela rela;
		GElf_Sym sym;

		if (gelf_getrela(data, (int)i, &rela) &&
		    gelf_getsym(syms, (int)GELF_R_SYM(rela.r_info), &sym))
			add_reloc(c, &rela, &sym, s, image, size);
	}
	qsort(c->reloc, c->n_reloc, sizeof(*c->reloc), reloc_order);
}

static void read_map(struct pw_code *c, const uint8_t *image, size_t size,
		     const struct sections *s)
{
	GElf_Shdr sh;
	const uint8_t *bytes;

	if (!s->addrmap)
		return;
	bytes = section_bytes(s->addrmap, image, size, &sh);
	if (!bytes)
		pw_err_set(
			&c->map_fault, EINVAL,
			"section .wasmtime.addrmap does not lie within the image");
	else
		c->has_map = !addrmap_decode(&c->map, bytes, sh.sh_size,
					     sh.sh_offset, c->text_size,
					     &c->map_fault);
}

static struct pw_code *open_elf(const uint8_t *elf, size_t size,
				uint32_t n_imported_funcs, struct pw_err *err)
{
	struct pw_code *c;
	enum code_arch arch = CODE_X86_64;
	struct sections s;

	if (check_header(elf, size, &arch, err))
		return NULL;
	if (elf_version(EV_CURRENT) == EV_NONE) {
		pw_err_set(err, ENOTSUP, "libelf is too old");
		return NULL;
	}
	c = pw_zalloc(sizeof(*c));
	c->arch = arch;
	/* libelf reads only, whatever its prototype says */
	c->elf = elf_memory((char *)elf, size);
	if (!c->elf) {
		pw_err_set(err, EINVAL, "ELF image: %s", elf_errmsg(-1));
		goto fail;
	}
	if (find_sections(c, elf, size, &s, err) ||
	    read_text(c, elf, size, &s, err))
		goto fail;
	c->data_in_text = s.wasmtime;
	if (read_symbols(c, &s, n_imported_funcs, err))
		goto fail;
	read_relocs(c, &s, elf, size);
	read_map(c, elf, size, &s);
	return c;
fail:
	pw_code_close(c);
	return NULL;
}

struct pw_code *pw_code_open(const uint8_t *image, size_t size,
			     uint32_t n_imported_funcs, struct pw_err *err)
{
	struct pw_code *c =
		dump_is_one(image, size)
			? dump_open(image, size, n_imported_funcs, err)
			: open_elf(image, size, n_imported_funcs, err);

	if (c)
		index_funcs(c);
	return c;
}

void pw_code_close(struct pw_code *c)
{
	if (!c)
		return;
	free(c->map.entry);
	free(c->reloc);
	free(c->data);
	free(c->by_idx);
	free(c->funcs);
	free(c->own_text);
	elf_end(c->elf);
	free(c);
}
