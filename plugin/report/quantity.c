// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes numbers for people: see quantity.h. Knows nothing of reports.
 */
#include "quantity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct step {
	double divisor;
	const char *suffix;
};

static const struct step ns_steps[] = {
	{ 1, " ns" }, { 1e3, " us" }, { 1e6, " ms" }, { 1e9, " s" }, { 0, NULL }
};
static const struct step byte_steps[] = {
	{ 1, " B" },        { 0x1p10, " KiB" }, { 0x1p20, " MiB" },
	{ 0x1p30, " GiB" }, { 0x1p40, " TiB" }, { 0, NULL }
};

/* Three significant digits, but at most `most` decimals. */
static int decimals_of(double v, int most)
{
	int n = v >= 99.95 ? 0 : v >= 9.995 ? 1 : v >= 0.9995 ? 2 : 3;

	return n < most ? n : most;
}

/* The last step that leaves at least 1, after rounding to three digits. */
static void climb(struct scale *s, const struct step *steps, double largest)
{
	const struct step *at = steps;

	while (at[1].suffix && largest >= at[1].divisor * 0.9995)
		at++;
	s->divisor = at->divisor;
	s->suffix = at->suffix;
	s->decimals = at == steps ? 0 : decimals_of(largest / at->divisor, 2);
}

bool is_whole(double v)
{
	return !isfinite(v) || (fabs(v) < 1e15 && floor(v) == v);
}

struct scale scale_for(enum pw_unit unit, double largest, bool whole)
{
	struct scale s = { unit, 1, 0, "" };

	largest = isfinite(largest) ? fabs(largest) : 0;
	switch (unit) {
	case PW_UNIT_NS:
		climb(&s, ns_steps, largest);
		break;
	case PW_UNIT_BYTES:
		climb(&s, byte_steps, largest);
		break;
	case PW_UNIT_MS:
		s.suffix = " ms";
		s.decimals = decimals_of(largest, 3);
		break;
	case PW_UNIT_RATIO:
		s.suffix = "x";
		s.decimals = decimals_of(largest, 2);
		break;
	case PW_UNIT_PERCENT:
		s.divisor = 0.01;
		s.suffix = " %";
		s.decimals = 1;
		break;
	case PW_UNIT_NONE:
		s.decimals = whole ? 0 : decimals_of(largest, 3);
		break;
	default:
		break;
	}
	return s;
}

/* 67,000: groups of three, whatever the locale. */
static void add_grouped(struct pw_buf *out, int64_t v)
{
	char digits[24];
	int n;

	n = snprintf(digits, sizeof(digits), "%" PRIu64,
		     v < 0 ? -(uint64_t)v : (uint64_t)v);
	if (v < 0)
		pw_buf_add_u8(out, '-');
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			pw_buf_add_u8(out, ',');
		pw_buf_add_u8(out, digits[i]);
	}
}

void quantity_add_int(struct pw_buf *out, const struct scale *s, int64_t v)
{
	switch (s->unit) {
	case PW_UNIT_NONE:
		pw_buf_printf(out, "%" PRId64, v);
		break;
	case PW_UNIT_HEX:
		pw_buf_printf(out, "0x%" PRIx64, (uint64_t)v);
		break;
	case PW_UNIT_COUNT:
		add_grouped(out, v);
		break;
	default:
		quantity_add_num(out, s, v);
		break;
	}
}

void quantity_add_num(struct pw_buf *out, const struct scale *s, double v)
{
	struct scale own = *s;

	if (isnan(v)) {
		pw_buf_add(out, "-", 1);
		return;
	}
	if (isinf(v)) {
		pw_buf_printf(out, "%s", v < 0 ? "-inf" : "inf");
		return;
	}
	switch (s->unit) {
	case PW_UNIT_NONE:
		if (fabs(v) >= 1e15 || (v && fabs(v) < 0.0005))
			pw_buf_printf(out, "%.3g", v);
		else
			pw_buf_printf(out, "%.*f", s->decimals, v);
		break;
	case PW_UNIT_HEX:
		pw_buf_printf(out, "%.6g", v);
		break;
	case PW_UNIT_COUNT:
		if (fabs(v) >= 100 && fabs(v) < 1e18)
			add_grouped(out, llround(v));
		else
			pw_buf_printf(out, "%.1f", v);
		break;
	default:
		/* 3 us among seconds is not 0.00 s */
		if (v && fabs(v / s->divisor) < 0.5 * pow(10, -s->decimals))
			own = scale_for(s->unit, v, false);
		pw_buf_printf(out, "%.*f%s", own.decimals, v / own.divisor,
			      own.suffix);
		break;
	}
}

const char *unit_name(enum pw_unit unit)
{
	switch (unit) {
	case PW_UNIT_NS:
		return "ns";
	case PW_UNIT_MS:
		return "ms";
	case PW_UNIT_BYTES:
		return "bytes";
	case PW_UNIT_RATIO:
		return "ratio";
	case PW_UNIT_PERCENT:
		return "fraction";
	case PW_UNIT_COUNT:
		return "count";
	default:
		return NULL;
	}
}

const char *row_unit_name(char dst[16], unsigned int row_unit)
{
	const char *name = unit_name(row_unit & 0x7f);

	if (!name && !(row_unit & 0x80))
		return NULL;
	snprintf(dst, 16, "%s%s", name ? name : "",
		 row_unit & 0x80 ? "/s" : "");
	return dst;
}
