/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module: reads, walks, names, prints and splices a WebAssembly module.
 * Source of formats: WebAssembly core specification 3.0 (binary format,
 * validation algorithm), and the proposals named in opcodes.def. Knows
 * nothing of mutants, runtimes or machine code.
 *
 * Offsets are absolute byte offsets in the module file unless a name says
 * otherwise. Function indexes count imported functions first, as the
 * specification does.
 */
#ifndef PERFWASM_MODULE_H
#define PERFWASM_MODULE_H

#include <perfwasm/base.h>

/* --- value types ---------------------------------------------------------- */

/*
 * A value type in 32 bits. Number and vector types are their byte
 * (PW_I32 ...). A reference type has PW_REF set, PW_NULLABLE when nullable,
 * and below a heap type: a type index, or PW_HEAP_ABSTRACT | its byte.
 */
enum {
	PW_I32 = 0x7f,
	PW_I64 = 0x7e,
	PW_F32 = 0x7d,
	PW_F64 = 0x7c,
	PW_V128 = 0x7b,
	PW_I8 = 0x78, /* storage types of GC fields only */
	PW_I16 = 0x77,
	PW_REF = 1u << 31,
	PW_NULLABLE = 1 << 30,
	PW_HEAP_ABSTRACT = 1 << 29,
	PW_EXACT = 1 << 28, /* custom descriptors; refused today */
	PW_HEAP_MASK = (1 << 28) - 1,
	/* what an unreachable stack pops: matches every type */
	PW_BOTTOM = 0,
};

/* "i32", "(ref null 3)", "externref"; into dst, returns dst. */
#define PW_TYPE_NAME_SIZE 32
const char *pw_type_name(uint32_t type, char dst[PW_TYPE_NAME_SIZE]);

/* --- opcodes ---------------------------------------------------------------- */

/* One enumerator a line of opcodes.def: PW_OP_i32_add ...; dense from 0. */
enum pw_op {
#define PW_OPCODE(id, ...) PW_OP_##id,
#include <perfwasm/opcodes.def>
#undef PW_OPCODE
	PW_N_OPS
};

/* What follows the opcode in the bytes. */
enum pw_imm_kind {
	PW_IMM_NONE,
	PW_IMM_BLOCK, /* block type */
	PW_IMM_LABEL,
	PW_IMM_LABELS, /* br_table */
	PW_IMM_FUNC,
	PW_IMM_CALL_INDIRECT, /* type, table */
	PW_IMM_TYPE,
	PW_IMM_LOCAL,
	PW_IMM_GLOBAL,
	PW_IMM_TABLE,
	PW_IMM_TABLE2,     /* table.copy */
	PW_IMM_TABLE_INIT, /* element segment, table */
	PW_IMM_ELEM,
	PW_IMM_DATA,
	PW_IMM_MEMORY,
	PW_IMM_MEMORY2,
	PW_IMM_MEMORY_INIT, /* data segment, memory */
	PW_IMM_MEMARG,
	PW_IMM_MEMARG_LANE,
	PW_IMM_LANE,
	PW_IMM_SHUFFLE, /* 16 lanes */
	PW_IMM_V128,
	PW_IMM_I32,
	PW_IMM_I64,
	PW_IMM_F32,
	PW_IMM_F64,
	PW_IMM_SELECT_T, /* vector of value types */
	PW_IMM_HEAPTYPE,
	PW_IMM_TAG,
	PW_IMM_TRY_TABLE, /* block type, catches */
	PW_IMM_TYPE_FIELD,
	PW_IMM_TYPE_N, /* array.new_fixed */
	PW_IMM_TYPE_DATA,
	PW_IMM_TYPE_ELEM,
	PW_IMM_TYPE2,   /* array.copy */
	PW_IMM_BR_CAST, /* flags, label, heap type, heap type */
	PW_IMM_FENCE,   /* the zero byte of atomic.fence */
};

/*
 * The fixed facts of an opcode, from opcodes.def. sig is "operands:results"
 * in letters (i I f F V = i32 i64 f32 f64 v128; a = the memory's address
 * type), or "*" when it depends on the immediate or the stack.
 */
struct pw_op_info {
	const char *name; /* text format: "i32.add" */
	uint8_t prefix;   /* 0, 0xfb, 0xfc, 0xfd, 0xfe */
	uint32_t code;    /* the byte, or the number after the prefix */
	enum pw_imm_kind imm;
	const char *sig;
	uint8_t size_log2;    /* bytes accessed in memory, or of a lane */
	const char *proposal; /* "mvp", "simd", ... */
	uint32_t flags;       /* PW_OPF_* */
};

enum {
	PW_OPF_CONTROL = 1, /* changes where execution goes on */
	PW_OPF_PURE = 2,    /* result depends on operands and immediate only,
				and it can't trap */
	PW_OPF_TRAPS = 4,   /* as pure, but may trap (i32.div_s) */
	PW_OPF_LOAD = 8,
	PW_OPF_STORE = 16,
	PW_OPF_ATOMIC = 32,
	PW_OPF_CONST = 64, /* allowed in constant expressions */
};

