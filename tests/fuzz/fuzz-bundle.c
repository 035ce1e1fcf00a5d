// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is a bundle. A refused one has a reason; an accepted one has
 * within its limits what its manifest lists, and an issue text.
 */
#include <stdlib.h>

#include <perfwasm/bundle.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_err err = { 0 };
	struct pw_bundle *b = pw_bundle_read(data, size, &err);
	struct pw_buf issue = { 0 };
	struct pw_report *r;

	if (!b) {
		if (!err.code || !err.msg[0])
			abort();
		return 0;
	}
	r = pw_report_new("hunt", NULL);
	if (pw_bundle_get(b, "suspect", 0) && pw_bundle_get(b, "oracle", 0))
		pw_bundle_issue(b, r, "x", &issue);
	pw_buf_release(&issue);
	pw_report_free(r);
	pw_bundle_free(b);
	return 0;
}
