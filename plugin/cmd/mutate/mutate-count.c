// SPDX-License-Identifier: GPL-2.0-only
/* perf wasm mutate --count: how many mutants there are, by kind and function. */
#include "mutants.h"

#include <stdlib.h>

struct counts {
	uint64_t total, kinds[PW_N_MUTATION_KINDS];
	uint64_t *funcs; /* by index */
};

static int count(void *ctx, const struct pw_mutation *mut)
{
	struct counts *c = ctx;

	c->total++;
	c->kinds[mut->kind]++;
	c->funcs[mut->func_idx]++;
	return 0;
}

static void report_kinds(struct pw_node *root, const struct counts *c)
{
	struct pw_node *t = pw_table(root, "kinds", "By kind");
	int kind = pw_column(t, "kind", "Kind", PW_UNIT_NONE, 0);
	int n = pw_column(t, "n", "Mutants", PW_UNIT_COUNT, PW_COL_RIGHT);

	for (int i = 0; i < PW_N_MUTATION_KINDS; i++) {
		pw_row(t);
		pw_cell_str(t, kind, pw_mutation_kind_name(i));
		pw_cell_int(t, n, c->kinds[i]);
	}
}

static void report_funcs(const struct pw_module *m, struct pw_node *root,
			 const struct counts *c)
{
	struct pw_node *t = pw_table(root, "functions", "By function");
	int func = pw_column(t, "func", "Function", PW_UNIT_NONE, PW_COL_RIGHT);
	int n = pw_column(t, "n", "Mutants", PW_UNIT_COUNT, PW_COL_RIGHT);
	int name =
		pw_column(t, "func_name", "Name", PW_UNIT_NONE, PW_COL_TRUNC);
	char buf[512];

	for (uint32_t i = 0; i < pw_module_n(m, PW_EXT_FUNC); i++) {
		if (!c->funcs[i])
			continue;
		pw_row(t);
		pw_cell_int(t, func, i);
		pw_cell_int(t, n, c->funcs[i]);
		pw_cell_str(t, name,
			    pw_module_func_name(m, i, buf, sizeof(buf)));
	}
}

int mutate_count(const struct pw_module *m, const struct mutate_opts *o)
{
	struct counts c = { 0 };
	struct pw_err err = { .off = PW_NO_OFF };
	struct pw_report *r;
	int ret;

	c.funcs =
		pw_zalloc((pw_module_n(m, PW_EXT_FUNC) + 1) * sizeof(*c.funcs));
	if (pw_mutate_each(m, &o->filter, count, &c, &err) < 0) {
		free(c.funcs);
		return cmd_fail(&err);
	}
	r = pw_report_new("mutate", NULL);
	pw_fact_str(pw_report_root(r), "module", "Module", o->path);
	pw_fact_int(pw_report_root(r), "n", "Mutants", c.total, PW_UNIT_COUNT);
	report_kinds(pw_report_root(r), &c);
	report_funcs(m, pw_report_root(r), &c);
	ret = cmd_report(r, &o->common);
	pw_report_free(r);
	free(c.funcs);
	return ret;
}
