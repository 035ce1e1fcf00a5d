/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * edit: a module without what nothing in it uses, and data segments cut.
 * Knows nothing of why something goes. Where instructions change and all else
 * must stay as it is, splice (module.h).
 * Source of formats: WebAssembly core specification 3.0, chapter 5.
 */
#ifndef PERFWASM_EDIT_H
#define PERFWASM_EDIT_H

#include <perfwasm/module.h>

/* A data segment as it lies in the file. */
struct pw_data_seg {
	uint64_t bytes_off; /* its content */
	uint32_t n_bytes;
	bool active;
};
/* In order; *segs is the caller's. */
int pw_edit_data_list(const struct pw_module *m, struct pw_data_seg **segs,
		      uint32_t *n, struct pw_err *err);
/*
 * Appends the module with segment `idx` cut to its bytes [from, to); an active
 * one still puts them where they were, for which its offset must be a
 * constant when from is not 0 (else ENOTSUP).
 */
int pw_edit_data(const struct pw_module *m, uint32_t idx, uint32_t from,
		 uint32_t to, struct pw_buf *out, struct pw_err *err);

/*
 * Appends the module with nothing but what the exports of these names (a
 * NULL-ended list) and the start function need: functions, types, globals,
 * imports, segments that nothing refers to go, tables, memories and tags all
 * or none of a kind, and every custom section but the function names; the
 * rest gets new numbers. Active segments go when empty, or when nothing uses
 * their table or memory, and with them the fault of one that does not fit.
 * Types stay as they are where a reference type names one. ENOTSUP: a
 * constant expression of a proposal that is not known here.
 */
int pw_edit_prune(const struct pw_module *m, const char *const *exports,
		  struct pw_buf *out, struct pw_err *err);

#endif
