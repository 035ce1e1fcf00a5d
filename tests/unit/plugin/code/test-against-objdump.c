// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every instruction of real artifacts begins where objdump sees one and has
 * its mnemonic. objdump decodes jump tables and constants as code and is out
 * of step behind them, so it gets a copy in which they are nops. Artifacts:
 * tests/data, and *.elf below $PERF_WASM_ARTIFACTS. Skipped without objdump.
 */
#include <perfwasm/code.h>

#include <elf.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Of one artifact: objdump's lines by text offset. */
struct listing {
	char *text;        /* all of objdump's output */
	const char **line; /* by text offset; NULL between instructions */
	uint64_t n;
};

static uint64_t text_section_off(const struct pw_file *f,
				 const struct pw_code *c)
{
	uint64_t size;

	return (uint64_t)(pw_code_text(c, &size) - f->data);
}

/* A copy whose tables and constants are nops; the caller frees the path. */
static char *write_copy(const struct pw_file *f, const struct pw_code *c)
{
	char *path = pw_strdup("/tmp/pw-objdump-XXXXXX");
	uint8_t *copy = pw_alloc(f->size), *text;
	uint64_t size;
	uint32_t i, k, n;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	memcpy(copy, f->data, f->size);
	text = copy + text_section_off(f, c);
	pw_code_text(c, &size);
	memset(text, 0x90, size);
	for (i = 0; i < pw_code_n_funcs(c); i++) {
		struct pw_minsn *m;

		assert_int_equal(pw_code_disasm(c, pw_code_func(c, i), &m, &n,
						NULL),
				 0);
		for (k = 0; k < n; k++)
			if (strcmp(m[k].opcode, ".long"))
				memcpy(text + m[k].text_off,
				       f->data + (text - copy) + m[k].text_off,
				       m[k].size_bytes);
		free(m);
	}
	assert_int_equal(write(fd, copy, f->size), f->size);
	close(fd);
	free(copy);
	return path;
}

static void read_listing(struct listing *l, const char *path, uint64_t size)
{
	const char *argv[] = { "objdump", "-dw",   "--no-show-raw-insn",
			       "-j",      ".text", path,
			       NULL };
	struct pw_buf out = { 0 };
	int status;
	char *rest, *line;

	assert_int_equal(pw_child_run(argv, UINT64_MAX, &out, NULL,
				      (size_t)1 << 30, &status, NULL),
			 0);
	l->text = pw_strndup((const char *)out.data, out.len);
	l->n = size;
	l->line = pw_zalloc((size + 1) * sizeof(*l->line));
	rest = l->text;
	while ((line = strsep(&rest, "\n"))) {
		char *end;
		uint64_t at = strtoull(line, &end, 16);

		if (*line == ' ' && end[0] == ':' && end[1] == '\t' &&
		    at < size)
			l->line[at] = end + 2;
	}
	pw_buf_release(&out);
}

/* Whether objdump's line has this mnemonic, prefixes of no matter skipped. */
static bool has_mnemonic(const char *line, const char *opcode)
{
	static const char *const skip[] = { "rex", "data16 ", "cs ", "ds " };
	size_t n = strlen(opcode), i;

again:
	for (i = 0; i < sizeof(skip) / sizeof(*skip); i++) {
		if (strncmp(line, skip[i], strlen(skip[i])))
			continue;
		line += strcspn(line, " ");
		line += strspn(line, " ");
		goto again;
	}
	return !strncmp(line, opcode, n) && (!line[n] || line[n] == ' ');
}

static uint32_t compare_func(const struct pw_code *c,
			     const struct pw_code_func *f,
			     const struct listing *l)
{
	struct pw_minsn *m;
	uint32_t n, i;

	assert_int_equal(pw_code_disasm(c, f, &m, &n, NULL), 0);
	for (i = 0; i < n; i++) {
		const char *line = l->line[m[i].text_off];

		if (!strcmp(m[i].opcode, ".long"))
			continue;
		if (!line)
			fail_msg("%s: objdump has nothing at 0x%llx, we %s %s",
				 f->name, (unsigned long long)m[i].text_off,
				 m[i].opcode, m[i].operands);
		if (strcmp(m[i].opcode, ".byte") &&
		    !has_mnemonic(line, m[i].opcode))
			fail_msg("%s: objdump has \"%s\" at 0x%llx, we \"%s\"",
				 f->name, line,
				 (unsigned long long)m[i].text_off,
				 m[i].opcode);
	}
	free(m);
	return n;
}

static void compare_artifact(const char *path)
{
	struct listing l;
	struct pw_file f;
	struct pw_code *c;
	char *copy;
	uint64_t size;
	uint32_t i, n = 0;

	assert_int_equal(pw_file_open(&f, path, NULL), 0);
	c = pw_code_open(f.data, f.size, 0, NULL);
	assert_non_null(c);
	pw_code_text(c, &size);
	copy = write_copy(&f, c);
	read_listing(&l, copy, size);
	for (i = 0; i < pw_code_n_funcs(c); i++)
		n += compare_func(c, pw_code_func(c, i), &l);
	assert_true(n > 50);
	unlink(copy);
	free(copy);
	free(l.line);
	free(l.text);
	pw_code_close(c);
	pw_file_close(&f);
}

static void compare_all(const char *pattern, size_t at_least)
{
	glob_t g;
	size_t i;

	if (glob(pattern, 0, NULL, &g)) {
		assert_int_equal(at_least, 0);
		return;
	}
	assert_true(g.gl_pathc >= at_least);
	for (i = 0; i < g.gl_pathc; i++)
		compare_artifact(g.gl_pathv[i]);
	globfree(&g);
}

static void instructions_are_those_of_objdump(void **state)
{
	const char *more = getenv("PERF_WASM_ARTIFACTS");
	char *objdump = pw_find_program("objdump"), *pattern;

	(void)state;
	if (!objdump) {
		print_message("objdump is not installed (package binutils)\n");
		skip();
	}
	free(objdump);
	compare_all("tests/data/artifacts/*.elf", 6);
	if (!more || !*more)
		return;
	pattern = pw_asprintf("%s/*.elf", more);
	compare_all(pattern, 0);
	free(pattern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_those_of_objdump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
