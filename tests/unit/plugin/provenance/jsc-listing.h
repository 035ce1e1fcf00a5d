/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The listing that JavaScriptCore prints of its optimised code
 * (--dumpOMGDisassembly=1): for each function its instructions with their
 * addresses, and before them what of the wasm body they were made for.
 */
#ifndef TESTS_JSC_LISTING_H
#define TESTS_JSC_LISTING_H

#include <perfwasm/code.h>

#include <stdlib.h>
#include <string.h>

struct listing {
	uint32_t local_idx; /* imports not counted */
	struct pw_minsn *insns;
	uint64_t *said; /* offset in the function's body */
	uint32_t n, cap;
	uint64_t base, last; /* address; the place the last line named */
};

struct listings {
	struct listing *fn;
	uint32_t n;
};

/* Addresses that differ from run to run are cut. */
static inline void copy_operands(char *to, size_t size, const char *from)
{
	size_t n = 0;

	while (*from && n + 2 < size) {
		if (!strncmp(from, "0x", 2) &&
		    strspn(from + 2, "0123456789abcdef") > 9) {
			from += 2 + strspn(from + 2, "0123456789abcdef");
			to[n++] = '@';
			continue;
		}
		to[n++] = *from++;
	}
	to[n] = 0;
}

static inline struct pw_minsn *listing_grow(struct listing *l)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 256;
		l->insns = pw_realloc(l->insns, l->cap * sizeof(*l->insns));
		l->said = pw_realloc(l->said, l->cap * sizeof(*l->said));
	}
	l->said[l->n] = l->last;
	memset(&l->insns[l->n], 0, sizeof(*l->insns));
	return &l->insns[l->n++];
}

static inline void add_asm(struct listing *l, const char *text)
{
	char *rest;
	uint64_t addr = strtoull(text, &rest, 16);
	struct pw_minsn *m = listing_grow(l);
	size_t len;

	if (l->n == 1)
		l->base = addr;
	rest += strspn(rest, ": ");
	len = strcspn(rest, " ");
	snprintf(m->opcode, sizeof(m->opcode), "%.*s", (int)len, rest);
	rest += len;
	rest += strspn(rest, " ");
	m->text_off = addr - l->base;
	m->size_bytes = 1;
	m->wasm_off = m->target = PW_NO_OFF;
	m->is_jump = m->opcode[0] == 'j';
	m->is_cond = m->is_jump && strcmp(m->opcode, "jmp");
	m->is_call = !strncmp(m->opcode, "call", 4);
	if (m->is_jump && !strncmp(rest, "0x", 2))
		m->target = strtoull(rest, NULL, 16) - l->base;
	copy_operands(m->operands, sizeof(m->operands), rest);
}

/* All functions; those that are entered in the middle of a loop are not. */
static inline void read_listings(struct listings *all, char *text)
{
	static const char head[] = "WebAssembly OMG function[";
	char *line, *save = NULL, *at;
	struct listing *l = NULL;

	memset(all, 0, sizeof(*all));
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "Generated", 9)) {
			at = strstr(line, head);
			l = NULL;
			if (!at)
				continue;
			all->fn = pw_realloc(all->fn,
					     (all->n + 1) * sizeof(*all->fn));
			l = &all->fn[all->n++];
			memset(l, 0, sizeof(*l));
			l->last = PW_NO_OFF;
			l->local_idx = (uint32_t)strtoul(at + sizeof(head) - 1,
							 NULL, 10);
		} else if (l && !strncmp(line, "b3 ", 3)) {
			at = strstr(line, "location: 0x");
			l->last = at ? strtoull(at + 10, NULL, 16) : PW_NO_OFF;
		} else if (l && !strncmp(line, "asm ", 4) &&
			   !strstr(line, ": int3")) {
			add_asm(l, line + 4);
		}
	}
}

static inline void listings_release(struct listings *all)
{
	for (uint32_t i = 0; i < all->n; i++) {
		free(all->fn[i].insns);
		free(all->fn[i].said);
	}
	free(all->fn);
}

#endif
