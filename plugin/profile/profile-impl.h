/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of a profile. A sample comes in (feed.c), is counted for its
 * task (tasks.c), its instruction (hits.c) and its call chain (chains.c);
 * switches become time off the CPU (switches.c). functions.c and the report
 * files only read.
 */
#ifndef PLUGIN_PROFILE_PROFILE_IMPL_H
#define PLUGIN_PROFILE_PROFILE_IMPL_H

#include <perfwasm/profile.h>

#include "time-bins.h"

/* --- events -------------------------------------------------------------------- */

enum event_role { EVENT_COUNTS, EVENT_OFF, EVENT_SWITCH, EVENT_WAKE };

/* Counts by number of node, hit, task; as long as the highest that had one. */
struct counts {
	struct pw_count *at;
	uint32_t n;
};

struct event {
	struct pw_profile_event_info info;
	enum event_role role;
	char *name;
	struct counts nodes, hits, tasks;
	/* of the raw data of tracepoints */
	bool has_fields;
	struct pw_field prev_pid, prev_state, next_pid, pid;
};

/* --- tasks ------------------------------------------------------------------------ */

#define TASKS_MAX  65536u
#define NOT_OFF    UINT64_MAX
#define TASK_REST  0u
#define WAKERS_MAX 65536u

struct task {
	uint32_t pid, tid;
	const char *comm;
	uint32_t root; /* its node below PW_CHAIN_ROOT */
	bool is_stale; /* its comm may have changed */
	bool is_kept;  /* the options want it */
	uint64_t first_ns, last_ns;
	struct pw_count kinds[PW_N_PLACE_KINDS];
	struct pw_count off[PW_N_OFF_REASONS];
	/* off the CPU since out_ns; NOT_OFF: on it, or not known */
	uint64_t out_ns, woken_ns;
	enum pw_off_reason reason;
	uint32_t out_node, out_sym;
	uint64_t out_ip;
	const struct pw_piece *out_piece;
	uint64_t out_off;
	uint32_t waker; /* of tasks */
};

struct waker {
	uint32_t task, waker; /* of tasks */
	uint64_t n, wait_ns;
};

/* A hash table of numbers; what they stand for is the owner's. */
struct index {
	uint32_t *slots; /* number + 1; 0: free */
	uint32_t n, cap; /* cap: a power of two */
};

/* --- chains and hits ---------------------------------------------------------------- */

#define NO_SYM UINT32_MAX

struct node {
	uint32_t parent, sym; /* sym: of a task's node the index of its comm */
};

struct chain_entry {
	uint64_t hash, from_ns, to_ns;
	uint32_t node, user_sym;      /* of the callers */
	uint32_t leaf_sym, leaf_node; /* of the last sample with them */
};
#define CHAIN_ENTRIES (1u << 16)
#define CHAIN_WAYS    4u

struct hit {
	uint64_t off;
	uint32_t piece;
};

/* --- counts by block of time ---------------------------------------------------------- */

#define BLOCKS_MAX 64

enum block_kind {
	BLOCK_EVENT,    /* sub: the event; id 0 */
	BLOCK_TASK,     /* sub: the event, id: the task */
	BLOCK_SYMBOL,   /* sub: the event; what ended in it */
	BLOCK_HIT,      /* sub: the event */
	BLOCK_OFF_TASK, /* sub: the reason */
	BLOCK_OFF_SYMBOL
};

struct time_blocks {
	struct block_entry *entries;
	uint32_t n, cap;
	struct pw_axis axis; /* n_max 0: nothing came yet */
	uint64_t last_ns;
	bool lacks_hits, is_full;
};

/* What is known of where a sample was. */
struct spot {
	const struct pw_piece *piece;
	uint64_t off;
	uint32_t node;
	uint32_t user_sym; /* of the innermost frame outside the kernel */
};

struct pw_profile {
	struct pw_space *space;
	struct pw_profile_opts opts;
	struct event **events;
	uint32_t n_events;
	uint32_t *of_attr; /* the event of each attr, number + 1 */
	uint32_t n_of_attr;
	uint32_t off_event;
	struct time_blocks blocks; /* when the options ask for them */
	bool has_switches; /* by a tracepoint: records are passed over */

	struct task *tasks;
	uint32_t n_tasks, last_task;
	struct index by_tid;
	struct waker *wakers;
	uint32_t n_wakers;
	struct index by_waker;

	const char **comms;
	uint32_t n_comms;
	struct index by_comm;
	struct node *nodes;
	uint32_t n_nodes, cap_nodes;
	struct index by_node;
	struct chain_entry *chains; /* sets of CHAIN_WAYS */
	uint32_t next_way;
	uint64_t cut_frames; /* that did not fit */

	struct hit *hits;
	uint32_t n_hits, cap_hits;
	struct hit_block *hit_blocks;
	uint32_t last_block; /* number + 1 */
	struct index by_hit; /* of blocks */
	uint64_t cut_hits;

