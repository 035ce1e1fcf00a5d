/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A space in an empty folder, and the records that a capture would feed it,
 * made by hand. Jitdumps are of x86-64, little-endian.
 */
#ifndef TESTS_SPACE_FIXTURE_H
#define TESTS_SPACE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/perf_event.h>

#include <perfwasm/space.h>

struct fixture {
	char dir[64];
	struct pw_space *s;
	uint64_t now;
};

static inline void begin(struct fixture *f)
{
	struct pw_space_opts o = { .dir = f->dir, .no_local = true };

	memset(f, 0, sizeof(*f));
	strcpy(f->dir, "/tmp/space-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->s = pw_space_new(&o);
	f->now = 1000;
}

static inline void end(struct fixture *f)
{
	pw_space_free(f->s);
	assert_int_equal(pw_remove_tree(f->dir, NULL), 0);
}

static inline void write_file(struct fixture *f, const char *name,
			      const void *data, size_t size)
{
	char *path = pw_asprintf("%s/%s", f->dir, name);

	assert_int_equal(pw_file_write(path, data, size, NULL), 0);
	free(path);
}

/* --- records -------------------------------------------------------------------- */

static inline void feed(struct fixture *f, struct pw_event *ev)
{
	ev->time_ns = f->now++;
	pw_space_event(f->s, ev);
}

static inline void feed_mmap(struct fixture *f, uint32_t pid, uint64_t addr,
			     uint64_t len, uint64_t pgoff, const char *name)
{
	struct pw_event ev = { .type = PW_REC_MMAP2,
			       .misc = PERF_RECORD_MISC_USER };

	ev.mmap = (struct pw_mmap){ .pid = pid,
				    .tid = pid,
				    .addr = addr,
				    .len = len,
				    .pgoff = pgoff,
				    .filename = name,
				    .prot = 5 };
	feed(f, &ev);
}

static inline void feed_comm(struct fixture *f, uint32_t pid, const char *comm,
			     bool is_exec)
{
	struct pw_event ev = { .type = PW_REC_COMM };

	ev.comm.pid = ev.comm.tid = pid;
	ev.comm.comm = comm;
	ev.comm.is_exec = is_exec;
	feed(f, &ev);
}

static inline void feed_fork(struct fixture *f, uint32_t ppid, uint32_t pid,
			     uint32_t tid, uint16_t misc)
{
	struct pw_event ev = { .type = PW_REC_FORK, .misc = misc };

	ev.task.pid = pid;
	ev.task.ppid = ppid;
	ev.task.tid = tid;
	ev.task.ptid = ppid;
	ev.task.time_ns = f->now;
	feed(f, &ev);
}

/* --- jitdumps ------------------------------------------------------------------------ */

static inline void dump_begin(struct pw_buf *b, uint32_t pid)
{
	pw_buf_add_u32(b, 0x4A695444);
	pw_buf_add_u32(b, 1);
	pw_buf_add_u32(b, 40);
	pw_buf_add_u32(b, 62); /* EM_X86_64 */
	pw_buf_add_u32(b, 0);
	pw_buf_add_u32(b, pid);
	pw_buf_add_u64(b, 1);
	pw_buf_add_u64(b, 0);
}

static inline void dump_load(struct pw_buf *b, uint64_t time, uint32_t pid,
			     const char *name, uint64_t addr,
			     const uint8_t *code, uint64_t size)
{
	size_t len = strlen(name) + 1;

	pw_buf_add_u32(b, 0);
	pw_buf_add_u32(b, (uint32_t)(16 + 40 + len + size));
	pw_buf_add_u64(b, time);
	pw_buf_add_u32(b, pid);
	pw_buf_add_u32(b, pid);
	pw_buf_add_u64(b, addr);
	pw_buf_add_u64(b, addr);
	pw_buf_add_u64(b, size);
	pw_buf_add_u64(b, 0);
	pw_buf_add(b, name, len);
	pw_buf_add(b, code, size);
}

/* --- questions ------------------------------------------------------------------------ */

static inline const struct pw_symbol *find(struct fixture *f, uint32_t pid,
					   uint64_t addr, struct pw_place *p)
{
	pw_space_find(f->s, pid, PERF_RECORD_MISC_USER, addr, f->now, p);
	assert_non_null(p->piece);
	assert_non_null(p->piece->sym);
	return p->piece->sym;
}

/* A call that shows the line of the test that failed. */
#define assert_place(f, pid, addr, want_name, want_kind, want_off) \
	do {                                                       \
		struct pw_place place_;                            \
		const struct pw_symbol *sym_ =                     \
			find((f), (pid), (addr), &place_);         \
		assert_string_equal(sym_->name, (want_name));      \
		assert_int_equal(sym_->kind, (want_kind));         \
		assert_int_equal(place_.off, (want_off));          \
	} while (0)

#endif
