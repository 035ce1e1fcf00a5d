// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often a run of the hunted module calls each function that it imports: by
 * an instrumented copy, run on whatever host tells its counters. Calls through
 * a table are not counted.
 */
#include "triage-step.h"

#include <perfwasm/count.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNTED "counted.wasm"
#define COUNTS  "counts"

/* --- the run -------------------------------------------------------------------- */

static int run_on(struct hunt *h, struct runner *r, const char *module,
		  const char *counts, bool *ran, struct pw_err *err)
{
	struct pw_host_request req;
	struct pw_host_reply reply;
	int ret;

	pw_guest_request(&h->box, module, &req);
	req.digest = false;
	req.counts_path = counts;
	ret = hunt_run(h, r, &req, &reply, err);
	*ran = !ret &&
	       (reply.outcome == PW_OUT_OK || reply.outcome == PW_OUT_EXIT);
	return ret;
}

/* The counters' values; NULL without an error: no host tells them. */
static uint64_t *values_of(struct hunt *h, const struct pw_count_plan *c,
			   const char *module, const char *counts, int *ret,
			   struct pw_err *err)
{
	struct runner *runners[] = { h->triage.oracle, &h->suspect };
	uint64_t *values = NULL;
	struct pw_file f;
	bool ran = false;

	for (int i = 0; i < 2 && !ran && !*ret; i++)
		*ret = run_on(h, runners[i], module, counts, &ran, err);
	if (*ret || !ran || pw_file_open(&f, counts, NULL))
		return NULL;
	values = pw_zalloc((pw_count_plan_n(c) + 1) * sizeof(*values));
	if (pw_count_plan_parse(c, f.data, f.size, values, NULL)) {
		free(values);
		values = NULL;
	}
	pw_file_close(&f);
	return values;
}

/* --- the calls ---------------------------------------------------------------------- */

/* The counter that tells how often an instruction is executed: the last one
 * of its function that stands no later. Counters are by offset. */
static uint64_t times(const struct pw_count_plan *c, const uint64_t *values,
		      uint32_t *at, uint64_t off)
{
	uint32_t n = pw_count_plan_n(c);

	while (*at + 1 < n && pw_count_plan_point(c, *at + 1)->off <= off)
		++*at;
	return n && pw_count_plan_point(c, *at)->off <= off ? values[*at] : 0;
}

static void add_calls(const struct hunt *h, const struct pw_count_plan *c,
		      const uint64_t *values, uint64_t *n)
{
	uint32_t imported = pw_module_n_imported(h->module, PW_EXT_FUNC);
	struct pw_walk *w = pw_walk_new(h->module);
	struct pw_insn in;
	uint32_t at = 0;

	for (uint32_t i = imported; i < pw_module_n(h->module, PW_EXT_FUNC);
	     i++) {
		if (!pw_count_plan_has_func(c, i) || pw_walk_start(w, i, NULL))
			continue;
		while (pw_walk_next(w, &in, NULL) == 1)
			if ((in.op == PW_OP_call ||
			     in.op == PW_OP_return_call) &&
			    in.index < imported)
				n[in.index] += times(c, values, &at, in.off);
	}
	pw_walk_free(w);
}

int hunt_import_counts(struct hunt *h, uint64_t *n, bool *known,
		       struct pw_err *err)
{
	char *module = pw_asprintf("%s/" COUNTED, h->box.dir);
	char *counts = pw_asprintf("%s/" COUNTS, h->box.dir);
	struct pw_count_plan *c = pw_count_plan_new(h->module, NULL, NULL);
	struct pw_buf bytes = { 0 };
	uint64_t *values = NULL;
	int ret = 0;

	if (c && !pw_count_plan_apply(c, NULL, &bytes, NULL)) {
		ret = pw_file_write(module, bytes.data, bytes.len, err);
		if (!ret)
			values = values_of(h, c, module, counts, &ret, err);
	}
	*known = values && !pw_count_plan_n_left_out(c);
	if (*known)
		add_calls(h, c, values, n);
	free(values);
	pw_buf_release(&bytes);
	pw_count_plan_free(c);
	free(counts);
	free(module);
	return ret;
}
