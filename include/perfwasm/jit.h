/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jit: what runtimes tell of the code they make. Reads jitdumps and perf maps
 * where they lie, answers which code was at an address at a time, and reads
 * the names that runtimes give. The bytes are untrusted. Knows nothing of
 * perf.data, ELF and machine code.
 */
#ifndef PERFWASM_JIT_H
#define PERFWASM_JIT_H

#include <perfwasm/base.h>

/* --- jitdump and perf maps --------------------------------------------------- */

/*
 * A jitdump (tools/perf/Documentation/jitdump-specification.txt, version 1)
 * is what a runtime wrote of the code it made: jit-PID.dump, bun's
 * jit-TID-PID.dump. Either byte order. Read record by record; normally
 * pw_jitmap_add_dump() does that.
 */
enum pw_jit_type {
	PW_JIT_LOAD,
	PW_JIT_MOVE,
	PW_JIT_DEBUG_INFO,
	PW_JIT_CLOSE,
	PW_JIT_UNWINDING_INFO,
	PW_N_JIT_TYPES
};

/* The source lines of one piece of code, as they lie in the dump. */
struct pw_jit_lines {
	const uint8_t *p, *end;
	uint64_t n;         /* entries left */
	uint64_t code_addr; /* of the code they tell of */
	uint64_t bias;      /* what the addresses of this dump have too much */
	bool swap;
};

struct pw_jit_line {
	uint64_t code_off; /* from the start of the code */
	uint32_t line, discriminator;
	const char *file;
};

/* One record; what its type does not have is 0. Borrowed from the dump. */
struct pw_jit_record {
	uint32_t type; /* enum pw_jit_type, or another: an unknown one */
	uint32_t size_bytes;
	uint64_t off, time; /* in the file; on the dump's clock */
	uint32_t pid, tid;  /* LOAD, MOVE: as the process saw itself */
	uint64_t addr;      /* of the code; MOVE: before it moved */
	uint64_t new_addr;  /* MOVE */
	uint64_t code_size, code_idx;
	const char *name;          /* LOAD */
	const uint8_t *code;       /* LOAD; NULL: the dump has no bytes */
	struct pw_jit_lines lines; /* DEBUG_INFO: of the next LOAD there */
	const uint8_t *unwind;     /* UNWINDING_INFO: .eh_frame and header */
	uint64_t unwind_size, eh_frame_hdr_size, mapped_size;
};

struct pw_jit_counts {
	uint64_t records[PW_N_JIT_TYPES]; /* whole ones */
	uint64_t unknown;                 /* of types not known, passed over */
	uint64_t malformed;  /* passed over: their content does not fit */
	uint64_t backward;   /* earlier than the one before them */
	uint64_t tail_bytes; /* at the end, no whole record */
	uint64_t unclaimed; /* MOVE of code, DEBUG_INFO of code, never loaded */
	uint64_t unusable;  /* code of no bytes, or beyond all addresses */
	uint64_t stray_lines;       /* DEBUG_INFO dropped: it leaves its code */
	struct pw_err header_fault; /* flags that are not known */
	struct pw_err first_fault;  /* a malformed record or the tail */
};

#define PW_JITDUMP_ARCH_TIME 1ULL /* times are of the processor's counter */

struct pw_jitdump {
	struct pw_file file;
	const uint8_t *data;
	uint64_t size, at;
	bool swap;
	uint32_t machine; /* EM_* of <elf.h> */
	uint32_t pid;     /* as the process saw itself */
	uint64_t time, flags, last_time;
	struct pw_jit_counts counts;
};

/*
 * Whether a path looks like that of a jitdump. *pid (may be NULL) is what its
 * process called itself, which in a container is not what perf calls it: the
 * MMAP record of the file tells that.
 */
bool pw_jitdump_is_path(const char *path, uint32_t *pid);

/*
 * Opens a dump; machine 0 takes that of any. Refused with a sentence and an
 * offset: another magic, version or machine, a header that does not fit.
 */
int pw_jitdump_open(struct pw_jitdump *d, const char *path, uint32_t machine,
		    struct pw_err *err);
/* The same of bytes in memory, which are borrowed. */
int pw_jitdump_open_bytes(struct pw_jitdump *d, const void *data, size_t size,
			  uint32_t machine, struct pw_err *err);
