// SPDX-License-Identifier: GPL-2.0-only
/* Readings: what a value that is told says of the time before it. */
#include "metrics-impl.h"

#include <math.h>

double rate_scale(const struct series *s)
{
	return s->pub.per_second ? 1e9 : 1;
}

static bool is_counter(const struct series *s)
{
	return s->pub.def->kind == PW_METRIC_COUNTER;
}

struct bins *series_bins(const struct pw_metrics *m, struct series *s)
{
	unsigned int times = (unsigned int)(m->axis.shift - s->bins->shift);

	pw_bins_fold(s->bins->sum, N_BINS, times);
	pw_bins_fold(s->bins->known, N_BINS, times);
	s->bins->shift = m->axis.shift;
	return s->bins;
}

/* --- accounting ------------------------------------------------------------------ */

/* From now on it needs bins: so far it was the same without a gap. */
static void begin_bins(struct pw_metrics *m, struct series *s)
{
	double before = is_counter(s) ? 0 : s->spread.mean;

	s->bins = pw_zalloc(sizeof(*s->bins));
	s->bins->shift = m->axis.shift;
	if (!s->spread.weight)
		return;
	pw_bins_spread(s->bins->sum, &m->axis, s->first_ns, s->done_ns, before);
	pw_bins_spread(s->bins->known, &m->axis, s->first_ns, s->done_ns, 1);
}

static void account_bins(struct pw_metrics *m, struct series *s, uint64_t from,
			 uint64_t to, double x)
{
	struct bins *b = series_bins(m, s);

	if (to == from)
		to++;
	pw_bins_spread(b->sum, &m->axis, from, to, x);
	pw_bins_spread(b->known, &m->axis, from, to, 1);
}

/* x: a level, or a growth per ns. A moment weighs next to nothing, which is
 * something when there is nothing else. */
static void account(struct pw_metrics *m, struct series *s, uint64_t from,
		    uint64_t to, double x)
{
	bool moment = from == to, same;

	if (from < m->window_from_ns)
		from = m->window_from_ns;
	if (to > m->window_to_ns)
		to = m->window_to_ns;
	if (from > to || (from == to && !moment))
		return;
	same = is_counter(s) ? x == 0 : !s->spread.weight || x == s->spread.max;
	if (!s->bins && (!same || (s->spread.weight && from > s->done_ns)))
		begin_bins(m, s);
	if (!s->spread.weight)
		s->first_ns = from;
	spread_add(&s->spread, is_counter(s) ? x * rate_scale(s) : x,
		   moment ? 1 : to - from);
	if (is_counter(s))
		s->pub.total += x * (double)(to - from);
	s->pub.span_ns += to - from;
	s->done_ns = to;
	if (s->bins)
		account_bins(m, s, from, to, x);
}

/* What was not told up to the reading before stayed as it was. */
static void account_held(struct pw_metrics *m, struct series *s, uint64_t to)
{
	if (s->since_ns >= to)
		return;
	account(m, s, s->since_ns, to, is_counter(s) ? 0 : s->last);
	s->since_ns = to;
}

/* /proc/stat's idle and iowait may go back a little: that is no new start. */
static double growth(double before, double now)
{
	if (now >= before)
		return now - before;
	return now < before / 2 ? now : 0;
}

/* from == to: there was no reading before. */
static void tell_first(struct pw_metrics *m, struct series *s, double value,
		       uint64_t from, uint64_t to)
{
	if (!is_counter(s)) {
		account(m, s, from, to, value);
		s->x = value;
		return;
	}
	s->x = NAN;
	if (s->is_born && from < to) {
		s->x = value / (double)(to - from);
		account(m, s, from, to, s->x);
	}
}

static void tell_next(struct pw_metrics *m, struct series *s, double value,
		      uint64_t from, uint64_t to)
{
	if (from >= to) /* told twice */
		return;
	s->x = value;
	if (is_counter(s))
		s->x = growth(s->last, value) / (double)(to - from);
	account(m, s, from, to, s->x);
}

