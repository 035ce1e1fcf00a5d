/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * splice: what the files that splice share: size fields and sections that
 * get more entries. Internal to wasm/module.
 */
#ifndef MODULE_SPLICE_H
#define MODULE_SPLICE_H

#include "module-impl.h"

/* A size field: keeps its length, padded, when the new value fits. */
void splice_add_size(struct pw_buf *out, uint32_t v, uint32_t old_len);
uint32_t splice_size_len(uint32_t v, uint32_t old_len);
/* Appends the module with n more entries at the end of a section that is a
 * vector; makes the section where there is none. */
void splice_entries(const struct pw_module *m, uint8_t id,
		    const struct pw_buf *entries, uint32_t n,
		    struct pw_buf *out);

#endif
