/* SPDX-License-Identifier: GPL-2.0-only */
/* What the disassembly borrows from the other files of its room. */
#ifndef PLUGIN_CODE_DISASM_H
#define PLUGIN_CODE_DISASM_H

#include "scan.h"

/* constant.c: the value of a constant of `size` bytes as the instruction
 * reads it, e.g. "7.450580596923828e-09"; into dst. */
void constant_print(const uint8_t *p, unsigned size, const char *opcode,
		    const char *operands, char *dst, size_t dst_size);

#endif
