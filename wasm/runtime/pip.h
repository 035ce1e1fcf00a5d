/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pip: a Python package file of an exact version, by the ordinary pip of this
 * machine, so that its configuration (mirror, proxy, cache) holds. Knows no
 * runtime.
 */
#ifndef PERFWASM_RUNTIME_PIP_H
#define PERFWASM_RUNTIME_PIP_H

#include <perfwasm/base.h>

/*
 * Downloads the one package file of PACKAGE (version NULL: the newest) into
 * the empty directory `dir`; with sha256 only a file of that hash is taken.
 * *path and *got_version are the caller's. -ENOENT when there is no such
 * version, -EBADMSG when the hash differs, else what pip said.
 */
int pip_download(const char *package, const char *version, const char *sha256,
		 const char *dir, char **path, char **got_version,
		 struct pw_err *err);
/* Unpacks a package file below `dir`. */
int pip_unpack(const char *path, const char *dir, struct pw_err *err);
/* The hash of a file, 64 hex digits; the caller frees. */
int pip_sha256(const char *path, char **sha256, struct pw_err *err);

/* Appends the versions that the index has, a line each. */
int pip_versions(const char *package, struct pw_buf *out, struct pw_err *err);

/* What pip's errors mean, by its last words. Apart, so that it can be tested. */
int pip_explain(const char *said, const char *package, const char *version,
		struct pw_err *err);
/* "13.0.0" of "wasmtime-13.0.0-py3-none-manylinux1_x86_64.whl". */
char *pip_file_version(const char *file_name);

#endif
