// SPDX-License-Identifier: GPL-2.0-only
/* Data segments go, or are cut from both ends by ever smaller steps. */
#include "passes.h"

#include <errno.h>
#include <stdlib.h>

#define SEGMENTS_MAX 32
#define STEP_MIN     16

static int try_cut(struct reduce *r, uint32_t idx, uint32_t from, uint32_t to,
		   bool *kept, struct pw_err *err)
{
	struct pw_buf bytes = { 0 };
	struct pw_err why;
	int ret = pw_edit_data(r->m, idx, from, to, &bytes, &why);

	*kept = false;
	if (!ret)
		ret = reduce_try(r, &bytes, kept, err);
	else if (ret == -ENOTSUP)
		ret = 0; /* it stays where it is */
	else if (err)
		*err = why;
	pw_buf_release(&bytes);
	return ret;
}

static int cut_one(struct reduce *r, uint32_t idx, uint32_t n,
		   struct pw_err *err)
{
	bool kept;
	int ret = try_cut(r, idx, 0, 0, &kept, err);

	if (kept)
		return ret;
	for (uint32_t step = n / 2; step >= STEP_MIN && !ret;) {
		ret = try_cut(r, idx, 0, n - step, &kept, err);
		if (!ret && !kept)
			ret = try_cut(r, idx, step, n, &kept, err);
		if (kept)
			n -= step;
		else
			step /= 2;
		if (step > n / 2)
			step = n / 2;
	}
	return ret;
}

int pass_data(struct reduce *r, struct pw_err *err)
{
	struct pw_data_seg *segs;
	uint32_t n;
	int ret = pw_edit_data_list(r->m, &segs, &n, err);

	for (uint32_t i = 0; i < n && i < SEGMENTS_MAX && !ret; i++)
		if (segs[i].n_bytes)
			ret = cut_one(r, i, segs[i].n_bytes, err);
	free(segs);
	return ret == -ENOTSUP ? 0 : ret;
}
