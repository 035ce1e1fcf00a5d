/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pass that is fed event by event, as a capture's reader would: raw data laid
 * out as kernels of today do. Times are in ns from 1000 on.
 */
#ifndef TESTS_SCHED_FIXTURE_H
#define TESTS_SCHED_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <perfwasm/sched.h>

#define COMMON                                                                 \
	"ID: 1\nformat:\n"                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
static const char switch_format[] =
	"name: sched_switch\n" COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"\"\n";
static const char wake_format[] =
	"name: sched_wakeup\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"\"\n";
static const char exit_format[] =
	"name: kvm_exit\n" COMMON
	"\tfield:unsigned int exit_reason;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 isa;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"\"\n";

enum { AT_SWITCH, AT_WAKING, AT_WAKEUP, AT_MIGRATE, AT_ENTRY, AT_EXIT, N_AT };

struct fixture {
	struct pw_sched *s;
	struct pw_attr attrs[N_AT];
	uint32_t on[8]; /* the task on each CPU */
	uint8_t raw[64];
};

static inline void set_format(struct fixture *f, int at, const char *format)
{
	struct pw_err err;

	assert_int_equal(pw_sched_set_format(f->s, &f->attrs[at], format,
					     strlen(format), &err),
			 0);
}

static inline void begin_with(struct fixture *f, const struct pw_sched_opts *o)
{
	static const char *const names[N_AT] = {
		"sched:sched_switch", "sched:sched_waking",
		"sched:sched_wakeup", "sched:sched_migrate_task",
		"kvm:kvm_entry",      "kvm:kvm_exit",
	};
	struct pw_err err = { 0 };

	memset(f, 0, sizeof(*f));
	f->s = pw_sched_new(o, &err);
	assert_non_null(f->s);
	for (uint32_t i = 0; i < N_AT; i++) {
		f->attrs[i].idx = i;
		f->attrs[i].name = names[i];
	}
	set_format(f, AT_SWITCH, switch_format);
	set_format(f, AT_EXIT, exit_format);
	set_format(f, AT_ENTRY, exit_format);
}

/* With wake-ups. */
static inline void begin(struct fixture *f)
{
	begin_with(f, NULL);
	set_format(f, AT_WAKING, wake_format);
	set_format(f, AT_WAKEUP, wake_format);
}

static inline void end(struct fixture *f)
{
	pw_sched_free(f->s);
}

static inline void put32(struct fixture *f, uint32_t off, uint32_t v)
{
	memcpy(f->raw + off, &v, 4);
}

static inline void feed(struct fixture *f, int at, uint64_t time, uint32_t cpu)
{
	struct pw_event ev = { .type = PW_REC_SAMPLE,
			       .time_ns = time,
			       .pid = f->on[cpu % 8],
			       .tid = f->on[cpu % 8],
			       .cpu = cpu,
			       .attr = &f->attrs[at] };

	ev.sample.raw = f->raw;
	ev.sample.raw_size = sizeof(f->raw);
	pw_sched_event(f->s, NULL, &ev);
}

static inline void name(struct fixture *f, uint32_t off, uint32_t tid)
{
	char comm[16] = "";

	if (tid)
		snprintf(comm, sizeof(comm), "t%u", tid);
	else
		strcpy(comm, "swapper/0");
	memcpy(f->raw + off, comm, sizeof(comm));
}

/* The task on the CPU leaves it in a state, another comes. */
static inline void sw(struct fixture *f, uint64_t time, uint32_t cpu,
		      uint64_t state, uint32_t next)
{
	memset(f->raw, 0, sizeof(f->raw));
	name(f, 8, f->on[cpu % 8]);
	put32(f, 24, f->on[cpu % 8]);
	memcpy(f->raw + 32, &state, 8);
	name(f, 40, next);
	put32(f, 56, next);
	feed(f, AT_SWITCH, time, cpu);
	f->on[cpu % 8] = next;
}

/* What runs on the CPU wakes a task. */
static inline void wake(struct fixture *f, int at, uint64_t time, uint32_t cpu,
			uint32_t tid)
{
	memset(f->raw, 0, sizeof(f->raw));
	name(f, 8, tid);
	put32(f, 24, tid);
	feed(f, at, time, cpu);
}

static inline const struct pw_sched_task *task(const struct fixture *f,
					       uint32_t tid)
{
	for (uint32_t i = 0; i < pw_sched_n_tasks(f->s); i++)
		if (pw_sched_task(f->s, i)->tid == tid)
			return pw_sched_task(f->s, i);
	fail_msg("there is no task %u", tid);
	return NULL;
}

static inline const struct pw_sched_pair *pair(const struct fixture *f,
					       enum pw_sched_pair_kind kind,
					       uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < pw_sched_n_pairs(f->s); i++) {
		const struct pw_sched_pair *p = pw_sched_pair(f->s, i);

		if (p->kind == kind && pw_sched_task(f->s, p->a)->tid == a &&
		    pw_sched_task(f->s, p->b)->tid == b)
			return p;
	}
	return NULL;
}

#endif
