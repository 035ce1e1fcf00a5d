/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture: what perf recorded. Reads perf.data as a file or from a pipe, of
 * either byte order, compressed or not, and gives its records decoded and in
 * the order of time with bounded memory. The bytes are untrusted. Knows
 * nothing of symbols, machine code or wasm.
 *
 * Constants that a field's comment names (PERF_SAMPLE_*, PERF_RECORD_MISC_*)
 * are those of <linux/perf_event.h>, perf_event_open(2).
 */
#ifndef PERFWASM_CAPTURE_H
#define PERFWASM_CAPTURE_H

#include <perfwasm/base.h>
#include <perfwasm/jit.h>

struct pw_capture;

enum pw_record {
#define PW_RECORD(id, number, decoder) PW_REC_##id = number,
#include <perfwasm/records.def>
#undef PW_RECORD
	PW_N_RECORDS /* one above the highest number */
};
/* "MMAP2", or NULL for a type that records.def does not have. */
const char *pw_record_name(unsigned int type);

#define PW_NO_TIME UINT64_MAX
#define PW_NO_PID  UINT32_MAX /* also of tid and cpu */

/* --- the events that were recorded ---------------------------------------- */

/* Bits of pw_attr.flags, where perf_event_attr has them. */
#define PW_ATTR_EXCLUDE_USER   (1ULL << 4)
#define PW_ATTR_EXCLUDE_KERNEL (1ULL << 5)
#define PW_ATTR_EXCLUDE_HV     (1ULL << 6)
#define PW_ATTR_FREQ           (1ULL << 10)
#define PW_ATTR_ENABLE_ON_EXEC (1ULL << 12)
#define PW_ATTR_SAMPLE_ID_ALL  (1ULL << 18)
#define PW_ATTR_USE_CLOCKID    (1ULL << 25)
#define PW_ATTR_CONTEXT_SWITCH (1ULL << 26)

/* One event of the recording (perf_event_attr); what an older file does not
 * have is 0. Lives as long as its capture, at one address. */
struct pw_attr {
	uint32_t idx;
	const char *name; /* "cpu-clock:u", "sched:sched_switch"; never NULL */
	uint32_t type, size;
	uint64_t config, config1, config2, config3;
	uint64_t sample_period; /* or the frequency: PW_ATTR_FREQ */
	uint64_t sample_type;   /* PERF_SAMPLE_* */
	uint64_t read_format;   /* PERF_FORMAT_* */
	uint64_t flags;
	uint32_t wakeup, bp_type;
	uint64_t branch_sample_type, sample_regs_user, sample_regs_intr;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint32_t aux_watermark, sample_max_stack, aux_sample_size;
	uint64_t sig_data;
	const uint64_t *ids;
	uint32_t n_ids;
	uint32_t leader_idx; /* of its group; its own when in none */
};

/* --- one record ------------------------------------------------------------ */

struct pw_branch {
	uint64_t from, to;
	uint64_t flags; /* bits as in perf_branch_entry, little-endian layout */
};

struct pw_read_value {
	uint64_t value, id, lost; /* what was not recorded is 0 */
};

/* Counter values; a group has its leader's first. */
struct pw_read {
	uint64_t time_enabled, time_running;
	const struct pw_read_value *values;
	uint32_t n;
};

struct pw_regs {
	uint64_t abi;  /* PERF_SAMPLE_REGS_ABI_*; 0: there are none */
	uint64_t mask; /* which registers, as in the attr */
	const uint64_t *values;
	uint32_t n;
};

/* `fields` says which members hold something: PERF_SAMPLE_* bits. Times and
 * tasks are in pw_event. */
struct pw_sample {
	uint64_t fields;
	uint64_t ip, addr, period;
	struct pw_read read;
	/* Innermost first, with PERF_CONTEXT_*. Where a frame pointer led
	 * astray there may be any number, such as one from -4095 on that is
	 * no PERF_CONTEXT_*; perf then shows nothing of the chain. */
	const uint64_t *callchain;
	uint64_t n_callchain;
	const uint8_t *raw; /* in the byte order of the file */
	uint32_t raw_size;
	const struct pw_branch *branches;   /* newest first */
	uint64_t n_branches, branch_hw_idx; /* hw_idx: -1 unknown */
	struct pw_regs regs_user, regs_intr;
	const uint8_t *stack;
	uint64_t stack_size; /* the bytes that hold something */
	uint64_t weight;     /* PERF_SAMPLE_WEIGHT, or all of weight_struct */
	uint32_t weight_var1;
	uint16_t weight_var2, weight_var3;
	uint64_t data_src, transaction, phys_addr, cgroup;
	uint64_t data_page_size, code_page_size;
	const uint8_t *aux;
	uint64_t aux_size;
};

