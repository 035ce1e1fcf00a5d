/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decoded module as this room's files see it: index spaces as flat
 * arrays, types with their canonical index, and what one file offers to
 * another. Nothing here leaves the room.
 */
#ifndef MODULE_IMPL_H
#define MODULE_IMPL_H

#include <errno.h>
#include <string.h>
#include <perfwasm/module.h>

/* Limits that all engines share; they bound our memory and time too. */
enum {
	MAX_TYPES = 1000000,
	MAX_SUBTYPE_DEPTH = 63,
	MAX_PARAMS = 1000,
	MAX_RESULTS = 1000,
	MAX_FIELDS = 10000,
	MAX_LOCALS = 50000,
};

#define NO_IDX    UINT32_MAX
#define FIELD_MUT (1u << 27) /* beside a storage type: the field is mutable */

enum comp_kind { COMP_FUNC, COMP_STRUCT, COMP_ARRAY };

/*
 * A type of the type section. Type indexes inside value types are always
 * canonical: the first type that is equal by the rules of recursive groups,
 * so that equal types are equal numbers.
 */
struct mod_type {
	uint8_t kind; /* enum comp_kind */
	bool final;
	uint8_t depth;  /* number of supertypes above */
	uint32_t super; /* canonical, or NO_IDX */
	uint32_t canon;
	struct pw_functype func; /* COMP_FUNC */
	uint32_t n_fields;       /* COMP_STRUCT, COMP_ARRAY: 1 */
	const uint32_t *fields;  /* storage type | FIELD_MUT */
};

struct mod_table {
	uint32_t type;
	bool is64;
	uint64_t min, max;
};

struct mod_elem {
	uint32_t type;
};

/* The name section's function names, in order of index. */
struct func_name {
	uint32_t idx, len;
	const char *s;
};

/* Memory that is freed with the module. */
struct arena_chunk {
	struct arena_chunk *next;
	size_t used, cap; /* in words */
	uint32_t words[];
};

struct pw_module {
	const uint8_t *bytes;
	size_t size;
	struct arena_chunk *arena;

	struct mod_type *types;
	uint32_t n_types;
	struct pw_func *funcs;
	struct mod_table *tables;
	struct pw_memory *memories;
	struct pw_global *globals;
	uint32_t *tags; /* type indexes */
	uint32_t n[PW_EXT_TAG + 1], n_imported[PW_EXT_TAG + 1];
	struct mod_elem *elems;
	uint32_t n_elems;
	uint8_t *func_declared; /* may be named by ref.func in a body */

	struct pw_import *imports;
	uint32_t n_imports;
	struct pw_export *exports;
	uint32_t *func_exports; /* by function: its first export + 1, or 0 */
	uint32_t n_exports;
	struct pw_section *sections;
	uint32_t n_sections;
	uint32_t n_code; /* bodies seen */
	uint32_t n_data;
	bool has_data_count, has_start;
	uint32_t data_count, start;
	struct func_name *names;
	uint32_t n_names;
};

/* --- op.c --- */
/* PW_N_OPS for a code that no instruction has. */
enum pw_op op_of_byte(uint8_t byte);
enum pw_op op_of_prefixed(uint8_t prefix, uint32_t code);

