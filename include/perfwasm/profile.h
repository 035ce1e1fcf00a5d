/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile: samples and switches -> counts. For each event: by task, by
 * function, by machine instruction, by call chain; time off the CPU with its
 * reason. Fed record by record from a capture, or sample by sample by a door
 * that has no capture (the dlfilter). Memory is bounded whatever the capture's
 * size: what is full is said in the report. Knows nothing of perf.data.
 *
 * Not for several threads at once.
 */
#ifndef PERFWASM_PROFILE_H
#define PERFWASM_PROFILE_H

#include <perfwasm/base.h>
#include <perfwasm/capture.h>
#include <perfwasm/lines.h>
#include <perfwasm/report.h>
#include <perfwasm/space.h>

struct pw_profile;

/* Why a task was not on a CPU. */
enum pw_off_reason {
	PW_OFF_PREEMPTED, /* could have gone on, others ran */
	PW_OFF_WAKING,    /* was woken, waited for a CPU */
	PW_OFF_SLEEPING,  /* waited for an event (interruptible) */
	PW_OFF_BLOCKED,   /* waited for the disk, a lock of the kernel */
	PW_OFF_OTHER,     /* stopped, traced, not told */
	PW_N_OFF_REASONS
};
const char *pw_off_reason_name(enum pw_off_reason r); /* "preempted" */
/* Of prev_state of sched:sched_switch, which kernels since 4.14 report so. */
enum pw_off_reason pw_off_reason_of(uint64_t prev_state);

/* One sum. Of off-CPU time: `samples` switches, `period` nanoseconds. */
struct pw_count {
	uint64_t samples, period;
};

/* --- options -------------------------------------------------------------------- */

struct pw_profile_sample;

struct pw_profile_opts {
	/* keep what fits one of each list; NULL: all. NULL-ended */
	const char *const *tasks;   /* comm, pid or tid */
	const char *const *modules; /* file name of the module or the DSO */
	uint64_t from_ns, to_ns;    /* from <= t < to; 0 and 0: all */
	bool wasm_only; /* only samples in wasm code; other frames are left
			   out of call chains */
	bool no_chains; /* do not fold call chains */
	bool time_line; /* count in bins of time, too, for the page */
	/* count by block of time as well, for reports that are compared; about
	 * 50 MB at most */
	bool blocks;
	/* bounds; 0: 1,000,000 nodes and 1,000,000 instructions */
	uint32_t max_nodes, max_insns;
	/*
	 * For exporters of time lines: called for every sample that was kept
	 * and every time off the CPU when it ends, in the order given. What
	 * it points to is borrowed for the call; node ids stay.
	 */
	void (*on_sample)(void *ctx, const struct pw_profile_sample *s);
	void *ctx;
};

/* space is borrowed for the profile's life and is fed by it. o may be NULL and
 * is copied, its lists are borrowed. */
struct pw_profile *pw_profile_new(struct pw_space *space,
				  const struct pw_profile_opts *o);
void pw_profile_free(struct pw_profile *p);
struct pw_space *pw_profile_space(const struct pw_profile *p);

/* --- feeding: a capture ------------------------------------------------------------ */

/* Reads a capture to its end. -errno with what was read until then kept.
 * The capture's counts and facts are copied for the report. */
int pw_profile_capture(struct pw_profile *p, struct pw_capture *c,
		       struct pw_err *err);
/* The same record by record; then pw_profile_end() once, before anything is
 * asked. c: for fields of tracepoints; may be NULL. */
void pw_profile_event(struct pw_profile *p, struct pw_capture *c,
		      const struct pw_event *ev);
void pw_profile_end(struct pw_profile *p, const struct pw_capture *c);

/* --- feeding: samples without a capture ---------------------------------------------- */

/* An event by its name ("cycles:u", "sched:sched_switch"): its number. The
 * same name gives the same number. */
uint32_t pw_profile_add_event(struct pw_profile *p, const char *name);
/* Where the fields of an event's raw data lie: the text of its `format` file
 * of tracefs. Needed for sched:sched_switch, sched:sched_wakeup[_new]. */
int pw_profile_set_format(struct pw_profile *p, uint32_t event,
			  const char *format, size_t size, struct pw_err *err);

