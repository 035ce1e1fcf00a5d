// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shape of an AArch64 instruction, by the encoding index of the Arm
 * Architecture Reference Manual (DDI 0487, C4.1).
 */
#include "scan.h"

static int64_t field(uint32_t w, unsigned lsb, unsigned bits)
{
	return (int64_t)((uint64_t)w << (64 - lsb - bits)) >> (64 - bits);
}

static void direct(struct scan_insn *si, enum scan_kind kind, int64_t words)
{
	si->kind = kind;
	si->target = si->text_off + (uint64_t)(words * 4);
	si->rel_size = 4;
}

/* BR, BLR, RET and their authenticating forms: C4.1.66. */
static void indirect(struct scan_insn *si, uint32_t w)
{
	switch (w >> 21 & 7) {
	case 0:
		si->kind = SCAN_JUMP_IND;
		break;
	case 1:
		si->kind = SCAN_CALL_IND;
		break;
	default: /* RET, ERET, DRPS */
		si->kind = SCAN_RET;
		break;
	}
}

static void literal(struct scan_insn *si, uint32_t w)
{
	direct(si, SCAN_PLAIN, field(w, 5, 19));
	if (w & 1 << 26) /* S, D, Q registers */
		si->data_size = 4 << (w >> 30);
	else
		si->data_size = w >> 30 == 1 ? 8 : 4;
}

static void address(struct scan_insn *si, uint32_t w)
{
	int64_t imm = field(w, 5, 19) * 4 + (w >> 29 & 3);

	/* ADRP counts pages from one that moves with the code: no target */
	if (w >> 31)
		return;
	si->target = si->text_off + (uint64_t)imm;
	si->rel_size = 4;
	si->takes_addr = true;
}

void scan_arm64(struct scan_insn *si, const uint8_t *p, size_t left,
		uint64_t text_off)
{
	uint32_t w;

	*si = (struct scan_insn){ .text_off = text_off,
				  .target = PW_NO_OFF,
				  .size = left < 4 ? (uint8_t)left : 4 };
	if (left < 4) {
		si->kind = SCAN_BAD;
		return;
	}
	w = p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
	if ((w & 0x7c000000) == 0x14000000)
		direct(si, w >> 31 ? SCAN_CALL : SCAN_JUMP, field(w, 0, 26));
	else if ((w & 0xff000000) == 0x54000000) /* B.cond, BC.cond */
		direct(si, SCAN_COND, field(w, 5, 19));
	else if ((w & 0x7e000000) == 0x34000000) /* CBZ, CBNZ */
		direct(si, SCAN_COND, field(w, 5, 19));
	else if ((w & 0x7e000000) == 0x36000000) /* TBZ, TBNZ */
		direct(si, SCAN_COND, field(w, 5, 14));
	else if ((w & 0xfe000000) == 0xd6000000)
		indirect(si, w);
	else if ((w & 0xffe0001f) == 0xd4200000 || /* BRK */
		 !(w & 0xffff0000))                /* UDF */
		si->kind = SCAN_TRAP;
	else if ((w & 0x3b000000) == 0x18000000 && w >> 30 != 3)
		literal(si, w);
	else if ((w & 0x1f000000) == 0x10000000)
		address(si, w);
}
