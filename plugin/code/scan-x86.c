// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shape of an x86-64 instruction: its length, where it jumps and what it
 * addresses relative to %rip. From the opcode maps of the Intel SDM, volume
 * 2, appendix A (64-bit mode), VEX and EVEX from chapter 2.
 */
#include <stddef.h>

#include "scan.h"

/*
 * What follows an opcode, a letter each, 16 a row:
 *   -  nothing            M  modrm
 *   i  imm8               b  modrm, imm8
 *   Z  imm16 or imm32     z  modrm, imm16 or imm32
 *   w  imm16              e  imm16, imm8
 *   v  immediate of the operand's size (mov)
 *   o  an address         g  modrm, and an immediate when reg is 0 or 1
 *   j  rel8               J  rel32
 *   p  a prefix or escape, handled before   x  no instruction
 */
static const char map0[] = "MMMMiZxxMMMMiZxp"
			   "MMMMiZxxMMMMiZxx"
			   "MMMMiZpxMMMMiZpx"
			   "MMMMiZpxMMMMiZpx"
			   "pppppppppppppppp"
			   "----------------"
			   "xxpMppppZzib----"
			   "jjjjjjjjjjjjjjjj"
			   "bzxbMMMMMMMMMMMM"
			   "----------x-----"
			   "oooo----iZ------"
			   "iiiiiiiivvvvvvvv"
			   "bbw-ppbze-w--ix-"
			   "MMMMxxx-MMMMMMMM"
			   "jjjjiiiiJJxj----"
			   "p-pp--gg------MM";

static const char map1[] = "MMMMx-----x-xM-b"
			   "MMMMMMMMMMMMMMMM"
			   "MMMMxxxxMMMMMMMM"
			   "------x-pxpxxxxx"
			   "MMMMMMMMMMMMMMMM"
			   "MMMMMMMMMMMMMMMM"
			   "MMMMMMMMMMMMMMMM"
			   "bbbbMMM-MMMMMMMM"
			   "JJJJJJJJJJJJJJJJ"
			   "MMMMMMMMMMMMMMMM"
			   "---MbMxx---MbMMM"
			   "MMMMMMMMMMbMMMMM"
			   "MMbMbbbM--------"
			   "MMMMMMMMMMMMMMMM"
			   "MMMMMMMMMMMMMMMM"
			   "MMMMMMMMMMMMMMMM";

struct x86 {
	const uint8_t *p;
	size_t left, at;             /* bytes there are, bytes read */
	bool opsize, addrsize, wide; /* 66, 67, REX.W */
	uint8_t rep;                 /* F2, F3; the last of them */
	bool vex;
	uint8_t map, opcode, modrm;
	uint8_t vector_size; /* of VEX and EVEX: 16, 32, 64 */
	bool has_modrm, rip;
	uint8_t rip_pos;
	int64_t imm; /* the branch distance */
	uint8_t imm_pos, imm_size;
};

/* The next byte; behind the end 0, which the length check at the end of
 * scan_x86() finds. */
static uint8_t next(struct x86 *x)
{
	return x->at < x->left ? x->p[x->at++] : (x->at++, 0);
}

static uint8_t peek(const struct x86 *x)
{
	return x->at < x->left ? x->p[x->at] : 0;
}

static void read_prefixes(struct x86 *x)
{
	for (; x->at < 15; x->at++) {
		switch (peek(x)) {
		case 0x66:
			x->opsize = true;
			break;
		case 0x67:
			x->addrsize = true;
			break;
		case 0xf2:
		case 0xf3:
			x->rep = peek(x);
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0xf0:
			break;
		default:
			goto out;
		}
	}
out:
	if ((peek(x) & 0xf0) == 0x40)
		x->wide = next(x) & 8;
}

static void read_vex(struct x86 *x, uint8_t escape)
{
	static const uint8_t prefix[] = { 0, 0x66, 0xf3, 0xf2 };
	uint8_t b = next(x);

	x->vex = true;
	if (escape == 0xc5) {
		x->map = 1;
		x->vector_size = b & 4 ? 32 : 16;
	} else if (escape == 0xc4) {
		x->map = b & 0x1f;
		b = next(x);
		x->wide = b & 0x80;
		x->vector_size = b & 4 ? 32 : 16;
	} else { /* EVEX */
		x->map = b & 7;
		b = next(x);
		x->wide = b & 0x80;
		/* L'L; with a register and rounding it is something else */
		x->vector_size = (uint8_t)(16 << (next(x) >> 5 & 3));
	}
	x->rep = prefix[b & 3] == 0x66 ? 0 : prefix[b & 3];
	x->opcode = next(x);
}

/* Gives the letter of the opcode's row. */
static char read_opcode(struct x86 *x)
{
	uint8_t b = next(x);

	if (b == 0xc4 || b == 0xc5 || b == 0x62) {
		read_vex(x, b);
		if (x->map == 3)
			return 'b';
		if (x->map != 1)
			return x->map == 2 || x->map == 5 || x->map == 6 ? 'M'
									 : 'x';
		if (x->opcode == 0x77 && b != 0x62)
			return '-';
		return map1[x->opcode] == 'b' ? 'b' : 'M';
	}
	x->opcode = b;
	if (b != 0x0f)
		return map0[b];
	x->map = 1;
	x->opcode = next(x);
	if (x->opcode == 0x38 || x->opcode == 0x3a) {
		x->map = x->opcode == 0x38 ? 2 : 3;
		x->opcode = next(x);
		return x->map == 2 ? 'M' : 'b';
	}
	return map1[x->opcode];
}