struct pw_push {
	uint32_t event; /* of pw_profile_add_event() */
	uint32_t pid, tid, cpu;
	uint64_t time_ns; /* PW_NO_TIME: not recorded */
	uint64_t ip, period;
	unsigned int cpumode;      /* of the record's misc */
	const char *comm;          /* NULL: as COMM records told */
	const uint64_t *callchain; /* innermost first, with PERF_CONTEXT_*;
				      NULL: none. ip itself may lead it */
	uint64_t n_callchain;
	const uint8_t *raw; /* of a tracepoint; NULL */
	uint32_t raw_size;
	/* so many samples alike, `period` in all; 0: one. Not of events that
	 * tell of switches */
	uint32_t n_samples;
};
void pw_profile_push(struct pw_profile *p, const struct pw_push *s);

/* Times off the CPU that were added up elsewhere, of one task in one place. */
struct pw_away {
	uint32_t pid, tid;
	const char *comm; /* NULL: as COMM records told */
	uint64_t time_ns; /* the code is looked up as of then */
	enum pw_off_reason reason;
	const uint64_t *callchain; /* as in pw_push; NULL: not known where */
	uint64_t n_callchain;
	/* so many times, ns in all until it was woken, then waking_ns */
	uint64_t n, ns, waking_ns;
};
void pw_profile_away(struct pw_profile *p, const struct pw_away *a);

/* Those that a program in the kernel added up (record --bpf -g): of the series
 * of a capture, as far as until_ns, so that they come in order with the events
 * of the capture. The caller closes. */
struct pw_waits;
struct pw_waits *pw_profile_waits_open(const char *path, struct pw_err *err);
int pw_profile_waits(struct pw_waits *w, struct pw_profile *p,
		     uint64_t until_ns, struct pw_err *err);
void pw_profile_waits_close(struct pw_waits *w);

/* Samples of an address; period: of all together. Small, as there are many. */
struct pw_alike {
	uint64_t ip;
	uint32_t n, period;
};
/* As if each were pushed for itself, with what else s says (no chain, no raw
 * data). By rising address they are found faster than one by one. */
void pw_profile_push_alike(struct pw_profile *p, const struct pw_push *s,
			   const struct pw_alike *a, uint32_t n);

/* --- events ----------------------------------------------------------------------- */

struct pw_profile_event_info {
	const char *name;
	struct pw_count total; /* of what was kept */
	uint64_t filtered;     /* samples that the options left out */
	bool is_off_cpu;       /* the event of off-CPU time: there is one when
				  switches were recorded */
	bool is_sched;         /* a tracepoint that only tells of switches: it
				  has no counts of its own */
};
uint32_t pw_profile_n_events(const struct pw_profile *p);
const struct pw_profile_event_info *
pw_profile_event_info(const struct pw_profile *p, uint32_t event);
/* The event that tables show first: the first that counts something;
 * UINT32_MAX: none. */
uint32_t pw_profile_main_event(const struct pw_profile *p);
/* The event of off-CPU time, or UINT32_MAX. */
uint32_t pw_profile_off_cpu(const struct pw_profile *p);

/*
 * From here on everything is asked when all was fed. Arrays are borrowed until
 * the same function is called again.
 */

/* --- tasks and functions -------------------------------------------------------------- */

struct pw_task {
	uint32_t pid, tid;
	const char *comm;                        /* the last */
	const struct pw_count *events;           /* n_events of them */
	struct pw_count kinds[PW_N_PLACE_KINDS]; /* of the main event */
	struct pw_count off[PW_N_OFF_REASONS];
	uint64_t first_ns, last_ns; /* of what was kept */
	bool is_rest; /* all tasks beyond the bound; pid and tid PW_NO_PID */
};
uint32_t pw_profile_n_tasks(const struct pw_profile *p);
void pw_profile_task(const struct pw_profile *p, uint32_t i, struct pw_task *t);

/* Who woke a task that waited, and how long it had waited in all. */
struct pw_waker {
	uint32_t tid, waker_tid; /* waker 0: an interrupt or the idle task */
	const char *comm, *waker_comm;
	uint64_t n, wait_ns;
};
uint32_t pw_profile_n_wakers(const struct pw_profile *p);
void pw_profile_waker(const struct pw_profile *p, uint32_t i,
		      struct pw_waker *w);

struct pw_function {
	const struct pw_symbol *sym;
	const struct pw_count *self; /* n_events of them */
	/* with what it called, as far as chains were recorded; equal to self
	 * without */
	const struct pw_count *total;
	struct pw_count off[PW_N_OFF_REASONS]; /* it was the innermost frame
						  of the user's code */
};
/* Functions in no order; those without any count are left out. */
uint32_t pw_profile_n_functions(const struct pw_profile *p);
void pw_profile_function(const struct pw_profile *p, uint32_t i,
			 struct pw_function *f);
