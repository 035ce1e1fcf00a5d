// SPDX-License-Identifier: GPL-2.0-only
/* Names that stay the same from run to run, and virtual CPUs. */
#include "sched-fixture.h"

static void run_each(struct fixture *f)
{
	sw(f, 1000, 0, 0, 5);
	sw(f, 1100, 0, 1, 6);
	sw(f, 1300, 0, 1, 7);
	sw(f, 1600, 0, 1, 0);
	pw_sched_end(f->s, NULL);
}

static void a_map_names_roles_by_tid_then_by_name(void **state)
{
	const struct pw_sched_opts o = {
		.map = "# roles\n\nt[0-9],all\n 6 , six # this one\nt7,never\n"
	};
	struct fixture f;

	(void)state;
	begin_with(&f, &o);
	run_each(&f);
	assert_int_equal(pw_sched_n_roles(f.s), 2);
	assert_string_equal(pw_sched_role(f.s, 0)->role, "all");
	assert_int_equal(pw_sched_role(f.s, 0)->run_ns, 400);
	assert_int_equal(pw_sched_role(f.s, 0)->n_tasks, 2);
	assert_int_equal(pw_sched_role(f.s, 0)->run.n, 2);
	assert_string_equal(pw_sched_role(f.s, 1)->role, "six");
	end(&f);
}

static void a_map_of_perfwhiz_is_understood(void **state)
{
	const struct pw_sched_opts o = {
		.map = "tid,libvirt_instance_id,thread_type,uuid,service_chain_type,service_chain_id,nvf_name\n"
		       "6,instance-00000001,vcpu0,aaaa,PVP,2,firewall\r\n"
	};
	struct fixture f;

	(void)state;
	begin_with(&f, &o);
	run_each(&f);
	assert_string_equal(task(&f, 6)->role, "firewall.02.vcpu0");
	assert_string_equal(task(&f, 5)->role, "t5");
	end(&f);
}

static void faults_of_a_map_are_told_by_line(void **state)
{
	static const char *const maps[] = { "a,b\nno comma\n", "a,b\n(,x\n",
					    "a,b\nname,\n" };
	struct pw_err err;

	(void)state;
	for (int i = 0; i < 3; i++) {
		const struct pw_sched_opts o = { .map = maps[i] };

		assert_null(pw_sched_new(&o, &err));
		assert_non_null(strstr(err.msg, "line 2"));
	}
}

static void kernel_threads_lose_their_cpu(void **state)
{
	const struct pw_sched_opts o = { .merge_sys_tasks = true };
	static const char *const names[][2] = {
		{ "kworker/3:1H", "kworker" },
		{ "kworker/u8:2", "kworker" },
		{ "ksoftirqd/0", "ksoftirqd" },
		{ "a/b", "a/b" },
		{ "node", "node" },
	};
	struct fixture f;

	(void)state;
	begin_with(&f, &o);
	for (uint32_t i = 0; i < 5; i++) {
		struct pw_event ev = { .type = PW_REC_COMM };

		ev.comm.pid = ev.comm.tid = 20 + i;
		ev.comm.comm = names[i][0];
		pw_sched_event(f.s, NULL, &ev);
	}
	pw_sched_end(f.s, NULL);
	for (uint32_t i = 0; i < 5; i++)
		assert_string_equal(task(&f, 20 + i)->role, names[i][1]);
	end(&f);
}

static void tasks_are_chosen_by_a_part_of_their_name_or_a_tid(void **state)
{
	static const char *const wants[] = { "^t[56]$", "*6", "6", NULL };
	static const bool fits[][3] = {
		{ 1, 1, 0 }, { 0, 1, 0 }, { 0, 1, 0 }, { 1, 1, 1 }
	};

	(void)state;
	for (int i = 0; i < 4; i++) {
		const struct pw_sched_opts o = { .task = wants[i] };
		struct fixture f;

		begin_with(&f, &o);
		run_each(&f);
		for (uint32_t k = 0; k < 3; k++)
			assert_int_equal(task(&f, 5 + k)->is_kept, fits[i][k]);
		end(&f);
	}
}

static void a_guest_leaves_for_a_reason_and_the_host_works(void **state)
{
	struct fixture f;
	const struct pw_sched_exit *e;

	(void)state;
	begin(&f);
	sw(&f, 1000, 0, 0, 5);
	memset(f.raw, 0, sizeof(f.raw));
	feed(&f, AT_ENTRY, 1100, 0);
	put32(&f, 8, 12); /* HLT */
	put32(&f, 16, 1); /* VMX */
	feed(&f, AT_EXIT, 1400, 0);
	sw(&f, 1450, 0, 1, 0); /* it waits for the guest to be wanted */
	wake(&f, AT_WAKING, 1900, 0, 5);
	sw(&f, 2000, 0, 0, 5);
	memset(f.raw, 0, sizeof(f.raw));
	feed(&f, AT_ENTRY, 2050, 0);
	pw_sched_end(f.s, NULL);
	assert_int_equal(task(&f, 5)->guest_ns, 300);
	assert_int_equal(task(&f, 5)->host_ns, 650);
	assert_int_equal(task(&f, 5)->kvm_wait_ns, 550);
	assert_int_equal(pw_sched_n_exits(f.s), 1);
	e = pw_sched_exit(f.s, 0);
	assert_int_equal(e->n, 1);
	assert_int_equal(e->host_ns, 650);
	assert_int_equal(e->wait_ns, 550);
	assert_string_equal(pw_kvm_exit_name(e->isa, e->reason), "HLT");
	end(&f);
}

static void exits_of_both_vendors_have_names(void **state)
{
	(void)state;
	assert_string_equal(pw_kvm_exit_name(1, 48), "EPT_VIOLATION");
	assert_string_equal(pw_kvm_exit_name(1, 0x80000021), "INVALID_STATE");
	assert_string_equal(pw_kvm_exit_name(1, 0), "EXCEPTION_NMI");
	assert_string_equal(pw_kvm_exit_name(1, 75), "NOTIFY");
	assert_string_equal(pw_kvm_exit_name(2, 0x400), "NPF");
	assert_string_equal(pw_kvm_exit_name(2, 0x7b), "IOIO");
	assert_string_equal(pw_kvm_exit_name(2, 0x4e), "EXCP_PF");
	assert_string_equal(pw_kvm_exit_name(2, UINT32_MAX), "ERR");
	assert_null(pw_kvm_exit_name(1, 35));
	assert_null(pw_kvm_exit_name(0, 48));
	assert_null(pw_kvm_exit_name(2, 0x3ff));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_names_roles_by_tid_then_by_name),
		cmocka_unit_test(a_map_of_perfwhiz_is_understood),
		cmocka_unit_test(faults_of_a_map_are_told_by_line),
		cmocka_unit_test(kernel_threads_lose_their_cpu),
		cmocka_unit_test(
			tasks_are_chosen_by_a_part_of_their_name_or_a_tid),
		cmocka_unit_test(
			a_guest_leaves_for_a_reason_and_the_host_works),
		cmocka_unit_test(exits_of_both_vendors_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