static void read_modrm(struct x86 *x)
{
	uint8_t mod, rm, base;

	x->has_modrm = true;
	x->modrm = next(x);
	mod = x->modrm >> 6;
	rm = x->modrm & 7;
	/* mov to and from control registers has no memory form */
	if (mod == 3 ||
	    (x->map == 1 && !x->vex && x->opcode >= 0x20 && x->opcode <= 0x23))
		return;
	base = rm == 4 ? next(x) & 7 : rm;
	if (mod == 1) {
		x->at += 1;
	} else if (mod == 2) {
		x->at += 4;
	} else if (base == 5) {
		x->rip = rm == 5;
		x->rip_pos = (uint8_t)x->at;
		x->at += 4;
	}
}

static uint8_t imm_size(const struct x86 *x, char letter)
{
	uint8_t z = x->opsize && !x->wide ? 2 : 4;

	switch (letter) {
	case 'i':
	case 'b':
	case 'j':
		return 1;
	case 'w':
		return 2;
	case 'e':
		return 3;
	case 'J':
		return 4;
	case 'Z':
	case 'z':
		return z;
	case 'v':
		return x->wide ? 8 : z;
	case 'o':
		return x->addrsize ? 4 : 8;
	case 'g':
		return x->modrm >> 3 & 6 ? 0 : x->opcode & 1 ? z : 1;
	default:
		return 0;
	}
}

static int64_t signed_at(const uint8_t *p, size_t n)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return (int64_t)(v << (64 - 8 * n)) >> (64 - 8 * n);
}

static enum scan_kind kind_map0(const struct x86 *x)
{
	uint8_t op = x->opcode, reg = x->modrm >> 3 & 7;

	if ((op & 0xf0) == 0x70 || (op & 0xfc) == 0xe0)
		return SCAN_COND;
	if (op == 0xe8)
		return SCAN_CALL;
	if (op == 0xe9 || op == 0xeb)
		return SCAN_JUMP;
	if (op == 0xc2 || op == 0xc3 || op == 0xca || op == 0xcb || op == 0xcf)
		return SCAN_RET;
	if (op == 0xcc || op == 0xf1 || op == 0xf4)
		return SCAN_TRAP;
	if (op == 0xff && (reg == 2 || reg == 3))
		return SCAN_CALL_IND;
	if (op == 0xff && (reg == 4 || reg == 5))
		return SCAN_JUMP_IND;
	return op == 0xff && reg == 7 ? SCAN_BAD : SCAN_PLAIN;
}

static enum scan_kind kind_of(const struct x86 *x)
{
	if (x->vex)
		return SCAN_PLAIN;
	if (x->map == 0)
		return kind_map0(x);
	if (x->map == 1 && (x->opcode & 0xf0) == 0x80)
		return SCAN_COND;
	if (x->map == 1 &&
	    (x->opcode == 0x0b || x->opcode == 0xb9 || x->opcode == 0xff))
		return SCAN_TRAP;
	return SCAN_PLAIN;
}

/* Scalar floats: F2 and F3 but for moves, shuffles and conversions of whole
 * registers. */
static bool is_scalar(const struct x86 *x)
{
	switch (x->opcode) {
	case 0x12:
	case 0x16:
	case 0x6f:
	case 0x70:
	case 0x7e:
	case 0x7f:
	case 0xe6:
		return false;
	default:
		return x->map == 1 && x->rep;
	}
}

/* How much may be read at %rip; never less than is. */
static uint8_t data_size(const struct x86 *x)
{
	if (is_scalar(x))
		return x->rep == 0xf2 ? 8 : 4;
	if (x->vex && x->map == 2 && x->opcode >= 0xf2 && x->opcode <= 0xf7)
		return x->wide ? 8 : 4;
	if (x->vex)
		return x->vector_size;
	if (x->map)
		return 16;
	return x->wide ? 8 : 4;
}

void scan_x86(struct scan_insn *si, const uint8_t *p, size_t left,
	      uint64_t text_off)
{
	struct x86 x = { .p = p, .left = left };
	char letter;

	*si = (struct scan_insn){ .text_off = text_off, .target = PW_NO_OFF };
	read_prefixes(&x);
	letter = read_opcode(&x);
	if (letter != '-' &&
	    (letter == 'M' || letter == 'b' || letter == 'z' || letter == 'g'))
		read_modrm(&x);
	x.imm_pos = (uint8_t)x.at;
	x.imm_size = imm_size(&x, letter);
	x.at += x.imm_size;
	si->kind = kind_of(&x);
	if (letter == 'x' || letter == 'p' || x.at > left || x.at > 15)
		si->kind = SCAN_BAD;
	si->size = si->kind == SCAN_BAD ? !!left : (uint8_t)x.at;
	if (si->kind == SCAN_BAD)
		return;
	if (letter == 'j' || letter == 'J') {
		si->rel_pos = x.imm_pos;
		si->rel_size = x.imm_size;
	} else if (x.rip) {
		si->rel_pos = x.rip_pos;
		si->rel_size = 4;
		si->takes_addr = !x.map && x.opcode == 0x8d;
		si->data_size = si->takes_addr ? 0 : data_size(&x);
	}
	if (si->rel_size)
		si->target = text_off + si->size +
			     (uint64_t)signed_at(p + si->rel_pos, si->rel_size);
}
