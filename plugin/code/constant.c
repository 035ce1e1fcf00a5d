// SPDX-License-Identifier: GPL-2.0-only
/*
 * Constants as an instruction reads them: a float where the opcode is one of
 * floats, else hexadecimal. Knows opcodes by their names only.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "disasm.h"

static uint64_t bytes_u64(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* The shortest decimals that read back as the same number. */
static void print_double(double v, char *dst, size_t size)
{
	int digits;

	for (digits = 6; digits <= 17; digits++) {
		snprintf(dst, size, "%.*g", digits, v);
		if (strtod(dst, NULL) == v)
			return;
	}
}

static void print_float(float v, char *dst, size_t size)
{
	int digits;

	for (digits = 6; digits <= 9; digits++) {
		snprintf(dst, size, "%.*g", digits, (double)v);
		if (strtof(dst, NULL) == v)
			return;
	}
}

/* 's' float, 'd' double, 0 neither: "mulsd", "vcvtss2sd", "ldr d0, ...". */
static char float_letter(const char *opcode, const char *operands)
{
	const char *cvt = strstr(opcode, "cvt");
	size_t len = strlen(opcode);

	if (!strcmp(opcode, "ldr"))
		return operands[0] == 's' || operands[0] == 'd' ? operands[0]
								: 0;
	if (cvt)
		return !strncmp(cvt, "cvtss2", 6) || !strncmp(cvt, "cvttss2", 7)
			       ? 's'
		       : !strncmp(cvt, "cvtsd2", 6) ||
				       !strncmp(cvt, "cvttsd2", 7)
			       ? 'd'
			       : 0;
	if (len > 3 && opcode[len - 2] == 's')
		return opcode[len - 1] == 's' || opcode[len - 1] == 'd'
			       ? opcode[len - 1]
			       : 0;
	return 0;
}

void constant_print(const uint8_t *p, unsigned size, const char *opcode,
		    const char *operands, char *dst, size_t dst_size)
{
	char letter = float_letter(opcode, operands);
	uint64_t bits = bytes_u64(p, size < 8 ? size : 8);
	uint32_t bits32 = (uint32_t)bits;
	double d;
	float f;

	if (size >= 8 && letter == 'd') {
		memcpy(&d, &bits, sizeof(d));
		print_double(d, dst, dst_size);
	} else if (size >= 4 && letter == 's') {
		memcpy(&f, &bits32, sizeof(f));
		print_float(f, dst, dst_size);
	} else if (size == 16) {
		snprintf(dst, dst_size, "0x%016" PRIx64 "%016" PRIx64,
			 bytes_u64(p + 8, 8), bits);
	} else if (size <= 8) {
		snprintf(dst, dst_size, "0x%" PRIx64, bits);
	}
}
