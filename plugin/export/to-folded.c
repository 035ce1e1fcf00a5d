// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folded call chains: "TASK;OUTERMOST;...;INNERMOST NUMBER", a line each, as
 * flamegraph.pl and its kin read them.
 */
#include "export-impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ';' parts frames. */
static void put(FILE *to, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, to);
}

static void put_frame(FILE *to, const struct pw_symbol *sym)
{
	char *name = frame_name(sym);

	fputc(';', to);
	put(to, name);
	free(name);
}

static void put_chain(const struct writing *w, uint32_t node,
		      const struct pw_symbol **syms)
{
	const char *comm;
	uint32_t n = frames_of_node(w->p, node, syms, MAX_FRAMES, &comm);
	char *safe = pw_visible(comm ?: "?");

	put(w->to, safe);
	while (n)
		put_frame(w->to, syms[--n]);
	free(safe);
}

void write_folded(const struct writing *w)
{
	const struct pw_symbol **syms = pw_alloc(MAX_FRAMES * sizeof(*syms));
	uint32_t n_nodes = pw_profile_n_nodes(w->p);

	for (uint32_t i = 1; i < n_nodes; i++) {
		struct pw_count c = pw_profile_node_count(w->p, i, w->event);
		uint64_t number = w->o->by_period ? c.period : c.samples;

		if (!number)
			continue;
		put_chain(w, i, syms);
		fprintf(w->to, " %" PRIu64 "\n", number);
	}
	free(syms);
}
