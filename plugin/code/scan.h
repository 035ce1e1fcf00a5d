/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shape of machine code without its text: where instructions begin, how
 * control flows, what is addressed relative to the instruction pointer.
 * Complete for lengths, so that an instruction the disassembler does not know
 * never puts those after it out of step.
 */
#ifndef PLUGIN_CODE_SCAN_H
#define PLUGIN_CODE_SCAN_H

#include "image.h"

enum scan_kind {
	SCAN_PLAIN,
	SCAN_JUMP, /* direct, always taken */
	SCAN_COND, /* direct, conditional */
	SCAN_CALL, /* direct */
	SCAN_CALL_IND,
	SCAN_JUMP_IND,
	SCAN_RET,
	SCAN_TRAP,  /* never goes on */
	SCAN_BAD,   /* no instruction */
	SCAN_ENTRY, /* 32-bit entry of a jump table */
};

struct scan_insn {
	uint64_t text_off;
	uint64_t target; /* of a direct jump or call, else of an operand
			    relative to the instruction pointer, else
			    PW_NO_OFF */
	enum scan_kind kind;
	uint8_t size;
	uint8_t rel_pos, rel_size; /* the bytes that hold the distance to
				      target; 0, 0 when there is none; on
				      AArch64 the whole instruction */
	uint8_t data_size; /* how much is read at target; 0 when the address
			      is taken only or the size is not known */
	bool takes_addr;   /* lea, adr */
};

/* One instruction at p with `left` bytes behind it; size is at least 1 when
 * left is. The text offset is taken over. */
void scan_x86(struct scan_insn *si, const uint8_t *p, size_t left,
	      uint64_t text_off);
void scan_arm64(struct scan_insn *si, const uint8_t *p, size_t left,
		uint64_t text_off);

/* What follows falls through from it or not. */
bool scan_ends_block(enum scan_kind kind);

/*
 * All instructions of a function and the entries of its jump tables, without
 * the constants that lie between and behind them. The caller frees.
 */
int scan_func(const struct pw_code *c, const struct pw_code_func *f,
	      struct scan_insn **insns, uint32_t *n);

#endif
