/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that ask libdw share. */
#ifndef PLUGIN_LINES_DWARF_H
#define PLUGIN_LINES_DWARF_H

#include <elfutils/libdw.h>

#include "lines-impl.h"

/* A function body or an inlined call: [lo, hi) of one of its ranges. */
struct scope {
	uint64_t lo, hi;
	Dwarf_Off die_off;
	uint32_t parent; /* index of a range of the scope around it */
	uint32_t depth;
	uint32_t end; /* of a function: where its inner scopes end */
};

struct scopes {
	struct scope *v; /* in the order of the DIE tree */
	uint32_t n, cap;
	uint32_t *funcs; /* indexes of functions, by lo */
	uint32_t n_funcs;
};

/*
 * What may still be done for one module: an honest range, DIE or line is at
 * least a byte of debug information and is looked at once; whoever makes
 * sections refer to each other to be read again and again ends here.
 */
struct budget {
	uint64_t n_ranges, n_dies, line_bytes;
};

/* dwarf-scopes.c: all scopes of a unit that hold code below code_size. */
void scopes_read(struct scopes *s, Dwarf_Die *unit, uint64_t code_size,
		 struct budget *budget);
void scopes_release(struct scopes *s);
/* Completes out->frames[0] with its function and adds the inlined calls. */
void scopes_find(const struct scopes *s, Dwarf *dw, Dwarf_Die *unit,
		 uint64_t addr, struct pw_line_at *out);

#endif
