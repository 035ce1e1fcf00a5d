/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile over a space that knows two processes: 7 "app" with generated
 * code, 8 "other" with a mapped file that is not here. Samples are pushed as
 * a door without a capture does.
 *
 *   7: 0x7000 wasm "add" (3)   0x8000 wasm "mul" (4)   0x9000 script "js"
 *   8: 0x1000 /bin/other
 */
#ifndef TESTS_PROFILE_FIXTURE_H
#define TESTS_PROFILE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/perf_event.h>

#include <perfwasm/profile.h>

struct fixture {
	char dir[64];
	struct pw_space *s;
	struct pw_profile *p;
	uint32_t cycles;
};

static inline void add_code(struct pw_buf *b, const char *name, uint64_t addr,
			    const uint8_t code[64])
{
	size_t len = strlen(name) + 1;

	pw_buf_add_u32(b, 0);
	pw_buf_add_u32(b, (uint32_t)(16 + 40 + len + 64));
	pw_buf_add_u64(b, 1);
	pw_buf_add_u32(b, 7);
	pw_buf_add_u32(b, 7);
	pw_buf_add_u64(b, addr);
	pw_buf_add_u64(b, addr);
	pw_buf_add_u64(b, 64);
	pw_buf_add_u64(b, 0);
	pw_buf_add(b, name, len);
	pw_buf_add(b, code, 64);
}

static inline void add_dump(struct fixture *f)
{
	struct pw_buf b = { 0 };
	uint8_t code[64];
	char *path = pw_asprintf("%s/jit-7.dump", f->dir);

	memset(code, 0x90, sizeof(code)); /* nop */
	code[0] = 0xf3;                   /* popcnt %ecx, %eax */
	code[1] = 0x0f;
	code[2] = 0xb8;
	code[3] = 0xc1;
	code[63] = 0xc3;
	pw_buf_add_u32(&b, 0x4A695444);
	pw_buf_add_u32(&b, 1);
	pw_buf_add_u32(&b, 40);
	pw_buf_add_u32(&b, 62);
	pw_buf_add_u64(&b, (uint64_t)7 << 32);
	pw_buf_add_u64(&b, 1);
	pw_buf_add_u64(&b, 0);
	add_code(&b, "JS:add-3-turbofan", 0x7000, code);
	add_code(&b, "JS:mul-4-liftoff", 0x8000, code);
	add_code(&b, "JS:*js a.js:1:1", 0x9000, code);
	assert_int_equal(pw_file_write(path, b.data, b.len, NULL), 0);
	assert_int_equal(pw_space_add_jitdump(f->s, path, 7, NULL), 0);
	free(path);
	pw_buf_release(&b);
}

static inline void feed_comm(struct fixture *f, uint32_t pid, uint32_t tid,
			     const char *comm)
{
	struct pw_event ev = { .type = PW_REC_COMM, .time_ns = 1 };

	ev.comm.pid = pid;
	ev.comm.tid = tid;
	ev.comm.comm = comm;
	pw_profile_event(f->p, NULL, &ev);
}

static inline void begin_with(struct fixture *f,
			      const struct pw_profile_opts *o)
{
	struct pw_event ev = { .type = PW_REC_MMAP2,
			       .misc = PERF_RECORD_MISC_USER,
			       .time_ns = 1 };
	struct pw_space_opts so = { .dir = f->dir, .no_local = true };

	memset(f, 0, sizeof(*f));
	strcpy(f->dir, "/tmp/profile-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->s = pw_space_new(&so);
	f->p = pw_profile_new(f->s, o);
	add_dump(f);
	ev.mmap = (struct pw_mmap){ .pid = 8,
				    .tid = 8,
				    .addr = 0x1000,
				    .len = 0x1000,
				    .filename = "/bin/other" };
	pw_profile_event(f->p, NULL, &ev);
	feed_comm(f, 7, 7, "app");
	feed_comm(f, 8, 8, "other");
	f->cycles = pw_profile_add_event(f->p, "cycles");
}

static inline void begin(struct fixture *f)
{
	begin_with(f, NULL);
}

static inline void end(struct fixture *f)
{
	pw_profile_free(f->p);
	pw_space_free(f->s);
	assert_int_equal(pw_remove_tree(f->dir, NULL), 0);
}

static inline struct pw_push sample(const struct fixture *f, uint32_t tid,
				    uint64_t time, uint64_t ip)
{
	return (struct pw_push){ .event = f->cycles,
				 .pid = tid == 8 ? 8 : 7,
				 .tid = tid,
				 .time_ns = time,
				 .ip = ip,
				 .period = 100,
				 .cpumode = PERF_RECORD_MISC_USER };
}

static inline void push(struct fixture *f, uint32_t tid, uint64_t time,
			uint64_t ip)
{
	struct pw_push s = sample(f, tid, time, ip);

	pw_profile_push(f->p, &s);
}

/* A function by its name; its counts of an event. */
static inline struct pw_function function(const struct fixture *f,
					  const char *name)
{
	struct pw_function out = { 0 };
	uint32_t i;

	for (i = 0; i < pw_profile_n_functions(f->p); i++) {
		pw_profile_function(f->p, i, &out);
		if (!strcmp(out.sym->name, name))
			return out;
	}
	out.sym = NULL;
	return out;
}

static inline uint64_t self_of(const struct fixture *f, const char *name)
{
	struct pw_function x = function(f, name);

	return x.sym ? x.self[f->cycles].samples : 0;
}

static inline uint64_t total_of(const struct fixture *f, const char *name)
{
	struct pw_function x = function(f, name);

	return x.sym ? x.total[f->cycles].samples : 0;
}

#endif