/* --- wasm-types.c --- */
uint32_t *arena_words(struct pw_module *m, size_t n);
static inline bool type_is_ref(uint32_t t)
{
	return t & PW_REF;
}
static inline uint32_t type_ref(bool nullable, uint32_t heap)
{
	return PW_REF | (nullable ? PW_NULLABLE : 0) | heap;
}
static inline uint32_t heap_of(uint32_t t)
{
	return t & (PW_HEAP_ABSTRACT | PW_HEAP_MASK);
}
enum { /* abstract heap types, as PW_HEAP_ABSTRACT | byte */
       HEAP_BOT = PW_HEAP_ABSTRACT,
       HEAP_NOEXN = PW_HEAP_ABSTRACT | 0x74,
       HEAP_NOFUNC = PW_HEAP_ABSTRACT | 0x73,
       HEAP_NOEXTERN = PW_HEAP_ABSTRACT | 0x72,
       HEAP_NONE = PW_HEAP_ABSTRACT | 0x71,
       HEAP_FUNC = PW_HEAP_ABSTRACT | 0x70,
       HEAP_EXTERN = PW_HEAP_ABSTRACT | 0x6f,
       HEAP_ANY = PW_HEAP_ABSTRACT | 0x6e,
       HEAP_EQ = PW_HEAP_ABSTRACT | 0x6d,
       HEAP_I31 = PW_HEAP_ABSTRACT | 0x6c,
       HEAP_STRUCT = PW_HEAP_ABSTRACT | 0x6b,
       HEAP_ARRAY = PW_HEAP_ABSTRACT | 0x6a,
       HEAP_EXN = PW_HEAP_ABSTRACT | 0x69,
};
bool heap_matches(const struct pw_module *m, uint32_t sub, uint32_t super);
/* The slow part of type_matches(). */
bool type_matches_slow(const struct pw_module *m, uint32_t sub, uint32_t super);
/* Is a value of type `sub` also one of `super`? PW_BOTTOM matches all. */
static inline bool type_matches(const struct pw_module *m, uint32_t sub,
				uint32_t super)
{
	return sub == super || type_matches_slow(m, sub, super);
}
static inline bool type_defaultable(uint32_t t)
{
	return !type_is_ref(t) || (t & PW_NULLABLE);
}
/* A storage type as the value type that get and set see. */
static inline uint32_t type_unpacked(uint32_t storage)
{
	uint32_t t = storage & ~FIELD_MUT;

	return t == PW_I8 || t == PW_I16 ? (uint32_t)PW_I32 : t;
}
/*
 * Read a heap, reference or value type. Indexes below n_types are allowed;
 * those of a finished group come out canonical.
 */
uint32_t read_heap_type(const struct pw_module *m, struct pw_cursor *c,
			uint32_t n_types);
uint32_t read_value_type(const struct pw_module *m, struct pw_cursor *c,
			 uint32_t n_types);
uint32_t read_ref_type(const struct pw_module *m, struct pw_cursor *c,
		       uint32_t n_types);

/* --- rec-types.c --- */
int read_type_section(struct pw_module *m, struct pw_cursor *c);

/* --- entities.c: import to global section; exports.c: export, start --- */
int read_import_section(struct pw_module *m, struct pw_cursor *c);
int read_function_section(struct pw_module *m, struct pw_cursor *c);
int read_table_section(struct pw_module *m, struct pw_cursor *c);
int read_memory_section(struct pw_module *m, struct pw_cursor *c);
int read_tag_section(struct pw_module *m, struct pw_cursor *c);
int read_global_section(struct pw_module *m, struct pw_cursor *c);
int read_export_section(struct pw_module *m, struct pw_cursor *c);
int read_start_section(struct pw_module *m, struct pw_cursor *c);
/* The number of entries, refused when each of at least entry_bytes can't fit
 * in what is left: so counts never make us allocate more than the input. */
uint32_t read_count(struct pw_cursor *c, uint32_t entry_bytes);
bool read_name(struct pw_cursor *c, struct pw_name *name);
/* Fails at `at`, which has been read over already. Keeps the first failure. */
int read_fail_at(struct pw_cursor *c, const uint8_t *at, const char *fmt, ...)
	PW_PRINTF(3, 4);

/* --- segments.c: element, data count, code and data section --- */
int read_elem_section(struct pw_module *m, struct pw_cursor *c);
int read_data_count_section(struct pw_module *m, struct pw_cursor *c);
int read_code_section(struct pw_module *m, struct pw_cursor *c);
int read_data_section(struct pw_module *m, struct pw_cursor *c);

/* --- module-names.c --- */
bool utf8_valid(const uint8_t *s, size_t n);
void read_name_section(struct pw_module *m, const struct pw_section *s);

/* --- walk.c --- */
/* Checks the constant expression of type `want` at the cursor and steps over
 * it, its `end` included. Functions it names become declared. */
int check_const_expr(struct pw_module *m, struct pw_cursor *c, uint32_t want);

/* The type that a letter of opcodes.def's signatures is; 0 of 'a', the type of
 * an address. */
static inline uint8_t type_of_letter(char letter)
{
	switch (letter) {
	case 'i':
		return PW_I32;
	case 'I':
		return PW_I64;
	case 'f':
		return PW_F32;
	case 'F':
		return PW_F64;
	case 'V':
		return PW_V128;
	}
	return 0;
}

#endif
