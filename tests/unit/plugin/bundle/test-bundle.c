// SPDX-License-Identifier: GPL-2.0-only
/* A bundle is read as it was written; one that was changed, or holds what
 * none holds, is refused. Archives are built here block by block (POSIX ustar,
 * not compressed, which a reader takes, too). */
#include <perfwasm/bundle.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define TOP "perf-wasm-bundle/"

static void write_to(const struct pw_bundle *b, struct pw_file *f)
{
	char dir[] = "/tmp/pw-bundle-XXXXXX";
	struct pw_err err = { 0 };
	char *path;

	assert_non_null(mkdtemp(dir));
	path = pw_asprintf("%s/b.tar.zst", dir);
	if (pw_bundle_write(b, path, &err) || pw_file_open(f, path, &err))
		fail_msg("%s", err.msg);
	pw_remove_tree(dir, NULL);
	free(path);
}

static void what_is_written_is_read(void **state)
{
	struct pw_bundle *b = pw_bundle_new(), *again;
	struct pw_err err = { 0 };
	struct pw_file f = { 0 };
	size_t size;

	(void)state;
	pw_bundle_set(b, "arg", "one");
	pw_bundle_set(b, "arg", "%s", "a\tb\n100 %");
	pw_bundle_put(b, "module.wasm", "\0asm", 4);
	pw_bundle_put(b, "empty", "", 0);
	write_to(b, &f);
	again = pw_bundle_read(f.data, f.size, &err);
	if (!again)
		fail_msg("%s", err.msg);
	assert_string_equal(pw_bundle_get(again, "arg", 0), "one");
	assert_string_equal(pw_bundle_get(again, "arg", 1), "a\tb\n100 %");
	assert_null(pw_bundle_get(again, "arg", 2));
	assert_memory_equal(pw_bundle_file(again, "module.wasm", &size),
			    "\0asm", 4);
	assert_int_equal(size, 4);
	assert_non_null(pw_bundle_file(again, "empty", &size));
	assert_int_equal(size, 0);
	assert_null(pw_bundle_file(again, "missing", &size));
	pw_bundle_free(again);
	pw_bundle_free(b);
	pw_file_close(&f);
}

static void the_same_bundle_gives_the_same_bytes(void **state)
{
	struct pw_bundle *b = pw_bundle_new();
	struct pw_file f[2] = { { 0 } };

	(void)state;
	pw_bundle_put(b, "x", "y", 1);
	write_to(b, &f[0]);
	write_to(b, &f[1]);
	assert_int_equal(f[0].size, f[1].size);
	assert_memory_equal(f[0].data, f[1].data, f[0].size);
	pw_file_close(&f[0]);
	pw_file_close(&f[1]);
	pw_bundle_free(b);
}

static void a_cut_bundle_is_refused(void **state)
{
	struct pw_bundle *b = pw_bundle_new();
	struct pw_err err = { 0 };
	struct pw_file f = { 0 };

	(void)state;
	pw_bundle_put(b, "x", "0123456789", 10);
	write_to(b, &f);
	for (size_t n = 0; n < f.size; n += 7)
		if (pw_bundle_read(f.data, n, &err))
			fail_msg("%zu bytes of %zu are taken", n, f.size);
	pw_file_close(&f);
	pw_bundle_free(b);
}

/* --- archives by hand ------------------------------------------------------------ */

