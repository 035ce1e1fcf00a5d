// SPDX-License-Identifier: GPL-2.0-only
/* Source maps: written here beside a module, found, read, and refused. */
#include "lines-of.h"

#include <errno.h>
#include <unistd.h>

#define MODULE "tests/data/modules/control.wasm"

static char dir[] = "/tmp/pw-map-XXXXXX";

/* The number as base-64 VLQ. */
static void add_vlq(struct pw_buf *b, int64_t v)
{
	uint64_t u = v < 0 ? (uint64_t)-v << 1 | 1 : (uint64_t)v << 1;

	do {
		unsigned digit = u & 31;

		u >>= 5;
		digit |= u ? 32 : 0;
		pw_buf_add_u8(
			b,
			(uint8_t) "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
				[digit]);
	} while (u);
}

static char *in_dir(const char *name)
{
	return pw_asprintf("%s/%s", dir, name);
}

static char *write_map(const char *name, const char *text)
{
	char *path = in_dir(name);

	assert_int_equal(pw_file_write(path, text, strlen(text), NULL), 0);
	return path;
}

/* A map that says: from `off` a.ts line 8 column 3 in f, from off + 7
 * nothing, from off + 9 b.ts line 2 column 1. */
static char *map_text(uint64_t off)
{
	struct pw_buf b = { 0 };
	char *text;

	add_vlq(&b, (int64_t)off);
	pw_buf_printf(&b, "AOEA,"); /* source 0, line +7, column +2, name 0 */
	add_vlq(&b, 7);
	pw_buf_printf(&b, ",");
	add_vlq(&b, 2);
	pw_buf_printf(&b, "CNF"); /* source +1, line -6, column -2 */
	text = pw_asprintf(
		"{\"version\":3,\"sources\":[\"a.ts\",\"b.ts\"],\"names\":[\"f\"],\"sourceRoot\":\"src\",\"mappings\":\"%s;AAAA\"}",
		pw_buf_str(&b));
	pw_buf_release(&b);
	return text;
}

static void assert_map(struct pw_lines *l, uint64_t off)
{
	struct pw_line_at at;

	assert_string_equal(pw_lines_kind(l), "source map");
	assert_false(pw_lines_find(l, off - 1, &at));
	assert_true(pw_lines_find(l, off + 6, &at));
	assert_int_equal(at.n_frames, 1);
	assert_string_equal(at.frames[0].file, "src/a.ts");
	assert_int_equal(at.frames[0].line, 8);
	assert_int_equal(at.frames[0].column, 3);
	assert_string_equal(at.frames[0].function, "f");
	assert_false(pw_lines_find(l, off + 7, &at));
	assert_true(pw_lines_find(l, off + 9, &at));
	assert_string_equal(at.frames[0].file, "src/b.ts");
	assert_int_equal(at.frames[0].line, 2);
	assert_int_equal(at.frames[0].column, 1);
	assert_null(at.frames[0].function);
}

static void a_map_that_is_named_is_read(void **state)
{
	struct pw_lines_opts opts = { 0 };
	char *text, *path;
	struct lined t;
	uint64_t off;

	(void)state;
	lined_open_module(&t, MODULE);
	off = pw_module_func(t.m, pw_module_n_imported(t.m, PW_EXT_FUNC))
		      ->code_off;
	text = map_text(off);
	path = write_map("some.map", text);
	opts.source_map_path = path;
	t.l = pw_lines_open(t.m, &opts, NULL);
	assert_non_null(t.l);
	assert_map(t.l, off);
	free(text);
	free(path);
	lined_close(&t);
}

/* The module with a sourceMappingURL at its end, in our folder. */
static char *write_module(const struct lined *t, const char *url)
{
	struct pw_buf b = { 0 }, payload = { 0 };
	char *path = in_dir("app.wasm");

	pw_buf_add_uleb(&payload, 16);
	pw_buf_printf(&payload, "sourceMappingURL");
	pw_buf_add_uleb(&payload, strlen(url));
	pw_buf_printf(&payload, "%s", url);
	pw_buf_add(&b, t->file.data, t->file.size);
	pw_buf_add_u8(&b, 0);
	pw_buf_add_uleb(&b, payload.len);
	pw_buf_add(&b, payload.data, payload.len);
	assert_int_equal(pw_file_write(path, b.data, b.len, NULL), 0);
	pw_buf_release(&b);
	pw_buf_release(&payload);
	return path;
}

