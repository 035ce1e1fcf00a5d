/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tree of files in place of / and a clock of its own, recorded by
 * plugin/system, and what then is read of it.
 */
#ifndef MACHINE_TREE_H
#define MACHINE_TREE_H

#include <perfwasm/metrics.h>
#include <perfwasm/system.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define SECOND 1000000000ULL

struct tree {
	char root[32], series[64];
	uint64_t now_ns;
	struct pw_system *s;
	struct pw_metrics *m;
};

static inline uint64_t tree_now(void *ctx)
{
	return ((struct tree *)ctx)->now_ns;
}

static inline void tree_make(struct tree *t)
{
	memset(t, 0, sizeof(*t));
	strcpy(t->root, "/tmp/pw-tree-XXXXXX");
	assert_non_null(mkdtemp(t->root));
	snprintf(t->series, sizeof(t->series), "%s/system.series", t->root);
	t->now_ns = 1000 * SECOND;
}

static inline void tree_path(const struct tree *t, const char *path, char *to,
			     size_t size)
{
	snprintf(to, size, "%s/%s", t->root, path);
}

/* In place, as the recorder has it open; with its directories. */
static inline void tree_put(const struct tree *t, const char *path,
			    const char *text)
{
	char name[512], *slash;
	size_t n = strlen(text);
	int fd;

	tree_path(t, path, name, sizeof(name));
	slash = strrchr(name, '/');
	*slash = 0;
	assert_int_equal(pw_mkdirs(name, NULL), 0);
	*slash = '/';
	fd = open(name, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, n, 0), (ssize_t)n);
	assert_int_equal(ftruncate(fd, (off_t)n), 0);
	close(fd);
}

static inline void tree_printf(const struct tree *t, const char *path,
			       const char *fmt, ...) PW_PRINTF(3, 4);
static inline void tree_printf(const struct tree *t, const char *path,
			       const char *fmt, ...)
{
	char text[4096];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	tree_put(t, path, text);
}

static inline void tree_remove(const struct tree *t, const char *path)
{
	char name[256];

	tree_path(t, path, name, sizeof(name));
	assert_int_equal(pw_remove_tree(name, NULL), 0);
}

static inline struct pw_system_opts tree_opts(struct tree *t)
{
	return (struct pw_system_opts){
		.path = t->series,
		.interval_ns = SECOND,
		.root = t->root,
		.now_ns = tree_now,
		.now_ctx = t,
	};
}

static inline void tree_open(struct tree *t)
{
	struct pw_system_opts o = tree_opts(t);

	t->s = pw_system_open(&o, NULL);
	assert_non_null(t->s);
}

/* At the time that it is; then a second goes by. */
static inline void tree_tick(struct tree *t)
{
	assert_int_equal(pw_system_tick(t->s, NULL), 0);
	t->now_ns += SECOND;
}

static inline void tree_read(struct tree *t, const char *path)
{
	pw_metrics_free(t->m);
	t->m = pw_metrics_new();
	assert_int_equal(pw_system_read(path, t->m, NULL), 0);
	pw_metrics_end(t->m);
}

static inline void tree_end(struct tree *t)
{
	assert_int_equal(pw_system_close(t->s, NULL), 0);
	t->s = NULL;
	tree_read(t, t->series);
}

static inline void tree_release(struct tree *t)
{
	pw_system_close(t->s, NULL);
	pw_metrics_free(t->m);
	pw_remove_tree(t->root, NULL);
}

static inline const struct pw_metric *tree_find(const struct tree *t,
						const char *family,
						const char *name,
						const char *instance)
{
	const struct pw_metric *x =
		pw_metrics_find(t->m, family, name, instance);

	if (!x)
		fail_msg("there is no %s.%s of '%s'", family, name, instance);
	return x;
}

static inline bool tree_has(const struct tree *t, const char *family,
			    const char *name, const char *instance)
{
	return pw_metrics_find(t->m, family, name, instance);
}

static inline double tree_total(const struct tree *t, const char *family,
				const char *name, const char *instance)
{
	return tree_find(t, family, name, instance)->total;
}

static inline struct pw_metrics_read tree_source(const struct tree *t,
						 const char *name)
{
	for (uint32_t i = 0; i < pw_metrics_n_sources(t->m); i++) {
		struct pw_metrics_read r = pw_metrics_get_source(t->m, i);

		if (!strcmp(r.source, name))
			return r;
	}
	fail_msg("there is no source %s", name);
	return (struct pw_metrics_read){ .source = NULL };
}

#endif
