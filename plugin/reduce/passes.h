/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the passes of a reduction share. reduce.c is the list of the passes;
 * each pass-X.c proposes candidates of one kind, trial.c says which are kept.
 */
#ifndef REDUCE_PASSES_H
#define REDUCE_PASSES_H

#include <perfwasm/edit.h>
#include <perfwasm/reduce.h>

/* --- hot-opcodes.c ---------------------------------------------------------- */

/* Which machine opcodes the samples are on, and those of the loops that hold
 * them. Zeroed storage is one that knows nothing. */
struct hot_opcode {
	char name[24];
	double share; /* of all samples in generated code */
	bool in_loop; /* is in a loop that holds samples */
};

struct hot_place { /* samples of a wasm instruction */
	uint64_t wasm_off;
	double share;
};

struct hot {
	struct hot_opcode *ops;
	uint32_t n_ops, cap_ops;
	struct hot_place *places; /* by wasm_off, in the module sampled */
	uint32_t n_places;
	double *func_share; /* by function index */
	uint32_t n_funcs;
};

/* From what a run on the suspect wrote. */
int hot_read(struct hot *h, const char *elf_path, const char *samples_path,
	     const struct pw_module *m, struct pw_err *err);
void hot_release(struct hot *h);
/* Is the work of `now` of the same kind as that of `was`? */
bool hot_alike(const struct hot *was, const struct hot *now);
/* The samples of the wasm instructions in [lo, hi). */
double hot_share(const struct hot *h, uint64_t lo, uint64_t hi);
double hot_func_share(const struct hot *h, uint32_t func_idx);

/* --- the reduction ------------------------------------------------------------ */

struct side_runner {
	struct pw_runtime rt;
	struct pw_session *session;
	struct pw_series base;
	double base_ms;
	uint64_t n_runs;
};

struct pass_row {
	const char *name;
	uint32_t trials, kept, invalid;
	uint32_t size_bytes, n_funcs, n_insns; /* behind it */
	uint64_t wall_ns;
};

struct reduce {
	const struct pw_reduce_opts *o;
	struct pw_journal *journal;
	struct pw_guest_box box;
	char *path; /* of a candidate in the box */
	struct pw_file file;
	struct pw_buf bytes; /* what is left */
	struct pw_module *m;
	struct side_runner suspect, oracle;
	enum pw_outcome outcome; /* of the original: ok also for exit(0) */
	int exit_code;
	double gap_ms; /* lost to the oracle by what is left to keep */
	double ratio;
	struct hot hot;  /* of the module that the gap was measured on */
	struct hot here; /* of the module at hand */
	struct pw_ratio first_ratio, last_ratio;
	double original_ms; /* one run of the user's module */
	char *shortened;    /* a sentence, or NULL */
	uint32_t first_size, first_funcs, first_insns; /* of the user's */
	uint32_t n_trials, n_kept, n_invalid;
	uint64_t spent_ns; /* guest CPU time of all runs */
	uint64_t from_ns;
	uint64_t *seen; /* candidates of this process, by hash */
	struct pass_row *rows;
	uint32_t n_rows;
	const char *pass; /* at hand */
};

/* --- trial.c -------------------------------------------------------------------- */

/*
 * Is this module worth keeping? When it is, it becomes r->bytes and r->m.
 * False, too, for one that does not validate, is no smaller a change than
 * none, or when the budget is used up.
 */
int reduce_try(struct reduce *r, struct pw_buf *bytes, bool *kept,
	       struct pw_err *err);
/* Times of the module at hand on both, interleaved, and its hot opcodes: what
 * trials are compared with from now on. */
int reduce_measure(struct reduce *r, const char *key, struct pw_err *err);
/* One run on a side; counted. */
int reduce_run_on(struct reduce *r, struct side_runner *s,
		  struct pw_host_request *req, struct pw_host_reply *reply,
		  struct pw_err *err);
bool reduce_over(const struct reduce *r); /* the budget */
bool reduce_ends_alike(const struct reduce *r, const struct pw_host_reply *p);
/* Makes these bytes the module at hand. */
int reduce_take(struct reduce *r, struct pw_buf *bytes, struct pw_err *err);
uint32_t reduce_count_insns(const struct pw_module *m, uint32_t *n_funcs);

/*
 * Whether instructions are reached, an `end` as the block that it closes: the
 * walker tells of the end of a block that never gets there.
 */
#define REACH_DEPTH 256
struct reach {
	bool dead[REACH_DEPTH]; /* headers, by depth */
};
bool reach_step(struct reach *r, const struct pw_insn *in);

/* --- items.c, halve.c ------------------------------------------------------------ */

/* Something that can be taken away: one edit, or several that belong
 * together. */
struct item {
	uint32_t first_edit, n_edits;
	double share; /* of samples: the cold go first */
};

struct items {
	struct item *v;
	uint32_t n, cap;
	struct pw_edit *edits;
	uint32_t n_edits, cap_edits;
	struct pw_buf text; /* new bytes; edits hold offsets in it */
};

void items_release(struct items *it);
void items_begin(struct items *it, double share);
/* An edit of the item begun last. */
void items_edit(struct items *it, uint64_t off, uint32_t old_size,
		const uint8_t *bytes, uint32_t n);

/* An edit's new bytes, once all items are there. */
const uint8_t *items_bytes(const struct items *it, const struct pw_edit *e);

/*
 * Takes away as many items as can be: all, else halves, quarters, ... The
 * module at hand is what the items' edits speak of. *gone counts.
 */
int halve(struct reduce *r, struct items *it, uint32_t *gone,
	  struct pw_err *err);

/* --- the passes ----------------------------------------------------------------------- */

int reduce_prepare(struct reduce *r, struct pw_err *err);
/* A constant that bounds the hot loop becomes smaller. */
int pass_shorten(struct reduce *r, struct pw_err *err);
/* Bodies become "return zero". */
int pass_functions(struct reduce *r, struct pw_err *err);
/* Statements go, from the outermost blocks inwards. */
int pass_statements(struct reduce *r, struct pw_err *err);
/* Expressions become a constant or a local. */
int pass_expressions(struct reduce *r, struct pw_err *err);
/* Blocks that nothing jumps to lose their frame. */
int pass_blocks(struct reduce *r, struct pw_err *err);
/* Data segments are cut. */
int pass_data(struct reduce *r, struct pw_err *err);
/* What nothing uses goes. */
int pass_prune(struct reduce *r, struct pw_err *err);

void reduce_present(struct reduce *r, bool reduced, struct pw_report *report);

#endif
