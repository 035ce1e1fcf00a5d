// SPDX-License-Identifier: GPL-2.0-only
/*
 * What this process, which is perf, was asked to read. perf tells a dlfilter
 * neither its file nor its options, so both are looked up in /proc/self.
 */
#include "dlfilter.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether an open file of ours begins as perf.data does, in either byte
 * order. The file's position stays. */
static bool is_capture(int fd)
{
	char magic[8];
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY ||
	    pread(fd, magic, 8, 0) != 8)
		return false;
	return !memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8);
}

static char *path_of(int fd)
{
	char link[64], *path;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	path = realpath(link, NULL);
	/* a file without a name can still be opened here */
	return path ? path : pw_strdup(link);
}

char *dl_input_path(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	char *path = NULL;

	if (!dir)
		return NULL;
	while (!path && (e = readdir(dir)))
		if (e->d_name[0] != '.' && is_capture(atoi(e->d_name)))
			path = path_of(atoi(e->d_name));
	closedir(dir);
	return path;
}

/*
 * Options of perf script that leave no sample out; a value follows those with
 * '='. Any other is taken to do so: then all is right, only slower.
 */
static const char *const harmless[] = {
	"-i=",
	"--input=",
	"--dlfilter=",
	"--dlarg=",
	"-f",
	"--force",
	"-v",
	"--verbose",
	"-F=",
	"--fields=",
	"-G",
	"--hide-call-graph",
	"-k=",
	"--vmlinux=",
	"--kallsyms=",
	"--symfs=",
	"--ns",
	"--no-inline",
	"--no-demangle",
	"--no-pager",
	"--exec-path=",
};

/* How many words of the command line an option takes; 0: not harmless. */
static int words(const char *arg)
{
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		const char *h = harmless[i];
		size_t n = strcspn(h, "=");

		if (strncmp(arg, h, n))
			continue;
		if (!arg[n])
			return h[n] ? 2 : 1;
		/* --input=FILE, -iFILE */
		if (h[n] && (arg[n] == '=' || h[1] != '-'))
			return 1;
	}
	return 0;
}

bool dl_input_is_filtered(void)
{
	struct pw_file f;
	const char *p, *end;
	bool filtered = false;
	int left = 0;

	if (pw_file_open(&f, "/proc/self/cmdline", NULL))
		return true;
	p = (const char *)f.data;
	end = p + f.size;
	/* perf, its own options, "script" (or what it is short for) */
	while (p < end && !filtered) {
		size_t n = strnlen(p, (size_t)(end - p));

		if (left) {
			left--;
		} else if (*p == '-') {
			left = words(p) - 1;
			filtered = left < 0;
		}
		p += n + 1;
	}
	pw_file_close(&f);
	return filtered;
}