struct pw_mmap { /* MMAP, MMAP2 */
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	const char *filename;
	uint32_t prot, flags; /* of MMAP: 0; see PERF_RECORD_MISC_MMAP_DATA */
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint8_t build_id[20];
	uint8_t build_id_size; /* 0: none, and ino etc. hold something */
};

struct pw_namespace {
	uint64_t dev, ino;
};

/* Which CPU or task an id was opened for; -1: all. */
struct pw_id_entry {
	uint64_t id, idx, cpu, tid;
};

struct pw_thread_entry {
	uint64_t pid;
	char comm[16];
};

struct pw_stat_setting { /* tag 0: aggr mode, 1: interval, 2: scale */
	uint64_t tag, value;
};

/*
 * One record. Everything it points to is borrowed until the next call of
 * pw_capture_next().
 */
struct pw_event {
	uint16_t type;    /* enum pw_record; unknown types are given, too */
	uint16_t misc;    /* PERF_RECORD_MISC_* */
	uint64_t off;     /* byte offset in the file (of a folder: in one of its
			  files); of what came compressed: of the compressed
			  record in which its block begins */
	uint64_t time_ns; /* on the capture's clock, or PW_NO_TIME */
	/* who ran where when it was recorded; PW_NO_PID: not recorded */
	uint32_t pid, tid, cpu;
	uint64_t id, stream_id;     /* 0: not recorded */
	const struct pw_attr *attr; /* the event it belongs to, or NULL */
	const uint8_t *bytes;       /* behind the header, in the file's order */
	uint32_t n_bytes;
	union {
		struct pw_sample sample;
		struct pw_mmap mmap;
		struct {
			uint32_t pid, tid;
			const char *comm;
			bool is_exec;
		} comm;
		struct { /* FORK, EXIT: the task that begins or ends */
			uint32_t pid, ppid, tid, ptid;
			uint64_t time_ns;
		} task;
		struct { /* SWITCH, SWITCH_CPU_WIDE */
			bool is_out, is_preempt;
			uint32_t next_prev_pid, next_prev_tid; /* PW_NO_PID */
		} swtch;
		struct { /* LOST: records of event id; LOST_SAMPLES: samples */
			uint64_t id, lost;
		} lost;
		struct { /* THROTTLE, UNTHROTTLE */
			uint64_t time_ns, id, stream_id;
		} throttle;
		struct {
			uint32_t pid, tid;
			struct pw_read read;
		} read;
		struct {
			uint64_t off, size, flags;
		} aux;
		struct {
			uint32_t pid, tid;
		} itrace_start;
		struct {
			uint32_t pid, tid;
			const struct pw_namespace *links;
			uint64_t n;
		} namespaces;
		struct {
			uint64_t addr;
			uint32_t len;
			uint16_t ksym_type, flags;
			const char *name;
		} ksymbol;
		struct {
			uint16_t bpf_type, flags;
			uint32_t id;
			const uint8_t *tag; /* 8 bytes */
		} bpf;
		struct {
			uint64_t id;
			const char *path;
		} cgroup;
		struct {
			uint64_t addr;
			uint16_t old_len, new_len;
			const uint8_t *old_bytes, *new_bytes;
		} text_poke;
		struct {
			uint64_t hw_id;
		} aux_output_hw_id;
		/* The user part of earlier call chains that end in
		 * PERF_CONTEXT_USER_DEFERRED (-640) and this cookie. */
		struct {
			uint64_t cookie, n;
			const uint64_t *ips;
		} deferred;
		struct {
			uint64_t n;
			const struct pw_id_entry *entries;
		} id_index;
		struct { /* the tasks that were recorded */
			uint64_t n;
			const struct pw_thread_entry *entries;
		} thread_map;
		struct { /* of a STAT recording */
			uint64_t n;
			const struct pw_stat_setting *settings;
		} stat_config;
		struct { /* of the event with this id; text or a number */
			uint64_t kind; /* 0 unit, 1 scale, 2 name, 3 CPUs */
			uint64_t id;
			const char *text; /* of unit and name, else NULL */
			double scale;
		} event_update;
		struct { /* the data behind it is passed over */
			uint64_t size, offset, reference;
			uint32_t idx, tid, cpu;
		} auxtrace;
		struct {
			uint32_t error_type, code, cpu, pid, tid;
			uint64_t ip;
		} auxtrace_error;
		struct {
			uint64_t id;
			uint32_t cpu, thread;
			uint64_t value, enabled, running;
		} stat;
		struct {
			uint64_t round_type, time_ns;
		} stat_round;
		struct {
			uint64_t shift, mult, zero, cycles, mask;
			bool cap_zero, cap_short;
		} time_conv;
	};
};

