// SPDX-License-Identifier: GPL-2.0-only
/*
 * What compilers leave behind, made here byte by byte, becomes a jitdump, or
 * is refused where it lies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../../../wasm/host-command/host-code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[64];

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/host-code-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return pw_remove_tree(dir, NULL);
}

/* Two functions of 3 and 1 bytes, the second at `second`. */
static int write_cache(uint64_t second, uint32_t n, struct pw_err *err)
{
	char *cache = pw_asprintf("%s/cache/v", dir);
	char *file = pw_asprintf("%s/cache/v/hash", dir);
	char *to = pw_asprintf("%s/dump", dir);
	struct pw_buf b = { 0 };
	int rc;

	pw_buf_add(&b, "WAZEVO", 6);
	pw_buf_add(&b, "\x02v1", 3);
	pw_buf_add_u32(&b, n);
	pw_buf_add_u64(&b, 0);
	pw_buf_add_u64(&b, second);
	pw_buf_add_u64(&b, 4);
	pw_buf_add(&b, "\x90\x90\xc3\xcc", 4);
	assert_int_equal(pw_mkdirs(cache, NULL), 0);
	assert_int_equal(pw_file_write(file, b.data, b.len, NULL), 0);
	free(cache);
	cache = pw_asprintf("%s/cache", dir);
	rc = host_code_write("wazero", cache, to, err);
	pw_buf_release(&b);
	free(cache);
	free(file);
	free(to);
	return rc;
}

static void functions_of_wazeros_cache_are_records(void **state)
{
	char *path = pw_asprintf("%s/dump", dir);
	struct pw_file f;

	(void)state;
	assert_int_equal(write_cache(3, 2, NULL), 0);
	assert_int_equal(pw_file_open(&f, path, NULL), 0);
	assert_memory_equal(f.data, "DTiJ", 4);
	assert_non_null(
		memmem(f.data, f.size, "[0/1]f0:::::L0\0\x90\x90\xc3", 18));
	assert_non_null(memmem(f.data, f.size, "[1/1]f1:::::L0\0\xcc", 16));
	pw_file_close(&f);
	free(path);
}

static void a_cache_that_lies_is_refused(void **state)
{
	struct pw_err err;

	(void)state;
	assert_int_equal(write_cache(5, 2, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "does not lie within the code"));
	assert_true(write_cache(3, 1000000, &err) < 0);
	assert_true(host_code_write("wazero", "/nowhere", "/x", &err) < 0);
	assert_true(host_code_write("other", dir, "/x", &err) < 0);
}

static void an_image_may_lie_beside(void **state)
{
	char *artifact = pw_asprintf("%s/m.aot", dir);
	char *image = pw_asprintf("%s.elf", artifact);
	char *to = pw_asprintf("%s/code", dir);
	struct pw_err err;
	struct pw_file f;

	(void)state;
	assert_int_equal(host_code_write("elf-beside", artifact, to, &err),
			 -ENOTSUP);
	assert_int_equal(pw_file_write(image, "image", 5, NULL), 0);
	assert_int_equal(host_code_write("elf-beside", artifact, to, NULL), 0);
	assert_int_equal(pw_file_open(&f, to, NULL), 0);
	assert_memory_equal(f.data, "image", 5);
	pw_file_close(&f);
	free(artifact);
	free(image);
	free(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			functions_of_wazeros_cache_are_records, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_cache_that_lies_is_refused,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_image_may_lie_beside, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
