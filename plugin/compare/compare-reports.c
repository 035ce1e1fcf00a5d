// SPDX-License-Identifier: GPL-2.0-only
/*
 * The steps of a comparison: match, judge, tell.
 */
#include "compare-impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int check_kinds(const struct comparison *c, struct pw_err *err)
{
	const char *first = pw_report_key(c->runs[0]);

	for (uint32_t run = 1; run < c->n_runs; run++)
		if (strcmp(pw_report_key(c->runs[run]), first) != 0)
			return pw_err_set(
				err, EINVAL,
				"reports of one kind can be compared; these are of %s and of %s: give captures, or what one command printed with --format json",
				first, pw_report_key(c->runs[run]));
	if (!c->n_figures)
		return pw_err_set(
			err, EINVAL,
			"nothing in a report of %s can be compared%s%s", first,
			c->opts.only ? " below " : "",
			c->opts.only ? c->opts.only : "");
	return 0;
}

int pw_compare(const struct pw_compare_side *sides, uint32_t n_sides,
	       const struct pw_compare_opts *o, struct pw_report *to,
	       uint32_t *n_different, struct pw_err *err)
{
	struct comparison c = { .sides = sides, .n_sides = n_sides };
	int ret;

	if (o)
		c.opts = *o;
	else
		c.opts.min_share = c.opts.min_change = -1;
	if (!(c.opts.level > 0))
		c.opts.level = 0.99;
	if (c.opts.min_share < 0)
		c.opts.min_share = 0.01;
	if (c.opts.min_change < 0)
		c.opts.min_change = 0.03;
	c.n_runs = first_run(&c, n_sides);
	c.runs = pw_zalloc((c.n_runs + 1) * sizeof(*c.runs));
	gather(&c);
	ret = check_kinds(&c, err);
	if (!ret) {
		find_kinds(&c);
		judge(&c);
		group(&c);
		tell(&c, to);
	}
	if (n_different)
		*n_different = c.n_different;
	comparison_release(&c);
	return ret;
}
