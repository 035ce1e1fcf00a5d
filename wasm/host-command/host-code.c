// SPDX-License-Identifier: GPL-2.0-only
/*
 * Machine code as compilers leave it behind, turned into what can be read.
 * Looks at no instruction; the bytes are untrusted.
 */
#include "host-code.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Where the code pretends to lie: at the start of a page, as when it runs. */
#define BASE_ADDR 0x100000

/* --- jitdump --------------------------------------------------------------------- */

static uint32_t own_machine(void)
{
	struct utsname u;

	return !uname(&u) && !strcmp(u.machine, "aarch64") ? EM_AARCH64
							   : EM_X86_64;
}

/* jitdump-specification.txt of the kernel's tools/perf, version 1. */
static void add_header(struct pw_buf *out)
{
	pw_buf_add_u32(out, 0x4A695444);
	pw_buf_add_u32(out, 1);
	pw_buf_add_u32(out, 40);
	pw_buf_add_u32(out, own_machine());
	pw_buf_add_u64(out, 0);
	pw_buf_add_u64(out, 0);
	pw_buf_add_u64(out, 0);
}

static void add_load(struct pw_buf *out, const char *name, uint64_t addr,
		     const uint8_t *code, size_t size)
{
	pw_buf_add_u32(out, 0);
	pw_buf_add_u32(out, (uint32_t)(56 + strlen(name) + 1 + size));
	pw_buf_add_u64(out, 0);
	pw_buf_add_u64(out, 0); /* pid, tid */
	pw_buf_add_u64(out, addr);
	pw_buf_add_u64(out, addr);
	pw_buf_add_u64(out, size);
	pw_buf_add_u64(out, 0);
	pw_buf_add(out, name, strlen(name) + 1);
	pw_buf_add(out, code, size);
}

/* --- wazero ---------------------------------------------------------------------- */

static char *only_file(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *found = NULL;

	while (d && !found && (e = readdir(d))) {
		char *path;

		if (e->d_name[0] == '.')
			continue;
		path = pw_asprintf("%s/%s", dir, e->d_name);
		if (e->d_type == DT_DIR) {
			found = only_file(path);
			free(path);
		} else {
			found = path;
		}
	}
	if (d)
		closedir(d);
	return found;
}

/* The names are those of wazero's perf map, without the function's own. */
static int add_functions(struct pw_buf *out, struct pw_cursor *c)
{
	uint32_t n = pw_cursor_u32(c);
	const uint8_t *offsets = pw_cursor_bytes(c, 8ull * n);
	uint64_t size = pw_cursor_u64(c);
	const uint8_t *code = pw_cursor_bytes(c, size);

	if (!offsets || !code)
		return -EINVAL;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t from, to = size;
		char *name;

		memcpy(&from, offsets + 8ull * i, 8);
		if (i + 1 < n)
			memcpy(&to, offsets + 8ull * (i + 1), 8);
		if (from > to || to > size)
			return pw_cursor_fail(
				c, EINVAL,
				"function %u of %u does not lie within the code",
				i, n);
		name = pw_asprintf("[%u/%u]f%u:::::L0", i, n - 1, i);
		add_load(out, name, BASE_ADDR + from, code + from, to - from);
		free(name);
	}
	return 0;
}

static int read_wazero(struct pw_buf *out, const struct pw_file *f,
		       struct pw_err *err)
{
	struct pw_cursor c;
	const uint8_t *magic;

	pw_cursor_init(&c, f->data, f->size, 0, err);
	magic = pw_cursor_bytes(&c, 6);
	if (!magic || memcmp(magic, "WAZEVO", 6))
		return pw_err_at(err, EINVAL, 0,
				 "expected a file of wazero's cache");
	pw_cursor_bytes(&c, pw_cursor_u8(&c));
	add_header(out);
	return add_functions(out, &c);
}

static int write_wazero(const char *dir, const char *to, struct pw_err *err)
{
	char *path = only_file(dir);
	struct pw_buf out = { 0 };
	struct pw_file f = { 0 };
	int rc;

	if (!path)
		return pw_err_set(err, ENOENT, "wazero left no code behind");
	rc = pw_file_open(&f, path, err);
	if (!rc)
		rc = read_wazero(&out, &f, err);
	if (!rc)
		rc = pw_file_write(to, out.data, out.len, err);
	pw_file_close(&f);
	pw_buf_release(&out);
	free(path);
	return rc;
}

/* --- the whole ------------------------------------------------------------------- */

static int copy(const char *from, const char *to, struct pw_err *err)
{
	struct pw_file f = { 0 };
	int rc = pw_file_open(&f, from, err);

	if (!rc)
		rc = pw_file_write(to, f.data, f.size, err);
	pw_file_close(&f);
	return rc;
}

static int write_beside(const char *artifact, const char *to,
			struct pw_err *err)
{
	char *path = pw_asprintf("%s.elf", artifact);
	int rc = access(path, R_OK)
			 ? pw_err_set(
				   err, ENOTSUP,
				   "an interpreter has no machine code to show")
			 : copy(path, to, err);

	free(path);
	return rc;
}

int host_code_write(const char *form, const char *artifact, const char *to,
		    struct pw_err *err)
{
	if (!strcmp(form, "wazero"))
		return write_wazero(artifact, to, err);
	if (!strcmp(form, "elf"))
		return copy(artifact, to, err);
	if (!strcmp(form, "elf-beside"))
		return write_beside(artifact, to, err);
	return pw_err_set(err, ENOTSUP, "machine code as %s is not known",
			  form);
}
