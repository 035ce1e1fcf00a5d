/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code: machine code of a module: its functions, instructions and the wasm
 * instruction each came from. Reads ELF images that a runtime or a compiler
 * made: Wasmtime artifacts of every release (.wasmtime.addrmap in both of
 * its forms), objects of wasm2c and cc; and jitdumps. Disassembles with
 * capstone (x86-64 and AArch64, by the ELF machine). Also the symbols of
 * native files. The bytes are untrusted.
 */
#ifndef PERFWASM_CODE_H
#define PERFWASM_CODE_H

#include <perfwasm/base.h>

struct pw_code;

struct pw_code_func {
	const char *name;  /* the ELF symbol */
	int64_t wasm_idx;  /* function index with imports counted, or -1
			       (trampolines, builtins) */
	uint64_t text_off; /* from the start of .text */
	uint64_t
		size_bytes; /* instructions and what follows them (constants) */
};

/* One machine instruction. */
struct pw_minsn {
	uint64_t text_off;
	uint8_t size_bytes;
	char opcode[24];    /* mnemonic, AT&T: "vcvtsi2sd" */
	char operands[104]; /* AT&T: "0x2f(%rip), %xmm0, %xmm0"; a direct call
			       shows the callee's name */
	/* what an operand relative to the instruction pointer stands for:
	 * the constant's value ("7.450580596923828e-09") or a symbol; "" */
	char note[56];
	/* file offset in the module of the wasm instruction, or PW_NO_OFF */
	uint64_t wasm_off;
	/* where a direct jump or call goes, as text offset, or PW_NO_OFF */
	uint64_t target;
	bool is_jump, is_call, is_cond;
};

/* What a call in a jitdump goes to when its target is in no function of the
 * dump: the runtime's own code, or a jump table on the way to another wasm
 * function (V8). */
#define PW_CODE_ELSEWHERE "runtime"

/*
 * An ELF image or a jitdump, by its first bytes. Of a jitdump .text is made
 * of its wasm functions in the order of their indexes, the last code of the
 * highest tier of each, where it lay modulo 64; what else it holds is left
 * out, and so is where the engine put things: the same code at another place
 * is the same image.
 * `n_imported_funcs` of the module turns a runtime's own numbering into the
 * module's (Wasmtime: "wasm[0]::function[N]" counts imports; older forms are
 * handled). The image is borrowed for the object's life.
 */
struct pw_code *pw_code_open(const uint8_t *image, size_t size,
			     uint32_t n_imported_funcs, struct pw_err *err);
/*
 * Machine code without an image: one function `name` at text offset 0.
 * elf_machine: EM_* of <elf.h>. `data_in_text`: constants may lie among the
 * instructions (code of a compiler that runs beside its program). Name and
 * bytes are borrowed.
 */
struct pw_code *pw_code_open_raw(uint32_t elf_machine, const char *name,
				 const uint8_t *bytes, size_t size,
				 bool data_in_text, struct pw_err *err);
void pw_code_close(struct pw_code *c);

const char *pw_code_arch(const struct pw_code *c); /* "x86-64", "aarch64" */
uint32_t pw_code_n_funcs(const struct pw_code *c); /* by text_off */
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
/* Why an address map that is there could not be read, or NULL. */
const char *pw_code_map_fault(const struct pw_code *c);

/*
 * Disassembles a function into a new array. Constants among the instructions
 * and behind them are left out (behind: the last instruction that never goes
 * on and that no jump, jump table or map entry passes). The entries of a
 * jump table in .text follow their jump as opcode ".long" with the place as
 * operand and target. What capstone does not know is opcode ".byte", at its
 * true length. Text offsets of jumps are hexadecimal, as in `text_off`. The
 * caller frees.
 */
int pw_code_disasm(const struct pw_code *c, const struct pw_code_func *f,
		   struct pw_minsn **insns, uint32_t *n, struct pw_err *err);

