/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of a space: who maps what (process.c), what the mapped files are
 * (dso.c, kernel.c), which generated code is there (jit.c), what it was made
 * from (join.c), and the symbols and pieces that all of them make
 * (piece.c). lookup-place.c puts the question to them.
 */
#ifndef PLUGIN_SPACE_SPACE_IMPL_H
#define PLUGIN_SPACE_SPACE_IMPL_H

#include <uthash.h>

#include <perfwasm/space.h>

/* --- symbols and pieces -------------------------------------------------------- */

struct dso;

struct piece {
	struct pw_piece pub;          /* first: a pw_piece of ours is a piece */
	int32_t artifact;             /* its code is from there, or -1 */
	uint64_t text_off;            /* of its first byte in the artifact */
	struct dso *dso;              /* native: the file; NULL */
	struct offset_table *offsets; /* made when first asked */
};

/* The origin of each machine instruction of a piece. */
struct offset_table {
	uint32_t n;
	struct offset_entry {
		uint64_t code_off, wasm_off;
		enum pw_off_source source;
	} entry[]; /* by code_off */
};

/* What was told of a function. */
struct told_offsets {
	int32_t module;
	uint32_t func_idx, n;
	uint64_t shape; /* 0: of any code */
	struct pw_code_offset *offs;
};

struct symbol_slot {
	uint64_t hash;
	uint32_t id;
	bool used;
};

struct pieces {
	struct piece **blocks;
	uint32_t n;
	struct pw_symbol **symbols;
	uint32_t n_symbols;
	struct symbol_slot *slots; /* of symbols; a power of two */
	uint32_t n_slots;
	char **strings; /* what symbols point to */
	uint32_t n_strings;
};

/* --- files ------------------------------------------------------------------------ */

enum dso_state { DSO_NEW, DSO_OPEN, DSO_NONE };

struct dso {
	char *path; /* as recorded */
	uint8_t build_id[20];
	size_t build_id_size;
	bool is_file; /* something that a path leads to */
	bool is_jit_marker;
	bool is_runtime; /* the program or library of a runtime */
	bool is_wasm;    /* code of wasm functions compiled ahead of time */
	enum dso_state state;
	struct pw_symtab *symtab;
	int32_t artifact;      /* it is one itself; -1 */
	uint64_t text_addr;    /* of the artifact's .text in the file */
	struct piece **pieces; /* of each function; made when first hit */
	struct piece *unknown; /* where no function is */
	UT_hash_handle hh;     /* by path and build id */
	char *key;
};

struct map {
	uint64_t start, end, pgoff;
	uint64_t from_ns;
	struct dso *dso;
};

/* Shared by processes until one of them changes it. */
struct maps {
	uint32_t refs, n, cap;
	struct map *m; /* by start, none overlap */
};

/* --- processes ---------------------------------------------------------------------- */

struct proc {
	uint32_t pid, ppid;
	uint32_t gen;       /* never that of another process or time */
	bool has_jit;       /* a jitdump of it or of its parents was added */
	bool asked_perfmap; /* for /tmp/perf-PID.map */
	uint64_t start_ns;  /* when it began as what it is; 0: not told */
	bool is_dead;
	struct maps *maps; /* NULL: none */
	UT_hash_handle hh;
};

struct thread {
	uint32_t tid, pid;
	bool is_dead;
	const char *comm;
	UT_hash_handle hh;
};

struct comm {
	UT_hash_handle hh;
	char name[]; /* the key */
};

/* Tasks that ended, to be forgotten when as many have followed. */
#define DEAD_KEPT 4096u

/* --- wasm ---------------------------------------------------------------------------- */

struct name_slot {
	char *name;
	int64_t func_idx; /* -1: several have this name */
	UT_hash_handle hh;
};

struct module {
	struct pw_file file;
	struct pw_module *m;
	char *name, *path;
	uint32_t n_imported;
	struct name_slot *by_name;
	bool has_by_name;
};

struct artifact {
	struct pw_file file;
	struct pw_code *code;
	struct dso *dso; /* it is that file, or NULL */
	int32_t module;
	char *name;
};

/* An artifact's .text in a process. */
struct placed {
	uint32_t pid;
	int32_t artifact;
	uint64_t base, size_bytes;
	struct piece **pieces; /* of functions without jitdump entry */
};

