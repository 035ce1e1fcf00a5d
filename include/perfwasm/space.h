/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * space: address + time -> place. Keeps what every process had mapped where
 * and when, from the records of a capture; finds jitdumps, perf maps, ELF
 * symbols and kernel symbols; joins the code of runtimes to the .wasm and to
 * the artifact it came from. Knows nothing of samples, events or counts.
 *
 * Not for several threads at once.
 */
#ifndef PERFWASM_SPACE_H
#define PERFWASM_SPACE_H

#include <perfwasm/base.h>
#include <perfwasm/capture.h>
#include <perfwasm/code.h>
#include <perfwasm/jit.h>
#include <perfwasm/module.h>

struct pw_space;

enum pw_place_kind {
	PW_PLACE_UNKNOWN,    /* nothing is known of the address */
	PW_PLACE_WASM,       /* code of a wasm function */
	PW_PLACE_TRAMPOLINE, /* generated, between wasm and the host */
	PW_PLACE_SCRIPT,     /* generated from JavaScript, Python, ... */
	PW_PLACE_RUNTIME,    /* the runtime's own: builtins, stubs, the native
				code of its program or library */
	PW_PLACE_NATIVE,     /* other native code of the process */
	PW_PLACE_KERNEL,
	PW_PLACE_HYPERVISOR,
	PW_N_PLACE_KINDS
};
/* "wasm", "trampoline", "script", "runtime", "native", "kernel", ... */
const char *pw_place_kind_name(enum pw_place_kind k);

/*
 * A function as a table has it: one for every difference of kind, engine,
 * tier, module, function and DSO. Lives as long as the space, at one address;
 * ids are dense from 0.
 */
struct pw_symbol {
	uint32_t id;
	enum pw_place_kind kind;
	enum pw_jit_engine engine; /* PW_ENGINE_NONE: none told */
	enum pw_jit_tier tier;
	/* for display: the module's own name of the function, else what the
	 * runtime or the ELF file calls it (demangled), else "f42", else
	 * "[unknown]" */
	const char *name;
	const char *raw_name; /* as the runtime or the ELF file wrote it */
	/* path of the mapped file, "[kernel.kallsyms]", "[nf_tables]",
	 * "[JIT]", "[unknown]" */
	const char *dso;
	int64_t func_idx; /* of a wasm function, imports counted; -1 */
	int32_t module;   /* of pw_space_add_module(); -1: none known */
};

/*
 * Code of a symbol that lay together: a load of a jitdump, a function of an
 * ELF file, a kernel symbol. A symbol may have several (code that was made
 * anew). Lives as long as the space, at one address; ids are dense from 0.
 */
struct pw_piece {
	uint32_t id;
	const struct pw_symbol *sym;
	uint64_t addr;       /* JIT: where it lay; ELF: the address in the file;
			  kernel: its address; unknown code: 0 */
	uint64_t size_bytes; /* 0: not known */
	const struct pw_jit_code *jit; /* NULL: not from a jitdump or map */
};

/* Piece 0 is that of everything unknown. */
struct pw_place {
	const struct pw_piece *piece; /* never NULL */
	uint64_t off; /* from the start of the piece; unknown code: the
			 address, or the offset in the file */
	/* the answer for this address holds for from_ns <= t < to_ns, while
	 * no record of the process is given to the space */
	uint64_t from_ns, to_ns;
};

struct pw_space_opts {
	/* directory of the capture: jitdumps, perf-PID.map, kallsyms and
	 * copies of mapped files (by their file name) are looked for there
	 * first; NULL: the current directory */
	const char *dir;
	const char *root; /* put before recorded paths (perf: --symfs); NULL */
	bool no_local;    /* nothing of this machine is read: no /tmp, no
			      /proc, no mapped files but below dir and root */
};

/* o may be NULL. */
struct pw_space *pw_space_new(const struct pw_space_opts *o);
void pw_space_free(struct pw_space *s);

/* --- what was recorded -------------------------------------------------------- */

/*
 * MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL and TIME_CONV change the space; all
 * other records are passed over. Give them in the order of time. An MMAP of a
 * file named jit-*.dump adds that jitdump: from the directory of the capture,
 * else from where it was recorded.
 */
void pw_space_event(struct pw_space *s, const struct pw_event *ev);
/* Whose kernel it was: facts->osrelease and arch; and how its clock and the
 * wall's compare: a perf map older than its process is another's. */
void pw_space_facts(struct pw_space *s, const struct pw_capture_facts *facts);

/* pid 0: as the dump's records say. */
int pw_space_add_jitdump(struct pw_space *s, const char *path, uint32_t pid,
			 struct pw_err *err);
int pw_space_add_perfmap(struct pw_space *s, const char *path, uint32_t pid,
			 struct pw_err *err);
/* The kernel's symbols, as /proc/kallsyms has them. Without this they come
 * from DIR/kallsyms, else from this machine where it runs the same kernel. */
int pw_space_add_kallsyms(struct pw_space *s, const char *path,
			  struct pw_err *err);
/*
 * A .wasm. Functions are joined to it by index; of several modules that of a
 * function is the one whose names (or artifact) agree. Its number, from 0, or
 * -errno. Add modules before the first look-up.
 */
int pw_space_add_module(struct pw_space *s, const char *path,
			struct pw_err *err);
/*
 * A Wasmtime artifact (.cwasm, or what a host program wrote) of module number
 * `module` (-1: the one that fits). Joined to jitdump entries by the bytes of
 * the code: it gives wasm offsets, and names to functions that the dump left
 * out. Artifacts that a process mapped itself are found without this.
 */
