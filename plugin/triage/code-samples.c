// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples in wasm code by function and offset, from a recording: for runtimes
 * that cannot sample themselves.
 */
#include "triage-impl.h"

#include <stdlib.h>
#include <string.h>

static struct pw_code_sample *sample_at(struct pw_code_sample **v, size_t *n,
					uint32_t func_idx, uint64_t off)
{
	for (size_t i = 0; i < *n; i++)
		if ((*v)[i].func_idx == func_idx && (*v)[i].off == off)
			return &(*v)[i];
	*v = pw_realloc(*v, (*n + 1) * sizeof(**v));
	(*v)[*n] = (struct pw_code_sample){ func_idx, off, 0 };
	return &(*v)[(*n)++];
}

int pw_triage_code(struct pw_session *s, const struct pw_host_request *req,
		   const struct pw_triage_opts *o, struct pw_code_sample **v,
		   size_t *n, uint64_t *n_outside, struct pw_err *err)
{
	struct pw_host_reply reply;
	struct pw_triage t;
	struct reading r;
	int ret = record_and_read(s, req, o, false, &r, &t, &reply, err);

	*v = NULL;
	*n = 0;
	*n_outside = 0;
	if (ret)
		return ret;
	for (const struct spot *p = r.spots; p; p = p->hh.next) {
		const struct pw_symbol *sym =
			pw_space_piece(r.space, p->key.piece)->sym;

		if (!threads_is_guest(&r.threads, p->key.pid))
			continue;
		if (sym->kind == PW_PLACE_WASM && sym->func_idx >= 0)
			sample_at(v, n, (uint32_t)sym->func_idx, p->key.off)
				->n += p->n;
		else
			*n_outside += p->n;
	}
	pw_triage_release(&t);
	reading_release(&r);
	return 0;
}
