/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes jitdumps of either byte order for tests, record by record, wrong
 * ones too: every size and field can be patched afterwards.
 */
#ifndef TESTS_JITDUMP_WRITER_H
#define TESTS_JITDUMP_WRITER_H

#include <perfwasm/jit.h>

#include <string.h>

struct jitdump_writer {
	struct pw_buf b;
	bool is_big;
	size_t record; /* where the last one begins */
};

struct debug_entry {
	uint64_t addr;
	uint32_t line;
	const char *file;
};

static inline void w_number(struct jitdump_writer *w, uint64_t v, int n)
{
	int i;

	for (i = 0; i < n; i++)
		pw_buf_add_u8(&w->b,
			      v >> (8 * (w->is_big ? n - 1 - i : i)) & 0xff);
}

static inline void w32(struct jitdump_writer *w, uint32_t v)
{
	w_number(w, v, 4);
}

static inline void w64(struct jitdump_writer *w, uint64_t v)
{
	w_number(w, v, 8);
}

/* Overwrites a u32. */
static inline void w_patch32(struct jitdump_writer *w, size_t off, uint32_t v)
{
	size_t len = w->b.len;

	w->b.len = off;
	w32(w, v);
	w->b.len = len;
}

static inline void w_header(struct jitdump_writer *w, uint32_t machine,
			    uint32_t pid, uint64_t flags)
{
	w32(w, 0x4A695444);
	w32(w, 1);
	w32(w, 40);
	w32(w, machine);
	w32(w, 0xdeadbeef); /* V8 writes this for padding */
	w32(w, pid);
	w64(w, 1);
	w64(w, flags);
}

static inline void w_begin(struct jitdump_writer *w, uint32_t type,
			   uint64_t time)
{
	w->record = w->b.len;
	w32(w, type);
	w32(w, 0);
	w64(w, time);
}

static inline void w_end(struct jitdump_writer *w)
{
	w_patch32(w, w->record + 4, (uint32_t)(w->b.len - w->record));
}

/* The code is `size` bytes of the low byte of idx. */
static inline void w_load(struct jitdump_writer *w, uint64_t time, uint32_t pid,
			  uint64_t addr, uint64_t size, uint64_t idx,
			  const char *name)
{
	uint64_t i;

	w_begin(w, 0, time);
	w32(w, pid);
	w32(w, pid + 1);
	w64(w, addr);
	w64(w, addr);
	w64(w, size);
	w64(w, idx);
	pw_buf_add(&w->b, name, strlen(name) + 1);
	for (i = 0; i < size; i++)
		pw_buf_add_u8(&w->b, idx & 0xff);
	w_end(w);
}

static inline void w_move(struct jitdump_writer *w, uint64_t time, uint32_t pid,
			  uint64_t from, uint64_t to, uint64_t size,
			  uint64_t idx)
{
	w_begin(w, 1, time);
	w32(w, pid);
	w32(w, pid);
	w64(w, to);
	w64(w, from);
	w64(w, to);
	w64(w, size);
	w64(w, idx);
	w_end(w);
}

static inline void w_debug(struct jitdump_writer *w, uint64_t time,
			   uint64_t addr, const struct debug_entry *e,
			   uint64_t n)
{
	uint64_t i;

	w_begin(w, 2, time);
	w64(w, addr);
	w64(w, n);
	for (i = 0; i < n; i++) {
		w64(w, e[i].addr);
		w32(w, e[i].line);
		w32(w, 0);
		pw_buf_add(&w->b, e[i].file, strlen(e[i].file) + 1);
	}
	w_end(w);
}

static inline void w_close(struct jitdump_writer *w, uint64_t time)
{
	w_begin(w, 3, time);
	w_end(w);
}

static inline void w_unwind(struct jitdump_writer *w, uint64_t time,
			    uint64_t header_size, uint64_t size)
{
	uint64_t i;

	w_begin(w, 4, time);
	w64(w, size);
	w64(w, header_size);
	w64(w, size);
	for (i = 0; i < size; i++)
		pw_buf_add_u8(&w->b, 0x55);
	w_end(w);
}

#endif
