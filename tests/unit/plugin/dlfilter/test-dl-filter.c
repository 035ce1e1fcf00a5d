// SPDX-License-Identifier: GPL-2.0-only
/*
 * The five functions as perf calls them, with a perf that is made here: of the
 * first version of the interface, with and without functions to ask.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../../plugin/dlfilter/dlfilter-abi.h"
#include <perfwasm/base.h>

/* --- a perf ------------------------------------------------------------------------ */

struct fake {
	char *args[4];
	int n_args;
	const char *comm;
	char out[32];
};

static char **fake_args(void *ctx, int *n)
{
	struct fake *f = ctx;

	*n = f->n_args;
	return f->args;
}

static int32_t fake_resolve_address(void *ctx, uint64_t addr,
				    struct perf_dlfilter_al *al)
{
	(void)ctx;
	assert_int_equal(al->size, 80);
	if (addr < 0x1000)
		return -1;
	al->sym = addr < 0x2000 ? "cold" : "hot_loop";
	al->dso = "/usr/bin/app";
	al->sym_start = addr < 0x2000 ? 0x1000 : 0x2000;
	al->sym_end = al->sym_start + 0x1000;
	al->addr = addr;
	al->symoff = (uint32_t)(addr - al->sym_start);
	return 0;
}

static const struct perf_dlfilter_al *fake_resolve_ip(void *ctx)
{
	static const struct perf_dlfilter_al none = { .size = sizeof(none) };
	static struct perf_dlfilter_al al;

	al = none;
	al.comm = ((struct fake *)ctx)->comm;
	return &al;
}

/* The report goes to a file: standard output is the test's own. */
static void set_up(struct fake *f)
{
	int fd;

	memset(f, 0, sizeof(*f));
	strcpy(f->out, "/tmp/test-dl-XXXXXX");
	fd = mkstemp(f->out);
	assert_true(fd >= 0);
	close(fd);
	f->args[f->n_args++] = pw_asprintf("output=%s", f->out);
	f->args[f->n_args++] = pw_strdup("format=json");
	f->comm = "app";
	memset(&perf_dlfilter_fns, 0, sizeof(perf_dlfilter_fns));
	perf_dlfilter_fns.args = fake_args;
	perf_dlfilter_fns.resolve_ip = fake_resolve_ip;
	perf_dlfilter_fns.resolve_address = fake_resolve_address;
}

static void tear_down(struct fake *f)
{
	unlink(f->out);
	while (f->n_args)
		free(f->args[--f->n_args]);
}

/* One sample, in as many bytes as the first interface had. */
static int send(void *data, struct fake *f, uint64_t ip, uint32_t size)
{
	struct perf_dlfilter_sample *s = malloc(200);
	int ret;

	memset(s, 0, 200);
	s->size = size;
	s->ip = ip;
	s->pid = s->tid = 7;
	s->time = UINT64_MAX;
	s->cpu = -1;
	s->period = 100;
	s->cpumode = PERF_RECORD_MISC_USER;
	s->event = "cycles";
	ret = filter_event_early(data, s, f);
	free(s);
	return ret;
}

/* Whether the report has a text. */
static bool says(const struct fake *f, const char *text)
{
	struct pw_file file;
	bool found;

	assert_int_equal(pw_file_open(&file, f->out, NULL), 0);
	found = memmem(file.data, file.size, text, strlen(text)) != NULL;
	if (!found)
		print_message("%.*s\n", (int)file.size,
			      (const char *)file.data);
	pw_file_close(&file);
	return found;
}

/* --- tests ------------------------------------------------------------------------------ */

