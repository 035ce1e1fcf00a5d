/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of definitions and uses share: one capstone instruction. */
#ifndef PLUGIN_CODE_USES_H
#define PLUGIN_CODE_USES_H

#include <capstone/capstone.h>

#include "image.h"

#define REG_BIT(r) (UINT64_C(1) << (r))

/* uses-x86.c, uses-arm64.c: fill a zeroed `u` from an instruction with
 * details (x86: operands in Intel's order). */
void uses_x86(struct pw_insn_uses *u, csh cs, const cs_insn *in);
void uses_arm64(struct pw_insn_uses *u, csh cs, const cs_insn *in);
/* What calls read and write. */
void uses_x86_call(struct pw_insn_uses *u);
void uses_arm64_call(struct pw_insn_uses *u);

#endif
