// SPDX-License-Identifier: GPL-2.0-only
/* Samples given together count as if each had been given alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "../../../../plugin/dlfilter/dlfilter.h"

struct pair {
	struct pw_space *space;
	struct pw_profile *p;
	struct dl_batch *b;
	uint32_t event;
};

static void begin(struct pair *x)
{
	const struct pw_space_opts o = { .no_local = true };

	x->space = pw_space_new(&o);
	x->p = pw_profile_new(x->space, NULL);
	x->event = pw_profile_add_event(x->p, "cycles");
	x->b = dl_batch_new();
}

static void end(struct pair *x)
{
	dl_batch_free(x->b);
	pw_profile_free(x->p);
	pw_space_free(x->space);
}

static struct dl_alike sample(const struct pair *x, uint32_t tid, uint64_t ip)
{
	return (struct dl_alike){ .event = (uint16_t)x->event,
				  .pid = tid,
				  .tid = tid,
				  .ip = ip,
				  .period = 10,
				  .n = 1,
				  .cpumode = PERF_RECORD_MISC_USER };
}

static uint64_t samples_of(const struct pair *x, uint32_t tid)
{
	for (uint32_t i = 0; i < pw_profile_n_tasks(x->p); i++) {
		struct pw_task t;

		pw_profile_task(x->p, i, &t);
		if (t.tid == tid)
			return t.events[x->event].samples;
	}
	return 0;
}

static void nothing_is_lost_when_addresses_share_a_place(void **state)
{
	struct pair x;
	uint32_t n = 200000;

	(void)state;
	begin(&x);
	for (uint32_t i = 0; i < n; i++) {
		struct dl_alike s = sample(&x, 1 + i % 3, 0x1000 + i % 70000);

		dl_batch_add(x.b, &s, 1000, x.p);
	}
	dl_batch_give(x.b, x.p);
	pw_profile_end(x.p, NULL);
	assert_int_equal(pw_profile_event_info(x.p, x.event)->total.samples, n);
	assert_int_equal(pw_profile_event_info(x.p, x.event)->total.period,
			 10 * n);
	assert_int_equal(samples_of(&x, 1), 66667);
	assert_int_equal(samples_of(&x, 3), 66666);
	assert_int_equal(pw_profile_n_hits(x.p), 70000);
	end(&x);
}

static void each_task_and_event_keeps_its_own(void **state)
{
	uint32_t other;
	struct dl_alike s;
	struct pair x;

	(void)state;
	begin(&x);
	other = pw_profile_add_event(x.p, "misses");
	for (int i = 0; i < 5; i++) {
		s = sample(&x, 1, 0x1000);
		dl_batch_add(x.b, &s, 1000, x.p);
	}
	s = sample(&x, 2, 0x1000);
	dl_batch_add(x.b, &s, 1000, x.p);
	s.event = (uint16_t)other;
	dl_batch_add(x.b, &s, 1000, x.p);
	dl_batch_give(x.b, x.p);
	pw_profile_end(x.p, NULL);
	assert_int_equal(pw_profile_event_info(x.p, x.event)->total.samples, 6);
	assert_int_equal(pw_profile_event_info(x.p, other)->total.samples, 1);
	assert_int_equal(samples_of(&x, 1), 5);
	assert_int_equal(samples_of(&x, 2), 1);
	end(&x);
}

static void what_was_given_is_not_given_again(void **state)
{
	struct dl_alike s;
	struct pair x;

	(void)state;
	begin(&x);
	s = sample(&x, 1, 0x1000);
	dl_batch_add(x.b, &s, 1000, x.p);
	dl_batch_give(x.b, x.p);
	dl_batch_give(x.b, x.p);
	dl_batch_add(x.b, &s, 1000, x.p);
	dl_batch_give(x.b, x.p);
	pw_profile_end(x.p, NULL);
	assert_int_equal(pw_profile_event_info(x.p, x.event)->total.samples, 2);
	end(&x);
}

static void more_than_may_wait_are_given(void **state)
{
	struct pair x;
	uint32_t n = 1500000;
	uint64_t ip = 1;

	(void)state;
	begin(&x);
	for (uint32_t i = 0; i < n; i++) {
		struct dl_alike s;

		ip = ip * 6364136223846793005u + 1442695040888963407u;
		s = sample(&x, 1, ip >> 44); /* a million addresses */
		dl_batch_add(x.b, &s, 1000, x.p);
	}
	dl_batch_give(x.b, x.p);
	pw_profile_end(x.p, NULL);
	assert_int_equal(pw_profile_event_info(x.p, x.event)->total.samples, n);
	assert_int_equal(pw_profile_event_info(x.p, x.event)->total.period,
			 10 * n);
	end(&x);
}

static void a_task_is_given_without_the_others(void **state)
{
	struct dl_alike s;
	struct pair x;

	(void)state;
	begin(&x);
	for (uint32_t i = 0; i < 20; i++) {
		s = sample(&x, 1 + i % 2, 0x1000 + i);
		dl_batch_add(x.b, &s, 1000, x.p);
	}
	/* the first of each is not kept back */
	assert_int_equal(samples_of(&x, 1), 1);
	assert_int_equal(samples_of(&x, 2), 1);
	dl_batch_give_task(x.b, 2, 2, x.p);
	assert_int_equal(samples_of(&x, 1), 1);
	assert_int_equal(samples_of(&x, 2), 10);
	dl_batch_end_task(x.b, 1, 1, x.p);
	assert_int_equal(samples_of(&x, 1), 10);
	dl_batch_give(x.b, x.p);
	assert_int_equal(samples_of(&x, 1), 10);
	assert_int_equal(samples_of(&x, 2), 10);
	end(&x);
}

static void a_period_of_any_size_is_kept(void **state)
{
	struct dl_alike s;
	struct pair x;

	(void)state;
	begin(&x);
	for (int i = 0; i < 2000; i++) {
		s = sample(&x, 1, 0x1000 + i % 2);
		s.period = i % 3 ? 4000000000u : 5000000000u;
		dl_batch_add(x.b, &s, 1000, x.p);
	}
	dl_batch_give(x.b, x.p);
	pw_profile_end(x.p, NULL);
	assert_int_equal(pw_profile_event_info(x.p, x.event)->total.samples,
			 2000);
	assert_int_equal(pw_profile_event_info(x.p, x.event)->total.period,
			 667 * 5000000000ull + 1333 * 4000000000ull);
	end(&x);
}

static void addresses_are_sorted_and_equal_ones_added_up(void **state)
{
	static struct pw_alike a[5000], spare[5000];
	uint32_t n;

	(void)state;
	for (uint32_t i = 0; i < 5000; i++)
		a[i] = (struct pw_alike){
			((uint64_t)(i * 7919 % 1000) << 40) + 5, 1, 2
		};
	n = dl_alike_sort(a, 5000, spare);
	assert_int_equal(n, 1000);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(a[i].ip, ((uint64_t)i << 40) + 5);
		assert_int_equal(a[i].n, 5);
		assert_int_equal(a[i].period, 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_when_addresses_share_a_place),
		cmocka_unit_test(each_task_and_event_keeps_its_own),
		cmocka_unit_test(what_was_given_is_not_given_again),
		cmocka_unit_test(more_than_may_wait_are_given),
		cmocka_unit_test(a_task_is_given_without_the_others),
		cmocka_unit_test(a_period_of_any_size_is_kept),
		cmocka_unit_test(addresses_are_sorted_and_equal_ones_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
