// SPDX-License-Identifier: GPL-2.0-only
/* Captures of perfwhiz, written here as its packer writes them. */
#include <errno.h>
#include <zlib.h>

#include "sched-fixture.h"

struct row {
	const char *event;
	int cpu, usecs, pid;
	const char *name;
	int duration, next_pid;
	const char *next_comm; /* NULL: reason is meant */
	int reason;
};

static const struct row rows[] = {
	{ "sched__sched_switch", 0, 0, 5, "vcpu", 0, 0, "swapper/0", 0 },
	{ "sched__sched_stat_sleep", 0, 300, 5, "vcpu", 300, 0, "", 0 },
	{ "sched__sched_switch", 0, 400, 0, "swapper/0", 0, 5, "vcpu", 0 },
	{ "kvm__kvm_entry", 0, 500, 5, "vcpu", 0, 0, "", 0 },
	{ "kvm__kvm_exit", 0, 70000, 5, "vcpu", 69500, 0, NULL, 30 },
	{ "sched__sched_switch", 0, 70500, 5, "vcpu", 0, 0, "swapper/0", 0 },
};
#define N_ROWS (sizeof(rows) / sizeof(*rows))

static void put_text(struct pw_buf *b, const char *s)
{
	pw_buf_add_u8(b, (uint8_t)(0xa0 | strlen(s)));
	pw_buf_add(b, s, strlen(s));
}

static void put_int(struct pw_buf *b, int v)
{
	if (v < 128) {
		pw_buf_add_u8(b, (uint8_t)v);
		return;
	}
	pw_buf_add_u8(b, 0xce);
	for (int i = 24; i >= 0; i -= 8)
		pw_buf_add_u8(b, (uint8_t)(v >> i));
}

static void put_list(struct pw_buf *b, const char *name, size_t n)
{
	put_text(b, name);
	pw_buf_add_u8(b, 0xdc);
	pw_buf_add_u8(b, 0);
	pw_buf_add_u8(b, (uint8_t)n);
}

#define LIST(name, put, member)             \
	put_list(b, name, N_ROWS);          \
	for (size_t i = 0; i < N_ROWS; i++) \
	put(b, rows[i].member)

static void make(struct pw_buf *b)
{
	pw_buf_add_u8(b, 0x88);
	LIST("event", put_text, event);
	LIST("cpu", put_int, cpu);
	LIST("usecs", put_int, usecs);
	LIST("pid", put_int, pid);
	LIST("task_name", put_text, name);
	LIST("duration", put_int, duration);
	LIST("next_pid", put_int, next_pid);
	put_list(b, "next_comm", N_ROWS);
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!rows[i].next_comm)
			put_int(b, rows[i].reason);
		else
			put_text(b, rows[i].next_comm);
	}
}

/* Packs n bytes and feeds them. */
static int feed_packed(struct pw_sched *s, const void *data, size_t n,
		       struct pw_err *err)
{
	uLongf size = compressBound(n);
	uint8_t *packed = pw_alloc(size);
	int ret;

	assert_int_equal(compress(packed, &size, data, n), Z_OK);
	assert_true(pw_sched_is_cdict(packed, size));
	ret = pw_sched_read_cdict(s, packed, size, err);
	free(packed);
	return ret;
}

static void rows_are_events(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_err err;
	struct fixture f = { 0 };

	(void)state;
	make(&b);
	f.s = pw_sched_new(NULL, &err);
	assert_int_equal(feed_packed(f.s, b.data, b.len, &err), 0);
	pw_sched_end(f.s, NULL);
	assert_string_equal(task(&f, 5)->comm, "vcpu");
	assert_int_equal(task(&f, 5)->run_ns, 70100 * 1000);
	assert_int_equal(task(&f, 5)->off_ns[PW_OFF_SLEEPING], 300 * 1000);
	assert_int_equal(task(&f, 5)->off_ns[PW_OFF_WAKING], 100 * 1000);
	assert_int_equal(task(&f, 5)->guest_ns, 69500 * 1000);
	assert_int_equal(pw_sched_exit(f.s, 0)->reason, 30);
	assert_int_equal(pw_sched_cpu(f.s, 0)->idle_ns, 400 * 1000);
	pw_sched_free(f.s);
	pw_buf_release(&b);
}

/* Cut or changed anywhere it is a fault, or another capture. */
static void damage_does_no_harm(void **state)
{
	struct pw_buf b = { 0 };
	struct pw_err err;
	struct pw_sched *s;

	(void)state;
	make(&b);
	for (size_t n = 0; n < b.len; n++) {
		s = pw_sched_new(NULL, &err);
		assert_int_equal(feed_packed(s, b.data, n, &err), -EINVAL);
		pw_sched_end(s, NULL);
		pw_sched_free(s);
	}
	for (size_t n = 0; n < b.len; n++) {
		uint8_t was = b.data[n];

		b.data[n] ^= 0xff;
		s = pw_sched_new(NULL, &err);
		feed_packed(s, b.data, b.len, &err);
		pw_sched_end(s, NULL);
		pw_sched_free(s);
		b.data[n] = was;
	}
	pw_buf_release(&b);
}

static void the_older_form_is_refused_with_words(void **state)
{
	static const uint8_t marshal[] = { '{', 't', 5, 0, 0, 0, 'e' };
	struct pw_err err;
	struct pw_sched *s = pw_sched_new(NULL, &err);

	(void)state;
	assert_int_equal(feed_packed(s, marshal, sizeof(marshal), &err),
			 -ENOTSUP);
	assert_non_null(strstr(err.msg, "marshal"));
	pw_sched_free(s);
}

static void other_files_are_none(void **state)
{
	(void)state;
	assert_false(pw_sched_is_cdict("PERFILE2", 8));
	assert_false(pw_sched_is_cdict("x", 1));
	assert_false(pw_sched_is_cdict("\x7f"
				       "ELF",
				       4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_events),
		cmocka_unit_test(damage_does_no_harm),
		cmocka_unit_test(the_older_form_is_refused_with_words),
		cmocka_unit_test(other_files_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
