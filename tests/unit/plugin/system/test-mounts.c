// SPDX-License-Identifier: GPL-2.0-only
/* Lines of mountinfo, as kernels write them and as none would. */
#include "../../../../plugin/system/system-mounts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct span text_of(const char *s)
{
	return (struct span){ s, (uint32_t)strlen(s) };
}

static void expect(struct span found, const char *expected)
{
	if (!span_is(found, expected))
		fail_msg("expected '%s', found '%.*s'", expected, (int)found.n,
			 found.s);
}

static void a_mount_is_what_its_line_tells(void **state)
{
	struct span text = text_of(
		"27 1 254:0 / / rw,noatime - ext4 /dev/vda rw,discard\n"
		"31 27 0:9 /sub /a\\040b rw shared:9 master:1 - cgroup2 none rw");
	struct mount m;

	(void)state;
	assert_true(take_mount(&text, &m));
	expect(m.device, "254:0");
	expect(m.where, "/");
	expect(m.options, "rw,noatime");
	expect(m.type, "ext4");
	expect(m.from, "/dev/vda");
	expect(m.super_options, "rw,discard");
	assert_true(take_mount(&text, &m));
	expect(m.device, "0:9");
	expect(m.where, "/a\\040b");
	expect(m.type, "cgroup2");
	expect(m.from, "none");
	expect(m.super_options, "rw");
	assert_false(take_mount(&text, &m));
}

static void a_mount_from_nothing_keeps_its_options(void **state)
{
	struct span text = text_of("31 27 0:9 / /a rw - tmpfs  rw,size=1k\n");
	struct mount m;

	(void)state;
	assert_true(take_mount(&text, &m));
	expect(m.from, "");
	expect(m.super_options, "rw,size=1k");
}

static void lines_that_are_none_are_passed_over(void **state)
{
	struct span text = text_of("\n \n-\n27 1 254:0 / /x rw shared:1\n"
				   "27 1 254:0 / /y rw -\n"
				   "1 2 3:4 / /z rw - ext4");
	struct mount m;

	(void)state;
	assert_true(take_mount(&text, &m));
	expect(m.where, "/z");
	expect(m.type, "ext4");
	expect(m.from, "");
	assert_false(take_mount(&text, &m));
}

static void a_path_is_below_the_root_by_its_real_name(void **state)
{
	static const struct {
		const char *where, *path; /* NULL: none */
	} cases[] = {
		{ "/", "." },
		{ "/a/b", "a/b" },
		{ "/my\\040disk", "my disk" },
		{ "/tab\\011\\134\\012", "tab\t\\\n" },
		{ "/no\\04", "no\\04" },
		{ "/no\\089", "no\\089" },
		{ "a", NULL },
		{ "", NULL },
		{ "/0123456789abcdef", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct mount m = { .where = text_of(cases[i].where) };
		char path[17] = "";

		assert_int_equal(mount_path(&m, path, sizeof(path)),
				 cases[i].path != NULL);
		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mount_is_what_its_line_tells),
		cmocka_unit_test(a_mount_from_nothing_keeps_its_options),
		cmocka_unit_test(lines_that_are_none_are_passed_over),
		cmocka_unit_test(a_path_is_below_the_root_by_its_real_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
