/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines: from a file offset in a module on to file and line of the source it
 * was compiled from, with the calls that were inlined there. Reads DWARF from
 * the module's .debug_* custom sections (any version that libdw knows;
 * addresses count from the code section's payload, as in "DWARF for
 * WebAssembly") and source maps of revision 3 (generated line 0, the
 * generated column is the offset in the module file). Knows nothing of
 * machine code. Modules and maps are untrusted.
 */
#ifndef PERFWASM_LINES_H
#define PERFWASM_LINES_H

#include <perfwasm/module.h>

struct pw_lines;

/* A place in the source. Strings are as the compiler wrote them (printable
 * or not), borrowed from the object. */
struct pw_line_frame {
	const char *file;
	uint32_t line;        /* from 1; of a call 0: not told */
	uint32_t column;      /* from 1; 0: not told */
	const char *function; /* the function it stands in, or NULL */
};

#define PW_LINE_MAX_FRAMES 16

/* [0] is where the instruction stands, [1] the call that was inlined into
 * [1].function and so on, up to the function that has a body of its own. */
struct pw_line_at {
	uint32_t n_frames; /* at least 1 */
	/* the compiler gives the instruction no line (0): it is that of the
	 * nearest one before it that has one */
	bool near;
	struct pw_line_frame frames[PW_LINE_MAX_FRAMES];
};

struct pw_lines_opts {
	/* The module's own path, so that a map beside it is found: the last
	 * part of its sourceMappingURL, or PATH.map. NULL: no look. */
	const char *module_path;
	/* A source map to be used before any DWARF; NULL: none. */
	const char *source_map_path;
	/* A module whose .debug_* sections hold for this one (emcc
	 * -gseparate-dwarf); NULL: its own. */
	const struct pw_module *debug_module;
};

/*
 * Source lines of a module: of the map that was given, else its DWARF, else
 * the map found beside it. Nothing is fetched. Modules and options are
 * borrowed for the call only. NULL with err: ENOENT when there is neither
 * (the sentence says what to do), EINVAL when what is there can't be read,
 * E2BIG above 1 GiB of DWARF.
 */
struct pw_lines *pw_lines_open(const struct pw_module *m,
			       const struct pw_lines_opts *opts,
			       struct pw_err *err);
void pw_lines_close(struct pw_lines *l);

/*
 * The source of the wasm instruction at a file offset; false when none is
 * told (as of code of the linker). *out holds until close. What is asked
 * for is read when first asked for: not for two threads at once. Line tables
 * above 4 MiB each, or 64 MiB in all, are left out.
 */
bool pw_lines_find(struct pw_lines *l, uint64_t wasm_file_off,
		   struct pw_line_at *out);
/* "DWARF" or "source map". */
const char *pw_lines_kind(const struct pw_lines *l);
/* What had to be left out until now and why, or NULL. */
const char *pw_lines_fault(const struct pw_lines *l);

#endif
