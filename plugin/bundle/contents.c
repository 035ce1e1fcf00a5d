// SPDX-License-Identifier: GPL-2.0-only
/* A bundle in memory: facts and files, in the order in which they came. */
#include "contents.h"

#include <stdlib.h>
#include <string.h>

struct pw_bundle *pw_bundle_new(void)
{
	return pw_zalloc(sizeof(struct pw_bundle));
}

void pw_bundle_free(struct pw_bundle *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->n_facts; i++) {
		free(b->facts[i].key);
		free(b->facts[i].value);
	}
	for (uint32_t i = 0; i < b->n_files; i++) {
		free(b->files[i].name);
		pw_buf_release(&b->files[i].bytes);
	}
	free(b->facts);
	free(b->files);
	free(b);
}

void pw_bundle_set(struct pw_bundle *b, const char *key, const char *fmt, ...)
{
	struct bundle_fact *f;
	va_list ap;

	b->facts = pw_realloc(b->facts, (b->n_facts + 1) * sizeof(*b->facts));
	f = &b->facts[b->n_facts++];
	f->key = pw_strdup(key);
	va_start(ap, fmt);
	if (vasprintf(&f->value, fmt, ap) < 0)
		f->value = pw_strdup("");
	va_end(ap);
}

const char *pw_bundle_get(const struct pw_bundle *b, const char *key,
			  uint32_t i)
{
	for (uint32_t k = 0; k < b->n_facts; k++)
		if (!strcmp(b->facts[k].key, key) && !i--)
			return b->facts[k].value;
	return NULL;
}

bool bundle_name_ok(const char *name)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t len = strlen(name);

	return len && len <= 64 && strspn(name, ok) == len && *name != '.' &&
	       *name != '-';
}

bool pw_bundle_runtime_ok(const char *spec)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "._+-@?=&";

	return *spec && *spec != '-' && !spec[strspn(spec, ok)];
}

struct bundle_file *bundle_find(const struct pw_bundle *b, const char *name)
{
	for (uint32_t i = 0; i < b->n_files; i++)
		if (!strcmp(b->files[i].name, name))
			return &b->files[i];
	return NULL;
}

struct bundle_file *bundle_add(struct pw_bundle *b, const char *name)
{
	struct bundle_file *f;

	b->files = pw_realloc(b->files, (b->n_files + 1) * sizeof(*b->files));
	f = &b->files[b->n_files++];
	memset(f, 0, sizeof(*f));
	f->name = pw_strdup(name);
	return f;
}

void pw_bundle_put(struct pw_bundle *b, const char *name, const void *data,
		   size_t size)
{
	struct bundle_file *f = bundle_find(b, name);

	if (size > PW_BUNDLE_FILE_MAX) {
		pw_bundle_set(b, "left_out", "%s", name);
		return;
	}
	if (!f)
		f = bundle_add(b, name);
	f->bytes.len = 0;
	pw_buf_add(&f->bytes, data, size);
}

const uint8_t *pw_bundle_file(const struct pw_bundle *b, const char *name,
			      size_t *size)
{
	const struct bundle_file *f = bundle_find(b, name);

	*size = f ? f->bytes.len : 0;
	return f ? (f->bytes.data ? f->bytes.data : (const uint8_t *)"") : NULL;
}