	uint8_t *module_verdict; /* by symbol: 0 not asked, 1 keep, 2 not */
	uint32_t n_verdicts;
	struct pw_count *sym_off; /* [symbol][reason] */
	uint32_t n_sym_off;
	uint64_t last_ns;
	struct time_bins *bins; /* NULL: no time line is wanted */

	/* of the capture, for the report */
	bool has_capture;
	struct pw_capture_counts counts;
	struct facts {
		char *hostname, *osrelease, *arch, *version, *cpudesc;
		char *command;
		bool is_killed, is_cut;
	} facts;
	char *clock_remark, *field_remark;
	bool is_other_clock;

	/* source-lines.c: by module, opened when first asked */
	struct module_lines {
		bool is_asked;
		struct pw_lines *lines;
	} * lines;
	uint32_t n_lines;

	/* functions.c: made when first asked, dropped when fed */
	struct function *functions;
	uint32_t n_functions;
	struct pw_count *sums; /* self and total of each */
	struct pw_count *scratch;
};

struct function {
	uint32_t sym;
	struct pw_count *self, *total; /* [n_events] */
	bool is_used;
};

/* counts.c */
struct pw_count *count_at(struct counts *c, uint32_t i);
struct pw_count count_get(const struct counts *c, uint32_t i);
static inline void count_add(struct pw_count *c, uint64_t samples,
			     uint64_t period)
{
	c->samples += samples;
	c->period += period;
}
/* The first slot where a number of this hash may be. Go on with index_next()
 * until it is free (0) or the owner's. */
uint32_t *index_first(struct index *x, uint64_t hash);
uint32_t *index_next(struct index *x, uint32_t *slot);
/* Makes room for one more before index_first(): hash_of() gives that of a
 * number. */
void index_grow(struct index *x,
		uint64_t (*hash_of)(const struct pw_profile *, uint32_t),
		const struct pw_profile *p);
static inline uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
	return a ^ a >> 32;
}

/* tasks.c */
uint32_t task_find(struct pw_profile *p, uint32_t pid, uint32_t tid,
		   const char *comm);
/* Of a thread that an event tells of; pid may be PW_NO_PID. */
uint32_t task_of_tid(struct pw_profile *p, uint32_t tid);
void task_stale(struct pw_profile *p, uint32_t tid);
struct waker *waker_get(struct pw_profile *p, uint32_t task, uint32_t waker);

/* chains.c */
uint32_t node_get(struct pw_profile *p, uint32_t parent, uint32_t sym);
uint32_t comm_node(struct pw_profile *p, const char *comm);
struct frames {
	uint32_t pid;
	uint64_t time_ns;
	unsigned int cpumode;
	uint64_t ip;
	const uint64_t *chain;
	uint64_t n;
};
/* Where it was, and its node below the task's. */
void chain_spot(struct pw_profile *p, const struct task *t,
		const struct frames *f, struct spot *spot);
void chains_release(struct pw_profile *p);

/* hits.c */
/* Its number, or UINT32_MAX. */
uint32_t hit_count(struct pw_profile *p, struct event *e,
		   const struct pw_piece *piece, uint64_t off,
		   struct pw_count n);

/* time-blocks.c */
/* Up to here the capture goes. */
void blocks_reach(struct time_blocks *b, uint64_t time_ns);
void blocks_add(struct time_blocks *b, enum block_kind kind, uint32_t sub,
		uint32_t id, uint64_t time_ns, struct pw_count n);
/* A time: nanoseconds to each block that it is in, one count to the last. */
void blocks_add_span(struct time_blocks *b, enum block_kind kind, uint32_t sub,
		     uint32_t id, uint64_t from_ns, uint64_t to_ns);
uint64_t blocks_span_ns(const struct time_blocks *b);
/* 0: there are none. */
uint64_t blocks_width_ns(const struct time_blocks *b);
int blocks_n(const struct time_blocks *b);
/* Adds to arrays of blocks_n(); either may be NULL. */
void blocks_get(const struct time_blocks *b, enum block_kind kind, uint32_t sub,
		uint32_t id, double *periods, double *samples);
void blocks_release(struct time_blocks *b);

/* switches.c */
/* A sample of EVENT_SWITCH or EVENT_WAKE. */
void switch_sample(struct pw_profile *p, struct event *e,
		   const struct pw_push *s);
/* SWITCH and SWITCH_CPU_WIDE. */
void switch_record(struct pw_profile *p, const struct pw_event *ev);
/* What is off the CPU at the end. */
void switches_end(struct pw_profile *p);

/* feed.c */
bool module_is_kept(struct pw_profile *p, const struct pw_symbol *sym);
struct event *event_of(struct pw_profile *p, uint32_t event);

/* source-lines.c */
void lines_release(struct pw_profile *p);

/* functions.c */
void functions_make(struct pw_profile *p);
void functions_drop(struct pw_profile *p);
uint32_t node_comm(const struct pw_profile *p, uint32_t node);

#endif