int pw_space_add_artifact(struct pw_space *s, const char *path, int module,
			  struct pw_err *err);

/*
 * What somebody else knows of an address, asked where the space knows
 * nothing: perf's own symbols, for a dlfilter. False: nothing. Strings are
 * copied. The answer is taken to hold until a record of the process comes.
 */
struct pw_native {
	const char *name; /* NULL: only the DSO is known */
	const char *dso;
	uint64_t off;               /* of the address in the symbol */
	uint64_t start, size_bytes; /* of the symbol; size 0: not known */
	bool is_kernel;
};
typedef bool pw_space_resolver(void *ctx, uint32_t pid, uint64_t addr,
			       struct pw_native *out);
void pw_space_set_resolver(struct pw_space *s, pw_space_resolver *fn,
			   void *ctx);

/* Whether a jitdump was added: its times are of the monotonic clock. */
bool pw_space_has_jitdump(const struct pw_space *s);

/* --- looking up ----------------------------------------------------------------- */

/*
 * Where an address was. cpumode: PERF_RECORD_MISC_KERNEL, _USER, _HYPERVISOR,
 * _GUEST_KERNEL, _GUEST_USER. time_ns: PW_NO_TIME asks for the last state.
 * Always fills *place; whether it is known: place->piece->sym->kind.
 */
void pw_space_find(struct pw_space *s, uint32_t pid, unsigned int cpumode,
		   uint64_t addr, uint64_t time_ns, struct pw_place *place);
/* The same of an address and those behind it: all before *end are of that
 * piece, each at its distance from addr behind place->off. */
void pw_space_find_run(struct pw_space *s, uint32_t pid, unsigned int cpumode,
		       uint64_t addr, uint64_t time_ns, struct pw_place *place,
		       uint64_t *end);
/* Changes with every record that may change what pw_space_find() says of a
 * process. */
uint32_t pw_space_generation(const struct pw_space *s, uint32_t pid);
/* The name of a thread at the present, "?" when never told; the string lives
 * as long as the space. */
const char *pw_space_comm(const struct pw_space *s, uint32_t pid, uint32_t tid);
/* The process of a thread, PW_NO_PID when never told. */
uint32_t pw_space_pid_of(const struct pw_space *s, uint32_t tid);

uint32_t pw_space_n_symbols(const struct pw_space *s);
const struct pw_symbol *pw_space_symbol(const struct pw_space *s, uint32_t id);
uint32_t pw_space_n_pieces(const struct pw_space *s);
const struct pw_piece *pw_space_piece(const struct pw_space *s, uint32_t id);

/* --- what a piece is made of ------------------------------------------------------ */

/* How a wasm offset is known. */
enum pw_off_source {
	PW_OFF_NONE,
	PW_OFF_ADDRMAP,    /* .wasmtime.addrmap of an artifact */
	PW_OFF_PROVENANCE, /* pw_space_add_offsets() */
	PW_OFF_INFERRED,   /* by kind and place between known neighbours: a
			      guess, of which most are right */
	PW_N_OFF_SOURCES
};
const char *pw_off_source_name(enum pw_off_source o); /* "addrmap" */

/*
 * Offsets of a function that were found in another way: where its machine
 * code has this pw_code_shape() (0: whatever it is), an offset holds up to the
 * next one, or tells with PW_NO_OFF that nothing is known from there. Used
 * where an artifact's own map tells nothing. offs (by code_off) is copied.
 */
struct pw_code_offset {
	uint64_t code_off; /* from the function's first byte */
	uint64_t wasm_off; /* file offset in the module */
};
void pw_space_add_offsets(struct pw_space *s, int module, uint32_t func_idx,
			  uint64_t shape, const struct pw_code_offset *offs,
			  uint32_t n);

/*
 * The file offset in its module of the wasm instruction at an offset of a
 * piece, or PW_NO_OFF. source may be NULL.
 */
uint64_t pw_space_wasm_off(struct pw_space *s, const struct pw_piece *p,
			   uint64_t off, enum pw_off_source *source);
/*
 * The machine code of a piece as an image of one function or more (struct
 * pw_code; *f is the piece's function, *base what text_off of the piece's
 * first byte is). From the artifact, the jitdump or the ELF file. NULL with
 * err: no bytes. Borrowed; a later call may take it away.
 */
const struct pw_code *pw_space_code(struct pw_space *s,
				    const struct pw_piece *p,
				    const struct pw_code_func **f,
				    uint64_t *base, struct pw_err *err);

uint32_t pw_space_n_modules(const struct pw_space *s);
/* NULL when there is none of that number. */
const struct pw_module *pw_space_module(const struct pw_space *s, int module);
/* The file name of a module, without folders. */
const char *pw_space_module_name(const struct pw_space *s, int module);
/* As it was given to pw_space_add_module(). */
const char *pw_space_module_path(const struct pw_space *s, int module);
/* The wasm instruction at a file offset as text ("i32.add"), into dst, cut to
 * size; returns its opcode, PW_N_OPS when there is none. */
enum pw_op pw_space_insn(struct pw_space *s, int module, uint64_t wasm_off,
			 char *dst, size_t size);

/* --- what was missing --------------------------------------------------------------- */

/* Everything a reader of the figures should know: a jitdump that is gone, a
 * kernel that is another, a cut dump. One sentence each, none twice; one of
 * each kind first, then a second of each. */
uint32_t pw_space_n_remarks(const struct pw_space *s);
const char *pw_space_remark(const struct pw_space *s, uint32_t i);

#endif
