// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jitdumps and perf maps become code in the map: debug and unwinding records
 * go to the code they belong to, moved code to its new place. Knows nothing
 * of how the map is asked.
 */
#include "jitmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What is known of an address while a dump is read. */
struct known {
	uint64_t addr;
	uint32_t code; /* index + 1 of what was loaded here last; 0: nothing */
	struct pw_jit_lines lines; /* of what is loaded next; n 0: none */
	UT_hash_handle hh;
};

struct adding {
	struct pw_jitmap *m;
	struct pw_jitdump *d;
	struct pw_jit_source s;
	struct known *known;
	bool has_moves;              /* only then is `code` kept */
	struct pw_jit_record unwind; /* of what is loaded next; size 0: none */
	uint32_t first_code;
	uint64_t dropped_to; /* pages before it were given back */
};

static struct known *known_at(struct adding *a, uint64_t addr, bool add)
{
	struct known *k;

	HASH_FIND(hh, a->known, &addr, sizeof(addr), k);
	if (k || !add)
		return k;
	k = pw_zalloc(sizeof(*k));
	k->addr = addr;
	HASH_ADD(hh, a->known, addr, sizeof(k->addr), k);
	return k;
}

static void forget_all(struct adding *a)
{
	struct known *k, *next;

	HASH_ITER (hh, a->known, k, next) {
		a->d->counts.unclaimed += k->lines.n != 0;
		HASH_DEL(a->known, k);
		free(k);
	}
}

/* --- records -------------------------------------------------------------------- */

/* Times of the processor's counter as perf makes nanoseconds of them. */
static uint64_t time_of(const struct adding *a, uint64_t time)
{
	uint64_t quot, rem;

	if (!(a->d->flags & PW_JITDUMP_ARCH_TIME))
		return time;
	if (!a->s.time_mult || a->s.time_shift > 63)
		return 0;
	quot = time >> a->s.time_shift;
	rem = time & ((1ULL << a->s.time_shift) - 1);
	return a->s.time_zero + quot * a->s.time_mult +
	       ((rem * a->s.time_mult) >> a->s.time_shift);
}

static void place(struct adding *a, struct pw_jit_code *c)
{
	if (!jit_code_place(a->m, c))
		a->d->counts.unusable++;
	if (a->has_moves)
		known_at(a, c->addr, true)->code = c->idx + 1;
}

static void add_load(struct adding *a, const struct pw_jit_record *r)
{
	struct known *k = a->known ? known_at(a, r->addr, false) : NULL;
	struct pw_jit_code *c = jit_code_new(a->m);

	c->name = r->name;
	c->addr = r->addr;
	c->size_bytes = r->code_size;
	c->from_ns = time_of(a, r->time);
	c->pid = a->s.pid ? a->s.pid : r->pid;
	c->tid = r->tid;
	c->code_idx = r->code_idx;
	c->bytes = r->code;
	c->unwind = a->unwind.unwind;
	c->unwind_size = a->unwind.unwind_size;
	c->eh_frame_hdr_size = a->unwind.eh_frame_hdr_size;
	memset(&a->unwind, 0, sizeof(a->unwind));
	if (k) {
		c->lines = k->lines;
		memset(&k->lines, 0, sizeof(k->lines));
	}
	place(a, c);
}

/* Only a few runtimes move code: what was loaded is looked up from the first
 * such record on. */
static void learn_codes(struct adding *a)
{
	uint32_t i;

	a->has_moves = true;
	for (i = a->first_code; i < a->m->n_codes; i++)
		known_at(a, jit_code_at(a->m, i)->addr, true)->code = i + 1;
}

