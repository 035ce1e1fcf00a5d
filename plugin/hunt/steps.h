/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the steps of a hunt share. hunt.c is the list of the steps; each other
 * file beside it is one step, each folder one of several files, and reads what the
 * steps before it left here.
 */
#ifndef HUNT_STEPS_H
#define HUNT_STEPS_H

#include <perfwasm/code.h>
#include <perfwasm/count.h>
#include <perfwasm/hunt.h>
#include <perfwasm/measure.h>
#include <perfwasm/mutate.h>
#include <perfwasm/triage.h>

/* --- the parts of a hunt --------------------------------------------------------- */

/* The suspect or an oracle. */
struct runner {
	struct pw_runtime rt;
	struct pw_session *session; /* opened when first needed */
	struct pw_series base;      /* the hunted module, undisturbed */
	double base_ms;             /* median */
	struct pw_ratio gap;        /* suspect / this oracle */
	char digest[68];            /* of the hunted module's end */
	bool usable;                /* runs the module */
	bool tracks_work;           /* its time says how much work is done */
};

/* A machine instruction of the hunted module and the wasm instruction that it
 * came from. */
struct origin {
	uint64_t text_off, wasm_off;
};

struct candidate {
	struct pw_mutation mut;
	double promise; /* see sites.c */
	uint64_t code;  /* hash of the suspect's machine code; 0 unknown */
};

/* What one judged mutant did on one oracle. */
struct verdict {
	double ms;
	double base_ms;
	bool same_digest;
	enum pw_outcome outcome;
};

/* The same code at another address: so much code that never runs is put in
 * front of it (module.h); 0: the module as it is. */
#define PLACES_MAX 4
struct placement {
	uint32_t units;
	uint64_t start; /* text offset of the hot function */
	double ms;      /* the original's, least of some runs */
};

/* What the counted copies say of a mutant against the original. */
enum counted {
	COUNTS_UNKNOWN, /* not counted */
	COUNTS_SAME,    /* every block is executed as often */
	COUNTS_DIFFER,
};

/* Mutants of the same machine code on the suspect; the first stands for all. */
struct group {
	uint32_t candidate;
	uint32_t n_members;
	enum pw_outcome outcome;
	double race_ms;   /* one run; 0 when stopped early */
	bool same_digest; /* on the suspect */
	bool effective;   /* passed the race */
	/* by witness.c; the block whose count differs most */
	enum counted counts;
	uint64_t block_off, block_was, block_is;
	/* by judge.c */
	bool judged;
	double ms, base_ms; /* medians, interleaved with the original's */
	double closed;      /* share of the gap that is gone, 1 = all */
	struct pw_interval closed_ci;
	double same_time; /* 1: the oracles' times stay; 0: they do not */
	double score;
	struct verdict *on; /* one an oracle */
	/* by place-hold.c, of findings */
	double at_ms[PLACES_MAX];
	unsigned n_places, n_held; /* placements with a gap; where it held */
	/* by isolate.c */
	struct evidence *evidence;
};

/* A mutant that ends as the original does and closes most of the gap may be a
 * cure. Of so many one is mostly as small a change as there is. */
#define CURES_ENOUGH 4
static inline bool hunt_is_cure(const struct group *g)
{
	return g->same_digest && g->counts != COUNTS_DIFFER && g->closed >= 0.5;
}

/* One machine instruction of the original, as the diff and samples see it. */
struct accused {
	uint32_t insn;    /* index in the function's disassembly */
	bool moved;       /* not extra, but in another place */
	double share;     /* of all samples, neighbours included */
	double skid;      /* the samples that may be its own: on the next
			     one all, on itself half */
	double suspicion; /* Ochiai over all raced groups, 0..1 */
};

/* The original's code of one function. */
struct side {
	struct pw_minsn *insns;
	uint32_t n;
	double *share; /* of all samples, by instruction */
	bool *hot;     /* in a loop that holds samples */
};

/* Two codes of one function and what tells them apart. */
struct evidence {
	uint32_t func_idx;
	struct side *slow;     /* belongs to the hunt */
	struct pw_minsn *fast; /* findings only, as are the lines */
	uint32_t n_fast;
	struct pw_code_diff_line *lines; /* code.h */
	uint32_t n_lines;
	struct accused *accused; /* the hot left-overs of the slow code */
	uint32_t n_accused;
	uint32_t n_added; /* hot instructions only the fast code has */
	uint32_t n_cold;  /* left-overs outside the hot code */
	/* by chain.c: cycles of all chains that go from turn to turn in the hottest loop of
	 * the slow and in the fast code, merges left out; < 0: not known */
	double chain_was, chain_is;
};
void hunt_evidence_free(struct evidence *e);

