/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code: machine code of a module: its functions, instructions and the wasm
 * instruction each came from. Reads ELF images that a runtime or a compiler
 * made: Wasmtime artifacts of every release (.wasmtime.addrmap in both of
 * its forms), objects of wasm2c and cc. Disassembles with capstone (x86-64
 * and AArch64, by the ELF machine). The bytes are untrusted.
 */
#ifndef PERFWASM_CODE_H
#define PERFWASM_CODE_H

#include <perfwasm/base.h>

struct pw_code;

struct pw_code_func {
	const char *name;   /* the ELF symbol */
	int64_t wasm_idx;   /* function index with imports counted, or -1
			       (trampolines, builtins) */
	uint64_t text_off;  /* from the start of .text */
	uint64_t size_bytes; /* instructions and what follows them (constants) */
};

/* One machine instruction. */
struct pw_minsn {
	uint64_t text_off;
	uint8_t size_bytes;
	char opcode[24];    /* mnemonic, AT&T: "vcvtsi2sd" */
	char operands[104];
	/* file offset in the module of the wasm instruction, or PW_NO_OFF */
	uint64_t wasm_off;
	/* where a direct jump or call goes, as text offset, or PW_NO_OFF */
	uint64_t target;
	bool is_jump, is_call, is_cond;
};

/*
 * `n_imported_funcs` of the module turns a runtime's own numbering into the
 * module's (Wasmtime: "wasm[0]::function[N]" counts imports; older forms are
 * handled). The image is borrowed for the object's life.
 */
struct pw_code *pw_code_open(const uint8_t *elf, size_t size,
			     uint32_t n_imported_funcs, struct pw_err *err);
void pw_code_close(struct pw_code *c);

const char *pw_code_arch(const struct pw_code *c); /* "x86-64", "aarch64" */
uint32_t pw_code_n_funcs(const struct pw_code *c);  /* by text_off */
const struct pw_code_func *pw_code_func(const struct pw_code *c, uint32_t i);
/* The function that holds a text offset, or NULL. */
const struct pw_code_func *pw_code_func_at(const struct pw_code *c,
					   uint64_t text_off);
/* By wasm index, or NULL. */
const struct pw_code_func *pw_code_func_find(const struct pw_code *c,
					     uint32_t wasm_idx);
const uint8_t *pw_code_text(const struct pw_code *c, uint64_t *size_bytes);
/* File offset of the wasm instruction behind a text offset, or PW_NO_OFF. */
uint64_t pw_code_wasm_off(const struct pw_code *c, uint64_t text_off);
bool pw_code_has_map(const struct pw_code *c);

/*
 * Disassembles a function into a new array; constants behind the last
 * instruction are left out (the map's end, else the last terminator that no
 * jump passes). The caller frees.
 */
int pw_code_disasm(const struct pw_code *c, const struct pw_code_func *f,
		   struct pw_minsn **insns, uint32_t *n, struct pw_err *err);

/*
 * A hash of a function's machine code that two compilations share exactly
 * when they would run the same: bytes with the targets of direct calls and
 * of addresses relative to the instruction pointer taken out and, for
 * constants in .text, their content put in.
 */
uint64_t pw_code_func_hash(const struct pw_code *c,
			   const struct pw_code_func *f);
/* The same over all functions, by name. */
uint64_t pw_code_hash(const struct pw_code *c);

#endif