static void add_move(struct adding *a, const struct pw_jit_record *r)
{
	const struct pw_jit_code *from;
	struct pw_jit_code *c;
	struct known *k;
	uint32_t idx;

	if (!a->has_moves)
		learn_codes(a);
	k = known_at(a, r->addr, false);
	if (!k || !k->code) {
		a->d->counts.unclaimed++;
		return;
	}
	from = jit_code_at(a->m, k->code - 1);
	k->code = 0;
	c = jit_code_new(a->m);
	idx = c->idx;
	*c = *from;
	c->idx = idx;
	c->bytes = r->code_size <= from->size_bytes ? from->bytes : NULL;
	c->addr = r->new_addr;
	c->size_bytes = r->code_size;
	c->from_ns = time_of(a, r->time);
	c->moved_from = from;
	if (from->size_bytes && from->addr + from->size_bytes > from->addr)
		jit_layer_add(&jit_space_get(a->m, c->pid)->dumped, from->addr,
			      from->addr + from->size_bytes, c->from_ns,
			      JIT_REF_NOTHING);
	place(a, c);
}

static void add_debug(struct adding *a, const struct pw_jit_record *r)
{
	struct known *k = known_at(a, r->addr, true);

	a->d->counts.unclaimed += k->lines.n != 0;
	k->lines = r->lines;
}

static void add_record(struct adding *a, const struct pw_jit_record *r)
{
	switch (r->type) {
	case PW_JIT_LOAD:
		add_load(a, r);
		break;
	case PW_JIT_MOVE:
		add_move(a, r);
		break;
	case PW_JIT_DEBUG_INFO:
		add_debug(a, r);
		break;
	case PW_JIT_UNWINDING_INFO:
		a->unwind = *r;
		break;
	}
}

/* --- a dump ------------------------------------------------------------------------ */

/*
 * V8, LLVM and others count the addresses of lines from the ELF header that
 * perf inject puts before the code, so they are 0x40 too high; some do not.
 * Nothing in a dump says which. Code has a line for its first bytes as a
 * rule, so a dump that never has one means the former.
 */
#define ELF_HEADER 0x40

/* Does every line lie in its code? V8 of node 18 writes file names from memory
 * that it has given back; with zeros in them, all that follows is noise. */
static bool lines_fit(const struct pw_jit_code *c)
{
	struct pw_jit_lines l = c->lines;
	struct pw_jit_line line = { 0 };
	uint64_t n;

	for (n = l.n; n; n--)
		if (!pw_jit_lines_next(&l, &line) ||
		    line.code_off > c->size_bytes + ELF_HEADER)
			return false;
	return true;
}

static bool has_early_line(const struct pw_jit_code *c)
{
	struct pw_jit_lines l = c->lines;
	struct pw_jit_line line = { 0 };

	while (pw_jit_lines_next(&l, &line))
		if (line.code_off < ELF_HEADER)
			return true;
	return false;
}

static void mend_lines(struct adding *a)
{
	uint64_t bias = ELF_HEADER;
	uint32_t i;

	for (i = a->first_code; i < a->m->n_codes; i++) {
		struct pw_jit_code *c = jit_code_at(a->m, i);

		if (!lines_fit(c)) {
			c->lines.n = 0;
			a->d->counts.stray_lines++;
		}
		if (bias && has_early_line(c))
			bias = 0;
	}
	for (i = a->first_code; i < a->m->n_codes; i++)
		jit_code_at(a->m, i)->lines.bias = bias;
}

/* Pages of a large dump that were read are given back; they come again when
 * they are wanted. */
#define DROP_BYTES (16u << 20)

static void drop_pages(struct adding *a)
{
	if (!a->d->file.mapped || a->d->at - a->dropped_to < DROP_BYTES)
		return;
	madvise((void *)(a->d->data + a->dropped_to), DROP_BYTES,
		MADV_DONTNEED);
	a->dropped_to += DROP_BYTES;
}

