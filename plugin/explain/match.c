// SPDX-License-Identifier: GPL-2.0-only
/* What matchers fill: instructions and sentences of each pattern. */
#include "explain-impl.h"

#include <stdlib.h>

/* Of the shape, and with what speaks for it besides. */
#define MAX_SHAPE    5
#define MAX_EVIDENCE 12

bool match_has(const struct match *m, enum pw_pattern p, uint32_t insn)
{
	const struct pw_explanation *x = &m->list[p];

	for (uint32_t i = 0; i < x->n_insns; i++)
		if (x->insns[i] == insn)
			return true;
	return false;
}

bool match_accused(const struct match *m, uint32_t insn)
{
	for (uint32_t i = 0; m->of_slow && i < m->in->n_accused; i++)
		if (m->in->accused[i] == insn)
			return true;
	return false;
}

bool match_insn(struct match *m, enum pw_pattern p, uint32_t insn)
{
	struct pw_explanation *x = &m->list[p];

	if (match_has(m, p, insn))
		return false;
	x->insns = pw_realloc(x->insns, (x->n_insns + 1) * sizeof(*x->insns));
	x->insns[x->n_insns++] = insn;
	return true;
}

void match_say(struct match *m, enum pw_pattern p, const char *fmt, ...)
{
	struct pw_explanation *x = &m->list[p];
	char text[512];
	va_list ap;

	if (x->n_evidence >= (m->weighing ? MAX_EVIDENCE : MAX_SHAPE))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	x->evidence = pw_realloc(x->evidence,
				 (x->n_evidence + 1) * sizeof(*x->evidence));
	x->evidence[x->n_evidence++] = pw_strdup(text);
}
