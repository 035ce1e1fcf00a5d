// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which line information a module has, and where: the map that the caller
 * names, the module's DWARF, or a source map beside the module. Knows nothing
 * of how either is written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lines-impl.h"

struct pw_lines {
	struct dwarf_lines *dwarf; /* one of the two */
	struct source_map *map;
	uint64_t code_off, code_size;
};

static int find_code(struct pw_lines *l, const struct pw_module *m,
		     struct pw_err *err)
{
	const struct pw_section *s = pw_module_code_section(m);

	if (!s)
		return pw_err_set(err, ENOENT, "the module has no code");
	l->code_off = s->data_off;
	l->code_size = s->size;
	return 0;
}

/* The text of a custom section that holds one name, or an empty one. */
static struct pw_name one_name(const struct pw_module *m, const char *section)
{
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size);

	for (uint32_t i = 0; i < pw_module_n_sections(m); i++) {
		const struct pw_section *s = pw_module_section(m, i);
		struct pw_cursor c;
		const uint8_t *text;
		uint32_t n;

		if (s->id || s->name.len != strlen(section) ||
		    memcmp(s->name.s, section, s->name.len))
			continue;
		text = (const uint8_t *)s->name.s + s->name.len;
		pw_cursor_init(&c, text,
			       (size_t)(bytes + s->data_off + s->size - text),
			       0, NULL);
		n = pw_cursor_uleb32(&c);
		text = pw_cursor_bytes(&c, n);
		if (text)
			return (struct pw_name){ (const char *)text, n };
	}
	return (struct pw_name){ "", 0 };
}

static bool readable(const char *path)
{
	struct pw_file f;

	if (pw_file_open(&f, path, NULL))
		return false;
	pw_file_close(&f);
	return true;
}

/*
 * The map beside a module or NULL; the caller frees. Of a URL, which the
 * module's maker wrote, only the last part counts: no other folder is
 * looked at.
 */
static char *map_beside(const struct pw_module *m, const char *module_path)
{
	struct pw_name url = one_name(m, "sourceMappingURL");
	const char *slash = strrchr(module_path, '/');
	int dir = slash ? (int)(slash - module_path) + 1 : 0;
	uint32_t from = url.len;
	char *path;

	while (from && url.s[from - 1] != '/')
		from--;
	if (from < url.len && !memchr(url.s, 0, url.len)) {
		path = pw_asprintf("%.*s%.*s", dir, module_path,
				   (int)(url.len - from), url.s + from);
		if (readable(path))
			return path;
		free(path);
	}
	path = pw_asprintf("%s.map", module_path);
	if (readable(path))
		return path;
	free(path);
	return NULL;
}

static int open_map(struct pw_lines *l, const char *path, struct pw_err *err)
{
	struct pw_file f;
	int ret = pw_file_open(&f, path, err);

	if (ret)
		return ret;
	l->map = source_map_read((const char *)f.data, f.size, err);
	pw_file_close(&f);
	if (l->map)
		return 0;
	pw_err_prefix(err, "%s", path);
	return -EINVAL;
}

static int nothing(const struct pw_module *m, struct pw_err *err)
{
	struct pw_name elsewhere = one_name(m, "external_debug_info");

	if (elsewhere.len)
		return pw_err_set(
			err, ENOENT,
			"the module's DWARF is in another file, '%.*s'",
			(int)(elsewhere.len < 200 ? elsewhere.len : 200),
			elsewhere.s);
	return pw_err_set(
		err, ENOENT,
		"the module has neither DWARF nor a source map: compile it with -g and don't strip it");
}

static int open_any(struct pw_lines *l, const struct pw_module *m,
		    const struct pw_lines_opts *opts, struct pw_err *err)
{
	const struct pw_module *debug = opts->debug_module ?: m;
	int ret = find_code(l, m, err);
	char *path = NULL;

	if (ret)
		return ret;
	if (opts->source_map_path)
		return open_map(l, opts->source_map_path, err);
	if (debug_sections(debug)) {
		l->dwarf =
			dwarf_lines_open(debug, l->code_off, l->code_size, err);
		return l->dwarf ? 0 : -EINVAL;
	}
	if (opts->module_path)
		path = map_beside(m, opts->module_path);
	ret = path ? open_map(l, path, err) : nothing(m, err);
	free(path);
	return ret;
}

struct pw_lines *pw_lines_open(const struct pw_module *m,
			       const struct pw_lines_opts *opts,
			       struct pw_err *err)
{
	static const struct pw_lines_opts none;
	struct pw_lines *l = pw_zalloc(sizeof(*l));

	if (!open_any(l, m, opts ? opts : &none, err))
		return l;
	free(l);
	return NULL;
}

void pw_lines_close(struct pw_lines *l)
{
	if (!l)
		return;
	dwarf_lines_close(l->dwarf);
	source_map_free(l->map);
	free(l);
}

bool pw_lines_find(struct pw_lines *l, uint64_t wasm_file_off,
		   struct pw_line_at *out)
{
	if (wasm_file_off < l->code_off ||
	    wasm_file_off - l->code_off >= l->code_size)
		return false;
	return l->map ? source_map_find(l->map, wasm_file_off, out)
		      : dwarf_lines_find(l->dwarf, wasm_file_off, out);
}

const char *pw_lines_kind(const struct pw_lines *l)
{
	return l->map ? "source map" : "DWARF";
}

const char *pw_lines_fault(const struct pw_lines *l)
{
	return l->map ? NULL : dwarf_lines_fault(l->dwarf);
}
