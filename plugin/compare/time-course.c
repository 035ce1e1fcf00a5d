// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether two figures of a run go up and down together, on one axis of time.
 * Their blocks need not be of one length.
 */
#include "compare-impl.h"

#include <math.h>

#define N_POINTS 16

/* Where blocks of a run lie, in ns of the capture's clock. */
struct window {
	double from, to;
};

static struct window window_of(const struct sum *s)
{
	double from = (double)s->time.start_ns;

	return (struct window){ from, from + (double)s->time.span_ns };
}

/* The figure's share of a piece of time, by the blocks that it overlaps. */
static double piece_of(const struct sum *s, double from, double to)
{
	double block = (double)s->time.block_ns, sum = 0;
	double start = (double)s->time.start_ns;
	int i = (int)((from - start) / block);

	for (i = i < 0 ? 0 : i; i < s->n_blocks; i++) {
		double a = start + block * i, b = a + block;

		if (a >= to)
			break;
		if (!isnan(s->blocks[i]) && b > from)
			sum += s->blocks[i] * (fmin(b, to) - fmax(a, from)) /
			       block;
	}
	return sum;
}

static bool has_course(const struct sum *s)
{
	return s->blocks && s->n_blocks >= 8 && s->time.block_ns &&
	       s->time.start_ns;
}

/* What varies by less than this of its mean has no course. */
#define LEAST_VARIATION 0.05

static double correlation(const double *x, const double *y)
{
	double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

	for (int i = 0; i < N_POINTS; i++) {
		mx += x[i] / N_POINTS;
		my += y[i] / N_POINTS;
	}
	for (int i = 0; i < N_POINTS; i++) {
		xx += (x[i] - mx) * (x[i] - mx) / N_POINTS;
		yy += (y[i] - my) * (y[i] - my) / N_POINTS;
		xy += (x[i] - mx) * (y[i] - my) / N_POINTS;
	}
	if (!(sqrt(xx) > LEAST_VARIATION * fabs(mx)) ||
	    !(sqrt(yy) > LEAST_VARIATION * fabs(my)))
		return NAN;
	return xy / sqrt(xx * yy);
}

double course(const struct figure *a, const struct figure *b, uint32_t run)
{
	const struct sum *s = &a->runs[run], *t = &b->runs[run];
	struct window w, v;
	double x[N_POINTS], y[N_POINTS], step;

	if (!has_course(s) || !has_course(t))
		return NAN;
	w = window_of(s);
	v = window_of(t);
	w.from = fmax(w.from, v.from);
	step = (fmin(w.to, v.to) - w.from) / N_POINTS;
	if (!(step > 0))
		return NAN;
	for (int i = 0; i < N_POINTS; i++) {
		x[i] = piece_of(s, w.from + step * i, w.from + step * (i + 1));
		y[i] = piece_of(t, w.from + step * i, w.from + step * (i + 1));
	}
	return correlation(x, y);
}
