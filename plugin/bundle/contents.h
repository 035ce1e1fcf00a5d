/* SPDX-License-Identifier: GPL-2.0-only */
/* A bundle in memory. */
#ifndef BUNDLE_CONTENTS_H
#define BUNDLE_CONTENTS_H

#include <perfwasm/bundle.h>

#define MANIFEST "manifest"

struct bundle_fact {
	char *key, *value;
};

struct bundle_file {
	char *name;
	struct pw_buf bytes;
};

struct pw_bundle {
	struct bundle_fact *facts;
	uint32_t n_facts;
	struct bundle_file *files;
	uint32_t n_files;
};

/* The file of this name, or NULL. */
struct bundle_file *bundle_find(const struct pw_bundle *b, const char *name);
/* A new empty one. */
struct bundle_file *bundle_add(struct pw_bundle *b, const char *name);
bool bundle_name_ok(const char *name);

/* --- manifest.c --- */
void manifest_print(const struct pw_bundle *b, struct pw_buf *out);
/* Takes the facts of a manifest and checks the files that it lists. */
int manifest_parse(struct pw_bundle *b, const struct pw_buf *text,
		   struct pw_err *err);

#endif