/* A function of an artifact by what it consists of. */
struct body {
	uint64_t hash;
	const struct pw_code_func *func;
	int32_t artifact;
};

struct wasm_insn {
	uint64_t off, constant; /* constant: its bits */
	enum pw_op op;
	uint32_t text; /* in insn_cache.text */
};

/* The instructions of the wasm function that was last asked for. */
struct insn_cache {
	int32_t module;
	uint32_t func_idx, n;
	struct wasm_insn *insn;
	struct pw_buf text;
};

/* Which module the code of a runtime's module number is from. */
struct group {
	uint32_t pid;
	enum pw_jit_engine engine;
	int64_t module_idx;
	uint32_t n_codes; /* when it was decided */
	int32_t module;
};

/* --- all ------------------------------------------------------------------------------ */

struct kernel_symbol {
	uint64_t addr;
	uint32_t name, module; /* offsets in the names; module 0: none */
	uint8_t rank;          /* of several for one place the highest is it */
};

struct kernel {
	enum dso_state state;
	struct kernel_symbol *symbols; /* by addr */
	uint32_t n;
	struct pw_buf names;
	struct piece **pieces;
	struct piece *unknown;
	uint64_t text_addr;          /* of _text, as recorded; 0: not told */
	char *path;                  /* as given */
	struct kernel_symbol *added; /* KSYMBOL: programs of BPF */
	struct pw_buf added_names;
	uint64_t *added_end;
	struct piece **added_pieces;
	uint32_t n_added;
	uint32_t gen;
};

struct cache_entry {
	uint64_t addr, from_ns, to_ns, off;
	uint32_t pid, gen;
	const struct pw_piece *piece; /* NULL: empty */
};
#define CACHE_BITS    17
#define NEAR_PROCS    64u
#define CACHE_ENTRIES (1u << CACHE_BITS)

/* A jitdump that was added. */
struct dump {
	uint64_t dev, ino;
	uint32_t pid; /* as given: 0 as its records say */
	uint32_t own_pid;
};

struct pw_space {
	struct pw_space_opts opts;
	char *dir, *root;
	bool is_foreign; /* recorded on another machine */
	char *osrelease;
	uint32_t machine; /* EM_* of <elf.h> of the code; 0: not told */

	struct proc *procs, *near_procs[NEAR_PROCS]; /* by pid; found last */
	struct thread *threads;
	struct comm *comms;
	uint32_t dead_pids[DEAD_KEPT], dead_tids[DEAD_KEPT];
	uint32_t n_dead_pids, n_dead_tids, last_gen;

	struct dso *dsos;
	struct kernel kernel;
	struct pieces pieces;
	struct piece *unknown;

	struct pw_jitmap *jitmap;
	uint32_t jit_gen;
	bool any_jit; /* dumps or maps were added without a process */
	struct piece **jit_pieces; /* by index of the code */
	uint32_t n_jit_pieces;
	/* of the process that was last asked for: is Wasmtime in it? */
	uint32_t wasmtime_pid, wasmtime_codes;
	bool has_wasmtime;
	struct dump *dumps;
	uint32_t n_dumps;
	uint64_t time_shift, time_mult, time_zero;
	/* from the capture's clock to ns since 1970; 0: not told */
	uint64_t epoch_ns;

	struct module *modules;
	uint32_t n_modules;
	struct artifact *artifacts;
	uint32_t n_artifacts;
	struct placed *placed;
	uint32_t n_placed, n_placed_codes; /* codes looked at for it */
	struct body *bodies;               /* by hash */
	uint32_t n_bodies, n_body_artifacts;
	struct group *groups;
	uint32_t n_groups;
	struct insn_cache insns;
	char name[512]; /* join.c: of the function last joined */
	char dso_name[64];

	struct told_offsets *told;
	uint32_t n_told;

	struct pw_code *raw; /* the image last made for pw_space_code() */
	const struct piece *raw_of;

	struct piece **bare; /* of what has a kind and no more */
	uint32_t n_bare;
	struct piece **resolved; /* by symbol, of what a resolver told */
	uint32_t n_resolved;
	pw_space_resolver *resolver;
	void *resolver_ctx;

