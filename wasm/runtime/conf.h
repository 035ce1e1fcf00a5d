/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * conf: one *.conf file in memory; wasmtime.conf explains the keys. Knows
 * neither where the files are nor what is installed.
 */
#ifndef PERFWASM_RUNTIME_CONF_H
#define PERFWASM_RUNTIME_CONF_H

#include <perfwasm/base.h>

struct conf_pin {
	char *version, *sha256;
};

struct conf {
	char *name, *kind, *host, *interpreter, *needs, *options, *baseline;
	char *version_command;
	char *path;           /* added ones of kind library */
	char *command;        /* added ones of kind command */
	char *compile, *code; /* of kind command: see wasmtime.conf */
	char *install;        /* what to install where something is missing */
	bool shows_code, samples;
	bool hides_dirs; /* shows_dirs = no */
	/* [fetch], of this machine */
	char *from, *package, *library, *oldest;
	struct conf_pin *pins; /* [sha256], of this machine */
	size_t n_pins;
};

/* Unknown keys are refused with their line's key, so that a slip of the pen
 * is seen. `where` is for messages. */
int conf_parse(struct conf *c, const char *text, const char *where,
	       struct pw_err *err);
int conf_read(struct conf *c, const char *path, struct pw_err *err);
void conf_release(struct conf *c);

/* The pinned hash of a release, or NULL. */
const char *conf_pin(const struct conf *c, const char *version);
/* Whether the words in `options` hold this key ("cranelift.*" is a prefix). */
bool conf_has_option(const struct conf *c, const char *key);

#endif