static void add_all(struct pw_jitmap *m, struct pw_jitdump *d,
		    const struct pw_jit_source *s, struct pw_jit_counts *counts)
{
	struct adding a = { .m = m, .d = d, .first_code = m->n_codes };
	struct pw_jit_record r;

	if (s)
		a.s = *s;
	if (d->flags & PW_JITDUMP_ARCH_TIME && !a.s.time_mult)
		pw_err_at(
			&d->counts.header_fault, ENOTSUP, 32,
			"its times are of the processor's counter and the capture does not say how to convert them: all code is taken to have been there from the start");
	while (pw_jitdump_next(d, &r)) {
		add_record(&a, &r);
		drop_pages(&a);
	}
	forget_all(&a);
	mend_lines(&a);
	if (counts)
		*counts = d->counts;
}

int pw_jitmap_add_dump(struct pw_jitmap *m, const char *path,
		       const struct pw_jit_source *s,
		       struct pw_jit_counts *counts, struct pw_err *err)
{
	struct pw_jitdump d;
	int ret = pw_jitdump_open(&d, path, s ? s->machine : 0, err);

	if (ret)
		return ret;
	add_all(m, &d, s, counts);
	jit_keep_new(m)->file = d.file;
	return 0;
}

int pw_jitmap_add_dump_bytes(struct pw_jitmap *m, const void *data, size_t size,
			     const struct pw_jit_source *s,
			     struct pw_jit_counts *counts, struct pw_err *err)
{
	struct pw_jitdump d;
	int ret =
		pw_jitdump_open_bytes(&d, data, size, s ? s->machine : 0, err);

	if (!ret)
		add_all(m, &d, s, counts);
	return ret;
}

/* --- a perf map ---------------------------------------------------------------------- */

static void add_lines(struct pw_jitmap *m, struct pw_perfmap *p, uint32_t pid,
		      struct pw_jit_counts *counts)
{
	/* a name and its zero are shorter than the line they are from */
	char *names = pw_alloc(p->size + 1);
	struct pw_jit_counts n = { 0 };
	struct pw_perfmap_line l;

	jit_keep_new(m)->memory = names;
	while (pw_perfmap_next(p, &l)) {
		struct pw_jit_code *c = jit_code_new(m);

		memcpy(names, l.name, l.name_len);
		names[l.name_len] = 0;
		c->name = names;
		names += l.name_len + 1;
		c->addr = l.addr;
		c->size_bytes = l.size_bytes;
		c->pid = pid;
		c->is_perfmap = true;
		n.unusable += !jit_code_place(m, c);
		n.records[PW_JIT_LOAD]++;
	}
	n.malformed = p->malformed;
	n.first_fault = p->first_fault;
	if (counts)
		*counts = n;
}

int pw_jitmap_add_perfmap(struct pw_jitmap *m, const char *path, uint32_t pid,
			  struct pw_jit_counts *counts, struct pw_err *err)
{
	struct pw_perfmap p;
	int ret = pw_perfmap_open(&p, path, err);

	if (ret)
		return ret;
	add_lines(m, &p, pid, counts);
	pw_perfmap_close(&p);
	return 0;
}

void pw_jitmap_add_perfmap_bytes(struct pw_jitmap *m, const void *data,
				 size_t size, uint32_t pid,
				 struct pw_jit_counts *counts)
{
	struct pw_perfmap p;

	pw_perfmap_open_bytes(&p, data, size);
	add_lines(m, &p, pid, counts);
}

/* --- one piece of code --------------------------------------------------------------- */

const struct pw_jit_code *pw_jitmap_add_code(struct pw_jitmap *m,
					     const struct pw_jit_code *like)
{
	struct pw_jit_code *c;
	char *name;

	if (!like->size_bytes || like->addr + like->size_bytes < like->addr)
		return NULL;
	name = pw_strdup(like->name);
	jit_keep_new(m)->memory = name;
	c = jit_code_new(m);
	c->name = name;
	c->addr = like->addr;
	c->size_bytes = like->size_bytes;
	c->from_ns = like->from_ns;
	c->pid = like->pid;
	c->bytes = like->bytes;
	return jit_code_place(m, c) ? c : NULL;
}
