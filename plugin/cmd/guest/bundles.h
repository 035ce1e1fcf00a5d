/* SPDX-License-Identifier: GPL-2.0-only */
/* What perf wasm hunt --bundle adds to what the hunt put into a bundle. */
#ifndef PW_CMD_BUNDLES_H
#define PW_CMD_BUNDLES_H

#include "../cmd.h"

#include <perfwasm/bundle.h>

/* The command line, as one line for a shell. */
void bundle_command(struct pw_bundle *b, int argc, char **argv);
/* Adds system and report, writes the bundle to `path` and an issue text
 * beside it. CMD_DONE or CMD_FAILED, after a message. */
int bundle_write(struct pw_bundle *b, const struct pw_report *r,
		 const char *path, bool quiet);

#endif
