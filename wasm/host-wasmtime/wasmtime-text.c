// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the code of an artifact lies in this process. The artifact is an
 * ELF64 image that the library made; its .text is looked for in every
 * executable mapping. Reads section headers only.
 */
#include "wasmtime-api.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static const Elf64_Shdr *section_header(const uint8_t *elf, size_t size,
					size_t i)
{
	const Elf64_Ehdr *h = (const void *)elf;
	uint64_t off = h->e_shoff + i * sizeof(Elf64_Shdr);
	const Elf64_Shdr *s;

	if (i >= h->e_shnum || off < h->e_shoff || off % 8 || off > size ||
	    size - off < sizeof(*s))
		return NULL;
	s = (const void *)(elf + off);
	if (s->sh_offset > size || s->sh_size > size - s->sh_offset)
		return NULL;
	return s;
}

bool wt_elf_section(const void *elf, size_t size, const char *name,
		    const uint8_t **data, size_t *n)
{
	const Elf64_Ehdr *h = elf;
	const Elf64_Shdr *names, *s;

	if (size < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_shentsize != sizeof(*s))
		return false;
	names = section_header(elf, size, h->e_shstrndx);
	if (!names)
		return false;
	for (size_t i = 0; (s = section_header(elf, size, i)); i++) {
		const char *at = (const char *)elf + names->sh_offset;

		if (s->sh_type == SHT_NULL || s->sh_name >= names->sh_size ||
		    strncmp(at + s->sh_name, name, names->sh_size - s->sh_name))
			continue;
		*data = (const uint8_t *)elf + s->sh_offset;
		*n = s->sh_size;
		return true;
	}
	return false;
}

/* Bytes that agree: calls into the runtime are patched when code is loaded,
 * so the two need not be the same everywhere. */
static size_t n_same(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += a[i] == b[i];
	return same;
}

struct best {
	uint64_t addr;
	size_t same;
};

/* Code starts on a page; a mapping may hold more than one image's. */
static void look_in(uint64_t lo, uint64_t hi, const uint8_t *text, size_t n,
		    struct best *best)
{
	size_t probe = n < 4096 ? n : 4096;

	for (uint64_t at = lo; hi - at >= n && at < hi; at += 4096) {
		const uint8_t *p = (const uint8_t *)(uintptr_t)at;
		size_t same = n_same(p, text, probe);

		if (same > best->same) {
			best->same = same;
			best->addr = at;
		}
	}
}

/* An anonymous mapping or an unnamed file: not a library's. */
static bool is_generated(const char *line)
{
	const char *path = strchr(line, '/');

	return !strchr(line, '[') && (!path || strstr(path, "memfd:"));
}

uint64_t wt_text_addr(const uint8_t *text, size_t n)
{
	struct best best = { 0 };
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t cap = 0;

	if (!maps)
		return 0;
	while (n && getline(&line, &cap, maps) > 0) {
		unsigned long long lo, hi;
		char perms[8];

		if (sscanf(line, "%llx-%llx %7s", &lo, &hi, perms) == 3 &&
		    !strncmp(perms, "r-x", 3) && is_generated(line))
			look_in(lo, hi, text, n, &best);
	}
	free(line);
	fclose(maps);
	return best.same * 10 >= (n < 4096 ? n : 4096) * 9 ? best.addr : 0;
}
