/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of the dlfilter: what its options say (dl-options.c), which file
 * perf reads and how (dl-input.c), where its generated code is told of
 * (dl-code.c), where the fields of sched events lie (dl-formats.c). All state
 * is in struct dl_filter, which perf hands back with each call.
 */
#ifndef PLUGIN_DLFILTER_DLFILTER_H
#define PLUGIN_DLFILTER_DLFILTER_H

#include <perfwasm/profile.h>

/* --- dl-options.c ---------------------------------------------------------------- */

#define DL_MAX_LIST 64

/* A list ends with NULL. Strings are those of perf's command line. */
struct dl_options {
	bool json;
	bool wasm_only;
	bool children;
	uint32_t limit;     /* rows of a table; 0: all */
	const char *output; /* NULL: standard output */
	const char *dir;    /* of maps and dumps; NULL: that of the capture */
	const char *sort;
	const char *tasks[DL_MAX_LIST], *modules[DL_MAX_LIST];
	const char *jitdumps[DL_MAX_LIST], *wasms[DL_MAX_LIST];
	const char *artifacts[DL_MAX_LIST];
};

/* Arguments of --dlarg, each "KEY=VALUE" or a word. */
int dl_options_parse(struct dl_options *o, int n, char *const *args,
		     struct pw_err *err);
/* What filter_description() says of them. */
extern const char dl_options_help[];

/* --- dl-input.c -------------------------------------------------------------------- */

/* The file that this process reads as perf.data, from its open files; NULL: a
 * pipe. The caller frees. */
char *dl_input_path(void);
/* Whether perf was asked to leave samples out itself (--time, --cpu, ...). */
bool dl_input_is_filtered(void);

/* --- dl-batch.c -------------------------------------------------------------------- */

struct dl_batch;

/* Samples of a task and an event at an address. */
struct dl_alike {
	uint64_t ip, period;
	uint32_t pid, tid, n; /* n 0: none */
	uint16_t event, cpumode;
};

struct dl_batch *dl_batch_new(void);
void dl_batch_free(struct dl_batch *b);
/* A sample without call chain and raw data, and of an address whose code the
 * time does not change. */
void dl_batch_add(struct dl_batch *b, const struct dl_alike *s,
		  uint64_t time_ns, struct pw_profile *p);
/* Gives the profile all that it was not given yet. */
void dl_batch_give(struct dl_batch *b, struct pw_profile *p);
/* The same of a process, and of who has a thread's number: before a record
 * that changes them. */
void dl_batch_give_task(struct dl_batch *b, uint32_t pid, uint32_t tid,
			struct pw_profile *p);
/* The same when a thread ends. */
void dl_batch_end_task(struct dl_batch *b, uint32_t pid, uint32_t tid,
		       struct pw_profile *p);

/* Adds up two of an address; false: it is another, or the sum too large. */
static inline bool dl_alike_add(struct pw_alike *to, const struct pw_alike *a)
{
	if (to->ip != a->ip || a->n > UINT32_MAX - to->n ||
	    a->period > UINT32_MAX - to->period)
		return false;
	to->n += a->n;
	to->period += a->period;
	return true;
}

/* --- dl-sort.c --------------------------------------------------------------------- */

/* Sorts by address and adds up equal ones: how many are left. spare: room for
 * n, not read. */
uint32_t dl_alike_sort(struct pw_alike *a, uint32_t n, struct pw_alike *spare);

/* --- dl-records.c ------------------------------------------------------------------ */

struct dl_filter;

/* Opens f->path for its records without samples; f->records stays NULL when
 * it can't be read. */
void dl_records_open(struct dl_filter *f);
/* Gives the profile those up to a time. */
void dl_records_until(struct dl_filter *f, uint64_t time_ns);
/* All that are left, when perf has ended. */
void dl_records_rest(struct dl_filter *f);

/* --- dl-mapped.c ------------------------------------------------------------------- */

/* Has f->records look at the memory where perf has the file; where there is
 * none, it goes on to read. */
void dl_mapped_lend(struct dl_filter *f);
/* perf has read the file up to `off`. */
void dl_mapped_done(struct dl_filter *f, uint64_t off);

/* --- dl-code.c --------------------------------------------------------------------- */

/* Gives the space what the options name. */
int dl_code_add_named(struct dl_filter *f, struct pw_err *err);
/* The same of what lies beside the capture, and what its command line names. */
void dl_code_add_known(struct dl_filter *f);
/* From a pipe, a sample of the process was in memory that no file was mapped
 * to: looks, once, for its jitdump. */
void dl_code_look(struct dl_filter *f, uint32_t pid);

/* --- dl-formats.c -------------------------------------------------------------------- */

/* Tells the profile where the fields of a sched event lie. raw_size: of its
 * first sample. Whether it is one. */
bool dl_formats_set(struct dl_filter *f, uint32_t event, const char *name,
		    uint32_t raw_size);

/* --- all ----------------------------------------------------------------------------- */

/* What is known of a task; kept by the low bits of its tid. */
struct dl_task {
	uint32_t pid, tid;
	uint32_t n; /* samples since its name was asked for first */
};
#define DL_N_TASKS 4096u

struct dl_event {
	const char *name; /* perf's own string: compared by address */
	uint32_t idx;
	bool is_sched; /* its call chains tell what was left */
};
#define DL_N_EVENTS 64u

struct dl_filter {
	struct dl_options opts;
	struct pw_space *space;
	struct pw_profile *profile;
	char *path, *dir; /* of the capture; NULL: a pipe */
	bool is_late;     /* perf's own filters go first */
	bool has_modules; /* some were named */
	/* a file: its other records, and the first that was not given yet */
	struct pw_capture *records;
	struct pw_event record;
	bool has_record, has_ended;
	uint64_t quiet_ns; /* no other record up to then is left */
	/* where perf has the file; NULL: not known */
	const uint8_t *mapped;
	bool is_lent;
	uint64_t mapped_done; /* handed back up to this offset */
	bool has_facts;       /* the space has those of the capture */
	bool is_timed;        /* code is told of that has its times */
	struct dl_batch *batch;
	/* a pipe: what perf knows is asked for */
	void *ctx;        /* of the call that we are in */
	bool missed;      /* the last look-up found code that nobody tells of */
	uint32_t *looked; /* pids whose jitdump was looked for */
	uint32_t n_looked;
	struct dl_event events[DL_N_EVENTS];
	uint32_t n_events;
	struct dl_task tasks[DL_N_TASKS];
	char *notes[8]; /* sentences for the report */
	uint32_t n_notes;
	uint64_t n_short; /* samples of a structure that is too short */
};

void dl_note(struct dl_filter *f, const char *fmt, ...) PW_PRINTF(2, 3);

#endif
