/* SPDX-License-Identifier: GPL-2.0-only */
/* Renders a report into memory, for tests that compare all of it. */
#ifndef TESTS_REPORT_RENDERED_H
#define TESTS_REPORT_RENDERED_H

#include <perfwasm/report.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* Both free the report; the caller frees the text. */
static inline char *as_text(struct pw_report *r, int width, bool color)
{
	struct pw_render_opts opts = { .color = color, .width = width };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(pw_render_text(r, &opts, to), 0);
	fclose(to);
	pw_report_free(r);
	return text;
}

static inline char *as_json(struct pw_report *r)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(pw_render_json(r, to), 0);
	fclose(to);
	pw_report_free(r);
	return text;
}

static inline void expect(char *got, const char *wanted)
{
	assert_string_equal(got, wanted);
	free(got);
}

#endif