static void assert_found_beside(const char *url, const char *map_name)
{
	struct lined plain, t;
	char *text, *map, *path;
	uint64_t off;

	lined_open_module(&plain, MODULE);
	off = pw_module_func(plain.m,
			     pw_module_n_imported(plain.m, PW_EXT_FUNC))
		      ->code_off;
	text = map_text(off);
	map = write_map(map_name, text);
	path = write_module(&plain, url);
	lined_open(&t, path);
	assert_map(t.l, off);
	lined_close(&t);
	lined_close(&plain);
	unlink(map);
	unlink(path);
	free(text);
	free(map);
	free(path);
}

static void a_map_beside_the_module_is_found_by_its_url(void **state)
{
	(void)state;
	assert_found_beside("x.map", "x.map");
	assert_found_beside("http://host/dir/x.map", "x.map");
}

static void a_map_is_found_by_the_modules_name(void **state)
{
	(void)state;
	assert_found_beside("gone.map", "app.wasm.map");
	assert_found_beside("", "app.wasm.map");
}

static void a_url_leads_to_no_other_folder(void **state)
{
	struct pw_err err = { .msg = "" };
	struct pw_lines_opts opts = { 0 };
	struct lined plain, t;
	char *path, *other, *map;

	(void)state;
	other = in_dir("other");
	assert_int_equal(pw_mkdirs(other, NULL), 0);
	map = write_map("other/x.map", "{}");
	lined_open_module(&plain, MODULE);
	path = write_module(&plain, "other/x.map");
	lined_open_module(&t, path);
	opts.module_path = path;
	assert_null(pw_lines_open(t.m, &opts, &err));
	assert_int_equal(err.code, ENOENT);
	lined_close(&t);
	lined_close(&plain);
	free(path);
	free(other);
	free(map);
}

static void assert_refused(const char *text, const char *why)
{
	struct pw_lines_opts opts = { 0 };
	struct pw_err err = { .msg = "" };
	char *path = write_map("bad.map", text);
	struct lined t;

	lined_open_module(&t, MODULE);
	opts.source_map_path = path;
	assert_null(pw_lines_open(t.m, &opts, &err));
	assert_int_not_equal(err.code, 0);
	if (!strstr(err.msg, why))
		fail_msg("'%s' does not say '%s'", err.msg, why);
	lined_close(&t);
	free(path);
}

static void a_map_that_is_none_is_refused(void **state)
{
	(void)state;
	assert_refused("", "not JSON");
	assert_refused("{\"version\":3", "not JSON");
	assert_refused("[]", "version");
	assert_refused("{\"version\":2,\"mappings\":\"\"}", "version");
	assert_refused("{\"version\":3,\"mappings\":7}", "mappings");
	assert_refused("{\"version\":3,\"sections\":[]}", "sections");
	assert_refused("{\"version\":3,\"mappings\":\"*\"}", "base-64");
	assert_refused("{\"version\":3,\"mappings\":\"A,g\"}",
		       "unexpected end");
	assert_refused("{\"version\":3,\"mappings\":\"gggggggA\"}", "32 bits");
	assert_refused("{\"version\":3,\"mappings\":\"D\"}", "range");
	assert_refused("{\"version\":3,\"mappings\":\"AA\"}", "1, 4 or 5");
	assert_refused("{\"version\":3,\"mappings\":\"AAAAAA\"}", "1, 4 or 5");
	assert_refused("{\"version\":3,\"mappings\":\"AAAA\"}", "not listed");
	assert_refused(
		"{\"version\":3,\"sources\":[\"a\"],\"mappings\":\"AAAAC\"}",
		"not listed");
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return pw_remove_tree(dir, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_that_is_named_is_read),
		cmocka_unit_test(a_map_beside_the_module_is_found_by_its_url),
		cmocka_unit_test(a_map_is_found_by_the_modules_name),
		cmocka_unit_test(a_url_leads_to_no_other_folder),
		cmocka_unit_test(a_map_that_is_none_is_refused),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
