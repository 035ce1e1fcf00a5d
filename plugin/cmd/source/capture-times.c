// SPDX-License-Identifier: GPL-2.0-only
/* --time: seconds of a capture's clock, or a share of its length. */
#include "capture-source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <perfwasm/capture.h>

static int bad_time(const struct source *s, struct pw_err *err)
{
	return pw_err_set(
		err, EINVAL,
		"--time: expected FROM,TO in seconds or FROM%%-TO%%, found '%s'",
		s->time);
}

/* Seconds with decimals, exactly; `ends` is what may follow. */
static const char *seconds(const char *p, uint64_t *ns)
{
	uint64_t unit = 100000000;
	char *end;

	if (*p < '0' || *p > '9')
		return NULL;
	*ns = strtoull(p, &end, 10) * 1000000000;
	if (*end == '.')
		for (end++; *end >= '0' && *end <= '9'; end++, unit /= 10)
			*ns += (uint64_t)(*end - '0') * unit;
	return end;
}

/* What perf did not write down (record -B, --switch-output): the capture is
 * passed over once. */
static int read_span(const struct source *s, uint64_t *first, uint64_t *last,
		     struct pw_err *err)
{
	static const struct pw_capture_opts opts = { .no_samples = true };
	struct pw_capture *c;
	struct pw_event ev;
	int ret;

	if (!strcmp(s->data, "-"))
		return pw_err_set(
			err, ENODATA,
			"--time: the pipe does not tell when its samples begin and end: give seconds");
	c = pw_capture_open(s->data, &opts, err);
	if (!c)
		return -EINVAL;
	while ((ret = pw_capture_next(c, &ev, err)) > 0)
		;
	*first = pw_capture_counts(c)->first_ns;
	*last = pw_capture_counts(c)->last_ns;
	pw_capture_close(c);
	if (!ret && *last < *first)
		ret = pw_err_set(err, ENODATA,
				 "--time: the capture has no samples");
	return ret;
}

static int percents(struct source *s, const struct pw_capture_facts *facts,
		    struct pw_err *err)
{
	uint64_t first = facts->first_sample_ns, last = facts->last_sample_ns;
	double from, to, span;
	int end = 0, ret;

	if (sscanf(s->time, "%lf%%-%lf%%%n", &from, &to, &end) != 2 || !end ||
	    s->time[end] || !(from >= 0) || !(to > from) || to > 100)
		return bad_time(s, err);
	if (!last || last < first) {
		ret = read_span(s, &first, &last, err);
		if (ret)
			return ret;
	}
	span = (double)(last - first);
	s->opts.from_ns = first + (uint64_t)(span * from / 100);
	s->opts.to_ns = first + (uint64_t)(span * to / 100);
	if (to == 100)
		s->opts.to_ns++;
	return 0;
}

int cmd_source_times(struct source *s, const struct pw_capture_facts *facts,
		     struct pw_err *err)
{
	const char *p = s->time;

	if (!p)
		return 0;
	if (strchr(p, '%'))
		return percents(s, facts, err);
	s->opts.to_ns = UINT64_MAX;
	if (*p != ',')
		p = seconds(p, &s->opts.from_ns);
	if (!p || *p++ != ',')
		return bad_time(s, err);
	if (*p)
		p = seconds(p, &s->opts.to_ns);
	if (!p || *p || s->opts.to_ns <= s->opts.from_ns)
		return bad_time(s, err);
	return 0;
}