const struct pw_op_info *pw_op_info(enum pw_op op);
/* By text name; PW_N_OPS when there is none. */
enum pw_op pw_op_find(const char *name);
/* Appends the opcode's bytes (prefix and LEB number). */
void pw_op_encode(enum pw_op op, struct pw_buf *out);

/* --- the module --------------------------------------------------------------- */

enum pw_extern {
	PW_EXT_FUNC,
	PW_EXT_TABLE,
	PW_EXT_MEMORY,
	PW_EXT_GLOBAL,
	PW_EXT_TAG
};

struct pw_name { /* borrowed UTF-8 of the module, not terminated */
	const char *s;
	uint32_t len;
};

struct pw_functype { /* types borrowed from the module object */
	const uint32_t *params, *results;
	uint32_t n_params, n_results;
};

struct pw_func {
	uint32_t type_idx;
	uint64_t body_off;  /* first byte after the body's size field; 0 when
			       imported */
	uint32_t body_size; /* locals and instructions, the last `end` too */
	uint64_t code_off;  /* the first instruction */
	uint64_t size_off;  /* the body's size field */
};

struct pw_import {
	struct pw_name module, name;
	enum pw_extern kind;
	uint32_t idx; /* in its index space */
};

struct pw_export {
	struct pw_name name;
	enum pw_extern kind;
	uint32_t idx;
};

struct pw_section {
	uint8_t id;
	uint64_t off;      /* the id byte */
	uint64_t data_off; /* after the size field (custom: its name follows) */
	uint64_t size;     /* from data_off */
	struct pw_name name; /* custom sections */
};

struct pw_global {
	uint32_t type;
	bool mutable_;
	bool imported;
	uint64_t init_off;  /* its constant expression; 0 when imported */
	uint32_t init_size; /* with the `end` */
};

struct pw_memory {
	uint64_t min, max; /* pages; max UINT64_MAX when none */
	bool is64, shared, imported;
	uint8_t page_log2; /* 16 */
};

/* A decoded module never changes: threads may share it, each with walkers of
 * its own. */
struct pw_module;

/*
 * Decodes sections and checks everything outside function bodies; bodies
 * are located, not walked. `bytes` is borrowed and must outlive the module.
 * Memory is bounded by a small multiple of the input's size. Errors name the
 * offset: EINVAL malformed or invalid, ENOTSUP something this version does
 * not know (a component, an unknown proposal), with the sentence that says
 * so.
 */
struct pw_module *pw_module_decode(const uint8_t *bytes, size_t size,
				   struct pw_err *err);
void pw_module_free(struct pw_module *m);
/* Walks every body, validating types; the first fault or 0. */
int pw_module_check_bodies(const struct pw_module *m, struct pw_err *err);

const uint8_t *pw_module_bytes(const struct pw_module *m, size_t *size);
uint32_t pw_module_n(const struct pw_module *m, enum pw_extern kind);
uint32_t pw_module_n_imported(const struct pw_module *m, enum pw_extern kind);
const struct pw_func *pw_module_func(const struct pw_module *m, uint32_t idx);
/* NULL when type_idx is no function type. */
const struct pw_functype *pw_module_functype(const struct pw_module *m,
					     uint32_t type_idx);
const struct pw_global *pw_module_global(const struct pw_module *m,
					 uint32_t idx);
const struct pw_memory *pw_module_memory(const struct pw_module *m,
					 uint32_t idx);
uint32_t pw_module_n_imports(const struct pw_module *m);
const struct pw_import *pw_module_import(const struct pw_module *m, uint32_t i);
uint32_t pw_module_n_exports(const struct pw_module *m);
const struct pw_export *pw_module_export(const struct pw_module *m, uint32_t i);
const struct pw_export *pw_module_export_find(const struct pw_module *m,
					      const char *name);
uint32_t pw_module_n_sections(const struct pw_module *m);
const struct pw_section *pw_module_section(const struct pw_module *m,
					   uint32_t i);
/* NULL: it has none. */
const struct pw_section *pw_module_code_section(const struct pw_module *m);
bool pw_module_has_start(const struct pw_module *m, uint32_t *func_idx);

/* Types of a function's locals, parameters first, expanded; *n their number.
 * NULL with err when the declaration is malformed. The caller frees. Bounded:
 * more than 50,000 locals (the limit of all engines) are refused. */
uint32_t *pw_module_locals(const struct pw_module *m, uint32_t func_idx,
			   uint32_t *n, struct pw_err *err);

/*
 * A function's name: the name section's, else its export name, else
 * "import module.name", else "". Written to dst as printable text (control
 * characters and quotes escaped as \xx), cut to size; returns dst.
 */
const char *pw_module_func_name(const struct pw_module *m, uint32_t idx,
				char *dst, size_t size);
/* The function whose body holds this file offset; false when none. */
bool pw_module_func_at(const struct pw_module *m, uint64_t off,
		       uint32_t *func_idx);

/* --- the walker ------------------------------------------------------------- */

/*
 * One instruction. Arrays are borrowed from the walker and hold until the
 * next call.
 */