	/* of the last look-up: so many addresses, from that on, are of the same
	 * piece; 0: not known */
	uint64_t run_bytes;
	struct cache_entry *cache;
	struct remark *remarks;
	uint32_t n_remarks;
};

/* space.c: a sentence for the reader of the figures. */
void remark(struct pw_space *s, const char *fmt, ...) PW_PRINTF(2, 3);

/* piece.c */
struct symbol_key {
	enum pw_place_kind kind;
	enum pw_jit_engine engine;
	enum pw_jit_tier tier;
	const char *name, *raw_name, *dso; /* copied */
	int64_t func_idx;
	int32_t module;
};
const struct pw_symbol *symbol_get(struct pieces *p,
				   const struct symbol_key *k);
struct piece *piece_new(struct pieces *p, const struct pw_symbol *sym,
			uint64_t addr, uint64_t size_bytes);
struct piece *piece_at(const struct pieces *p, uint32_t id);
void pieces_release(struct pieces *p);

/* process.c */
struct proc *proc_find(struct pw_space *s, uint32_t pid);
struct proc *proc_get(struct pw_space *s, uint32_t pid);
const struct map *proc_map(const struct proc *p, uint64_t addr);
void procs_event(struct pw_space *s, const struct pw_event *ev);
void procs_release(struct pw_space *s);

/* dso.c */
struct dso *dso_get(struct pw_space *s, const struct pw_mmap *m);
/* The place of a file offset; sets *off and run_bytes. */
struct piece *dso_piece(struct pw_space *s, struct dso *d, uint64_t file_off,
			uint64_t *off);
/* The first path where a recorded file is, or NULL; the caller frees. */
char *local_path(const struct pw_space *s, const char *recorded, uint32_t pid);
bool is_regular(const char *path);
bool dso_is_runtime(const char *path);
void dsos_release(struct pw_space *s);

/* kernel.c: sets *off and run_bytes. */
struct piece *kernel_piece(struct pw_space *s, uint64_t addr, uint64_t *off);
void kernel_event(struct pw_space *s, const struct pw_event *ev);
void kernel_release(struct kernel *k);

/* jit.c */
/* A file that a process mapped to say that it is its jitdump. */
void jit_marker(struct pw_space *s, const struct pw_mmap *m);
/* Looks once for the perf map of a process; whether there is a new one. */
bool jit_look_for_map(struct pw_space *s, struct proc *p);
struct piece *jit_piece(struct pw_space *s, const struct pw_jit_code *code);
void jit_release(struct pw_space *s);

/* join.c: modules, and which of them a name is of. */
/* Fills the wasm side of k from what a runtime or file calls the code.
 * module: the one that is known, or -1. k's strings hold until the next. */
void join_name(struct pw_space *s, struct symbol_key *k, uint32_t pid,
	       const struct pw_jit_name *n, int32_t module);
/* The module that the names of most functions agree with, or -1. */
int32_t join_best(struct pw_space *s, const struct pw_jit_name *names,
		  uint32_t n);
void join_release(struct pw_space *s);

/* artifact.c: artifacts, and where they lie. */
/* What the bytes of code are from. False: no artifact has them. */
struct origin {
	int32_t artifact, module;
	uint64_t text_off;
};
bool artifact_origin(struct pw_space *s, const struct pw_jit_code *code,
		     const struct pw_jit_name *name, struct origin *o);
/* The same of code whose name says nothing: the function, or NULL. */
const struct pw_code_func *artifact_by_bytes(struct pw_space *s,
					     const struct pw_jit_code *code,
					     struct origin *o);
/* The function of an artifact at an address that no jitdump tells of. */
struct piece *artifact_left_out(struct pw_space *s, uint32_t pid, uint64_t addr,
				uint64_t *off);
/* A mapped file that is an artifact itself; its number or -1. */
int32_t artifact_of_dso(struct pw_space *s, struct dso *d);
/* A piece of a function of an artifact. */
struct piece *artifact_piece(struct pw_space *s, int32_t artifact,
			     const struct pw_code_func *f, uint32_t pid,
			     const char *dso);
void artifacts_release(struct pw_space *s);

/* content.c: all instructions of a function into s->insns. */
void insns_read(struct pw_space *s, int module, uint32_t func_idx);
void content_release(struct pw_space *s);

/* offsets.c */
void offsets_release(struct pw_space *s);

#endif
