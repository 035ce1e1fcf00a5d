// SPDX-License-Identifier: GPL-2.0-only
/*
 * The manifest: what a bundle says of itself, lines "KEY\tVALUE\n", and for
 * each file "file\tNAME SIZE HASH\n". In values control characters and % are
 * percent-encoded.
 */
#include "contents.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 10000

static void add_value(struct pw_buf *out, const char *value)
{
	for (const char *p = value; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == '%' || *p == 0x7f)
			pw_buf_printf(out, "%%%02x", (unsigned char)*p);
		else
			pw_buf_add_u8(out, (uint8_t)*p);
}

void manifest_print(const struct pw_bundle *b, struct pw_buf *out)
{
	pw_buf_printf(out, "format\t1\n");
	for (uint32_t i = 0; i < b->n_facts; i++) {
		pw_buf_printf(out, "%s\t", b->facts[i].key);
		add_value(out, b->facts[i].value);
		pw_buf_add_u8(out, '\n');
	}
	for (uint32_t i = 0; i < b->n_files; i++) {
		const struct bundle_file *f = &b->files[i];

		pw_buf_printf(out, "file\t%s %zu %016" PRIx64 "\n", f->name,
			      f->bytes.len,
			      pw_hash(f->bytes.data, f->bytes.len, 0));
	}
}

static int hex(char c)
{
	const char *digits = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* In place; false: no such encoding, or a zero byte. */
static bool decode(char *s)
{
	char *to = s;

	for (; *s; s++) {
		int hi, lo;

		if (*s != '%') {
			*to++ = *s;
			continue;
		}
		hi = hex(s[1]);
		lo = hi < 0 ? -1 : hex(s[2]);
		if (lo < 0 || !(hi | lo))
			return false;
		*to++ = (char)(hi << 4 | lo);
		s += 2;
	}
	*to = 0;
	return true;
}

static int check_file(struct pw_bundle *b, const char *value, uint32_t *listed,
		      struct pw_err *err)
{
	const struct bundle_file *f;
	unsigned long long size, hash;
	char name[65];

	if (sscanf(value, "%64s %llu %llx", name, &size, &hash) != 3)
		return pw_err_set(err, EINVAL,
				  "the bundle's manifest lists no file: %s",
				  value);
	f = bundle_find(b, name);
	if (!f)
		return pw_err_set(
			err, EINVAL,
			"the bundle lacks the file %s of its manifest", name);
	if (f->bytes.len != size ||
	    pw_hash(f->bytes.data, f->bytes.len, 0) != hash)
		return pw_err_set(err, EINVAL,
				  "%s in the bundle is not what its manifest "
				  "says: the bundle was changed or is damaged",
				  name);
	(*listed)++;
	return 0;
}

static bool key_ok(const char *key)
{
	return *key && !key[strspn(key, "abcdefghijklmnopqrstuvwxyz"
					"0123456789_")];
}

static int take_line(struct pw_bundle *b, char *line, uint32_t *listed,
		     struct pw_err *err)
{
	char *tab = strchr(line, '\t');

	if (tab)
		*tab = 0;
	if (!tab || !key_ok(line) || !decode(tab + 1))
		return pw_err_set(err, EINVAL,
				  "the bundle's manifest has a line that is "
				  "none of KEY, tab, VALUE: %s",
				  line);
	if (!strcmp(line, "file"))
		return check_file(b, tab + 1, listed, err);
	if (strcmp(line, "format")) {
		pw_bundle_set(b, line, "%s", tab + 1);
		return 0;
	}
	if (!strcmp(tab + 1, "1"))
		return 0;
	return pw_err_set(err, ENOTSUP,
			  "the bundle has format %s, and this version reads 1: "
			  "use a newer perf wasm",
			  tab + 1);
}

int manifest_parse(struct pw_bundle *b, const struct pw_buf *text,
		   struct pw_err *err)
{
	char *copy = pw_strndup(text->len ? (const char *)text->data : "",
				text->len);
	char *line, *save = NULL;
	uint32_t n = 0, listed = 0;
	int ret = 0;

	for (line = strtok_r(copy, "\n", &save); line && !ret;
	     line = strtok_r(NULL, "\n", &save)) {
		if (++n > LINES_MAX)
			ret = pw_err_set(err, EINVAL,
					 "the bundle's manifest has more than "
					 "%d lines",
					 LINES_MAX);
		else
			ret = take_line(b, line, &listed, err);
	}
	free(copy);
	if (!ret && listed != b->n_files)
		ret = pw_err_set(err, EINVAL,
				 "the bundle holds %u files, and its manifest "
				 "lists %u",
				 b->n_files, listed);
	return ret;
}