/* --- facts ------------------------------------------------------------------ */

struct pw_build_id {
	uint16_t misc; /* PERF_RECORD_MISC_KERNEL, _USER */
	uint32_t pid;  /* -1: the host */
	uint8_t id[20], size;
	const char *filename;
};

/* "cpu 3": "core 1 socket 0"; "pmu cpu": "type 4"; "numa node 0": ... */
struct pw_fact {
	const char *key, *value;
};

/* What the recorder wrote about the machine and itself; NULL and 0 where it
 * did not. Read at once from a file; from a pipe as it comes. */
struct pw_capture_facts {
	bool is_pipe, is_swapped, is_compressed;
	bool is_killed; /* the recorder did not finish: data size 0 */
	bool is_cut;    /* the file ends before its data do */
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t n_cpus_online, n_cpus_avail;
	uint64_t total_mem_kb;
	const char *const *argv; /* perf's command line */
	uint32_t n_argv;
	/* As the recorder says; 0: it does not, as of pieces. */
	uint64_t first_sample_ns, last_sample_ns;
	/* The clock of all times. Without use_clockid it is perf's own, on
	 * which no jitdump is written: perf record -k mono was left out. */
	bool use_clockid;
	int32_t clockid;    /* CLOCK_MONOTONIC: 1 */
	bool clocks_differ; /* not all events were recorded on the same one */
	uint64_t clock_res_ns;
	bool has_clock_data; /* the same instant on that clock and the wall's */
	uint64_t clock_ns, wall_clock_ns;
	const struct pw_build_id *build_ids;
	uint32_t n_build_ids;
	/* the rest, as text: topology, NUMA nodes, caches, PMUs, groups */
	const struct pw_fact *more;
	uint32_t n_more;
};

/* What went wrong or away while reading, so far. */
struct pw_capture_counts {
	uint64_t records[PW_N_RECORDS + 1]; /* by type; the last: unknown */
	uint64_t lost; /* events that LOST records tell of */
	/* the same losses once more where the kernel counts them by event */
	uint64_t lost_samples;  /* samples that LOST_SAMPLES records tell of */
	uint64_t n_lost_chunks; /* LOST and LOST_SAMPLES records */
	uint64_t malformed;     /* records passed over: their content does not
				  fit their size */
	struct pw_err first_malformed;
	uint64_t unknown_ids;     /* records of an event that no attr has */
	uint64_t out_of_order;    /* given later than one with a later time */
	uint64_t tail_bytes;      /* at the end, no whole record */
	uint64_t tail_off;        /* where they begin */
	uint64_t aux_bytes;       /* AUX area data passed over */
	uint64_t features_unread; /* header features that do not fit */
	struct pw_err first_unread;
	uint64_t first_ns, last_ns; /* of samples; PW_NO_TIME and 0: none */
};

/* --- a capture ---------------------------------------------------------------- */

