// SPDX-License-Identifier: GPL-2.0-only
/* Tests of pprof and Perfetto, by a reader of protobuf's wire format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "sampled.h"

/* --- a reader ------------------------------------------------------------------- */

struct field {
	uint64_t number, value;
	const uint8_t *data; /* NULL: a varint */
	size_t size;
};

static bool next(struct pw_cursor *c, struct field *f)
{
	uint64_t key;

	if (!pw_cursor_left(c))
		return false;
	key = pw_cursor_uleb64(c);
	f->number = key >> 3;
	f->data = NULL;
	f->value = f->size = 0;
	assert_true((key & 7) == 0 || (key & 7) == 2);
	f->value = pw_cursor_uleb64(c);
	if ((key & 7) == 2) {
		f->size = f->value;
		f->data = pw_cursor_bytes(c, f->size);
		assert_non_null(f->data);
	}
	assert_false(c->failed);
	return true;
}

static void open_message(struct pw_cursor *c, const struct field *f)
{
	pw_cursor_init(c, f->data, f->size, 0, NULL);
}

/* The value of the first field of that number, or 0. */
static uint64_t value_of(const struct field *message, uint64_t number)
{
	struct pw_cursor c;
	struct field f;

	open_message(&c, message);
	while (next(&c, &f))
		if (f.number == number)
			return f.value;
	return 0;
}

static uint64_t n_fields(const void *data, size_t size, uint64_t number)
{
	struct pw_cursor c;
	struct field f;
	uint64_t n = 0;

	pw_cursor_init(&c, data, size, 0, NULL);
	while (next(&c, &f))
		n += f.number == number;
	return n;
}

/* Field `number` the i-th time. */
static struct field nth(const void *data, size_t size, uint64_t number,
			uint64_t i)
{
	struct pw_cursor c;
	struct field f;

	pw_cursor_init(&c, data, size, 0, NULL);
	while (next(&c, &f))
		if (f.number == number && !i--)
			return f;
	fail_msg("field %d is missing", (int)number);
	return f;
}

/* --- pprof: numbers of profile.proto --------------------------------------------- */

static void string_is(const char *data, size_t size, uint64_t i,
		      const char *want)
{
	struct field f = nth(data, size, 6, i);

	assert_int_equal(f.size, strlen(want));
	assert_memory_equal(f.data, want, f.size);
}

static void pprof_has_two_values_for_each_event(void **state)
{
	size_t size;
	char *data = written_as(PW_EXPORT_PPROF, &size);
	struct field type;

	(void)state;
	string_is(data, size, 0, "");
	assert_int_equal(n_fields(data, size, 1), 4);
	type = nth(data, size, 1, 0);
	string_is(data, size, value_of(&type, 1), "cycles.samples");
	string_is(data, size, value_of(&type, 2), "count");
	type = nth(data, size, 1, 3);
	string_is(data, size, value_of(&type, 1), "cache-misses");
	free(data);
}

/* The sums of the four values over all samples. */
static void pprof_counts_all_samples(void **state)
{
	uint64_t sums[4] = { 0 }, n;
	size_t size;
	char *data = written_as(PW_EXPORT_PPROF, &size);

	(void)state;
	n = n_fields(data, size, 2);
	for (uint64_t i = 0; i < n; i++) {
		struct field sample = nth(data, size, 2, i);
		struct field values = nth(sample.data, sample.size, 2, 0);
		struct pw_cursor c;

		open_message(&c, &values);
		for (int v = 0; v < 4; v++)
			sums[v] += pw_cursor_uleb64(&c);
		assert_int_equal(pw_cursor_left(&c), 0);
	}
	assert_int_equal(sums[0], 4);
	assert_int_equal(sums[1], 257);
	assert_int_equal(sums[2], 1);
	assert_int_equal(sums[3], 1);
	free(data);
}

static void pprof_names_its_locations_innermost_first(void **state)
{
	size_t size;
	char *data = written_as(PW_EXPORT_PPROF, &size);
	struct field sample = nth(data, size, 2, 0);
	struct field ids = nth(sample.data, sample.size, 1, 0);
	uint64_t n_functions = n_fields(data, size, 5);
	struct pw_cursor c;

	(void)state;
	open_message(&c, &ids);
	for (int i = 0; i < 2; i++) {
		uint64_t id = pw_cursor_uleb64(&c);
		struct field function = nth(data, size, 5, id - 1);

		assert_int_equal(value_of(&function, 1), id);
		string_is(data, size, value_of(&function, 2),
			  i ? "outer;1" : "inner");
	}
	assert_int_equal(n_fields(data, size, 4), n_functions);
	assert_int_equal(n_functions, 3);
	free(data);
}

/* --- Perfetto ------------------------------------------------------------------------ */

static void perfetto_is_packets_of_one_sequence(void **state)
{
	size_t size;
	char *data = written_as(PW_EXPORT_PERFETTO, &size);
	uint64_t n = n_fields(data, size, 1), n_samples = 0, last = 0;

	(void)state;
	for (uint64_t i = 0; i < n; i++) {
		struct field packet = nth(data, size, 1, i);

		assert_int_equal(value_of(&packet, 10), 1);
		/* the first clears what was interned, the others need it */
		assert_int_equal(value_of(&packet, 13), i ? 2 : 1);
		if (n_fields(packet.data, packet.size, 66)) {
			struct field s = nth(packet.data, packet.size, 66, 0);

			n_samples++;
			last = value_of(&packet, 8);
			assert_int_equal(value_of(&s, 2), 10);
			assert_true(value_of(&s, 4) > 0);
		}
	}
	/* of the main event only */
	assert_int_equal(n_samples, 4);
	assert_int_equal(last, 2500000);
	free(data);
}

static void perfetto_interns_every_call_stack_of_a_sample(void **state)
{
	size_t size;
	char *data = written_as(PW_EXPORT_PERFETTO, &size);
	struct field first = nth(data, size, 1, 0);
	struct field interned = nth(first.data, first.size, 12, 0);
	uint64_t n = n_fields(data, size, 1);

	(void)state;
	for (uint64_t i = 0; i < n; i++) {
		struct field packet = nth(data, size, 1, i), s;
		bool found = false;

		if (!n_fields(packet.data, packet.size, 66))
			continue;
		s = nth(packet.data, packet.size, 66, 0);
		for (uint64_t k = 0;
		     k < n_fields(interned.data, interned.size, 7); k++) {
			struct field stack =
				nth(interned.data, interned.size, 7, k);

			found |= value_of(&stack, 1) == value_of(&s, 4);
		}
		assert_true(found);
	}
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pprof_has_two_values_for_each_event),
		cmocka_unit_test(pprof_counts_all_samples),
		cmocka_unit_test(pprof_names_its_locations_innermost_first),
		cmocka_unit_test(perfetto_is_packets_of_one_sequence),
		cmocka_unit_test(perfetto_interns_every_call_stack_of_a_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