struct pw_insn {
	enum pw_op op;
	uint32_t idx; /* 0, 1, ... in the function */
	uint64_t off;
	uint32_t size;    /* bytes, immediates included */
	uint32_t depth;   /* enclosing blocks; 0 in the function's own; end
			       and else as the block they belong to */
	bool unreachable; /* follows br, return, unreachable ... */
	/* Operands popped, deepest first, and results pushed. With
	 * unreachable an operand may be PW_BOTTOM. For block, loop, if and
	 * try: the parameters; for end: the results of the block. */
	const uint32_t *operands, *results;
	uint32_t n_operands, n_results;
	/*
	 * Where the expression begins that ends with this instruction: the
	 * start of its first operand's, or `off` without operands; for end
	 * the start of its block's (an if with its condition). PW_NO_OFF
	 * when the first operand comes from a block's parameter, an
	 * unreachable stack, or is not the first result of its instruction. [expr_off, off + size) may be replaced by whatever pushes
	 * the same results, when it holds no control instruction that leaves
	 * it. expr_idx is the index of the instruction at expr_off.
	 */
	uint64_t expr_off;
	uint32_t expr_idx;
	/* Immediates, by kind: index/label in index (second one in index2,
	 * e.g. the memory or table), memarg in align, offset, index2 (memory);
	 * a lane in index; br_table's default label in index and the number
	 * of the others in index2; a block's type index in index (0 without);
	 * constants in i64 (i32 sign-extended; f32 and f64 as bits). */
	uint32_t index, index2, align;
	uint64_t offset;
	int64_t i64;
	const uint8_t *imm; /* first immediate byte */
};

struct pw_walk;

/* Starts on a function that is not imported. One walker may be used again
 * and again (pw_walk_start), keeping its memory. */
struct pw_walk *pw_walk_new(const struct pw_module *m);
int pw_walk_start(struct pw_walk *w, uint32_t func_idx, struct pw_err *err);
/* 1 an instruction, 0 the function is over, -EINVAL/-ENOTSUP with err. Types
 * are checked as the specification's validation algorithm does. */
int pw_walk_next(struct pw_walk *w, struct pw_insn *insn, struct pw_err *err);
void pw_walk_free(struct pw_walk *w);

/* "i32.add", "local.get 3", "f64.const 0x1p-27", "i32.load offset=16": the
 * instruction as text format, one line, without names or comments. */
void pw_insn_print(const struct pw_module *m, const struct pw_insn *insn,
		   struct pw_buf *out);

/* --- splicing ------------------------------------------------------------------ */

/* How the exports of spliced counters are named; see count.h. */
#define PW_COUNT_PREFIX "pw:count "

/*
 * Appends to `out` the module with bytes [off, off + old_size) of function
 * func_idx's body replaced by new_bytes. Only the body's and the code
 * section's size fields change besides; a size field keeps its length when
 * the new value fits.
 */
int pw_splice_body(const struct pw_module *m, uint32_t func_idx, uint64_t off,
		   uint32_t old_size, const uint8_t *new_bytes,
		   uint32_t new_size, struct pw_buf *out, struct pw_err *err);
/*
 * The same in many places of many bodies at once: edits in the order of their
 * offsets, not overlapping; new_bytes go in before what stands at off, several
 * of one off in the order given. EINVAL when one is not inside one body.
 */
struct pw_edit {
	uint64_t off;
	uint32_t old_size, new_size;
	const uint8_t *new_bytes;
};
int pw_splice_edits(const struct pw_module *m, const struct pw_edit *e,
		    size_t n, struct pw_buf *out, struct pw_err *err);
/* The same for a global's constant expression (global section). */
int pw_splice_global(const struct pw_module *m, uint32_t global_idx,
		     const uint8_t *new_bytes, uint32_t new_size,
		     struct pw_buf *out, struct pw_err *err);
/*
 * Appends the module with exports added for every memory and every mutable
 * numeric global that has none, named "pw:mem N" and "pw:global N", so that a
 * host can see the final state. Names that clash are refused with EEXIST.
 */
int pw_splice_exports(const struct pw_module *m, struct pw_buf *out,
		      struct pw_err *err);
/*
 * Appends the module with n mutable i64 globals, 0 at first, behind the
 * others, exported as PW_COUNT_PREFIX and the key in hexadecimal. Code keeps
 * its bytes and moves. EEXIST as above.
 */
int pw_splice_counters(const struct pw_module *m, const uint64_t *keys,
		       uint32_t n, struct pw_buf *out, struct pw_err *err);
/*
 * Appends the module with `units` pieces of code that never run, about a
 * dozen machine bytes each, so that a compiler which places functions in the
 * order of their indexes puts the code of func_idx elsewhere. They go to the
 * front of function pad_idx, a lower one; with pad_idx == func_idx the body
 * moves behind all others and what was there calls it. No index changes;
 * *moved_idx is where the body is now. A mutable i32 global is added. EINVAL
 * when an index is imported, too high or pad_idx > func_idx.
 */
int pw_splice_padding(const struct pw_module *m, uint32_t pad_idx,
		      uint32_t func_idx, uint32_t units, struct pw_buf *out,
		      uint32_t *moved_idx, struct pw_err *err);
#endif
