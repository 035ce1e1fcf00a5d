// SPDX-License-Identifier: GPL-2.0-only
/*
 * system-totals CAPTURE: a line for each figure: family, metric, instance, growth
 * (of counters), least, greatest and last value, with tabs between.
 */
#include <perfwasm/metrics.h>
#include <perfwasm/system.h>

int main(int argc, char **argv)
{
	struct pw_err err = { .msg = "" };
	struct pw_metrics *m = pw_metrics_new();

	if (argc != 2 || pw_system_read(argv[1], m, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	pw_metrics_end(m);
	for (uint32_t i = 0; i < pw_metrics_count(m); i++) {
		const struct pw_metric *x = pw_metrics_get(m, i);

		if (!x->is_derived)
			printf("%s\t%s\t%s\t%.17g\t%.17g\t%.17g\t%.17g\n",
			       x->family, x->name, x->instance, x->total,
			       x->min, x->max, x->last);
	}
	pw_metrics_free(m);
	return 0;
}
