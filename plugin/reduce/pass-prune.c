// SPDX-License-Identifier: GPL-2.0-only
/* What nothing uses goes: functions, imports, types, segments, sections. */
#include "passes.h"

#include <errno.h>

static int prune_to(struct reduce *r, const char *const *exports, bool *kept,
		    struct pw_err *err)
{
	struct pw_buf bytes = { 0 };
	struct pw_err why;
	int ret = pw_edit_prune(r->m, exports, &bytes, &why);

	*kept = false;
	if (!ret && bytes.len < r->bytes.len)
		ret = reduce_try(r, &bytes, kept, err);
	else if (ret == -ENOTSUP)
		ret = 0;
	else if (ret && err)
		*err = why;
	pw_buf_release(&bytes);
	return ret;
}

int pass_prune(struct reduce *r, struct pw_err *err)
{
	const char *call = r->o->guest.invoke ? r->o->guest.invoke : "_start";
	const char *const alone[] = { call, NULL };
	/* hosts of system calls look for it */
	const char *const with_memory[] = { call, "memory", NULL };
	bool kept;
	int ret = prune_to(r, with_memory, &kept, err);

	return ret ? ret : prune_to(r, alone, &kept, err);
}
