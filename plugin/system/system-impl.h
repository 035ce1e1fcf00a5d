/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * system: what its files share. A source's text goes through its parser, which
 * hands rows to a sink: the recorder's finds each row again by its place and
 * writes it into the series, the reader's of others' texts fills pw_metrics.
 */
#ifndef SYSTEM_IMPL_H
#define SYSTEM_IMPL_H

#include <perfwasm/system.h>

#include <string.h>
#include <uthash.h>

/* --- what there is (system-sources.c) ------------------------------------------ */

enum table {
#define PW_TABLE(source, id, name) TABLE_##id,
#include <perfwasm/system-sources.def>
	N_TABLES
};

enum {
	MAX_COLUMNS = 24,
	MAX_TEXT = 64 << 20, /* bytes of a file that are read */
	SOURCE_LAST = 1,     /* read once more at the end */
	SOURCE_TASKS = 2,    /* wants tasks */
	SOURCE_IDLES = 4,    /* is read less often while the machine idles */
	SOURCE_ZERO = 8,     /* its counters begin at nothing */
};

/* Some characters of a text. */
struct span {
	const char *s;
	uint32_t n;
};

/* A text and whose it is. */
struct part {
	struct span left;     /* what is not parsed yet */
	struct span instance; /* of its path */
	struct span name;     /* the last part of the path that may vary */
};

/* Where a parser puts rows. The spans are of the text; metric is empty where a
 * row has more figures than one. */
struct sink {
	void (*row)(void *ctx, enum table table, struct span instance,
		    struct span metric, const uint64_t *values);
	void *ctx;
};

typedef void parser(struct part *p, const struct sink *k);

#define PW_PATH(source, name, path) parser parse_##name;
#include <perfwasm/system-sources.def>

struct path_def {
	enum pw_system_source_id source;
	const char *pattern;
	parser *parse;
};

uint32_t source_flags(enum pw_system_source_id s);
enum pw_system_source_id table_source(enum table t);
const struct pw_series_table *table_def(enum table t);
/* All paths, NULL pattern at the end; those of a source stand together. */
const struct path_def *path_defs(void);

/* --- texts (system-text.c) -------------------------------------------------------- */

#define SPAN(literal) ((struct span){ literal, sizeof(literal) - 1 })
#define NO_SPAN       ((struct span){ "", 0 })

static inline bool span_is(struct span a, const char *s)
{
	return strlen(s) == a.n && !memcmp(a.s, s, a.n);
}

static inline bool span_same(struct span a, struct span b)
{
	return a.n == b.n && !memcmp(a.s, b.s, a.n);
}

bool span_starts(struct span a, const char *s);
bool span_ends(struct span a, const char *s);
/* Takes off the front: a line without its end, a word between blanks, what is
 * before a character (which goes, too; false and nothing when it is not there).
 * What is taken may be put into the text itself. */
bool take_line(struct span *text, struct span *line);
bool take_word(struct span *line, struct span *word);
bool take_until(struct span *line, char c, struct span *before);
/* A whole number; a sign makes it that of 2^64. False: it is none, *v is 0. */
bool span_number(struct span word, uint64_t *v);
/* Words that are numbers, at most n; how many. What is missing is 0. */
uint32_t take_numbers(struct span *line, uint64_t *v, uint32_t n);

/* "a b" and the like, built in place; what does not fit is cut. The paths of
 * control groups are the longest. */
enum { MAX_NAME = 320 };
struct joined {
	char s[MAX_NAME];
	uint32_t n;
};
struct span join(struct joined *j, struct span a, const char *between,
		 struct span b);

void sink_value(const struct sink *k, enum table table, struct span instance,
		struct span metric, uint64_t value);

/* "some avg10=0.00 ... total=5" */
void pressure_line(struct span *line, struct span *name, uint64_t *total_us);

/* --- rows in their order (system-roster.c) ------------------------------------------ */

/* What is not looked at unless something changed. */
struct roster_row {
	UT_hash_handle hh;
	uint32_t *ids; /* of a reader of texts: its figures */
	uint64_t key;  /* never another row's */
	uint32_t idx;
	uint32_t n_instance, n_metric;
	char name[]; /* instance and metric */
};

/* What is looked at each time, one behind the other: who sleeps between ticks
 * finds its caches cold, and rows all over the heap were an eighth of its time. */
struct roster_slot {
	uint64_t hash; /* of the names */
	struct roster_row *row;
	uint32_t seen; /* number of the reading */
	bool is_told;  /* of a recorder: values are those that were told last */
};

/* Rows of a table as they came last time: the next one is most often the next
 * of last time. */
struct roster {
	struct roster_slot *slots;
	uint64_t *values; /* n_values a slot */
	uint32_t n, cap, n_values;
	uint32_t at;      /* where the next is expected */
	uint32_t reading; /* number of this reading */
	uint64_t next_key;
	struct roster_row *by_name;
};

void roster_begin(struct roster *r);
/* NULL: it is new. Slots are borrowed until the next one is added. */
struct roster_slot *roster_find(struct roster *r, struct span instance,
				struct span metric);
/* All of a roster have as many values. */
struct roster_slot *roster_add(struct roster *r, struct span instance,
			       struct span metric, uint32_t n_values);
uint64_t *roster_values(const struct roster *r, const struct roster_slot *s);
/* Calls gone for each row that was not found since begin, and forgets it. */
void roster_end(struct roster *r,
		void (*gone)(void *ctx, const struct roster_row *row),
		void *ctx);
void roster_release(struct roster *r);

/* --- reading files (system-files.c) -------------------------------------------------- */

struct open_file {
	int fd;
	const struct path_def *def;
	char *instance, *name;
};

/* The files of a source's paths, kept open. */
struct files {
	struct open_file *all;
	uint32_t n;
	uint64_t looked_ns; /* when they were looked for */
	bool may_change;    /* a path has a * */
};

/* A buffer that all sources read into. */
struct reading {
	char *data;
	size_t cap;
};

/* Looks for them; -errno of the first path when there is none. */
int files_look(struct files *f, enum pw_system_source_id s, int root);
void files_release(struct files *f);
/* From the start of the file to its end; the size or -errno. */
ssize_t read_whole(struct reading *r, int fd);
/* The same of a file that comes in one piece: of sysfs, or of one line. */
ssize_t read_once(struct reading *r, int fd);
/* All of a file that is opened for it; n is 0 when there is none. */
struct span read_path(struct reading *r, int dir, const char *path);

#endif
