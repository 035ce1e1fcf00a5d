// SPDX-License-Identifier: GPL-2.0-only
/* How long an instruction takes, about, by its opcode. */
#include "explain-impl.h"

#include <string.h>

struct row {
	const char *opcode;
	enum insn_class cls;
	double cycles;
};

static const struct row rows[] = {
#define PW_LATENCY(opcode, cls, cycles) { opcode, CLASS_##cls, cycles },
#include "latency.def"
#undef PW_LATENCY
};

/* ? is one letter; a * at the end, and one in the middle, any. */
static bool fits(const char *pattern, const char *s)
{
	for (; *pattern; pattern++, s++) {
		if (*pattern == '*') {
			do
				if (fits(pattern + 1, s))
					return true;
			while (*s++);
			return false;
		}
		if (!*s || (*pattern != '?' && *pattern != *s))
			return false;
	}
	return !*s;
}

static const struct row *row_of(const char *opcode)
{
	const struct row *r = rows;

	if (*opcode == 'v')
		opcode++;
	while (!fits(r->opcode, opcode))
		r++;
	return r;
}

enum insn_class insn_class(const struct pw_minsn *in)
{
	return row_of(in->opcode)->cls;
}

double insn_latency(const struct pw_minsn *in, const struct pw_insn_uses *u)
{
	const struct row *r = row_of(in->opcode);
	const uint64_t low = UINT32_MAX;

	/* from one register file to the other */
	if (r->cls == CLASS_MOVE && !u->mem.size_bytes &&
	    ((u->reads & low && u->writes & ~low) ||
	     (u->reads & ~low && u->writes & low)))
		return 3;
	return r->cycles;
}