/* A wasm instruction that is a call into the runtime. */
struct road {
	uint32_t func_idx;
	uint64_t text_off;
	char insn[96]; /* "@0x58 table.init 0" */
	char call[128];
	double share; /* of the samples in generated code, in its loop */
};

/* What was recorded of the suspect and of the oracle that tells the gap. */
struct triage {
	struct pw_triage recorded[2];
	struct pw_triage_side sides[2];
	struct runner *oracle;
	struct pw_triage_gap gap;
	struct pw_host_cost *costs; /* of imported functions */
	size_t n_costs;
	struct road *roads; /* most samples first */
	size_t n_roads;
	bool is_known;
	char *why_not; /* nothing was recorded; NULL */
};

struct hunt {
	const struct pw_hunt_opts *o;
	struct pw_journal *journal;
	struct pw_guest_box box; /* what guests and hosts see */
	char *module_path;       /* the hunted module in the box */
	struct pw_file file;
	struct pw_module *given; /* the user's */
	struct pw_buf bytes;     /* the hunted one: scaled, and with its
				      memories and globals exported */
	struct pw_module *module;
	uint64_t shift; /* offset in hunted code minus given */
	char *scaled;   /* what scale.c changed, a sentence; NULL */
	struct runner suspect;
	struct runner *oracles;
	size_t n_oracles;
	uint64_t identity; /* of all that may change what it finds */
	bool no_gap;
	bool waits_only;   /* more wall time than the oracle, but not CPU */
	bool ends_outside; /* the excess is in calls into the host */
	struct triage triage;
	struct { /* sample.c, by text_off */
		uint64_t *text_off;
		uint64_t *wasm_off;
		double *share; /* of all samples */
		size_t n;
		double in_code; /* share inside generated code */
		uint64_t n_samples;
	} samples;
	struct { /* origins.c: what a suspect that tells none came from */
		struct origin *v;
		size_t n;
	} origins;
	struct { /* place.c */
		struct placement at[PLACES_MAX];
		size_t n, best;             /* n 0: nothing was moved */
		uint32_t func_idx, pad_idx; /* the hot function; the padded */
		uint64_t loop_lo, loop_hi;  /* its hot loop, from its start */
		double gain;   /* share of the gap that moving it closes */
		bool is_cause; /* most of it */
		bool is_all;   /* what is left is no gap */
	} place;
	struct {          /* witness.c */
		char *on; /* the runtime that counted; NULL: none */
		unsigned n_blocks, n_left_out; /* functions not counted */
		/* of the original; by witness_original(), else NULL */
		struct pw_count_plan *plan;
		uint64_t *base;
	} counts;
	struct candidate *candidates;
	size_t n_candidates, cap_candidates;
	uint64_t code;   /* deal.c: hash of the suspect's; 0 not shown */
	size_t n_merged; /* directories of shards */
	size_t n_idle;   /* of them, those that made no mutants */
	bool is_share;   /* it is a shard, and has done its share */
	struct group *groups;
	size_t n_groups, n_unchanged, n_compiled, n_raced, n_effective;
	struct side *sides; /* isolate.c, by function of the image */
	size_t n_sides;
	bool any_same;     /* a good mutant ends as the original */
	uint32_t *ranking; /* judged groups, best first */
	size_t n_ranked;
	uint32_t *findings; /* those told in full */
	size_t n_findings;
	size_t n_unsure;  /* not told: their interval holds 0 */
	struct why *whys; /* explain-step.c, by finding */
	size_t n_whys;
	struct contrast *contrast; /* contrast.c; NULL: not wanted */
	char no_counters[160]; /* why no hardware event was counted, or "" */
	uint64_t spent_ns;     /* guest CPU time of all runs, those that the
				      journal remembers too */
	double original_ms;    /* one run of the user's module */
	struct pw_ratio given_gap; /* of the user's module */
};

/* --- helpers of hunt.c for the steps ------------------------------------------------ */

int hunt_open(struct hunt *h, struct runner *r, struct pw_err *err);
/* Runs one request on a runner, opening its session when there is none. */
int hunt_run(struct hunt *h, struct runner *r, struct pw_host_request *req,
	     struct pw_host_reply *reply, struct pw_err *err);
/* Adds to the hunt's cost what runs outside hunt_run() took. */
void hunt_spent(struct hunt *h, const struct pw_series *s);
/* The module of a group's first candidate, written into the box. */
int hunt_write_mutant(struct hunt *h, const struct pw_mutation *mut,
		      struct pw_err *err);
#define HUNT_MUTANT "mutant.wasm"
/* Makes these bytes, with the missing exports, the hunted module. */
int hunt_take_module(struct hunt *h, const uint8_t *bytes, size_t size,
		     struct pw_err *err);
