// SPDX-License-Identifier: GPL-2.0-only
/*
 * The opcode table in its three shapes: facts by enum, enum by byte, enum by
 * prefix and number. All rows come from opcodes.def. Knows no module.
 */
#include "module-impl.h"

enum {
	FLAGS_NONE = 0,
	FLAGS_CONTROL = PW_OPF_CONTROL,
	FLAGS_PURE = PW_OPF_PURE,
	FLAGS_TRAPS = PW_OPF_TRAPS,
	FLAGS_CONST = PW_OPF_PURE | PW_OPF_CONST,
	FLAGS_ALLOC = PW_OPF_CONST,
	FLAGS_VAR = PW_OPF_CONST,
	FLAGS_LOAD = PW_OPF_LOAD,
	FLAGS_STORE = PW_OPF_STORE,
	FLAGS_COPY = PW_OPF_LOAD | PW_OPF_STORE,
	FLAGS_ALOAD = PW_OPF_LOAD | PW_OPF_ATOMIC,
	FLAGS_ASTORE = PW_OPF_STORE | PW_OPF_ATOMIC,
	FLAGS_ARMW = PW_OPF_LOAD | PW_OPF_STORE | PW_OPF_ATOMIC,
};

static const struct pw_op_info infos[PW_N_OPS] = {
#define PW_OPCODE(id, name, prefix, code, imm, sig, size, proposal, flags) \
	{                                                                  \
		name, prefix, code,     PW_IMM_##imm,                      \
		sig,  size,   proposal, FLAGS_##flags                      \
	},
#include <perfwasm/opcodes.def>
#undef PW_OPCODE
};

/* Rows of one prefix only, as [code] = enum + 1; 0 means no instruction. */
#define PW_OPCODE(id, name, prefix, code, ...) ROW_##prefix(PW_OP_##id, code)
#define ROW_0x00(id, code)
#define ROW_0xfb(id, code)
#define ROW_0xfc(id, code)
#define ROW_0xfd(id, code)
#define ROW_0xfe(id, code)

#undef ROW_0x00
#define ROW_0x00(id, code) [code] = id + 1,
static const uint16_t by_byte[256] = {
#include <perfwasm/opcodes.def>
};
#undef ROW_0x00
#define ROW_0x00(id, code)

#undef ROW_0xfb
#define ROW_0xfb(id, code) [code] = id + 1,
static const uint16_t by_fb[] = {
#include <perfwasm/opcodes.def>
};
#undef ROW_0xfb
#define ROW_0xfb(id, code)

#undef ROW_0xfc
#define ROW_0xfc(id, code) [code] = id + 1,
static const uint16_t by_fc[] = {
#include <perfwasm/opcodes.def>
};
#undef ROW_0xfc
#define ROW_0xfc(id, code)

#undef ROW_0xfd
#define ROW_0xfd(id, code) [code] = id + 1,
static const uint16_t by_fd[] = {
#include <perfwasm/opcodes.def>
};
#undef ROW_0xfd
#define ROW_0xfd(id, code)

#undef ROW_0xfe
#define ROW_0xfe(id, code) [code] = id + 1,
static const uint16_t by_fe[] = {
#include <perfwasm/opcodes.def>
};
#undef PW_OPCODE

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static enum pw_op row(const uint16_t *tab, size_t n, uint32_t code)
{
	return code < n && tab[code] ? (enum pw_op)(tab[code] - 1) : PW_N_OPS;
}

enum pw_op op_of_byte(uint8_t byte)
{
	return row(by_byte, COUNT(by_byte), byte);
}

enum pw_op op_of_prefixed(uint8_t prefix, uint32_t code)
{
	switch (prefix) {
	case 0xfb:
		return row(by_fb, COUNT(by_fb), code);
	case 0xfc:
		return row(by_fc, COUNT(by_fc), code);
	case 0xfd:
		return row(by_fd, COUNT(by_fd), code);
	case 0xfe:
		return row(by_fe, COUNT(by_fe), code);
	}
	return PW_N_OPS;
}

const struct pw_op_info *pw_op_info(enum pw_op op)
{
	return &infos[op];
}

enum pw_op pw_op_find(const char *name)
{
	for (uint32_t i = 0; i < PW_N_OPS; i++)
		if (!strcmp(infos[i].name, name))
			return (enum pw_op)i;
	return PW_N_OPS;
}

void pw_op_encode(enum pw_op op, struct pw_buf *out)
{
	const struct pw_op_info *info = &infos[op];

	if (!info->prefix) {
		pw_buf_add_u8(out, info->code);
		return;
	}
	pw_buf_add_u8(out, info->prefix);
	pw_buf_add_uleb(out, info->code);
}
