/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insns-of: the disassembly of bytes given in a test, as the only function
 * of an image.
 */
#ifndef INSNS_OF_H
#define INSNS_OF_H

#include <stdlib.h>

#include "elf-writer.h"

struct insns {
	struct pw_buf elf;
	struct pw_code *code;
	struct pw_minsn *insn;
	uint32_t n;
};

static inline void insns_open(struct insns *s, const struct elf_recipe *r)
{
	memset(s, 0, sizeof(*s));
	elf_write(r, &s->elf);
	s->code = pw_code_open(s->elf.data, s->elf.len, 0, NULL);
	if (s->code)
		pw_code_disasm(s->code, pw_code_func(s->code, 0), &s->insn,
			       &s->n, NULL);
}

/* "wasm[0]::function[0]" of Cranelift's, or "f0" of a C compiler's. */
static inline void insns_of(struct insns *s, uint16_t machine, bool cranelift,
			    const void *text, size_t size)
{
	struct elf_recipe r = { .machine = machine,
				.text = text,
				.text_size = size,
				.syms = { { cranelift ? "wasm[0]::function[0]"
						      : "f0",
					    0, size, 0 } },
				.n_syms = 1 };

	insns_open(s, &r);
}

static inline void insns_close(struct insns *s)
{
	free(s->insn);
	pw_code_close(s->code);
	pw_buf_release(&s->elf);
}

#endif
