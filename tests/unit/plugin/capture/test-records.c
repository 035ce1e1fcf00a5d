// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every record of the kernel and those of perf that have a content of their
 * own, with a tail, in both byte orders. state says whether the file is
 * big-endian.
 */
#include "capture-of.h"

static const struct perfdata_attr attr = {
	.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
		       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
		       PERF_SAMPLE_IDENTIFIER,
	.flags = PERFDATA_ID_ALL
};

static struct perfdata begin(void **state, uint32_t type, uint16_t misc)
{
	struct perfdata p = { .big = *(bool *)*state };

	perfdata_attr(&p, &attr);
	perfdata_begin(&p, type, misc);
	return p;
}

/* Ends a kernel record, and opens what was made at this record. */
static const struct pw_event *end(struct opened *o, struct perfdata *p,
				  int type)
{
	const struct pw_event *ev;

	if (type < 64) {
		perfdata_u32(p, 601);
		perfdata_u32(p, 602);
		perfdata_u64(p, 603);
		perfdata_u64(p, 604);
		perfdata_u64(p, 605);
		perfdata_u32(p, 606);
		perfdata_u32(p, 0);
		perfdata_u64(p, 604);
	}
	perfdata_end(p);
	open_made(o, p);
	ev = next_of(o, type);
	if (type < 64) {
		assert_int_equal(ev->pid, 601);
		assert_int_equal(ev->tid, 602);
		assert_int_equal(ev->time_ns, 603);
		assert_int_equal(ev->id, 604);
		assert_int_equal(ev->stream_id, 605);
		assert_int_equal(ev->cpu, 606);
	}
	return ev;
}

static void add_u64s(struct perfdata *p, int n, uint64_t first)
{
	int i;

	for (i = 0; i < n; i++)
		perfdata_u64(p, first + (uint64_t)i);
}

static void mmap_has_a_place_and_a_file(void **state)
{
	struct perfdata p = begin(state, PW_REC_MMAP, 1 << 13);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u32(&p, 10);
	perfdata_u32(&p, 11);
	add_u64s(&p, 3, 0x400000);
	perfdata_text(&p, "/usr/bin/wasmtime");
	ev = end(&o, &p, PW_REC_MMAP);
	assert_int_equal(ev->mmap.pid, 10);
	assert_int_equal(ev->mmap.tid, 11);
	assert_int_equal(ev->mmap.addr, 0x400000);
	assert_int_equal(ev->mmap.len, 0x400001);
	assert_int_equal(ev->mmap.pgoff, 0x400002);
	assert_string_equal(ev->mmap.filename, "/usr/bin/wasmtime");
	assert_true(ev->misc & PERF_RECORD_MISC_MMAP_DATA);
	close_made(&o);
}

static void mmap2_has_an_inode(void **state)
{
	struct perfdata p = begin(state, PW_REC_MMAP2, 0);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u32(&p, 10);
	perfdata_u32(&p, 11);
	add_u64s(&p, 3, 0x400000);
	perfdata_u32(&p, 8);
	perfdata_u32(&p, 1);
	perfdata_u64(&p, 12345);
	perfdata_u64(&p, 6);
	perfdata_u32(&p, 5);
	perfdata_u32(&p, 2);
	perfdata_text(&p, "/lib/x.so");
	ev = end(&o, &p, PW_REC_MMAP2);
	assert_int_equal(ev->mmap.maj, 8);
	assert_int_equal(ev->mmap.min, 1);
	assert_int_equal(ev->mmap.ino, 12345);
	assert_int_equal(ev->mmap.ino_generation, 6);
	assert_int_equal(ev->mmap.prot, 5);
	assert_int_equal(ev->mmap.flags, 2);
	assert_int_equal(ev->mmap.build_id_size, 0);
	assert_string_equal(ev->mmap.filename, "/lib/x.so");
	close_made(&o);
}