/* One entry; size is what its header says of `data`. */
static void add_entry(struct pw_buf *tar, const char *name, char type,
		      const char *link, const void *data, size_t size)
{
	static const char zeros[512];
	char h[512] = { 0 };
	unsigned sum = 0;

	snprintf(h, 100, "%s", name);
	strcpy(h + 100, "0000644");
	strcpy(h + 108, "0000000");
	strcpy(h + 116, "0000000");
	snprintf(h + 124, 12, "%011o", (unsigned)size);
	strcpy(h + 136, "00000000000");
	memset(h + 148, ' ', 8);
	h[156] = type;
	snprintf(h + 157, 100, "%s", link);
	memcpy(h + 257, "ustar\00000", 8);
	for (size_t i = 0; i < sizeof(h); i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	pw_buf_add(tar, h, sizeof(h));
	pw_buf_add(tar, data, size);
	pw_buf_add(tar, zeros, (512 - size % 512) % 512);
}

static void add_manifest(struct pw_buf *tar, const char *text)
{
	add_entry(tar, TOP "manifest", '0', "", text, strlen(text));
}

static void add_file(struct pw_buf *tar, const char *name, const char *text)
{
	add_entry(tar, name, '0', "", text, strlen(text));
}

/* Ends the archive and expects a refusal that says `why`. */
static void refused(struct pw_buf *tar, const char *why)
{
	static const char zeros[1024];
	struct pw_err err = { 0 };
	struct pw_bundle *b;

	pw_buf_add(tar, zeros, sizeof(zeros));
	b = pw_bundle_read(tar->data, tar->len, &err);
	if (b)
		fail_msg("taken, though %s", why);
	if (!strstr(err.msg, why))
		fail_msg("expected '%s', found '%s'", why, err.msg);
	pw_buf_release(tar);
}

static char *file_line(const char *name, const char *text)
{
	return pw_asprintf("format\t1\nfile\t%s %zu %016llx\n", name,
			   strlen(text),
			   (unsigned long long)pw_hash(text, strlen(text), 0));
}

static void a_plain_archive_by_hand_is_taken(void **state)
{
	static const char zeros[1024];
	char *manifest = file_line("x", "text");
	struct pw_buf tar = { 0 };
	struct pw_err err = { 0 };
	struct pw_bundle *b;

	(void)state;
	add_entry(&tar, TOP, '5', "", "", 0);
	add_manifest(&tar, manifest);
	add_file(&tar, TOP "x", "text");
	pw_buf_add(&tar, zeros, sizeof(zeros));
	b = pw_bundle_read(tar.data, tar.len, &err);
	if (!b)
		fail_msg("%s", err.msg);
	pw_bundle_free(b);
	pw_buf_release(&tar);
	free(manifest);
}

static void a_changed_file_is_refused(void **state)
{
	char *manifest = file_line("x", "text");
	struct pw_buf tar = { 0 };

	(void)state;
	add_manifest(&tar, manifest);
	add_file(&tar, TOP "x", "texT");
	refused(&tar, "x in the bundle is not what its manifest says");
	free(manifest);
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
	static const char *const names[] = {
		"../x", "/etc/x", TOP "../../x", TOP "a/b", TOP ".x", "x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct pw_buf tar = { 0 };

		add_manifest(&tar, "format\t1\n");
		add_file(&tar, names[i], "text");
		refused(&tar, "a name that none has");
	}
}

static void links_and_folders_are_refused(void **state)
{
	static const char types[] = { '1', '2', '3', '5', '6' };

	(void)state;
	for (size_t i = 0; i < sizeof(types); i++) {
		struct pw_buf tar = { 0 };

		add_manifest(&tar, "format\t1\n");
		add_entry(&tar, TOP "x", types[i], "/etc/passwd", "", 0);
		refused(&tar, "no plain file");
	}
}

static void what_the_manifest_does_not_list_is_refused(void **state)
{
	char *manifest = file_line("x", "text");
	struct pw_buf tar = { 0 };

	(void)state;
	add_manifest(&tar, "format\t1\n");
	add_file(&tar, TOP "x", "text");
	refused(&tar, "its manifest lists 0");
	add_manifest(&tar, manifest);
	refused(&tar, "lacks the file x");
	add_manifest(&tar, manifest);
	add_file(&tar, TOP "x", "text");
	add_file(&tar, TOP "x", "text");
	refused(&tar, "holds x twice");
	add_file(&tar, TOP "x", "text");
	refused(&tar, "no manifest");
	free(manifest);
}

static void a_manifest_that_is_none_is_refused(void **state)
{
	struct pw_buf tar = { 0 };

	(void)state;
	add_manifest(&tar, "format\t2\n");
	refused(&tar, "use a newer perf wasm");
	add_manifest(&tar, "format\t1\nno tab\n");
	refused(&tar, "none of KEY, tab, VALUE");
	add_manifest(&tar, "format\t1\nkey\t%0\n");
	refused(&tar, "none of KEY, tab, VALUE");
	add_manifest(&tar, "format\t1\nkey\t%00\n");
	refused(&tar, "none of KEY, tab, VALUE");
	add_manifest(&tar, "format\t1\nfile\tx 1\n");
	refused(&tar, "lists no file");
}

static void too_many_files_are_refused(void **state)
{
	struct pw_buf tar = { 0 };

	(void)state;
	add_manifest(&tar, "format\t1\n");
	for (int i = 0; i <= PW_BUNDLE_FILES_MAX; i++) {
		char *name = pw_asprintf(TOP "x%d", i);

		add_file(&tar, name, "");
		free(name);
	}
	refused(&tar, "more than");
}

static void a_fence_is_longer_than_those_in_its_text(void **state)
{
	struct pw_bundle *b = pw_bundle_new();
	struct pw_report *r = pw_report_new("hunt", NULL);
	struct pw_buf out = { 0 };

	(void)state;
	pw_bundle_set(b, "suspect", "a@1");
	pw_bundle_set(b, "oracle", "b@2");
	pw_bundle_set(b, "given_gap", "3.5 3 4");
	pw_bundle_set(b, "finding", "1 f0 i1 deletion f64.add -> local.get 2");
	pw_bundle_put(b, "wasm-1.txt", "````", 4);
	pw_note(pw_report_root(r), "verdict", "One finding.");
	pw_bundle_issue(b, r, "x.tar.zst", &out);
	assert_memory_equal(pw_buf_str(&out),
			    "# `f64.add` is slow on a@1: 3.50x the time of b@2",
			    49);
	assert_non_null(strstr(pw_buf_str(&out), "\n`````\n````\n`````\n"));
	assert_non_null(strstr(pw_buf_str(&out), "perf wasm replay x.tar.zst"));
	assert_non_null(strstr(pw_buf_str(&out), "One finding."));
	pw_buf_release(&out);
	pw_report_free(r);
	pw_bundle_free(b);
}

static void no_command_line_of_a_bundle_is_a_runtime(void **state)
{
	(void)state;
	assert_true(pw_bundle_runtime_ok("wasmtime@13.0.0?opt=none&x=1"));
	assert_true(pw_bundle_runtime_ok("v8"));
	assert_false(pw_bundle_runtime_ok("command:sh {module}"));
	assert_false(pw_bundle_runtime_ok("command:x"));
	assert_false(pw_bundle_runtime_ok("/bin/sh"));
	assert_false(pw_bundle_runtime_ok("-x"));
	assert_false(pw_bundle_runtime_ok(""));
}

static void a_replay_runs_no_command_line(void **state)
{
	struct pw_bundle *b = pw_bundle_new();
	struct pw_report *r = pw_report_new("replay", NULL);
	struct pw_replay_opts opts = { .bundle = b, .dir = "/nonexistent/x" };
	struct pw_err err = { 0 };
	bool holds;

	(void)state;
	pw_bundle_set(b, "suspect", "command:touch {module}");
	pw_bundle_set(b, "oracle", "v8");
	assert_int_equal(pw_replay_run(&opts, r, &holds, &err), -EPERM);
	assert_non_null(strstr(err.msg, "a command line as a runtime"));
	pw_report_free(r);
	pw_bundle_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(the_same_bundle_gives_the_same_bytes),
		cmocka_unit_test(a_cut_bundle_is_refused),
		cmocka_unit_test(a_plain_archive_by_hand_is_taken),
		cmocka_unit_test(a_changed_file_is_refused),
		cmocka_unit_test(names_that_lead_elsewhere_are_refused),
		cmocka_unit_test(links_and_folders_are_refused),
		cmocka_unit_test(what_the_manifest_does_not_list_is_refused),
		cmocka_unit_test(a_manifest_that_is_none_is_refused),
		cmocka_unit_test(too_many_files_are_refused),
		cmocka_unit_test(no_command_line_of_a_bundle_is_a_runtime),
		cmocka_unit_test(a_replay_runs_no_command_line),
		cmocka_unit_test(a_fence_is_longer_than_those_in_its_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
