// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is a recorder's series, or a line with the path of a source and then
 * its text. A refused one has a reason; every figure that comes of it has its
 * names and a number of values.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfwasm/metrics.h>
#include <perfwasm/system.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned char sink;

static void use(struct pw_metrics *m)
{
	uint64_t sum = 0;

	pw_metrics_end(m);
	for (uint32_t i = 0; i < pw_metrics_count(m); i++) {
		const struct pw_metric *x = pw_metrics_get(m, i);

		sum += strlen(x->family) + strlen(x->name) +
		       strlen(x->instance);
		if (x->def == NULL)
			abort();
	}
	for (uint32_t i = 0; i < pw_metrics_n_sources(m); i++)
		sum += strlen(pw_metrics_get_source(m, i).source);
	for (uint32_t i = 0; i < pw_metrics_n_facts(m); i++)
		sum += strlen(pw_metrics_get_fact(m, i).value);
	sink = (unsigned char)sum;
}

static void as_series(const uint8_t *data, size_t size)
{
	struct pw_metrics *m = pw_metrics_new();
	struct pw_err err = { .msg = "" };
	int fd = memfd_create("series", 0), ret;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = pw_system_read(path, m, &err);
	if (ret && (err.code <= 0 || !err.msg[0]))
		abort();
	close(fd);
	use(m);
	pw_metrics_free(m);
}

/* Whole, then its first half, so that rows are gone, then whole again. */
static void as_text(char *path, const char *text, size_t size)
{
	struct pw_metrics *m = pw_metrics_new();
	struct pw_system_texts *t = pw_system_texts_new(m);
	struct pw_err err = { .msg = "" };

	for (uint64_t i = 0; i < 3; i++) {
		struct pw_system_text part = { path, text,
					       i == 1 ? size / 2 : size };

		if (pw_system_texts_add(t, i * 1000000000, &part, 1, &err) &&
		    !err.msg[0])
			abort();
	}
	pw_system_texts_free(t);
	use(m);
	pw_metrics_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char magic[] = "perf-wasm series";
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	char *path, *text;
	size_t left;

	if (size >= sizeof(magic) && !memcmp(data, magic, sizeof(magic) - 1)) {
		as_series(data, size);
		return 0;
	}
	if (!end)
		return 0;
	path = pw_strndup((const char *)data, (size_t)(end - data));
	left = size - (size_t)(end - data) - 1;
	/* of its own, so that reading behind it is seen */
	text = malloc(left ? left : 1);
	if (!text)
		abort();
	memcpy(text, end + 1, left);
	as_text(path, text, left);
	free(text);
	free(path);
	return 0;
}
