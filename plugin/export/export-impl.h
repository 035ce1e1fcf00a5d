/* SPDX-License-Identifier: GPL-2.0-only */
/* export: what its parts share. Internal to plugin/export. */
#ifndef EXPORT_EXPORT_IMPL_H
#define EXPORT_EXPORT_IMPL_H

#include <perfwasm/export.h>

#include <uthash.h>

#define NONE UINT32_MAX

/* --- time-line.c: every sample, by task ------------------------------------------ */

struct tl_task {
	uint64_t key; /* pid and tid */
	uint32_t pid, tid, idx;
	char *comm; /* the last */
	uint64_t n; /* entries of it */
	UT_hash_handle hh;
};

struct tl_entry {
	uint64_t time_ns, period;
	uint32_t task, node;
	uint16_t event, cpu;
	uint8_t reason;
};

struct time_line {
	struct tl_task *by_key;
	struct tl_task **tasks; /* by idx */
	uint32_t n_tasks;
	struct tl_entry *entries;
	uint64_t n, cap;
	uint64_t first_ns, last_ns;
};

void time_line_take(void *tl, const struct pw_profile_sample *s);
/* By task, then by time. */
void time_line_sort(struct time_line *tl);
/* The name of a task's process: that of its main thread where it was seen. */
const char *time_line_process(const struct time_line *tl,
			      const struct tl_task *t);
void time_line_release(struct time_line *tl);

/* --- export-names.c: strings and frames by number --------------------------------- */

/* Strings, each once, in the order of adding. */
struct string_set;
struct string_set *string_set_new(void);
void string_set_free(struct string_set *s);
uint32_t string_set_add(struct string_set *s, const char *text);
uint32_t string_set_n(const struct string_set *s);
const char *string_set_at(const struct string_set *s, uint32_t i);

/* How a function is called in a stack: its name, or "[FILE]" where only the
 * file is known. The caller frees. */
char *frame_name(const struct pw_symbol *sym);
/* The file name of a symbol's DSO or, of wasm code, of its module. */
const char *frame_file(const struct pw_profile *p, const struct pw_symbol *sym);

/* A path without its folders. */
const char *file_name(const char *path);

/*
 * The symbols that nodes of a profile have, numbered from 0 in the order of
 * their first node; of[symbol id] is the number or NONE.
 */
struct frames {
	const struct pw_symbol **syms;
	uint32_t n;
	uint32_t *of;
};
void frames_init(struct frames *f, const struct pw_profile *p);
void frames_release(struct frames *f);
/* The symbols of a node's frames, innermost first, of at most `max`. The
 * number of them; *comm is that of its task, NULL when it has none. */
uint32_t frames_of_node(const struct pw_profile *p, uint32_t node,
			const struct pw_symbol **syms, uint32_t max,
			const char **comm);
#define MAX_FRAMES 4096

/* What an event counts: "nanoseconds" or "count". */
bool event_is_time(const struct pw_profile_event_info *e);

/* --- json-out.c ------------------------------------------------------------------------ */

/* A string with its quotes; what is no UTF-8 as \xNN in it. */
void put_json_string(FILE *to, const char *s);
/* Nanoseconds as milliseconds with six decimals. */
void put_json_ms(FILE *to, uint64_t ns);

/* --- proto-out.c: protobuf's wire format ------------------------------------------------- */

void proto_varint(struct pw_buf *b, uint32_t field, uint64_t v);
void proto_bytes(struct pw_buf *b, uint32_t field, const void *data, size_t n);
void proto_string(struct pw_buf *b, uint32_t field, const char *s);
/* A message made in `sub`, which is emptied. */
void proto_message(struct pw_buf *b, uint32_t field, struct pw_buf *sub);
/* Numbers, packed. */
void proto_packed(struct pw_buf *b, uint32_t field, const uint64_t *v,
		  uint32_t n);

/* --- to-*.c ---------------------------------------------------------------------------------- */

struct writing {
	const struct pw_profile *p;
	const struct pw_exporter_opts *o;
	struct time_line *tl;
	uint32_t event; /* the one asked for, or the main one */
	FILE *to;
};

#define PW_EXPORT(id, name, time_line, help) \
	void write_##name(const struct writing *w);
#include <perfwasm/exports.def>
#undef PW_EXPORT

#endif
