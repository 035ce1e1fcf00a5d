// SPDX-License-Identifier: GPL-2.0-only
/*
 * series-print FILE [TABLE COLUMN]: a line for each readout of a series, its
 * time in ns and number of rows; with a table, of each of its rows the key and
 * the column's value besides. Then "whole" or "cut". Exits with 1 when the file
 * is none.
 */
#include <perfwasm/series.h>

#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct pw_err err = { .msg = "" };
	struct pw_series *s = argc > 1 ? pw_series_open(argv[1], &err) : NULL;
	struct pw_series_item it;
	uint64_t rows = 0, n = 0;
	int ret = -1;

	while (s && (ret = pw_series_next(s, &it, &err)) > 0) {
		if (it.kind == PW_SERIES_READOUT) {
			if (n++)
				printf(" %" PRIu64 "\n", rows);
			rows = 0;
			printf("%" PRIu64, it.time_ns);
		}
		rows += it.kind == PW_SERIES_ROW;
		if (it.kind == PW_SERIES_ROW && argc > 3 &&
		    it.table == pw_series_find(s, argv[2])) {
			uint32_t c =
				pw_series_column(pw_series_table(s, it.table),
						 argv[3]);

			printf(" %" PRIu64 "=%" PRIu64, it.key, it.values[c]);
		}
	}
	if (n)
		printf(" %" PRIu64 "\n", rows);
	if (ret < 0)
		fprintf(stderr, "%s\n", err.msg);
	else
		printf("%s\n", pw_series_was_cut(s) ? "cut" : "whole");
	pw_series_close(s);
	return ret < 0;
}
