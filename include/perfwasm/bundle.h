/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bundle: a hunt's evidence in one file, and whether it holds on this
 * machine. A bundle is a tar archive compressed by zstd, written and read
 * with libarchive; its form is in Kbuild-notes/formats.md. Bundles come from
 * strangers: they are read into memory under limits, no name in one ever
 * becomes a path, and what does not fit its manifest is refused.
 */
#ifndef PERFWASM_BUNDLE_H
#define PERFWASM_BUNDLE_H

#include <perfwasm/measure.h>
#include <perfwasm/report.h>

/* Facts (a key may have several values, in order) and files. */
struct pw_bundle;

struct pw_bundle *pw_bundle_new(void);
void pw_bundle_free(struct pw_bundle *b);
/* Keys are words of a-z, 0-9 and _; values are any text. */
void pw_bundle_set(struct pw_bundle *b, const char *key, const char *fmt, ...)
	PW_PRINTF(3, 4);
/* The i-th value of a key, or NULL; borrowed. */
const char *pw_bundle_get(const struct pw_bundle *b, const char *key,
			  uint32_t i);
/* Copies the bytes; names as file names, no folders. */
void pw_bundle_put(struct pw_bundle *b, const char *name, const void *data,
		   size_t size);
/* NULL when there is none; borrowed. */
const uint8_t *pw_bundle_file(const struct pw_bundle *b, const char *name,
			      size_t *size);
/* May a bundle have this runtime run? By the name of one that the user has,
 * never as a command line of its own. */
bool pw_bundle_runtime_ok(const char *spec);
/* What this machine and this program are: facts system, cpu, perf_wasm. */
void pw_bundle_set_system(struct pw_bundle *b);

/* Files above this are left out, with the fact left_out, so that what was
 * written can be read. */
#define PW_BUNDLE_FILE_MAX  (UINT64_C(128) << 20)
#define PW_BUNDLE_TOTAL_MAX (UINT64_C(512) << 20)
#define PW_BUNDLE_FILES_MAX 200

int pw_bundle_write(const struct pw_bundle *b, const char *path,
		    struct pw_err *err);
/*
 * EINVAL: not a bundle; a link, a folder, a name that is none, a file that is
 * too large, twice there, not in the manifest, or not as the manifest says.
 */
struct pw_bundle *pw_bundle_read(const uint8_t *data, size_t size,
				 struct pw_err *err);

/*
 * An issue text in Markdown: what a maintainer wants to know, from a bundle
 * and the report of its hunt. `name` is the bundle's file name, for the
 * commands.
 */
void pw_bundle_issue(const struct pw_bundle *b, const struct pw_report *report,
		     const char *name, struct pw_buf *out);

/* --- replay -------------------------------------------------------------------- */

struct pw_replay_opts {
	const struct pw_bundle *bundle;
	const char *dir;         /* for the sandbox; made and removed */
	const char *const *dirs; /* mounts: the bundle holds none */
	uint64_t seed;
};

/*
 * Runs the bundle's module on the runtimes that it names, which must be there,
 * and its mutants on the suspect. *holds: the gap is there, the first
 * finding's mutant closes a quarter of it or more, and the accused
 * instructions are still in the code.
 */
int pw_replay_run(const struct pw_replay_opts *opts, struct pw_report *report,
		  bool *holds, struct pw_err *err);

#endif
