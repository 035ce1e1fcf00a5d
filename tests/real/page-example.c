// SPDX-License-Identifier: GPL-2.0-only
/*
 * page-example ROWS: a page with a chart of every kind, a listing, and a table
 * of so many rows, on standard output. Every name in it is hostile.
 */
#include <perfwasm/report.h>

#include <math.h>
#include <stdlib.h>

/* Were it markup, the page's check would see a script run or an element. */
#define HOSTILE                                                             \
	"</script><script>alert(1)</script><img src=x onerror=alert(1)>]]>" \
	"<!--\xe2\x80\xae\xff{a|b}"

static const char *const groups[] = { "wasm", "kernel", "runtime", HOSTILE };

static const char *name_of(int i)
{
	static char name[120];

	snprintf(name, sizeof(name), "task-%02d%s", i, i % 7 ? "" : HOSTILE);
	return name;
}

static struct pw_node *drawn(struct pw_node *s, const char *key)
{
	struct pw_node *t = pw_table(s, key, HOSTILE);

	pw_table_only_drawn(t);
	return t;
}

static void roles(struct pw_node *chart, const int *roles_cols)
{
	for (int i = 0; i < PW_N_ROLES; i++)
		pw_chart_role(chart, i, roles_cols[i]);
}

static void add_bars(struct pw_node *s)
{
	struct pw_node *t = pw_table(s, "bars", "Tasks");
	int cols[PW_N_ROLES] = { 1, 3, -1, -1, 0, 2, -1, -1, -1 };

	pw_column(t, "task", "Task", PW_UNIT_NONE, 0);
	pw_column(t, "cpu", "CPU", PW_UNIT_PERCENT, PW_COL_RIGHT);
	pw_column(t, "kind", "Kind", PW_UNIT_NONE, 0);
	pw_column(t, "switches", "Switches", PW_UNIT_COUNT, PW_COL_RIGHT);
	roles(pw_chart(t, PW_CHART_BARS, "CPU and switches by task", 0), cols);
	for (int i = 0; i < 60; i++)
		for (int k = 0; k < 4; k++) {
			pw_row(t);
			pw_cell_str(t, 0, name_of(i));
			pw_cell_num(t, 1, 0.25 / (1 + (i + k) % 17));
			pw_cell_str(t, 2, groups[k]);
			if (!k)
				pw_cell_int(t, 3, 1000 + i * 37 % 900);
		}
}

static void add_lines(struct pw_node *s)
{
	struct pw_node *t = drawn(s, "lines");
	int cols[PW_N_ROLES] = { 0, -1, 1, -1, -1, 2, -1, -1, -1 };

	pw_column(t, "time", "Time", PW_UNIT_NS, PW_COL_RIGHT);
	pw_column(t, "share", "Busy", PW_UNIT_PERCENT, PW_COL_RIGHT);
	pw_column(t, "kind", "Kind", PW_UNIT_NONE, 0);
	roles(pw_chart(t, PW_CHART_LINES, HOSTILE, PW_CHART_TIME), cols);
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < 300; i++) {
			pw_row(t);
			pw_cell_int(t, 0, i * 10000000ll);
			pw_cell_num(t, 1, (1 + sin(i / 20. + k)) / 2);
			pw_cell_str(t, 2, groups[k]);
		}
}

static void add_spans(struct pw_node *s)
{
	struct pw_node *t = drawn(s, "spans");
	int cols[PW_N_ROLES] = { 0, 1, -1, -1, 2, 3, 4, -1, -1 };

	pw_column(t, "from", "From", PW_UNIT_NS, PW_COL_RIGHT);
	pw_column(t, "to", "To", PW_UNIT_NS, PW_COL_RIGHT);
	pw_column(t, "cpu", "CPU", PW_UNIT_NONE, 0);
	pw_column(t, "task", "Task", PW_UNIT_NONE, 0);
	pw_column(t, "share", "Share", PW_UNIT_PERCENT, PW_COL_RIGHT);
	roles(pw_chart(t, PW_CHART_SPANS, "What ran where", PW_CHART_TIME),
	      cols);
	for (int i = 0; i < 1200; i++) {
		char cpu[16];

		snprintf(cpu, sizeof(cpu), "CPU %d", i % 6);
		pw_row(t);
		pw_cell_int(t, 0, i * 2500000ll);
		pw_cell_int(t, 1, i * 2500000ll + 2000000 + i % 5 * 3000000);
		pw_cell_str(t, 2, cpu);
		pw_cell_str(t, 3, groups[i * 7 % 4]);
		pw_cell_num(t, 4, 0.2 + i % 9 / 10.);
	}
}

