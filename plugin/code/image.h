/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of a code image: what image.c found in the ELF file and the
 * other files of the room read. All text offsets count from the start of
 * .text; an address relative to the instruction pointer that leaves .text is
 * a text offset too, modulo 2^64.
 */
#ifndef PLUGIN_CODE_IMAGE_H
#define PLUGIN_CODE_IMAGE_H

#include <perfwasm/code.h>

enum code_arch { CODE_X86_64, CODE_AARCH64 };

/* An entry holds from its text offset to the next one's. */
struct addrmap_entry {
	uint32_t text_off;
	uint32_t wasm_off; /* ADDRMAP_NONE: no wasm instruction */
};
#define ADDRMAP_NONE UINT32_MAX

struct addrmap {
	struct addrmap_entry *entry;
	uint32_t n;
};

/* Bytes at addresses outside .text: constants of linked objects. */
struct code_data {
	uint64_t addr, size;
	const uint8_t *bytes;
};

/* What the linker still has to put in at a place of .text. */
struct code_reloc {
	uint64_t text_off;
	const char *name; /* the symbol, "" when it has none */
	int64_t addend;
	const uint8_t *data; /* of the section it is in, unless that is .text
				or not here; NULL */
	uint64_t data_off, data_size; /* the symbol's place there */
};

struct pw_code {
	void *elf;
	enum code_arch arch;
	const uint8_t *text;
	uint8_t *own_text; /* of a jitdump, or NULL */
	uint64_t text_size, text_addr;
	/* constants and jump tables lie among the instructions */
	bool data_in_text;
	bool from_dump; /* of a jitdump; jump tables are of text offsets */
	struct pw_code_func *funcs; /* by text_off, none overlap */
	uint32_t n_funcs;
	uint32_t *by_idx; /* positions in funcs of those with a wasm_idx,
			     sorted by it */
	uint32_t n_by_idx;
	struct code_data *data;
	uint32_t n_data;
	struct code_reloc *reloc; /* by text_off */
	uint32_t n_reloc;
	bool has_map;
	struct addrmap map;
	struct pw_err map_fault;
};

/* symbol.c: the wasm function behind a symbol's name, or -1. */
int64_t symbol_wasm_idx(const char *name, uint32_t n_imported_funcs);
/* Whether the name is a part split off its function (".cold"). */
bool symbol_is_part(const char *name);
/* Whether the name is one of Cranelift's without its section names. */
bool symbol_has_data_in_text(const char *name);

/* dump.c: whether the bytes are a jitdump, and its wasm functions; all but
 * index_funcs() is done. */
bool dump_is_one(const uint8_t *bytes, size_t size);
struct pw_code *dump_open(const uint8_t *bytes, size_t size,
			  uint32_t n_imported_funcs, struct pw_err *err);

/* addrmap.c: both forms of .wasmtime.addrmap; `off` is where the section
 * lies in the file, for errors. Every text offset is at most text_size. */
int addrmap_decode(struct addrmap *m, const uint8_t *data, size_t size,
		   uint64_t off, uint64_t text_size, struct pw_err *err);
/* The last entry that begins at or before text_off, or -1. */
int64_t addrmap_find(const struct addrmap *m, uint64_t text_off);

/* image.c: n bytes at a text offset, also outside .text; or NULL. */
const uint8_t *code_bytes_at(const struct pw_code *c, uint64_t text_off,
			     uint64_t n);
/* n bytes at what the relocated operand of an instruction that ends at
 * `end` refers to; or NULL. */
const uint8_t *code_reloc_bytes(const struct code_reloc *r, uint64_t end,
				uint64_t n);
/* The first relocation in [text_off, text_off + n), or NULL. */
const struct code_reloc *code_reloc_at(const struct pw_code *c,
				       uint64_t text_off, uint64_t n);

#endif