static void leave(struct pw_metrics *m, struct series *s)
{
	struct family *f = s->of->family;

	if (s->state != SERIES_HELD || f->n_readings < 2)
		return;
	account_held(m, s, f->prev_ns);
	if (s->n_at < f->n_readings)
		s->pub.n += f->n_readings - 1 - s->n_at;
}

void series_tell(struct pw_metrics *m, struct series *s, double value)
{
	struct family *f = s->of->family;
	uint64_t to = f->now_ns, from = f->n_readings > 1 ? f->prev_ns : to;

	if (!isfinite(value)) {
		leave(m, s);
		s->state = SERIES_NEW;
		return;
	}
	s->of->n_told++;
	if (s->state == SERIES_HELD) {
		s->pub.n += f->n_readings - s->n_at;
		account_held(m, s, from);
		tell_next(m, s, value, s->since_ns > from ? s->since_ns : from,
			  to);
	} else {
		if (from < s->since_ns) /* it left in this very interval */
			from = s->since_ns;
		tell_first(m, s, value, from, to);
		s->pub.n++;
		s->state = SERIES_HELD;
		s->is_born = false;
	}
	s->since_ns = to;
	s->n_at = s->x_reading = f->n_readings;
	s->last = value;
}

void series_end(struct pw_metrics *m, struct series *s)
{
	if (s->state != SERIES_HELD)
		return;
	account_held(m, s, s->of->family->now_ns);
	s->pub.n += s->of->family->n_readings - s->n_at;
}

/* --- the door ---------------------------------------------------------------------- */

void pw_metrics_window(struct pw_metrics *m, uint64_t from_ns, uint64_t to_ns)
{
	m->window_from_ns = from_ns;
	m->window_to_ns = to_ns;
}

static uint64_t later(uint64_t start, uint64_t by)
{
	return by > UINT64_MAX - start ? UINT64_MAX : start + by;
}

static void reach(struct pw_metrics *m, uint64_t time_ns)
{
	if (!m->was_read) {
		m->was_read = true;
		m->window_from_ns = later(time_ns, m->window_from_ns);
		m->window_to_ns = later(time_ns, m->window_to_ns);
	}
	if (time_ns < m->window_from_ns)
		return;
	if (time_ns > m->window_to_ns)
		time_ns = m->window_to_ns;
	/* the interval that the window begins in is in it */
	if (!m->axis.is_started) {
		m->from_ns = m->window_from_ns;
		pw_axis_reach(&m->axis, m->from_ns);
	}
	if (time_ns > m->to_ns)
		m->to_ns = time_ns;
	pw_axis_reach(&m->axis, time_ns);
}

void pw_metrics_begin(struct pw_metrics *m, const char *family,
		      uint64_t time_ns)
{
	struct family *f = metric_family(m, family);

	family_derive(m, f);
	if (f->n_readings && time_ns < f->now_ns)
		time_ns = f->now_ns;
	reach(m, time_ns);
	f->prev_ns = f->now_ns;
	f->now_ns = time_ns;
	if (!f->n_readings++)
		f->first_ns = time_ns;
	family_fold(m, f);
}

static struct series *by_id(const struct pw_metrics *m, uint32_t id)
{
	return id < m->n_series ? m->series[id] : NULL;
}

void pw_metrics_value(struct pw_metrics *m, uint32_t series, double value)
{
	struct series *s = by_id(m, series);

	if (!s || s->state == SERIES_GONE || !s->of->family->n_readings)
		return;
	instance_touch(s->of);
	series_tell(m, s, value);
}

void pw_metrics_born(struct pw_metrics *m, uint32_t series)
{
	struct series *s = by_id(m, series);

	if (s)
		s->is_born = true;
}

void pw_metrics_gone(struct pw_metrics *m, uint32_t series)
{
	struct series *s = by_id(m, series);

	if (!s || s->state == SERIES_GONE)
		return;
	leave(m, s);
	s->state = SERIES_GONE;
	instance_touch(s->of);
	if (!--s->of->n_alive)
		s->of->family->n_gone++;
}

void pw_metrics_missed(struct pw_metrics *m, uint64_t ticks)
{
	m->missed += ticks;
}
