// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs pip, and says what its failures mean.
 */
#include "pip.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PIP_NS    900000000000ull /* a quarter of an hour */
#define MAX_BYTES (1 << 20)

/* --- what it says --- */

/* The last line that is an error, else the last with anything on it. */
static char *last_words(const char *said)
{
	const char *best = NULL, *last = "";
	size_t n;

	for (const char *p = said; *p; p += n, p += *p == '\n') {
		n = strcspn(p, "\n");
		if (!strncmp(p, "ERROR: ", 7) &&
		    strncmp(p, "ERROR: No matching", 18))
			best = p + 7;
		if (n)
			last = p;
	}
	best = best ?: last;
	return pw_strndup(best, strcspn(best, "\n"));
}

int pip_explain(const char *said, const char *package, const char *version,
		struct pw_err *err)
{
	char *words;
	int rc;

	if (strstr(said, "DO NOT MATCH THE HASHES"))
		return pw_err_set(
			err, EBADMSG,
			"the package file of %s %s has another sha256 than the one that is pinned: it was changed or is not the one for this machine; it was thrown away",
			package, version);
	if (strstr(said, "No module named pip"))
		return pw_err_set(
			err, ENOPKG,
			"python3 has no pip here; install the package python3-pip");
	if (strstr(said, "from versions: none"))
		return pw_err_set(
			err, ENETUNREACH,
			"pip found no package %s for this machine: it is offline, or its index (pip config list) has none; a library from elsewhere is added by 'perf wasm runtimes add NAME --library PATH'",
			package);
	words = last_words(said);
	if (strstr(said, "No matching distribution"))
		rc = pw_err_set(err, ENOENT, "pip: %.300s", words);
	else
		rc = pw_err_set(err, EIO, "pip failed: %.300s; try again later",
				words);
	free(words);
	return rc;
}

char *pip_file_version(const char *file_name)
{
	const char *from = strchr(file_name, '-'), *end;

	if (!from || !(end = strchr(from + 1, '-')) || end == from + 1)
		return NULL;
	return pw_strndup(from + 1, (size_t)(end - from - 1));
}

/* --- running --- */

/* 0 when the program ended well; what it said is in `said`. */
static int run(const char *const *argv, struct pw_buf *said, struct pw_err *err)
{
	int status = 0;
	int rc =
		pw_child_run(argv, PIP_NS, said, said, MAX_BYTES, &status, err);

	return rc ?: status ? 1 : 0;
}

static int write_requirement(const char *path, const char *package,
			     const char *version, const char *sha256,
			     struct pw_err *err)
{
	struct pw_buf text = { 0 };
	int rc;

	pw_buf_printf(&text, "%s", package);
	if (version)
		pw_buf_printf(&text, "==%s", version);
	if (sha256)
		pw_buf_printf(&text, " --hash=sha256:%s", sha256);
	pw_buf_add_u8(&text, '\n');
	rc = pw_file_write(path, text.data, text.len, err);
	pw_buf_release(&text);
	return rc;
}

static int run_download(const char *package, const char *version,
			const char *sha256, const char *dir, struct pw_err *err)
{
	char *file = pw_asprintf("%s/requirement.txt", dir);
	const char *const argv[] = {
		"python3",
		"-m",
		"pip",
		"download",
		"--no-input",
		"--disable-pip-version-check",
		"--no-deps",
		"--only-binary=:all:",
		"-d",
		dir,
		"-r",
		file,
		sha256 ? "--require-hashes" : NULL,
		NULL,
	};
	struct pw_buf said = { 0 };
	int rc = write_requirement(file, package, version, sha256, err);

	if (!rc)
		rc = run(argv, &said, err);
	if (rc > 0)
		rc = pip_explain(pw_buf_str(&said), package, version ?: "",
				 err);
	pw_buf_release(&said);
	free(file);
	return rc;
}

static char *find_wheel(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *name = NULL;

	while (d && !name && (e = readdir(d))) {
		size_t n = strlen(e->d_name);

		if (n > 4 && !strcmp(e->d_name + n - 4, ".whl"))
			name = pw_strdup(e->d_name);
	}
	if (d)
		closedir(d);
	return name;
}

int pip_download(const char *package, const char *version, const char *sha256,
		 const char *dir, char **path, char **got_version,
		 struct pw_err *err)
{
	int rc = run_download(package, version, sha256, dir, err);
	char *name;

	if (rc)
		return rc;
	name = find_wheel(dir);
	*got_version = name ? pip_file_version(name) : NULL;
	if (!*got_version) {
		free(name);
		return pw_err_set(
			err, EIO,
			"pip ended well but left no package file of %s",
			package);
	}
	*path = pw_asprintf("%s/%s", dir, name);
	free(name);
	return 0;
}

/* "Available versions: 50.0.1, 49.0.0, ..." */
static int take_versions(const char *said, const char *package,
			 struct pw_buf *out, struct pw_err *err)
{
	static const char mark[] = "Available versions:";
	const char *p = strstr(said, mark), *end;

	if (!p)
		return pw_err_set(err, EIO, "pip told no versions of %s",
				  package);
	p += strlen(mark);
	for (end = p + strcspn(p, "\n"); p < end;) {
		size_t n;

		p += strspn(p, ", ");
		n = strcspn(p, ", \n");
		if (n)
			pw_buf_printf(out, "%.*s\n", (int)n, p);
		p += n;
	}
	return 0;
}

int pip_versions(const char *package, struct pw_buf *out, struct pw_err *err)
{
	const char *const argv[] = {
		"python3",
		"-m",
		"pip",
		"index",
		"versions",
		"--no-input",
		"--disable-pip-version-check",
		package,
		NULL,
	};
	struct pw_buf said = { 0 };
	int rc = run(argv, &said, err);

	if (rc > 0)
		rc = pip_explain(pw_buf_str(&said), package, "", err);
	if (!rc)
		rc = take_versions(pw_buf_str(&said), package, out, err);
	pw_buf_release(&said);
	return rc;
}

int pip_unpack(const char *path, const char *dir, struct pw_err *err)
{
	const char *const argv[] = { "python3", "-m", "zipfile", "-e",
				     path,      dir,  NULL };
	struct pw_buf said = { 0 };
	int rc = run(argv, &said, err);

	if (rc > 0)
		rc = pw_err_set(err, EBADMSG, "cannot unpack %s: %.200s", path,
				pw_buf_str(&said));
	pw_buf_release(&said);
	return rc;
}

int pip_sha256(const char *path, char **sha256, struct pw_err *err)
{
	const char *const argv[] = { "sha256sum", "-b", path, NULL };
	struct pw_buf said = { 0 };
	int rc = run(argv, &said, err);
	const char *text = pw_buf_str(&said);

	if (!rc && strspn(text, "0123456789abcdef") == 64)
		*sha256 = pw_strndup(text, 64);
	else if (rc >= 0)
		rc = pw_err_set(err, EIO, "sha256sum of %s: %.200s", path,
				text);
	pw_buf_release(&said);
	return rc;
}
