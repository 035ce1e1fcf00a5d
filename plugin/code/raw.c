// SPDX-License-Identifier: GPL-2.0-only
/*
 * Machine code that lies in no ELF file: the bytes a runtime put into its
 * jitdump. One function, no map, nothing outside it.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "image.h"

struct pw_code *pw_code_open_raw(uint32_t elf_machine, const char *name,
				 const uint8_t *bytes, size_t size,
				 bool data_in_text, struct pw_err *err)
{
	struct pw_code *c;

	if (elf_machine != EM_X86_64 && elf_machine != EM_AARCH64) {
		pw_err_set(
			err, ENOTSUP,
			"machine code of ELF machine %u is not supported, only x86-64 and AArch64",
			elf_machine);
		return NULL;
	}
	c = pw_zalloc(sizeof(*c));
	c->arch = elf_machine == EM_X86_64 ? CODE_X86_64 : CODE_AARCH64;
	c->text = bytes;
	c->text_size = size;
	c->data_in_text = data_in_text;
	c->funcs = pw_zalloc(sizeof(*c->funcs));
	c->n_funcs = 1;
	c->funcs[0].name = name;
	c->funcs[0].wasm_idx = -1;
	c->funcs[0].size_bytes = size;
	c->by_idx = pw_zalloc(sizeof(*c->by_idx));
	return c;
}
