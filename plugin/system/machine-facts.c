// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a machine is, written into a series of facts: the order of the groups,
 * and how a file becomes a fact.
 */
#include "machine-facts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_FACT = 8192 };

/* --- facts ------------------------------------------------------------------------ */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\0';
}

void machine_fact(struct machine *m, const char *group, const char *key,
		  struct span value)
{
	char *name, *text;

	while (value.n && is_space(value.s[value.n - 1]))
		value.n--;
	while (value.n && is_space(*value.s)) {
		value.s++;
		value.n--;
	}
	if (!value.n)
		return;
	if (value.n > MAX_FACT)
		value.n = MAX_FACT;
	name = pw_asprintf("%s/%s", group, key);
	text = pw_strndup(value.s, value.n);
	for (uint32_t i = 0; i < value.n; i++)
		if ((unsigned char)text[i] < 0x20)
			text[i] = ' ';
	pw_series_fact(m->out, name, text);
	free(name);
	free(text);
}

void machine_printf(struct machine *m, const char *group, const char *key,
		    const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	machine_fact(m, group, key,
		     (struct span){ text, (uint32_t)strlen(text) });
}

struct span machine_text(struct machine *m, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	return read_path(&m->reading, m->root, path);
}

void machine_file(struct machine *m, const char *group, const char *key,
		  const char *path)
{
	machine_fact(m, group, key, read_path(&m->reading, m->root, path));
}

/* --- directories --------------------------------------------------------------------- */

static int is_visible(const struct dirent *d)
{
	return *d->d_name != '.';
}

static int by_version(const struct dirent **a, const struct dirent **b)
{
	return versionsort(a, b);
}

char **machine_names(struct machine *m, const char *path)
{
	struct dirent **all = NULL;
	char **names = NULL;
	int n = scandirat(m->root, path, &all, is_visible, by_version);

	for (int i = 0; i < n; i++) {
		pw_strings_add(&names, pw_strdup(all[i]->d_name));
		free(all[i]);
	}
	free(all);
	return names;
}

char *machine_link(struct machine *m, const char *path)
{
	char to[PATH_MAX];
	ssize_t n = readlinkat(m->root, path, to, sizeof(to) - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	to[n] = 0;
	slash = strrchr(to, '/');
	return pw_strdup(slash ? slash + 1 : to);
}

/* --- all of it ------------------------------------------------------------------------ */

int pw_system_machine(const char *path, const char *root, struct pw_err *err)
{
	struct machine m = { .is_this_machine = !root };
	int ret;

	m.root = open(root ?: "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m.root < 0)
		return pw_err_set(err, errno, "%s: %s", root ?: "/",
				  strerror(errno));
	m.out = pw_series_create(path, NULL, 0, err);
	if (!m.out) {
		close(m.root);
		return err ? -err->code : -EIO;
	}
	pw_series_begin(m.out, pw_now_ns());
	machine_cpus(&m);
	machine_memory(&m);
	machine_kernel(&m);
	machine_disks(&m);
	machine_nics(&m);
	machine_mounts(&m);
	machine_sysctl(&m);
	machine_config(&m);
	ret = pw_series_end(m.out, err);
	if (!ret)
		ret = pw_series_finish(m.out, err);
	else
		pw_series_finish(m.out, NULL);
	free(m.reading.data);
	close(m.root);
	return ret;
}