/* Names by names, in halves; and bins on a log axis, a map for each task. */
static void add_heat(struct pw_node *s)
{
	struct pw_node *t = drawn(s, "cores"), *u = drawn(s, "lengths");
	int cores[PW_N_ROLES] = { 1, -1, 0, -1, -1, -1, 2, 3, -1 };
	int lengths[PW_N_ROLES] = { 0, 1, 2, 3, -1, 5, 4, -1, -1 };

	pw_column(t, "task", "Task", PW_UNIT_NONE, 0);
	pw_column(t, "cpu", "CPU", PW_UNIT_NONE, 0);
	pw_column(t, "share", "Share", PW_UNIT_PERCENT, PW_COL_RIGHT);
	pw_column(t, "n", "Switches", PW_UNIT_COUNT, PW_COL_RIGHT);
	roles(pw_chart(t, PW_CHART_HEAT, "Core map", 0), cores);
	for (int i = 0; i < 120; i++) {
		char cpu[16];

		snprintf(cpu, sizeof(cpu), "CPU %d", i % 6);
		pw_row(t);
		pw_cell_str(t, 0, name_of(i / 6));
		pw_cell_str(t, 1, cpu);
		pw_cell_num(t, 2, i * 13 % 100 / 100.);
		pw_cell_int(t, 3, i * 29 % 1000);
	}
	pw_column(u, "from", "From", PW_UNIT_NS, PW_COL_RIGHT);
	pw_column(u, "to", "To", PW_UNIT_NS, PW_COL_RIGHT);
	pw_column(u, "low", "At least", PW_UNIT_NS, PW_COL_RIGHT);
	pw_column(u, "high", "Below", PW_UNIT_NS, PW_COL_RIGHT);
	pw_column(u, "n", "Runs", PW_UNIT_COUNT, PW_COL_RIGHT);
	pw_column(u, "task", "Task", PW_UNIT_NONE, 0);
	roles(pw_chart(u, PW_CHART_HEAT, "Lengths of runs",
		       PW_CHART_TIME | PW_CHART_LOG_Y),
	      lengths);
	for (int i = 0; i < 2000; i++) {
		int bin = i * 31 % 24;

		pw_row(u);
		pw_cell_int(u, 0, i % 100 * 30000000ll);
		pw_cell_int(u, 1, (i % 100 + 1) * 30000000ll);
		pw_cell_int(u, 2, 1000ll << bin);
		pw_cell_int(u, 3, 2000ll << bin);
		pw_cell_int(u, 4, 1 + i * 17 % 300);
		pw_cell_str(u, 5, groups[i / 1000]);
	}
}

static void add_flame(struct pw_node *s)
{
	struct pw_node *t = drawn(s, "flame");
	int cols[PW_N_ROLES] = { -1, -1, -1, -1, 0, 3, 2, 4, 1 };

	pw_column(t, "frame", "Frame", PW_UNIT_NONE, 0);
	pw_column(t, "parent", "Parent", PW_UNIT_NONE, PW_COL_JSON_ONLY);
	pw_column(t, "self", "Samples", PW_UNIT_COUNT, PW_COL_RIGHT);
	pw_column(t, "kind", "Kind", PW_UNIT_NONE, 0);
	pw_column(t, "off", "Off CPU", PW_UNIT_NS, PW_COL_RIGHT);
	roles(pw_chart(t, PW_CHART_FLAME, "Call chains", 0), cols);
	for (int i = 0; i < 2000; i++) {
		pw_row(t);
		pw_cell_str(t, 0, i ? name_of(i) : "=1+2");
		pw_cell_int(t, 1, i ? (i - 1) / 3 : -1);
		pw_cell_int(t, 2, i * 37 % 100);
		pw_cell_str(t, 3, groups[i % 4]);
		pw_cell_int(t, 4, i * 7919ll % 100000 * 1000);
	}
}

static void add_listing(struct pw_node *s)
{
	struct pw_node *l = pw_listing(s, "code", HOSTILE, HOSTILE, HOSTILE);

	for (int i = 0; i < 200; i++) {
		char addr[16];
		struct pw_line line = { addr,
					i % 9 ? "addsd %xmm1, %xmm0" : HOSTILE,
					i % 4 ? NULL : "@0x1c f64.add",
					i % 5 ? -1 : i / 1000. };

		snprintf(addr, sizeof(addr), "0x%x", i * 4);
		pw_listing_add(l, i % 11 ? PW_MARK_SAME : PW_MARK_GUILTY, &line,
			       i % 11 ? &line : NULL);
	}
}

static void add_rows(struct pw_node *s, int n)
{
	struct pw_node *t = pw_table(s, "many", "Many rows");
	uint32_t x = 1;

	pw_column(t, "name", HOSTILE, PW_UNIT_NONE, 0);
	pw_column(t, "time", "Time", PW_UNIT_NS, PW_COL_RIGHT);
	pw_column(t, "share", "Share", PW_UNIT_PERCENT, PW_COL_RIGHT);
	pw_column(t, "addr", "Address", PW_UNIT_HEX, PW_COL_RIGHT);
	for (int i = 0; i < n; i++) {
		char name[64];

		x = x * 1664525 + 1013904223;
		snprintf(name, sizeof(name), "function_%08x_%08x", x, x * 31);
		pw_row(t);
		pw_cell_str(t, 0, name);
		pw_cell_int(t, 1, x);
		pw_cell_num(t, 2, x / 4294967296.);
		if (i % 10)
			pw_cell_int(t, 3, (int64_t)x * x);
	}
}

int main(int argc, char **argv)
{
	struct pw_report *r = pw_report_new("example", HOSTILE);
	struct pw_node *root = pw_report_root(r);
	struct pw_err err;

	pw_fact_str(root, "name", "Name", HOSTILE);
	pw_note(root, "note", "%s", HOSTILE);
	add_flame(pw_section(root, "flame", "Flame"));
	add_bars(pw_section(root, "tasks", "Tasks"));
	add_lines(pw_section(root, "time", "Time"));
	add_spans(pw_section(root, "cores", "Cores"));
	add_heat(pw_section(root, "heat", "Heat"));
	add_listing(pw_section(root, "code", "Code"));
	add_rows(pw_section(root, "rows", HOSTILE),
		 argc > 1 ? atoi(argv[1]) : 500);
	if (pw_render_html(r, stdout, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	pw_report_free(r);
	return 0;
}