void pw_jitdump_close(struct pw_jitdump *d);
/* The next whole record. False at the end: d->counts says whether that is
 * the end of the file. */
bool pw_jitdump_next(struct pw_jitdump *d, struct pw_jit_record *r);
/* The next line of *l, which is used up; lines stay valid with the dump.
 * *line must be that of the call before, zeroed at first. */
bool pw_jit_lines_next(struct pw_jit_lines *l, struct pw_jit_line *line);

/* A perf map, /tmp/perf-PID.map: lines of START SIZE NAME, hexadecimal, with
 * or without 0x. No line ever fails the file. */
struct pw_perfmap {
	struct pw_file file;
	const uint8_t *data;
	size_t size, at;
	uint64_t n_lines;   /* seen, empty ones not counted */
	uint64_t malformed; /* of these, passed over */
	struct pw_err first_fault;
};

struct pw_perfmap_line {
	uint64_t addr, size_bytes;
	const char *name; /* not terminated; any bytes but a newline */
	size_t name_len;
};

int pw_perfmap_open(struct pw_perfmap *m, const char *path, struct pw_err *err);
void pw_perfmap_open_bytes(struct pw_perfmap *m, const void *data, size_t size);
void pw_perfmap_close(struct pw_perfmap *m);
bool pw_perfmap_next(struct pw_perfmap *m, struct pw_perfmap_line *l);

/* --- which code was where, when ------------------------------------------------ */

/*
 * The code of all processes over time. What was loaded last before an instant
 * and covers an address is what was there, as it is for memory; a MOVE leaves
 * nothing behind it. Where jitdumps have nothing, the perf map of the process
 * is asked, of which a later line wins over an earlier one, and trampolines
 * over nothing.
 */
struct pw_jitmap;

/* One piece of code. Lives as long as its map, at one address. */
struct pw_jit_code {
	const char *name; /* as written; pw_jit_name_parse() reads it */
	uint64_t addr, size_bytes;
	uint64_t from_ns;  /* loaded (or moved here); 0: from a perf map */
	uint32_t pid, tid; /* tid 0: not known */
	uint32_t idx;      /* pw_jitmap_code() of it */
	bool is_perfmap;
	uint64_t code_idx;         /* the runtime's number for it */
	const uint8_t *bytes;      /* size_bytes of them, or NULL */
	struct pw_jit_lines lines; /* n == 0: none */
	const uint8_t *unwind;     /* .eh_frame, its header behind; or NULL */
	uint64_t unwind_size, eh_frame_hdr_size;
	const struct pw_jit_code *moved_from; /* where it was before, or NULL */
};

struct pw_jit_hit {
	const struct pw_jit_code *code; /* NULL: nothing known there */
	/* all times for which the answer for this address is the same:
	 * from_ns <= t < to_ns */
	uint64_t from_ns, to_ns;
	/* nothing was there yet, the code was loaded later: runtimes may tell
	 * of code when it has long run */
	bool is_early;
};

struct pw_jitmap *pw_jitmap_new(void);
void pw_jitmap_free(struct pw_jitmap *m);

struct pw_jit_source {
	uint32_t pid;     /* whose it is; 0: as its records say */
	uint32_t machine; /* as pw_jitdump_open() */
	/* for dumps with PW_JITDUMP_ARCH_TIME: the event TIME_CONV of the
	 * capture; mult 0: none */
	uint64_t time_shift, time_mult, time_zero;
};

/*
 * Adds all of a dump; it stays open with the map. *counts (may be NULL) says
 * what was passed over. s may be NULL.
 */
int pw_jitmap_add_dump(struct pw_jitmap *m, const char *path,
		       const struct pw_jit_source *s,
		       struct pw_jit_counts *counts, struct pw_err *err);
int pw_jitmap_add_dump_bytes(struct pw_jitmap *m, const void *data, size_t size,
			     const struct pw_jit_source *s,
			     struct pw_jit_counts *counts, struct pw_err *err);
/* Adds a perf map; counts: malformed, unusable, first_fault, and its lines
 * as LOAD records. */
int pw_jitmap_add_perfmap(struct pw_jitmap *m, const char *path, uint32_t pid,
			  struct pw_jit_counts *counts, struct pw_err *err);
