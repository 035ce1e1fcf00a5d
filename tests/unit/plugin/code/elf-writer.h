/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elf-writer: ELF images of machine code from nothing, for tests. A recipe
 * is filled with bytes, names and sections; elf_write() lays them out as
 *   header | contents of the sections | section headers
 * and knows nothing of what the reader makes of it.
 */
#ifndef ELF_WRITER_H
#define ELF_WRITER_H

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include <perfwasm/code.h>

#define ELF_MAX_SYMS 24

struct elf_sym {
	const char *name;
	uint64_t value, size;
	unsigned char type; /* 0: STT_FUNC */
};

struct elf_recipe {
	uint16_t machine; /* 0: x86-64 */
	const uint8_t *text;
	size_t text_size;
	uint64_t text_addr;
	struct elf_sym syms[ELF_MAX_SYMS];
	size_t n_syms;
	const uint8_t *map; /* .wasmtime.addrmap */
	size_t map_size;
	const uint8_t *rodata; /* at rodata_addr */
	size_t rodata_size;
	uint64_t rodata_addr;
	const Elf64_Rela *rela; /* of .text; symbols count from 1 */
	size_t n_rela;
	bool cranelift; /* an empty section .wasmtime.bti */
};

static inline uint32_t elf_name(struct pw_buf *names, const char *name)
{
	uint32_t at = (uint32_t)names->len;

	pw_buf_add(names, name, strlen(name) + 1);
	return at;
}

static inline Elf64_Shdr *elf_section(struct pw_buf *out, struct pw_buf *names,
				      Elf64_Shdr *sh, const char *name,
				      uint32_t type, const void *data,
				      size_t size)
{
	while (out->len % 16)
		pw_buf_add_u8(out, 0);
	*sh = (Elf64_Shdr){ .sh_name = elf_name(names, name),
			    .sh_type = type,
			    .sh_offset = out->len,
			    .sh_size = size,
			    .sh_addralign = 1 };
	pw_buf_add(out, data, size);
	return sh;
}

static inline void elf_syms(const struct elf_recipe *r, struct pw_buf *syms,
			    struct pw_buf *strings)
{
	Elf64_Sym sym = { 0 };

	pw_buf_add(syms, &sym, sizeof(sym));
	pw_buf_add_u8(strings, 0);
	for (size_t i = 0; i < r->n_syms; i++) {
		unsigned char type =
			r->syms[i].type ? r->syms[i].type : STT_FUNC;

		sym = (Elf64_Sym){ .st_name =
					   elf_name(strings, r->syms[i].name),
				   .st_info = ELF64_ST_INFO(STB_LOCAL, type),
				   .st_shndx = 1,
				   .st_value = r->syms[i].value,
				   .st_size = r->syms[i].size };
		pw_buf_add(syms, &sym, sizeof(sym));
	}
}

/* What a recipe may ask for besides code and symbols; how many there are. */
static inline uint16_t elf_extras(const struct elf_recipe *r,
				  struct pw_buf *out, struct pw_buf *names,
				  Elf64_Shdr *sh)
{
	uint16_t n = 0;
	Elf64_Shdr *s;

	if (r->map)
		elf_section(out, names, &sh[n++], ".wasmtime.addrmap",
			    SHT_PROGBITS, r->map, r->map_size);
	if (r->cranelift)
		elf_section(out, names, &sh[n++], ".wasmtime.bti", SHT_PROGBITS,
			    "", 1);
	if (r->rodata) {
		s = elf_section(out, names, &sh[n++], ".rodata", SHT_PROGBITS,
				r->rodata, r->rodata_size);
		s->sh_flags = SHF_ALLOC;
		s->sh_addr = r->rodata_addr;
	}
	if (r->rela) {
		s = elf_section(out, names, &sh[n++], ".rela.text", SHT_RELA,
				r->rela, r->n_rela * sizeof(*r->rela));
		s->sh_link = 2;
		s->sh_info = 1;
		s->sh_entsize = sizeof(Elf64_Rela);
	}
	return n;
}

static inline void elf_header(Elf64_Ehdr *eh, uint16_t machine)
{
	*eh = (Elf64_Ehdr){ .e_type = ET_REL,
			    .e_machine = machine ? machine : EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(*eh),
			    .e_shentsize = sizeof(Elf64_Shdr) };
	memcpy(eh->e_ident, ELFMAG, SELFMAG);
	eh->e_ident[EI_CLASS] = ELFCLASS64;
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_ident[EI_VERSION] = EV_CURRENT;
}

/* Sections: 1 .text, 2 .symtab, 3 .strtab, then what the recipe asks for,
 * last .shstrtab. The caller releases out. */
static inline void elf_write(const struct elf_recipe *r, struct pw_buf *out)
{
	struct pw_buf names = { 0 }, syms = { 0 }, strings = { 0 };
	Elf64_Shdr sh[9] = { { 0 } }, *s;
	Elf64_Ehdr eh;
	uint16_t n = 1;

	elf_header(&eh, r->machine);
	elf_syms(r, &syms, &strings);
	pw_buf_add(out, &eh, sizeof(eh));
	pw_buf_add_u8(&names, 0);
	s = elf_section(out, &names, &sh[n++], ".text", SHT_PROGBITS, r->text,
			r->text_size);
	s->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	s->sh_addr = r->text_addr;
	s = elf_section(out, &names, &sh[n++], ".symtab", SHT_SYMTAB, syms.data,
			syms.len);
	s->sh_link = 3;
	s->sh_entsize = sizeof(Elf64_Sym);
	elf_section(out, &names, &sh[n++], ".strtab", SHT_STRTAB, strings.data,
		    strings.len);
	n += elf_extras(r, out, &names, &sh[n]);
	elf_section(out, &names, &sh[n], ".shstrtab", SHT_STRTAB, NULL, 0);
	sh[n].sh_size = names.len;
	pw_buf_add(out, names.data, names.len);
	eh.e_shstrndx = n++;
	eh.e_shnum = n;
	while (out->len % 16)
		pw_buf_add_u8(out, 0);
	eh.e_shoff = out->len;
	pw_buf_add(out, sh, n * sizeof(*sh));
	memcpy(out->data, &eh, sizeof(eh));
	pw_buf_release(&names);
	pw_buf_release(&syms);
	pw_buf_release(&strings);
}

#endif
