// SPDX-License-Identifier: GPL-2.0-only
/* perf wasm version: tells which version this is, with -v of what it is made. */
#include "cmd.h"

static const struct argp argp = {
	.doc = "Tells the version; with --verbose the libraries too.",
};

int cmd_version(int argc, char **argv)
{
	struct cmd_opts common = { 0 };
	struct pw_report *r;
	char libraries[200];
	int ret;

	cmd_parse(&argp, NULL, &common, argc, argv);
	if (!common.json && !common.verbose && !common.out_path) {
		printf("perf wasm %s\n", PW_VERSION);
		return CMD_DONE;
	}
	r = pw_report_new("version", NULL);
	pw_fact_str(pw_report_root(r), "version", "perf wasm", PW_VERSION);
	pw_fact_str(pw_report_root(r), "libraries", "libraries",
		    pw_render_libraries(libraries, sizeof(libraries)));
	ret = cmd_report(r, &common);
	pw_report_free(r);
	return ret;
}