/*
 * A loop: a set of instructions that can all reach each other, found in the
 * flow of control, so that blocks out of line that jump back into it belong
 * to it and cold blocks that leave it (traps) do not, wherever they lie.
 * Loops nest: an inner one is what still is one when the jumps to the outer
 * one's head are taken away.
 */
struct pw_loop {
	uint32_t first, last; /* lowest and highest instruction index in it */
	uint32_t depth;       /* 1: outermost */
	uint32_t head;        /* where it is entered */
	uint32_t n_insns;     /* in it, those of inner loops too */
	uint32_t parent;      /* index of the loop around it or UINT32_MAX */
};

/*
 * The loops of a function by `first`, an outer one before those in it.
 * *loops is NULL when there is none; the caller frees. 0 always. Loops
 * nested deeper than 64 count as one. Indirect jumps are followed where
 * their table is known (".long"), else to the blocks behind them that no
 * jump reaches.
 */
int pw_code_loops(const struct pw_minsn *insns, uint32_t n,
		  struct pw_loop **loops, uint32_t *n_loops);
/* The innermost loop an instruction is in, of an array that pw_code_loops()
 * gave; UINT32_MAX when in none. */
uint32_t pw_code_loop_of(const struct pw_loop *loops, uint32_t n_loops,
			 uint32_t insn);
/* In how many loops each instruction is, depth[n]. */
void pw_code_loop_depths(const struct pw_minsn *insns, uint32_t n,
			 const struct pw_loop *loops, uint32_t n_loops,
			 uint32_t *depth);

/* Whether the next instruction may follow it: not behind a jump that is always
 * taken, a return or a trap. */
bool pw_code_goes_on(const struct pw_minsn *m);
/* The edges of the flow of control: those of instruction i go to
 * to[next[i]] .. to[next[i + 1] - 1]. The caller frees both. */
void pw_code_flow(const struct pw_minsn *insns, uint32_t n, uint32_t **next,
		  uint32_t **to);

/* --- what instructions read and write --------------------------------------- */

/*
 * Registers by family: eax and rax are one, and so are xmm3 and ymm3. 0 to
 * 30: general registers, on x86-64 in the order of their encoding (rax, rcx,
 * rdx, rbx, rsp, rbp, rsi, rdi, r8, ...), on AArch64 x0 to x30; 31: the stack
 * pointer of AArch64; from PW_REG_VEC on: vector registers. A set is a bit
 * each. The instruction pointer and mask registers are not told.
 */
enum { PW_REG_VEC = 32, PW_N_REGS = 64, PW_NO_REG = 255 };

struct pw_mem_use {
	uint32_t size_bytes; /* 0: no operand in memory */
	uint8_t base, index; /* registers or PW_NO_REG */
	uint8_t scale;
	bool read, written;
	bool stack;    /* base is the stack or frame pointer */
	bool constant; /* relative to the instruction pointer */
	/* constant: the first 8 bytes there, when the image has them */
	bool has_value;
	int64_t disp; /* constant: its text offset */
	uint64_t value;
};

struct pw_insn_uses {
	uint64_t reads, writes;
	/* of reads: read only because the instruction keeps the rest of its
	 * destination: cvtsi2sd its upper half, setcc the upper bytes */
	uint64_t merges;
	bool reads_flags, writes_flags;
	bool has_imm;
	bool unknown; /* no instruction that capstone knows */
	int64_t imm;
	struct pw_mem_use mem;
};

/*
 * Definitions and uses of a disassembly, an array of n that the caller frees.
 * What clears a register whatever was in it (xor of a register with itself)
 * reads nothing. A call reads the arguments' registers and writes those that
 * the callee may (System V, AAPCS64): compilers of wasm keep to fewer. From
 * the details of capstone, with its known faults mended.
 */
int pw_code_uses(const struct pw_code *c, const struct pw_minsn *insns,
		 uint32_t n, struct pw_insn_uses **uses, struct pw_err *err);
/* "rax", "xmm4", "x3". */
const char *pw_code_reg_name(const struct pw_code *c, unsigned reg);

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
/*
 * A hash of the opcodes and sizes alone, never 0: equal also for code that
 * has addresses of its process in it (V8, JavaScriptCore).
 */
