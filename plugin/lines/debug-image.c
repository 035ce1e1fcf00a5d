// SPDX-License-Identifier: GPL-2.0-only
/*
 * The .debug_* custom sections of a module as an ELF image in memory, which
 * is what libdw reads: an ELF header, the sections' bytes, the table of their
 * names, the section headers. Knows nothing of what is in them.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lines-impl.h"

#define MAX_DEBUG_BYTES ((uint64_t)1 << 30)
#define MAX_SECTIONS    64 /* DWARF has about 30 names */

struct image {
	int fd;
	uint64_t size;
	Elf32_Shdr headers[MAX_SECTIONS + 2]; /* [0] is none */
	uint32_t n;
	struct pw_buf names;
};

static bool is_debug(const struct pw_section *s)
{
	return !s->id && s->name.len > 7 && s->name.len < 64 &&
	       !memcmp(s->name.s, ".debug_", 7) &&
	       !memchr(s->name.s, 0, s->name.len);
}

bool debug_sections(const struct pw_module *m)
{
	for (uint32_t i = 0; i < pw_module_n_sections(m); i++) {
		const struct pw_section *s = pw_module_section(m, i);

		if (is_debug(s) && s->name.len == 11 &&
		    !memcmp(s->name.s, ".debug_info", 11))
			return true;
	}
	return false;
}

static int put(struct image *im, const void *data, size_t n)
{
	int ret = pw_write_all(im->fd, data, n);

	if (!ret)
		im->size += n;
	return ret;
}

static int put_section(struct image *im, const char *name, size_t name_len,
		       uint32_t type, const void *data, size_t n)
{
	Elf32_Shdr *sh = &im->headers[im->n++];

	*sh = (Elf32_Shdr){
		.sh_name = (uint32_t)im->names.len,
		.sh_type = type,
		.sh_offset = (uint32_t)im->size,
		.sh_size = (uint32_t)n,
		.sh_addralign = 1,
	};
	pw_buf_add(&im->names, name, name_len);
	pw_buf_add_u8(&im->names, 0);
	/* the table of names is written with its own name in it */
	if (type == SHT_STRTAB) {
		data = im->names.data;
		n = im->names.len;
		sh->sh_size = (uint32_t)n;
	}
	return put(im, data, n);
}

static int put_debug(struct image *im, const struct pw_module *m,
		     uint64_t *debug_size, struct pw_err *err)
{
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size);
	int ret = 0;

	for (uint32_t i = 0; i < pw_module_n_sections(m) && !ret; i++) {
		const struct pw_section *s = pw_module_section(m, i);
		const uint8_t *data;
		uint64_t n;

		if (!is_debug(s) || im->n > MAX_SECTIONS)
			continue;
		data = (const uint8_t *)s->name.s + s->name.len;
		n = s->data_off + s->size - (uint64_t)(data - bytes);
		*debug_size += n;
		if (*debug_size > MAX_DEBUG_BYTES)
			return pw_err_at(
				err, E2BIG, s->off,
				"more than 1 GiB of debug information; strip what is not needed");
		ret = put_section(im, s->name.s, s->name.len, SHT_PROGBITS,
				  data, n);
	}
	return ret;
}

static int put_image(struct image *im, const struct pw_module *m,
		     uint64_t *debug_size, struct pw_err *err)
{
	Elf32_Ehdr eh = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,   /* nothing is to be relocated */
		.e_machine = EM_386, /* any with 32-bit addresses will do */
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(eh),
		.e_shentsize = sizeof(Elf32_Shdr),
	};
	int ret = put(im, &eh, sizeof(eh));

	pw_buf_add_u8(&im->names, 0);
	im->n = 1;
	if (!ret)
		ret = put_debug(im, m, debug_size, err);
	if (!ret)
		ret = put_section(im, ".shstrtab", 9, SHT_STRTAB, NULL, 0);
	eh.e_shoff = (uint32_t)im->size;
	eh.e_shnum = (Elf32_Half)im->n;
	eh.e_shstrndx = (Elf32_Half)(im->n - 1);
	if (!ret)
		ret = put(im, im->headers, im->n * sizeof(im->headers[0]));
	if (!ret && pwrite(im->fd, &eh, sizeof(eh), 0) != sizeof(eh))
		ret = -EIO;
	return ret;
}

int debug_image(const struct pw_module *m, uint64_t *debug_size,
		struct pw_err *err)
{
	struct pw_err why = { 0 };
	struct image im = { .fd = memfd_create("debug", MFD_CLOEXEC) };
	int ret = im.fd < 0 ? -errno : 0;

	*debug_size = 0;
	if (!ret)
		ret = put_image(&im, m, debug_size, &why);
	pw_buf_release(&im.names);
	if (!ret)
		return im.fd;
	if (im.fd >= 0)
		close(im.fd);
	if (why.code) {
		if (err)
			*err = why;
		return -why.code;
	}
	return pw_err_set(err, -ret, "memory for the debug information: %s",
			  strerror(-ret));
}