/* Machine code of a module on a runner; image belongs to code. */
struct image {
	struct pw_file file;
	struct pw_code *code;
	enum pw_outcome outcome; /* not ok: no code */
	char message[160];
};
int hunt_compile_on(struct hunt *h, struct runner *r, const char *module_path,
		    struct image *im, struct pw_err *err);
/* The same on the suspect. */
int hunt_compile(struct hunt *h, const char *module_path, struct image *im,
		 struct pw_err *err);
void hunt_image_release(struct image *im);
void hunt_progress(const struct hunt *h, const char *step, size_t done,
		   size_t total, uint64_t started_ns);
/* Times of all runners on the hunted module, interleaved; journal key. */
int hunt_time_all(struct hunt *h, const char *key, struct pw_err *err);
/* What the times say: ratios, usable oracles. EINVAL: does not run. */
int hunt_compare(struct hunt *h, struct pw_err *err);
/* Sets the oracle's tracks_work; runs it where its time leaves doubt. */
int hunt_look_for_work(struct hunt *h, struct runner *oracle,
		       struct pw_err *err);
/* Does the time of an oracle tell how much work a module does? By its runs of
 * the module and of an emptied copy (none where there is none). */
bool hunt_tells_work(const struct pw_series *whole,
		     const struct pw_series *emptied, double suspect_ms);
/* Appends the module whose function that is called returns at once. False: it
 * can't be made. */
bool hunt_empty_copy(const struct pw_module *m, const char *invoke,
		     struct pw_buf *out);
/* The oracle that tells how fast the suspect could be. */
const struct runner *hunt_reference(const struct hunt *h);
/* How fast the suspect could be, ms; 0 when the oracle does not tell. */
double hunt_ideal_ms(const struct hunt *h);
/* Is the directory this shard's? It is marked so. EEXIST: another's. */
int deal_claim(struct hunt *h, struct pw_err *err);
/* The groups that are run at most, of a share fewer. */
uint32_t deal_budget(const struct pw_hunt_opts *o);
/* What a constant promises as the bound of a hot loop: by its function's share
 * of the samples and the instruction that takes it. LLVM compares with the
 * bound, or sets a local to it and counts down; masks and factors bound
 * nothing. By scale.c. */
double scale_promise(double share, enum pw_op next);
/* The module's own functions, those with most samples first; the caller
 * frees. */
uint32_t *hunt_functions_by_share(const struct hunt *h, uint32_t *n);
/* The share of all samples that is in machine code of [lo, hi), or of f. */
double hunt_share_between(const struct hunt *h, uint64_t lo, uint64_t hi);
double hunt_share_in(const struct hunt *h, const struct pw_code_func *f);
/* The wasm function with most of them, NULL when none has more than least. */
const struct pw_code_func *
hunt_hottest(const struct hunt *h, const struct pw_code *code, double least);
/* Is a finding quick for where it put the code only? By hunt_hold(). */
bool hunt_is_placement(const struct group *g);
/* The file offset of the wasm instruction behind a hot machine instruction, or
 * PW_NO_OFF; of a suspect that tells it itself there is nothing here. */
uint64_t hunt_origin(const struct hunt *h, uint64_t text_off);
void hunt_origins_parse(struct hunt *h, const char *text);
/* A notation is the journal's key of a mutant; the caller frees. */
char *hunt_notation(const struct hunt *h, const struct pw_mutation *mut);

/* --- the steps, in order ----------------------------------------------------------- */

int hunt_prepare(struct hunt *h, struct pw_err *err);
int hunt_baseline(struct hunt *h, struct pw_err *err);
int hunt_triage(struct hunt *h, struct pw_err *err);
int hunt_sample(struct hunt *h, struct pw_err *err);
int hunt_scale(struct hunt *h, struct pw_err *err);
int hunt_origins(struct hunt *h, struct pw_err *err);
int hunt_place(struct hunt *h, struct pw_err *err);
int hunt_sites(struct hunt *h, struct pw_err *err);
int hunt_deal(struct hunt *h, struct pw_err *err);
int hunt_compile_and_group(struct hunt *h, struct pw_err *err);
int hunt_race(struct hunt *h, struct pw_err *err);
int hunt_witness(struct hunt *h, struct pw_err *err);
int hunt_share(struct hunt *h, struct pw_err *err);
int hunt_judge(struct hunt *h, struct pw_err *err);
int hunt_isolate(struct hunt *h, struct pw_err *err);
int hunt_hold(struct hunt *h, struct pw_err *err);
int hunt_explain(struct hunt *h, struct pw_err *err);
int hunt_contrast(struct hunt *h, struct pw_err *err);
void hunt_triage_release(struct hunt *h);
void hunt_present(struct hunt *h, struct pw_report *report);
/* What a replay needs and a maintainer wants, put into a bundle. */
int hunt_bundle(struct hunt *h, struct pw_bundle *b, struct pw_err *err);

#endif