static void a_sample_of_the_first_interface_is_counted(void **state)
{
	struct fake f;
	void *data;

	(void)state;
	set_up(&f);
	assert_int_equal(start(&data, &f), 0);
	assert_int_equal(send(data, &f, 0x2010, 200), 1);
	assert_int_equal(send(data, &f, 0x2020, 200), 1);
	assert_int_equal(send(data, &f, 0x1010, 200), 1);
	assert_int_equal(stop(data, &f), 0);
	assert_true(says(&f, "\"function\":\"hot_loop\""));
	assert_true(says(&f, "\"samples\":3"));
	assert_true(says(&f, "\"task\":\"app\""));
	tear_down(&f);
}

static void a_longer_sample_of_a_later_perf_is_counted(void **state)
{
	struct fake f;
	void *data;

	(void)state;
	set_up(&f);
	assert_int_equal(start(&data, &f), 0);
	assert_int_equal(send(data, &f, 0x2010, 208), 1);
	assert_int_equal(stop(data, &f), 0);
	assert_true(says(&f, "hot_loop"));
	tear_down(&f);
}

static void a_perf_that_can_be_asked_nothing_is_enough(void **state)
{
	struct fake f;
	void *data;

	(void)state;
	set_up(&f);
	perf_dlfilter_fns.resolve_ip = NULL;
	perf_dlfilter_fns.resolve_address = NULL;
	assert_int_equal(start(&data, &f), 0);
	assert_int_equal(send(data, &f, 0x2010, 200), 1);
	assert_int_equal(stop(data, &f), 0);
	assert_true(says(&f, "[unknown]"));
	tear_down(&f);
}

static void an_address_that_perf_does_not_know_is_unknown(void **state)
{
	struct fake f;
	void *data;

	(void)state;
	set_up(&f);
	assert_int_equal(start(&data, &f), 0);
	assert_int_equal(send(data, &f, 0x10, 200), 1);
	assert_int_equal(stop(data, &f), 0);
	assert_true(says(&f, "[unknown]"));
	tear_down(&f);
}

static void a_task_that_is_renamed_has_its_last_name(void **state)
{
	struct fake f;
	void *data;

	(void)state;
	set_up(&f);
	f.comm = "perf-exec";
	assert_int_equal(start(&data, &f), 0);
	send(data, &f, 0x2010, 200);
	f.comm = "wasmtime";
	send(data, &f, 0x2010, 200);
	assert_int_equal(stop(data, &f), 0);
	assert_true(says(&f, "\"task\":\"wasmtime\""));
	tear_down(&f);
}

static void a_sample_that_lacks_members_is_refused_at_the_end(void **state)
{
	struct fake f;
	void *data;

	(void)state;
	set_up(&f);
	assert_int_equal(start(&data, &f), 0);
	assert_int_equal(send(data, &f, 0x2010, 192), 1);
	assert_true(stop(data, &f) < 0);
	tear_down(&f);
}

static void an_argument_that_is_none_fails_the_start(void **state)
{
	struct fake f;
	void *data = NULL;

	(void)state;
	set_up(&f);
	f.args[f.n_args++] = pw_strdup("nonsense");
	assert_true(start(&data, &f) < 0);
	assert_null(data);
	assert_int_equal(stop(data, &f), 0);
	tear_down(&f);
}

static void the_description_is_one_line_and_names_all_arguments(void **state)
{
	const char *more = NULL, *line = filter_description(&more);

	(void)state;
	assert_null(strchr(line, '\n'));
	assert_non_null(strstr(more, "format="));
	assert_non_null(strstr(more, "children"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_of_the_first_interface_is_counted),
		cmocka_unit_test(a_longer_sample_of_a_later_perf_is_counted),
		cmocka_unit_test(a_perf_that_can_be_asked_nothing_is_enough),
		cmocka_unit_test(an_address_that_perf_does_not_know_is_unknown),
		cmocka_unit_test(a_task_that_is_renamed_has_its_last_name),
		cmocka_unit_test(
			a_sample_that_lacks_members_is_refused_at_the_end),
		cmocka_unit_test(an_argument_that_is_none_fails_the_start),
		cmocka_unit_test(
			the_description_is_one_line_and_names_all_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
