// SPDX-License-Identifier: GPL-2.0-only
/* One *.conf file, as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../../../wasm/runtime/conf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define HASH "ec7d7565310bb8ed5707fa29dab6fc6d8b8bf5ec1bc6630e43293714f46689a1"

static int parse(struct conf *c, const char *text, struct pw_err *err)
{
	return conf_parse(c, text, "test.conf", err);
}

static void every_key_arrives(void **state)
{
	struct conf c;

	(void)state;
	assert_int_equal(
		parse(&c,
		      "# a comment\n[runtime]\nname = n\nkind = library\nhost = h\n"
		      "interpreter = i\nneeds = a b\noptions = x\n y\n"
		      "version = n --version\nshows_code = yes\nsamples = no\nshows_dirs = no\n"
		      "[fetch]\npackage = p\noldest = 8\n",
		      NULL),
		0);
	assert_string_equal(c.name, "n");
	assert_string_equal(c.kind, "library");
	assert_string_equal(c.host, "h");
	assert_string_equal(c.interpreter, "i");
	assert_string_equal(c.needs, "a b");
	assert_string_equal(c.options, "x y");
	assert_string_equal(c.version_command, "n --version");
	assert_string_equal(c.package, "p");
	assert_string_equal(c.oldest, "8");
	assert_true(c.shows_code);
	assert_true(c.hides_dirs);
	assert_false(c.samples);
	conf_release(&c);
}

static void only_the_pins_of_this_machine_are_taken(void **state)
{
	char text[1000];
	struct utsname u;
	struct conf c;

	(void)state;
	uname(&u);
	snprintf(text, sizeof(text),
		 "[runtime]\nname = n\nkind = library\n[fetch]\npackage = p\n"
		 "library.%s = here\nlibrary.pdp11 = there\n"
		 "[sha256.%s]\n1.0 = " HASH "\n[sha256.pdp11]\n2.0 = " HASH
		 "\n",
		 u.machine, u.machine);
	assert_int_equal(parse(&c, text, NULL), 0);
	assert_string_equal(c.library, "here");
	assert_string_equal(conf_pin(&c, "1.0"), HASH);
	assert_null(conf_pin(&c, "2.0"));
	conf_release(&c);
}

static void a_slip_of_the_pen_is_named(void **state)
{
	static const char *const texts[] = {
		"[runtime]\nname = n\nkind = k\ncolour = red\n",
		"[runtime]\nname = n\nkind = k\nsamples = maybe\n",
		"[colours]\nred = 1\n",
		"[runtime]\nname = n\nno equals sign\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct pw_err err;
		struct conf c;

		assert_true(parse(&c, texts[i], &err) < 0);
		assert_non_null(strstr(err.msg, "test.conf, line "));
		assert_null(c.name);
	}
}

static void a_hash_that_is_none_is_refused(void **state)
{
	char text[300];
	struct utsname u;
	struct conf c;

	(void)state;
	uname(&u);
	snprintf(text, sizeof(text),
		 "[runtime]\nname = n\nkind = k\n[sha256.%s]\n1 = abc\n",
		 u.machine);
	assert_true(parse(&c, text, NULL) < 0);
}

static void a_conf_without_a_name_is_refused(void **state)
{
	struct pw_err err;
	struct conf c;

	(void)state;
	assert_true(parse(&c, "[runtime]\nkind = k\n", &err) < 0);
	assert_non_null(strstr(err.msg, "expected name and kind"));
	assert_true(parse(&c, "", &err) < 0);
}

static void an_option_may_be_a_prefix(void **state)
{
	struct conf c = { .options = (char *)(uintptr_t) "opt cranelift.* gc" };

	(void)state;
	assert_true(conf_has_option(&c, "opt"));
	assert_true(conf_has_option(&c, "gc"));
	assert_true(conf_has_option(&c, "cranelift.enable_avx"));
	assert_false(conf_has_option(&c, "op"));
	assert_false(conf_has_option(&c, "optx"));
	assert_false(conf_has_option(&c, "cranelif"));
	c.options = NULL;
	assert_false(conf_has_option(&c, "opt"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_arrives),
		cmocka_unit_test(only_the_pins_of_this_machine_are_taken),
		cmocka_unit_test(a_slip_of_the_pen_is_named),
		cmocka_unit_test(a_hash_that_is_none_is_refused),
		cmocka_unit_test(a_conf_without_a_name_is_refused),
		cmocka_unit_test(an_option_may_be_a_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