/*
 * Functions that a text names: "f42" or "42" (wasm index), a whole name, else
 * names that contain it; hottest first by the main event. The number, their
 * indexes for pw_profile_function() into idx (at most max).
 */
uint32_t pw_profile_find(const struct pw_profile *p, const char *text,
			 uint32_t *idx, uint32_t max);

/* --- instructions ------------------------------------------------------------------------ */

struct pw_hit {
	const struct pw_piece *piece;
	uint64_t off;                  /* of the sampled address in the piece */
	const struct pw_count *events; /* n_events of them */
};
uint32_t pw_profile_n_hits(const struct pw_profile *p);
void pw_profile_hit(const struct pw_profile *p, uint32_t i, struct pw_hit *h);

/*
 * The source line of an offset in a piece: told by the jitdump, else by the
 * module's DWARF or source map for the wasm instruction there. False: not
 * known. out->file holds as long as the profile.
 */
bool pw_profile_line(struct pw_profile *p, const struct pw_piece *piece,
		     uint64_t off, struct pw_line_frame *out);

/* --- call chains, folded -------------------------------------------------------------------- */

/*
 * A tree; node 0 is its root, below are the tasks by comm (sym NULL, `comm`
 * set), then frames, outermost first. Numbers of children are above their
 * parent's.
 */
struct pw_chain_node {
	uint32_t parent; /* of node 0: 0 */
	const struct pw_symbol *sym;
	const char *comm;
};
#define PW_CHAIN_ROOT 0u

uint32_t pw_profile_n_nodes(const struct pw_profile *p);
void pw_profile_node(const struct pw_profile *p, uint32_t node,
		     struct pw_chain_node *n);
/* What ended in this very node. */
struct pw_count pw_profile_node_count(const struct pw_profile *p, uint32_t node,
				      uint32_t event);

/* One sample as it comes, for time lines. */
struct pw_profile_sample {
	uint32_t event;
	uint32_t pid, tid, cpu;
	const char *comm;
	uint64_t time_ns;             /* off the CPU: when it began */
	uint64_t period;              /* off the CPU: how long, in ns */
	uint32_t node;                /* its innermost frame */
	const struct pw_piece *piece; /* of ip */
	uint64_t ip, off;             /* off: in the piece */
	enum pw_off_reason reason;    /* off the CPU */
};

/* --- the report ------------------------------------------------------------------------------ */

struct pw_profile_report_opts {
	/* comma-separated keys of the function table: "task", "module",
	 * "tier", "kind", "dso", "function", "symbol" (generated code as its
	 * runtime calls it); NULL: function, kind, tier, module and dso. What
	 * is no key is summed up. */
	const char *sort;
	uint32_t max_rows; /* of a table; 0: all */
	double min_share;  /* of the main event; rows below are left out */
	bool children;     /* order by self and callees */
	/* what the page has besides: flame graph, time line, hot functions as
	 * listings; text does without, and max_rows holds for text alone */
	bool page;
};
/* NULL: all is well, else what is wrong with opts->sort. */
int pw_profile_check_sort(const char *sort, struct pw_err *err);
/*
 * Adds to the report: facts of the capture (`capture`), what affects the
 * figures (`quality`), tables `events`, `tasks`, `functions`, `source_lines`,
 * `wasm_opcodes`, `machine_opcodes`, `off_cpu`, `wakers`; those of which
 * nothing is known are left out. o may be NULL.
 */
int pw_profile_report(struct pw_profile *p,
		      const struct pw_profile_report_opts *o,
		      struct pw_report *r, struct pw_err *err);
/*
 * Adds what a reader wants first, as notes `headline` and `hottest`: the kinds
 * of code and the functions with 1 % of the main event or more, three at most,
 * functions in all their tiers; or that there are no samples, and why. To be
 * called before anything else is added. `capture` is the name by which
 * `perf wasm annotate` finds it; NULL: it needs none.
 */
void pw_profile_headline(const struct pw_profile *p, const char *capture,
			 struct pw_report *r);

struct pw_annotate_opts {
	uint32_t event;   /* UINT32_MAX: the main one */
	double min_share; /* lines further than a few from any above it are
			      left out; 0: all lines */
	bool page_only;   /* text leaves the listings out */
};
/*
 * Adds an item to the array `annotate` for every piece of code with samples
 * of a function (index of pw_profile_function()): a listing of its machine
 * code, share of the function's samples, and the wasm instruction each came
 * from. -ENODATA: no bytes of its code are known.
 */
int pw_profile_annotate(struct pw_profile *p, uint32_t function,
			const struct pw_annotate_opts *o, struct pw_report *r,
			struct pw_err *err);

#endif
