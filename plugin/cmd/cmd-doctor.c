// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf wasm doctor: reports what this machine lacks, what that means and how
 * to mend it. How things are looked at is in doctor/.
 */
#include "doctor/doctor.h"

static const struct argp argp = {
	.doc = "Tells what this machine lacks for hunts and captures, what that means, and the command that mends it. Exits with 0 when hunts can run here, else with 1.",
};

struct check {
	const char *key, *title;
	bool hunt; /* no hunt without it */
	const char *meaning, *mend;
	probe_fn probe;
};

static const struct check checks[] = {
#define PW_CHECK(id, title, hunt, meaning, mend) \
	{ #id, title, hunt, meaning, mend, probe_##id },
#include "doctor/checks.def"
#undef PW_CHECK
};

enum { N_CHECKS = sizeof(checks) / sizeof(*checks) };

static const char *const health_names[N_HEALTHS] = { "ok", "limited",
						     "missing" };

static void report_table(struct pw_node *root, const enum health *health,
			 struct pw_buf *found)
{
	struct pw_node *t = pw_table(root, "checks", NULL);
	int key = pw_column(t, "check", "Key", PW_UNIT_NONE, PW_COL_JSON_ONLY);
	int title = pw_column(t, "title", "Check", PW_UNIT_NONE, 0);
	int status = pw_column(t, "status", "Status", PW_UNIT_NONE, 0);
	int what = pw_column(t, "found", "Found", PW_UNIT_NONE, PW_COL_TRUNC);

	for (int i = 0; i < N_CHECKS; i++) {
		pw_row(t);
		pw_cell_str(t, key, checks[i].key);
		pw_cell_str(t, title, checks[i].title);
		pw_cell_str(t, status, health_names[health[i]]);
		pw_cell_str(t, what, pw_buf_str(&found[i]));
	}
}

static void report_problems(struct pw_node *root, const enum health *health,
			    struct pw_buf *found)
{
	pw_section_array(root, "problems");
	for (int i = 0; i < N_CHECKS; i++) {
		struct pw_node *s;

		if (health[i] == HEALTH_OK)
			continue;
		s = pw_section_item(root, "problems", checks[i].title);
		pw_note(s, "meaning", "%s: %s.", pw_buf_str(&found[i]),
			checks[i].meaning);
		pw_fact_str(s, "mend", "To mend", checks[i].mend);
	}
}

int cmd_doctor(int argc, char **argv)
{
	struct cmd_opts common = { 0 };
	enum health health[N_CHECKS];
	struct pw_buf found[N_CHECKS] = { 0 };
	bool can_hunt = true;
	struct pw_report *r;
	int ret;

	cmd_parse(&argp, NULL, &common, argc, argv);
	r = pw_report_new("doctor", NULL);
	for (int i = 0; i < N_CHECKS; i++) {
		health[i] = checks[i].probe(&found[i]);
		if (checks[i].hunt && health[i] == HEALTH_MISSING)
			can_hunt = false;
	}
	pw_fact_bool(pw_report_root(r), "can_hunt", "Hunts can run here",
		     can_hunt);
	report_table(pw_report_root(r), health, found);
	report_problems(pw_report_root(r), health, found);
	ret = cmd_report(r, &common);
	pw_report_free(r);
	for (int i = 0; i < N_CHECKS; i++)
		pw_buf_release(&found[i]);
	return ret == CMD_DONE && can_hunt ? CMD_DONE : CMD_FAILED;
}
