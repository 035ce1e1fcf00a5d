/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What pruning knows: which entities are used, and their new numbers.
 * prune-mark.c finds the first, prune.c gives the second, and the others
 * write what is left.
 */
#ifndef EDIT_PRUNE_H
#define EDIT_PRUNE_H

#include <perfwasm/edit.h>

#define GONE UINT32_MAX

enum space { /* index spaces; the first are those of enum pw_extern */
	     SP_FUNC,
	     SP_TABLE,
	     SP_MEMORY,
	     SP_GLOBAL,
	     SP_TAG,
	     SP_TYPE,
	     SP_ELEM,
	     SP_DATA,
	     N_SPACES
};

/* A segment, found once; offsets in the file. */
struct segment {
	uint32_t flags;
	uint32_t place;     /* the table or memory of an active one */
	uint64_t off, size; /* all of it */
	uint64_t expr_off;  /* the offset's expression of an active one */
	uint64_t list_off;  /* behind it: the count of what it holds */
	uint32_t n;         /* of elements or bytes */
};

struct prune {
	const struct pw_module *m;
	const char *const *exports;
	uint32_t n[N_SPACES];
	uint8_t *used[N_SPACES];
	uint32_t *to[N_SPACES]; /* new index, or GONE */
	struct segment *elems, *datas;
	uint32_t *todo; /* functions whose body is not looked at yet */
	uint32_t n_todo;
	bool keep_types; /* a reference type names one: no new numbers */
	struct pw_err *err;
};

/* --- prune.c --- */
void prune_use(struct prune *p, enum space space, uint32_t idx);
bool prune_is_active(const struct segment *s);
bool prune_wants_export(const struct prune *p, const struct pw_export *e);

/* --- prune-mark.c --- */
int prune_mark(struct prune *p);

/* --- prune-insn.c: both adapt what they copy when out is given, and note
 * what is used when it is not --- */
int prune_insn(struct prune *p, const struct pw_insn *in, struct pw_buf *out);
uint32_t prune_new_type(const struct prune *p, uint32_t idx);
/* A constant expression at the cursor, its `end` included. */
int prune_expr(struct prune *p, struct pw_cursor *c, struct pw_buf *out);

/* --- prune-segments.c --- */
int prune_find_segments(struct prune *p);
int prune_mark_elem(struct prune *p, const struct segment *s);
int prune_mark_data(struct prune *p, const struct segment *s);
int prune_write_elems(struct prune *p, struct pw_buf *out);
int prune_write_datas(struct prune *p, struct pw_buf *out);

/* --- prune-sections.c --- */
int prune_write(struct prune *p, struct pw_buf *out);

#endif