static void mmap2_may_have_a_build_id(void **state)
{
	struct perfdata p =
		begin(state, PW_REC_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u32(&p, 10);
	perfdata_u32(&p, 11);
	add_u64s(&p, 3, 0x400000);
	perfdata_u8(&p, 20);
	perfdata_u8(&p, 0);
	perfdata_u16(&p, 0);
	pw_buf_add(&p.data, "abcdefghijklmnopqrst", 20);
	perfdata_u32(&p, 5);
	perfdata_u32(&p, 2);
	perfdata_text(&p, "/lib/x.so");
	ev = end(&o, &p, PW_REC_MMAP2);
	assert_int_equal(ev->mmap.build_id_size, 20);
	assert_memory_equal(ev->mmap.build_id, "abcdefghijklmnopqrst", 20);
	assert_int_equal(ev->mmap.ino, 0);
	assert_int_equal(ev->mmap.prot, 5);
	close_made(&o);
}

static void a_name_without_an_end_is_malformed(void **state)
{
	struct perfdata p = begin(state, PW_REC_COMM, 0);
	struct opened o;

	perfdata_u32(&p, 1);
	perfdata_u32(&p, 1);
	pw_buf_add(&p.data, "abcdefgh", 8);
	add_u64s(&p, 6, 1ull << 56 | 1);
	perfdata_end(&p);
	open_made(&o, &p);
	assert_int_equal(pw_capture_next(o.c, &o.ev, NULL), 0);
	assert_int_equal(pw_capture_counts(o.c)->malformed, 1);
	close_made(&o);
}

static void comm_fork_and_exit_name_tasks(void **state)
{
	struct perfdata p =
		begin(state, PW_REC_COMM, PERF_RECORD_MISC_COMM_EXEC);
	struct opened o;
	const struct pw_event *ev;
	int type;

	perfdata_u32(&p, 10);
	perfdata_u32(&p, 11);
	perfdata_text(&p, "node");
	ev = end(&o, &p, PW_REC_COMM);
	assert_int_equal(ev->comm.pid, 10);
	assert_int_equal(ev->comm.tid, 11);
	assert_string_equal(ev->comm.comm, "node");
	assert_true(ev->comm.is_exec);
	close_made(&o);

	for (type = PW_REC_EXIT; type <= PW_REC_FORK;
	     type += PW_REC_FORK - PW_REC_EXIT) {
		p = begin(state, (uint32_t)type, 0);
		perfdata_u32(&p, 1);
		perfdata_u32(&p, 2);
		perfdata_u32(&p, 3);
		perfdata_u32(&p, 4);
		perfdata_u64(&p, 999);
		ev = end(&o, &p, type);
		assert_int_equal(ev->task.pid, 1);
		assert_int_equal(ev->task.ppid, 2);
		assert_int_equal(ev->task.tid, 3);
		assert_int_equal(ev->task.ptid, 4);
		assert_int_equal(ev->task.time_ns, 999);
		close_made(&o);
	}
}

static void switches_say_why_and_to_whom(void **state)
{
	struct perfdata p =
		begin(state, PW_REC_SWITCH_CPU_WIDE, 1 << 13 | 1 << 14);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u32(&p, 20);
	perfdata_u32(&p, 21);
	ev = end(&o, &p, PW_REC_SWITCH_CPU_WIDE);
	assert_true(ev->swtch.is_out);
	assert_true(ev->swtch.is_preempt);
	assert_int_equal(ev->swtch.next_prev_pid, 20);
	assert_int_equal(ev->swtch.next_prev_tid, 21);
	close_made(&o);

	p = begin(state, PW_REC_SWITCH, 1 << 13);
	ev = end(&o, &p, PW_REC_SWITCH);
	assert_true(ev->swtch.is_out);
	assert_false(ev->swtch.is_preempt);
	close_made(&o);

	p = begin(state, PW_REC_SWITCH, 0);
	ev = end(&o, &p, PW_REC_SWITCH);
	assert_false(ev->swtch.is_out);
	assert_true(ev->swtch.next_prev_tid == PW_NO_PID);
	close_made(&o);
}

static void losses_are_added_up(void **state)
{
	struct perfdata p = begin(state, PW_REC_LOST, 0);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u64(&p, 604);
	perfdata_u64(&p, 77);
	ev = end(&o, &p, PW_REC_LOST);
	assert_int_equal(ev->lost.id, 604);
	assert_int_equal(ev->lost.lost, 77);
	assert_int_equal(pw_capture_counts(o.c)->lost, 77);
	assert_int_equal(pw_capture_counts(o.c)->n_lost_chunks, 1);
	close_made(&o);

	p = begin(state, PW_REC_LOST_SAMPLES, 0);
	perfdata_u64(&p, 78);
	ev = end(&o, &p, PW_REC_LOST_SAMPLES);
	assert_int_equal(ev->lost.lost, 78);
	assert_int_equal(pw_capture_counts(o.c)->lost_samples, 78);
	close_made(&o);
}

static void throttling_names_the_event(void **state)
{
	struct perfdata p = begin(state, PW_REC_UNTHROTTLE, 0);
	struct opened o;
	const struct pw_event *ev;

	add_u64s(&p, 3, 5);
	ev = end(&o, &p, PW_REC_UNTHROTTLE);
	assert_int_equal(ev->throttle.time_ns, 5);
	assert_int_equal(ev->throttle.id, 6);
	assert_int_equal(ev->throttle.stream_id, 7);
	close_made(&o);
}

static void read_has_a_value(void **state)
{
	struct perfdata p = begin(state, PW_REC_READ, 0);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u32(&p, 1);
	perfdata_u32(&p, 2);
	perfdata_u64(&p, 4711);
	ev = end(&o, &p, PW_REC_READ);
	assert_int_equal(ev->read.tid, 2);
	assert_int_equal(ev->read.read.n, 1);
	assert_int_equal(ev->read.read.values[0].value, 4711);
	close_made(&o);
}

static void aux_records_are_read(void **state)
{
	struct perfdata p = begin(state, PW_REC_AUX, 0);
	struct opened o;
	const struct pw_event *ev;

	add_u64s(&p, 3, 0x100);
	ev = end(&o, &p, PW_REC_AUX);
	assert_int_equal(ev->aux.off, 0x100);
	assert_int_equal(ev->aux.size, 0x101);
	assert_int_equal(ev->aux.flags, 0x102);
	close_made(&o);

	p = begin(state, PW_REC_ITRACE_START, 0);
	perfdata_u32(&p, 1);
	perfdata_u32(&p, 2);
	ev = end(&o, &p, PW_REC_ITRACE_START);
	assert_int_equal(ev->itrace_start.pid, 1);
	assert_int_equal(ev->itrace_start.tid, 2);
	close_made(&o);

	p = begin(state, PW_REC_AUX_OUTPUT_HW_ID, 0);
	perfdata_u64(&p, 0x77);
	ev = end(&o, &p, PW_REC_AUX_OUTPUT_HW_ID);
	assert_int_equal(ev->aux_output_hw_id.hw_id, 0x77);
	close_made(&o);
}

static void namespaces_are_pairs(void **state)
{
	struct perfdata p = begin(state, PW_REC_NAMESPACES, 0);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u32(&p, 1);
	perfdata_u32(&p, 2);
	perfdata_u64(&p, 2);
	add_u64s(&p, 4, 0x4000);
	ev = end(&o, &p, PW_REC_NAMESPACES);
	assert_int_equal(ev->namespaces.tid, 2);
	assert_int_equal(ev->namespaces.n, 2);
	assert_int_equal(ev->namespaces.links[1].dev, 0x4002);
	assert_int_equal(ev->namespaces.links[1].ino, 0x4003);
	close_made(&o);
}

static void the_kernel_tells_of_its_own_code(void **state)
{
	struct perfdata p = begin(state, PW_REC_KSYMBOL, 0);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u64(&p, 0xffffffffc0000000);
	perfdata_u32(&p, 100);
	perfdata_u16(&p, 1);
	perfdata_u16(&p, 2);
	perfdata_text(&p, "bpf_prog_1");
	ev = end(&o, &p, PW_REC_KSYMBOL);
	assert_true(ev->ksymbol.addr == 0xffffffffc0000000);
	assert_int_equal(ev->ksymbol.len, 100);
	assert_int_equal(ev->ksymbol.ksym_type, 1);
	assert_int_equal(ev->ksymbol.flags, 2);
	assert_string_equal(ev->ksymbol.name, "bpf_prog_1");
	close_made(&o);

	p = begin(state, PW_REC_BPF_EVENT, 0);
	perfdata_u16(&p, 1);
	perfdata_u16(&p, 2);
	perfdata_u32(&p, 3);
	pw_buf_add(&p.data, "12345678", 8);
	ev = end(&o, &p, PW_REC_BPF_EVENT);
	assert_int_equal(ev->bpf.bpf_type, 1);
	assert_int_equal(ev->bpf.id, 3);
	assert_memory_equal(ev->bpf.tag, "12345678", 8);
	close_made(&o);

	p = begin(state, PW_REC_TEXT_POKE, 0);
	perfdata_u64(&p, 0x5000);
	perfdata_u16(&p, 2);
	perfdata_u16(&p, 3);
	pw_buf_add(&p.data, "oonnn\0\0\0\0\0\0\0", 12);
	ev = end(&o, &p, PW_REC_TEXT_POKE);
	assert_int_equal(ev->text_poke.addr, 0x5000);
	assert_memory_equal(ev->text_poke.old_bytes, "oo", 2);
	assert_int_equal(ev->text_poke.new_len, 3);
	assert_memory_equal(ev->text_poke.new_bytes, "nnn", 3);
	close_made(&o);
}

static void cgroups_have_a_path(void **state)
{
	struct perfdata p = begin(state, PW_REC_CGROUP, 0);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u64(&p, 321);
	perfdata_text(&p, "/user.slice");
	ev = end(&o, &p, PW_REC_CGROUP);
	assert_int_equal(ev->cgroup.id, 321);
	assert_string_equal(ev->cgroup.path, "/user.slice");
	close_made(&o);
}

static void a_deferred_call_chain_has_a_cookie(void **state)
{
	struct perfdata p = begin(state, PW_REC_CALLCHAIN_DEFERRED, 0);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u64(&p, 42);
	perfdata_u64(&p, 3);
	add_u64s(&p, 3, 0x1000);
	ev = end(&o, &p, PW_REC_CALLCHAIN_DEFERRED);
	assert_int_equal(ev->deferred.cookie, 42);
	assert_int_equal(ev->deferred.n, 3);
	assert_int_equal(ev->deferred.ips[2], 0x1002);
	close_made(&o);
}

static void records_of_perf_have_no_tail(void **state)
{
	struct perfdata p = begin(state, PW_REC_STAT, 0);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u64(&p, 9);
	perfdata_u32(&p, 1);
	perfdata_u32(&p, 2);
	add_u64s(&p, 3, 100);
	ev = end(&o, &p, PW_REC_STAT);
	assert_int_equal(ev->stat.id, 9);
	assert_int_equal(ev->stat.thread, 2);
	assert_int_equal(ev->stat.running, 102);
	assert_true(ev->time_ns == PW_NO_TIME);
	close_made(&o);

	p = begin(state, PW_REC_STAT_ROUND, 0);
	perfdata_u64(&p, 1);
	perfdata_u64(&p, 5000);
	ev = end(&o, &p, PW_REC_STAT_ROUND);
	assert_int_equal(ev->stat_round.time_ns, 5000);
	close_made(&o);

	p = begin(state, PW_REC_AUXTRACE_ERROR, 0);
	perfdata_u32(&p, 1);
	perfdata_u32(&p, 2);
	perfdata_u32(&p, 3);
	perfdata_u32(&p, 4);
	perfdata_u32(&p, 5);
	perfdata_u32(&p, 0);
	perfdata_u64(&p, 0x1234);
	ev = end(&o, &p, PW_REC_AUXTRACE_ERROR);
	assert_int_equal(ev->auxtrace_error.tid, 5);
	assert_int_equal(ev->auxtrace_error.ip, 0x1234);
	close_made(&o);
}

static void lists_of_perf_are_read(void **state)
{
	struct perfdata p = begin(state, PW_REC_ID_INDEX, 0);
	struct opened o;
	const struct pw_event *ev;

	perfdata_u64(&p, 2);
	add_u64s(&p, 8, 100);
	ev = end(&o, &p, PW_REC_ID_INDEX);
	assert_int_equal(ev->id_index.n, 2);
	assert_int_equal(ev->id_index.entries[1].id, 104);
	assert_int_equal(ev->id_index.entries[1].tid, 107);
	close_made(&o);

	p = begin(state, PW_REC_STAT_CONFIG, 0);
	perfdata_u64(&p, 1);
	add_u64s(&p, 2, 2);
	ev = end(&o, &p, PW_REC_STAT_CONFIG);
	assert_int_equal(ev->stat_config.n, 1);
	assert_int_equal(ev->stat_config.settings[0].value, 3);
	close_made(&o);

	p = begin(state, PW_REC_THREAD_MAP, 0);
	perfdata_u64(&p, 2);
	perfdata_u64(&p, 41);
	pw_buf_add(&p.data, "sleep\0\0\0\0\0\0\0\0\0\0\0", 16);
	perfdata_u64(&p, 42);
	pw_buf_add(&p.data, "sixteen letters!", 16);
	ev = end(&o, &p, PW_REC_THREAD_MAP);
	assert_int_equal(ev->thread_map.n, 2);
	assert_string_equal(ev->thread_map.entries[0].comm, "sleep");
	assert_int_equal(ev->thread_map.entries[1].pid, 42);
	assert_string_equal(ev->thread_map.entries[1].comm, "sixteen letters");
	close_made(&o);
}

static void an_update_of_an_event_is_text_or_a_number(void **state)
{
	const double scale = 0.5;
	struct perfdata p = begin(state, PW_REC_EVENT_UPDATE, 0);
	struct opened o;
	const struct pw_event *ev;
	uint64_t bits;

	add_u64s(&p, 2, 0);
	perfdata_text(&p, "Joules");
	ev = end(&o, &p, PW_REC_EVENT_UPDATE);
	assert_int_equal(ev->event_update.id, 1);
	assert_string_equal(ev->event_update.text, "Joules");
	close_made(&o);

	p = begin(state, PW_REC_EVENT_UPDATE, 0);
	add_u64s(&p, 2, 1);
	memcpy(&bits, &scale, 8);
	perfdata_u64(&p, bits);
	ev = end(&o, &p, PW_REC_EVENT_UPDATE);
	assert_true(ev->event_update.scale == scale);
	assert_null(ev->event_update.text);
	close_made(&o);
}

static void time_conversion_comes_in_two_sizes(void **state)
{
	struct perfdata p = begin(state, PW_REC_TIME_CONV, 0);
	struct opened o;
	const struct pw_event *ev;

	add_u64s(&p, 3, 31);
	ev = end(&o, &p, PW_REC_TIME_CONV);
	assert_int_equal(ev->time_conv.shift, 31);
	assert_int_equal(ev->time_conv.mult, 32);
	assert_int_equal(ev->time_conv.zero, 33);
	assert_false(ev->time_conv.cap_zero);
	close_made(&o);

	p = begin(state, PW_REC_TIME_CONV, 0);
	add_u64s(&p, 5, 31);
	perfdata_u8(&p, 1);
	perfdata_u8(&p, 0);
	for (int i = 0; i < 6; i++)
		perfdata_u8(&p, 0);
	ev = end(&o, &p, PW_REC_TIME_CONV);
	assert_int_equal(ev->time_conv.mask, 35);
	assert_true(ev->time_conv.cap_zero);
	assert_false(ev->time_conv.cap_short);
	close_made(&o);
}

static void an_unknown_record_is_given_as_bytes(void **state)
{
	struct perfdata p = begin(state, 63, 0);
	struct opened o;
	const struct pw_event *ev;

	add_u64s(&p, 2, 1);
	ev = end(&o, &p, 63);
	assert_int_equal(ev->n_bytes, 16 + 48);
	assert_int_equal(pw_capture_counts(o.c)->records[PW_N_RECORDS], 1);
	assert_null(pw_record_name(63));
	assert_null(pw_record_name(1000000));
	assert_string_equal(pw_record_name(PW_REC_MMAP2), "MMAP2");
	close_made(&o);

	p = begin(state, 0x10009, 0);
	perfdata_end(&p);
	open_made(&o, &p);
	next_of(&o, UINT16_MAX);
	close_made(&o);
}

int main(void)
{
	static bool no, yes = true;
#define BOTH(f)                                        \
	{ #f ", little-endian", f, NULL, NULL, &no },  \
	{                                              \
#f ", big-endian", f, NULL, NULL, &yes \
	}
	const struct CMUnitTest tests[] = {
		BOTH(mmap_has_a_place_and_a_file),
		BOTH(mmap2_has_an_inode),
		BOTH(mmap2_may_have_a_build_id),
		BOTH(a_name_without_an_end_is_malformed),
		BOTH(comm_fork_and_exit_name_tasks),
		BOTH(switches_say_why_and_to_whom),
		BOTH(losses_are_added_up),
		BOTH(throttling_names_the_event),
		BOTH(read_has_a_value),
		BOTH(aux_records_are_read),
		BOTH(namespaces_are_pairs),
		BOTH(the_kernel_tells_of_its_own_code),
		BOTH(cgroups_have_a_path),
		BOTH(a_deferred_call_chain_has_a_cookie),
		BOTH(records_of_perf_have_no_tail),
		BOTH(lists_of_perf_are_read),
		BOTH(an_update_of_an_event_is_text_or_a_number),
		BOTH(time_conversion_comes_in_two_sizes),
		BOTH(an_unknown_record_is_given_as_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