struct pw_capture_opts {
	/* Give records as they lie in the file, not by time. */
	bool file_order;
	/* Pass over SAMPLE records, which are neither decoded nor counted (but
	 * for the times of the first and last): for one who gets them
	 * elsewhere. */
	bool no_samples;
	/* Bytes to hold back while ordering; 0: 128 MiB. When a recorder
	 * wrote no rounds, or larger ones, the oldest go first. */
	uint64_t queue_bytes;
	/*
	 * Take samples that read counters (PERF_SAMPLE_READ) apart, as perf
	 * script does: each counter that rose since the sample before is a
	 * sample of its own event, with the rise as its period. Samples of
	 * "{cycles,instructions}:S" then count for both.
	 */
	bool split_reads;
};

/*
 * Opens a file, a folder, or standard input for "-". A folder is one of perf
 * record --threads, or has the pieces of one recording with --switch-output,
 * perf.data.N in the order of these numbers and last a perf.data that perf did
 * not finish, which are read as one. EINVAL, while reading, when they are not of
 * one recording. opts may be NULL. NULL on failure.
 * The capture is the caller's.
 */
struct pw_capture *pw_capture_open(const char *path,
				   const struct pw_capture_opts *opts,
				   struct pw_err *err);
/* The same of bytes in memory, which are borrowed. */
struct pw_capture *pw_capture_open_bytes(const void *data, size_t size,
					 const struct pw_capture_opts *opts,
					 struct pw_err *err);
/* A folder with pieces, one at least. */
bool pw_capture_has_pieces(const char *folder);
void pw_capture_close(struct pw_capture *c);
/* The whole file in memory of somebody who reads it, too, borrowed until
 * another call with NULL. With no_samples it need not be read then. */
void pw_capture_lend(struct pw_capture *c, const void *file, size_t size);

/*
 * The next record: 1, 0 at the end, or -errno. Records of the recorder and
 * those without a time come when they are read; all others in the order of
 * time, equal ones as they lie in the file. Before a failure, all that was
 * read is given; after one every call fails again. What holds other records
 * (COMPRESSED) is given as well, before what it holds.
 */
int pw_capture_next(struct pw_capture *c, struct pw_event *ev,
		    struct pw_err *err);
/* No record of up to this time is to come (but out of order): who goes along
 * with another's reading need not read on before it. */
uint64_t pw_capture_past_ns(const struct pw_capture *c);

const struct pw_capture_facts *pw_capture_facts(const struct pw_capture *c);
/* perf's command line with blanks between its words, and without the file that
 * it wrote: two captures are told apart by other things. NULL: it is not known.
 * The caller frees. */
char *pw_capture_command(const struct pw_capture_facts *f);
const struct pw_capture_counts *pw_capture_counts(const struct pw_capture *c);
/* From a pipe, attrs come with records: ask again while reading. */
uint32_t pw_capture_n_attrs(const struct pw_capture *c);
const struct pw_attr *pw_capture_attr(const struct pw_capture *c, uint32_t i);
/* NULL when no attr has it. 0 stands for the first attr, as for perf, and
 * where there is but one, it has all ids. */
const struct pw_attr *pw_capture_attr_by_id(const struct pw_capture *c,
					    uint64_t id);

/* --- fields of tracepoints ------------------------------------------------- */

/* Where a field lies in pw_sample.raw. Found once an event, then read from
 * every sample without a look at its name. */
struct pw_field {
	uint32_t off, size;
	bool is_signed, is_text;
	bool is_dynamic;  /* holds where the content lies (__data_loc) */
	bool is_relative; /* and that counts from the end of the field */
	bool swap;
};

/*
 * A field of tracepoint a by name ("next_pid", "common_flags"), from the
 * formats that were recorded with it. -ENOENT: a is no tracepoint, its format
 * was not recorded, or has no such field; err says which.
 */
int pw_capture_field(struct pw_capture *c, const struct pw_attr *a,
		     const char *name, struct pw_field *f, struct pw_err *err);
/* The same from the text of a `format` file of tracefs, of this machine. */
int pw_field_of_format(const char *format, size_t size, const char *name,
		       struct pw_field *f, struct pw_err *err);
/* A number, with its sign extended; 0 when the raw data end before it. */
uint64_t pw_field_u64(const struct pw_field *f, const void *raw,
		      uint32_t raw_size);
/* Text without its zero, borrowed from raw; its length, "" when the raw data
 * end before it. */
const char *pw_field_text(const struct pw_field *f, const void *raw,
			  uint32_t raw_size, uint32_t *len);

#endif