void pw_jitmap_add_perfmap_bytes(struct pw_jitmap *m, const void *data,
				 size_t size, uint32_t pid,
				 struct pw_jit_counts *counts);
/*
 * Adds code that is known by other means: a function that a dump lacks, from
 * the artifact it lies in. name, addr, size_bytes, from_ns, pid and bytes are
 * taken from *like; the name is copied, the bytes are borrowed. NULL: it has
 * no size or ends beyond all addresses.
 */
const struct pw_jit_code *pw_jitmap_add_code(struct pw_jitmap *m,
					     const struct pw_jit_code *like);
/* A process begins with the code of its parent (FORK of a process, not of a
 * thread), or with none (COMM that is_exec). */
void pw_jitmap_fork(struct pw_jitmap *m, uint32_t ppid, uint32_t pid,
		    uint64_t time_ns);
void pw_jitmap_exec(struct pw_jitmap *m, uint32_t pid, uint64_t time_ns);

/*
 * What was at an address of a process at a time, in O(log n). Whether there
 * is any: hit->code. The time UINT64_MAX asks for the last state. Not for
 * several threads at once: what was added since the last call is sorted in
 * first.
 */
bool pw_jitmap_find(struct pw_jitmap *m, uint32_t pid, uint64_t addr,
		    uint64_t time_ns, struct pw_jit_hit *hit);
uint32_t pw_jitmap_n_codes(const struct pw_jitmap *m);
const struct pw_jit_code *pw_jitmap_code(const struct pw_jitmap *m,
					 uint32_t idx);
/* The source line of an offset in the code: that of the last entry at or
 * before it. False: none. */
bool pw_jit_code_line(const struct pw_jit_code *code, uint64_t code_off,
		      struct pw_jit_line *line);

/* --- what runtimes call their code ----------------------------------------------- */

enum pw_jit_engine {
#define PW_ENGINE(id, name) PW_ENGINE_##id,
#define PW_NAME(where, engine, kind, tier, index, form)
#include <perfwasm/jit-names.def>
#undef PW_NAME
#undef PW_ENGINE
	PW_N_ENGINES
};
const char *pw_jit_engine_name(enum pw_jit_engine e); /* "Wasmtime" */

enum pw_jit_kind {
	PW_KIND_UNKNOWN,
	PW_KIND_WASM,       /* a function of a module */
	PW_KIND_TRAMPOLINE, /* between wasm and the host */
	PW_KIND_SCRIPT,     /* JavaScript, Python */
	PW_KIND_BUILTIN,    /* of the runtime's own */
	PW_N_KINDS
};
const char *pw_jit_kind_name(enum pw_jit_kind k); /* "wasm" */

enum pw_jit_tier {
	PW_TIER_NONE, /* not told */
	PW_TIER_INTERPRETER,
	PW_TIER_BASELINE,
	PW_TIER_MIDDLE,
	PW_TIER_OPTIMIZED,
	PW_TIER_LOOP_ENTRY, /* optimised, entered in the middle of a loop */
	PW_N_TIERS
};
const char *pw_jit_tier_name(enum pw_jit_tier t); /* "baseline"; NONE: "" */

/* Where a name was found: a symbol of an ELF file may be as short as "f12". */
enum pw_name_source { PW_NAME_JIT, PW_NAME_ELF };

struct pw_jit_name {
	enum pw_jit_engine engine; /* PW_ENGINE_NONE: no form of ours */
	enum pw_jit_kind kind;
	enum pw_jit_tier tier;
	int64_t func_idx;   /* -1: none told */
	bool is_local_idx;  /* imported functions are not counted in it */
	int64_t module_idx; /* -1: none told */
	/* the function's own name within the string, which may be cut or
	 * changed and never is a key; len 0: none told */
	const char *text;
	size_t text_len;
};

/* Total on any bytes; the result borrows from name. */
void pw_jit_name_parse(struct pw_jit_name *n, const char *name, size_t len,
		       enum pw_name_source source);
/* The function index with imports counted, or -1. */
int64_t pw_jit_name_func_idx(const struct pw_jit_name *n,
			     uint32_t n_imported_funcs);

#endif
