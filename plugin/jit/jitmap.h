/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the code map share: spaces (one a process), their layers
 * and the table of all code. Knows nothing of files.
 */
#ifndef PLUGIN_JIT_JITMAP_H
#define PLUGIN_JIT_JITMAP_H

#include <perfwasm/jit.h>

#include <uthash.h>

/* --- a layer: what covers an address since when ------------------------------ */

struct jit_span {
	uint64_t start, end; /* end not in it */
	uint64_t time;
	uint32_t ref; /* an index of code, or above JIT_REF_SPECIAL */
	uint32_t seq; /* of two of the same time the later added wins */
};

/*
 * A segment tree over the n_cuts - 1 intervals between all starts and ends.
 * Node k > 0 has the children 2k and 2k + 1; the leaves begin at
 * n_cuts - 1. A span is in the few nodes that make it up, so what covers an
 * address is in the nodes from its leaf up to the root. Each node holds its
 * spans by rank, that is by time.
 */
struct jit_layer {
	struct jit_span *spans; /* by time when sorted */
	uint32_t n, cap;
	bool is_sorted;
	uint64_t *times; /* of the spans */
	uint64_t *cuts;
	uint32_t n_cuts;
	uint64_t *node_at; /* node k: ranks[node_at[k]] to node_at[k + 1] */
	uint32_t *ranks;
	uint32_t last_bound; /* the bound of the last question */
};

#define JIT_REF_SPECIAL 0xf0000000u
#define JIT_REF_NOTHING UINT32_MAX

struct jit_answer {
	uint32_t ref, next_ref; /* JIT_REF_NOTHING: none */
	uint64_t from, to;
};

void jit_layer_add(struct jit_layer *l, uint64_t start, uint64_t end,
		   uint64_t time, uint32_t ref);
/* What covers addr at a time, and what will next. */
void jit_layer_find(struct jit_layer *l, uint64_t addr, uint64_t time,
		    struct jit_answer *a);
void jit_layer_release(struct jit_layer *l);

/* --- the map -------------------------------------------------------------------- */

struct jit_fork {
	uint32_t ppid;
	uint64_t time;
};

struct jit_space {
	uint32_t pid;
	struct jit_layer dumped;   /* of jitdumps, over time */
	struct jit_layer perfmap;  /* of the perf map, of any time */
	struct jit_layer doubtful; /* the same, of less trust */
	struct jit_fork *forks;    /* what JIT_REF_SPECIAL + k stands for */
	uint32_t n_forks;
	UT_hash_handle hh;
};

/* What must stay as long as the map. */
struct jit_keep {
	struct pw_file file;
	void *memory;
	struct jit_keep *next;
};

struct pw_jitmap {
	struct jit_space *spaces, *last; /* last: that of the last question */
	struct pw_jit_code **blocks;
	uint32_t n_codes, n_blocks;
	struct jit_keep *keeps;
};

struct jit_space *jit_space_get(struct pw_jitmap *m, uint32_t pid);
struct pw_jit_code *jit_code_new(struct pw_jitmap *m);
/* The mutable form of pw_jitmap_code(). */
struct pw_jit_code *jit_code_at(const struct pw_jitmap *m, uint32_t idx);
/* Puts code into the layer it belongs to; false: it has no place. */
bool jit_code_place(struct pw_jitmap *m, const struct pw_jit_code *code);
struct jit_keep *jit_keep_new(struct pw_jitmap *m);

#endif