uint64_t pw_code_shape(const struct pw_minsn *insns, uint32_t n);

/* --- symbols of native files ------------------------------------------------ */

/*
 * The functions of any ELF file of any class and byte order: from .symtab,
 * else from its debug file, else from .dynsym.
 */
struct pw_symtab;

struct pw_native_func {
	const char *name; /* as in the file; pw_demangle() makes it readable */
	uint64_t addr, size_bytes; /* as in the file */
	uint64_t rest_bytes; /* pw_symtab_find(): so many addresses, from that
				on, are of this function */
	uint32_t idx;
};

/*
 * Opens a file. Its debug file is looked for by build id and .gnu_debuglink,
 * beside it and below debug_dir (NULL: nowhere).
 */
struct pw_symtab *pw_symtab_open(const char *path, const char *debug_dir,
				 struct pw_err *err);
/* The same of bytes, which are borrowed; no debug file is looked for. */
struct pw_symtab *pw_symtab_open_bytes(const uint8_t *data, size_t size,
				       struct pw_err *err);
void pw_symtab_close(struct pw_symtab *t);
uint32_t pw_symtab_n(const struct pw_symtab *t);
/* By address; false: there are not so many. */
bool pw_symtab_func(const struct pw_symtab *t, uint32_t idx,
		    struct pw_native_func *f);
/* The function that covers an address of the file. O(log n). */
bool pw_symtab_find(const struct pw_symtab *t, uint64_t addr,
		    struct pw_native_func *f);
/* The address of a byte of the file, by the segments that are loaded;
 * PW_NO_OFF: none loads it. */
uint64_t pw_symtab_addr(const struct pw_symtab *t, uint64_t file_off);
/* n bytes of the file at an address, or NULL. */
const uint8_t *pw_symtab_bytes(const struct pw_symtab *t, uint64_t addr,
			       uint64_t n);
/* The whole file. */
const uint8_t *pw_symtab_image(const struct pw_symtab *t, size_t *size);
/* Up to 20 bytes; n is 0 when the file has none. */
const uint8_t *pw_symtab_build_id(const struct pw_symtab *t, size_t *n);
uint32_t pw_symtab_machine(const struct pw_symtab *t); /* EM_* of <elf.h> */
bool pw_symtab_has_section(const struct pw_symtab *t, const char *name);
/* The name of a C++ or Rust symbol as its source and perf have it, without
 * types and parameters, 16 KiB at most; the caller frees. NULL: it is no such
 * name, or longer. */
char *pw_demangle(const char *name);

/* --- two codes of one function ---------------------------------------------- */

enum pw_code_diff_side {
	PW_CODE_DIFF_SAME, /* an opcode of both codes */
	PW_CODE_DIFF_SLOW, /* left over in the slow code */
	PW_CODE_DIFF_FAST, /* left over in the fast code */
};

struct pw_code_diff_line {
	enum pw_code_diff_side side;
	int32_t slow_idx, fast_idx; /* instruction, or -1 on the other side */
	/* of a left-over: the left-over of the other code that does the same,
	 * so that it only stands in another place; or -1. */
	int32_t moved_to;
};

/*
 * The longest common subsequence of the opcodes: registers, immediates and
 * distances do not count, so that another register allocation is no
 * difference. Of several the one with most equal operands and wasm
 * instructions, then with the fewest gaps, then the one that leaves over
 * the instructions with most samples. slow_weight: samples (or their share)
 * per slow instruction, or NULL. Exact up to 3,000 instructions that differ;
 * beyond, the codes are cut first where they agree. *lines has the code in
 * order, left-overs of the slow before those of the fast code; the caller
 * frees. 0, or -E2BIG above 2^30 instructions.
 */
int pw_code_diff(const struct pw_minsn *slow, uint32_t n_slow,
		 const double *slow_weight, const struct pw_minsn *fast,
		 uint32_t n_fast, struct pw_code_diff_line **lines,
		 uint32_t *n_lines);

#endif
