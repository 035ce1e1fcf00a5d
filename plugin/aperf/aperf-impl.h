/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording as it is read. */
#ifndef APERF_IMPL_H
#define APERF_IMPL_H

#include <perfwasm/aperf.h>
#include <perfwasm/system.h>

struct pmu;

struct recording {
	struct pw_metrics *m;
	struct pw_system_texts *texts; /* of this file */
	struct pmu *pmu;
};

/* A string of a record, borrowed. */
struct text {
	const char *s;
	size_t n;
};

struct record {
	uint64_t time_ns; /* real time */
	uint64_t ticks;
	struct text texts[3];
	uint32_t n_texts;
	struct pw_cursor *rest; /* of shape OTHER */
};

enum shape { SHAPE_TEXT, SHAPE_TICKS, SHAPE_THREE, SHAPE_OTHER };

/* Takes a record: 0 or -errno. */
typedef int take_record(struct recording *r, const struct record *x,
			struct pw_err *err);

struct file_def {
	const char *name;
	enum shape shape;
	take_record *take; /* NULL: it is not read, and `sign` says why */
	const char *source, *sign;
};

/* Of a file's name ("vmstat.bin"), or NULL. */
const struct file_def *file_def_of(const char *name);
/* Whether one of them is for this source. */
bool source_has_file(const char *source);
take_record take_stat, take_vmstat, take_meminfo, take_disks, take_interrupts,
	take_netstat, take_numa, take_processes, take_memory_pieces, take_nic,
	take_rdma, take_pmu, take_system_info, take_config, take_sysctl;

/* --- aperf-records.c --- */
/* All records of a file, and tells the metrics how it went. */
void read_file(struct recording *r, const struct file_def *d,
	       const struct pw_buf *bytes);
/* A string, whose length stands before it. */
struct text take_string(struct pw_cursor *c);

/* --- aperf-texts.c --- */
/* The next line without its end; false: no more. */
bool next_line(struct text *rest, struct text *line);
/* The next word of a line. */
bool next_word(struct text *line, struct text *word);
char *text_copy(struct text t);
bool text_number(struct text t, uint64_t *to);

/* --- aperf-facts.c --- */
/* Of metadata.json; what is no JSON is told as not read. */
void read_metadata(struct recording *r, const struct pw_buf *bytes);

/* --- aperf-pmu.c --- */
struct pmu *pmu_new(void);
void pmu_free(struct pmu *p);
/* Of pmu_config.json: formulas. */
void pmu_configure(struct pmu *p, const struct pw_buf *bytes);

#endif
