/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a provenance search. */
#ifndef PLUGIN_PROVENANCE_TRIAL_H
#define PLUGIN_PROVENANCE_TRIAL_H

#include <perfwasm/provenance.h>

/* --- lone.c ---------------------------------------------------------------- */

/* Appends the module with every body but one emptied, data and what says
 * nothing to a compiler left out. */
void lone_module(const struct pw_module *m, uint32_t func_idx,
		 struct pw_buf *out);

/* --- pick.c ---------------------------------------------------------------- */

/* How an instruction is changed; each kind says something else. */
enum pick_kind {
	PICK_OPERATOR, /* pw_mutate's kinds */
	PICK_OPERAND,
	PICK_DELETION,
	PICK_OFFSET, /* another offset of a memory access */
	PICK_DROP,   /* its operands are dropped: a store, a br_if, ... */
	N_PICK_KINDS
};

#define PICK_BYTES 32

struct pick {
	uint32_t site; /* index of the instruction */
	enum pick_kind kind;
	uint64_t off;
	uint32_t old_size, new_size;
	uint8_t new_bytes[PICK_BYTES];
};

struct picks {
	struct pick *v; /* by kind or site */
	uint32_t n, cap;
};

/* At most about per_site changes of each instruction of a function. */
int picks_make(struct picks *p, const struct pw_module *m, uint32_t func_idx,
	       uint32_t per_site, struct pw_err *err);

/* --- compile.c -------------------------------------------------------------- */

/* Through a session's host; the context of its compiler. */
struct session_compiler {
	struct pw_session *session;
	const char *box_dir;
	uint32_t n_imported;
};

int session_compile(void *ctx, const uint8_t *module, size_t size,
		    uint32_t func_idx, uint64_t known_hash,
		    struct pw_provenance_code *code, struct pw_err *err);

/* --- blame.c ---------------------------------------------------------------- */

enum clue_kind { CLUE_LOST, CLUE_ALTERED };

/* A mutant of a site and a machine instruction that is not as it was. */
struct clue {
	uint32_t insn, site;
	uint32_t mutant;
	enum clue_kind kind;
};

struct blame {
	uint32_t n_insns;
	struct clue *v;
	size_t n, cap;
	/* per mutant: of which site, and how many clues of each kind */
	struct {
		uint32_t site, n_clues[2];
		enum pick_kind kind;
	} * mutants;
	uint32_t n_mutants, cap_mutants;
};

/* What the search knows of a wasm instruction. */
struct site {
	uint64_t off;  /* in the module given */
	uint32_t user; /* the instruction that pops its result or SITE_NONE */
	bool is_leaf;  /* local.get, a constant: has no code of its own where
			  its user takes it as operand */
	bool is_tee;   /* local.tee: hands its operand on */
	bool returns;
	uint32_t operand; /* of local.tee */
};

#define SITE_NONE UINT32_MAX

struct sites {
	struct site *v;
	uint32_t n, cap;
};

/* wasm-tree.c */
int sites_read(struct sites *s, const struct pw_module *m, uint32_t func_idx,
	       struct pw_err *err);

void blame_init(struct blame *b, uint32_t n_insns);
void blame_release(struct blame *b);
/* The differences of one mutant's code. */
int blame_add(struct blame *b, uint32_t site, enum pick_kind kind,
	      const struct pw_provenance_code *original,
	      const struct pw_provenance_code *mutant);
/* What a machine instruction may have come from, the likeliest first. */
#define CANDIDATES 4

struct candidate {
	uint32_t site;
	double score; /* of all mutants of the site, weighted */
	double share; /* of the site's mutants */
};

struct candidates {
	struct candidate v[CANDIDATES];
	uint32_t n;
	double sum; /* of the scores */
};

/* to[n_insns] */
void blame_decide(struct blame *b, const struct pw_minsn *insns,
		  const struct sites *sites, struct candidates *to);

/* --- order-path.c ------------------------------------------------------------------ */

/* Returns, and what takes the frame down before them, are of a `return` or
 * of the function's `end`. */
void path_returns(const struct pw_minsn *insns, uint32_t n,
		  const struct sites *sites, struct candidates *c);
/* One site for each machine instruction or SITE_NONE, so that neighbours
 * fit each other. */
void path_choose(const struct pw_minsn *insns, uint32_t n,
		 const struct candidates *from, uint32_t *site);

#endif
