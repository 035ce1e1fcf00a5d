/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * campaign: one module on many releases of a runtime (bisect), many modules on
 * many runtimes (sweep). Both only time; which instructions a slow cell owes
 * its time to is the hunt's question.
 */
#ifndef PERFWASM_CAMPAIGN_H
#define PERFWASM_CAMPAIGN_H

#include <perfwasm/hunt.h>

/* Where a campaign is; for a progress line. */
struct pw_campaign_progress {
	const char *what;     /* "wasmtime@13.0.0", "bz2/benchmark.wasm" */
	uint32_t done, total; /* total 0: not known */
};

/* --- bisect ------------------------------------------------------------------ */

struct pw_bisect_opts {
	const char *module_path;
	const char *runtime;   /* name or spec without version; "wasmtime",
				     "wasmtime?opt=none" */
	const char *from, *to; /* a release, or how it begins ("8"); NULL or
				     "newest": the oldest, the newest */
	const char *oracle;    /* spec; NULL: the release at `from` */
	const char *dir;       /* journal; made when missing, gone on with */
	struct pw_guest guest;
	bool fetched_only; /* fetch nothing: the releases at hand */
	bool code_only;    /* time nothing: compare the first and the last
				  release's hot code */
	uint32_t grid;     /* releases to try at first, both ends too; 7 */
	double min_change; /* of the ratio to the oracle, between neighbours;
				  1.2 */
	uint64_t seed;
	void (*progress)(void *ctx, const struct pw_campaign_progress *p);
	void *progress_ctx;
};
void pw_bisect_opts_init(struct pw_bisect_opts *o);

/*
 * Finds the releases in which the time of the module, against the oracle in
 * turn in the same session, changes: a grid over all releases first, so that
 * what was brought in and removed again is seen, then a binary search between
 * those neighbours that differ (both by min_change and by the 95 % intervals
 * of their ratios). For each change the hot machine code of both neighbours is
 * compared. Releases are fetched as needed; one that cannot be had or does not
 * run the module is a row with its reason. The report is filled on success;
 * the last facts name the releases.
 *
 * -EINVAL: fewer than two releases, or the oracle does not run the module.
 * -EEXIST and -EINTR as pw_hunt_run().
 */
int pw_bisect_run(const struct pw_bisect_opts *o, struct pw_report *report,
		  struct pw_err *err);

/* --- sweep ------------------------------------------------------------------- */

struct pw_sweep_opts {
	const char *modules_dir;     /* all *.wasm in it and below; each sees
					  its own folder as ".", where the
					  runtime shows directories */
	const char *const *runtimes; /* specs, NULL-ended, at least two */
	const char *dir;             /* journal and the hunts' folders */
	struct pw_guest guest;       /* dirs: besides its folder */
	uint32_t n_hunts;            /* hunt so many of the first cells */
	double min_excess;           /* cells that stand out less are not
					  told; 1.25 */
	uint64_t seed;
	void (*progress)(void *ctx, const struct pw_campaign_progress *p);
	void *progress_ctx;
	/* of the hunts */
	void (*hunt_progress)(void *ctx, const struct pw_hunt_progress *p);
	void *hunt_progress_ctx;
};
void pw_sweep_opts_init(struct pw_sweep_opts *o);

/*
 * Times every module on every runtime, in turn, and ranks the cells by what
 * neither their module nor their runtime explains: log times less the effects
 * of rows and columns by median polish (Tukey 1977, chapter 11). A module that
 * does not run on a runtime is a row with its reason. The first n_hunts cells
 * whose runtime can be hunted are, against the fastest other runtime of their
 * module; each hunt's report is DIR/hunt-K-MODULE-RUNTIME/report.txt and .json.
 * -EINVAL: no module, or fewer than two runtimes. -EEXIST and -EINTR as
 * pw_hunt_run().
 */
int pw_sweep_run(const struct pw_sweep_opts *o, struct pw_report *report,
		 struct pw_err *err);

#endif
