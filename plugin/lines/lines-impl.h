/* SPDX-License-Identifier: GPL-2.0-only */
/* The two kinds of line information behind one contract. */
#ifndef PLUGIN_LINES_IMPL_H
#define PLUGIN_LINES_IMPL_H

#include <perfwasm/lines.h>

struct dwarf_lines;
struct source_map;

/* --- debug-image.c --------------------------------------------------------- */

/* A file descriptor on an ELF image made of the .debug_* sections of a
 * module; the caller closes. *debug_size: their bytes. -errno with err. */
int debug_image(const struct pw_module *m, uint64_t *debug_size,
		struct pw_err *err);
bool debug_sections(const struct pw_module *m);

/* --- dwarf-lines.c --------------------------------------------------------- */

/* code_off, code_size: the code section's payload in the module file. */
struct dwarf_lines *dwarf_lines_open(const struct pw_module *debug,
				     uint64_t code_off, uint64_t code_size,
				     struct pw_err *err);
void dwarf_lines_close(struct dwarf_lines *d);
bool dwarf_lines_find(struct dwarf_lines *d, uint64_t off,
		      struct pw_line_at *out);
const char *dwarf_lines_fault(const struct dwarf_lines *d);

/* --- source-map.c ----------------------------------------------------------- */

struct source_map *source_map_read(const char *json, size_t size,
				   struct pw_err *err);
void source_map_free(struct source_map *s);
bool source_map_find(const struct source_map *s, uint64_t off,
		     struct pw_line_at *out);

#endif
