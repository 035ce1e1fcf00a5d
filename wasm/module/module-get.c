// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions to a decoded module, answered from its arrays. Indexes that do
 * not exist give NULL.
 */
#include "module-impl.h"

const uint8_t *pw_module_bytes(const struct pw_module *m, size_t *size)
{
	*size = m->size;
	return m->bytes;
}

uint32_t pw_module_n(const struct pw_module *m, enum pw_extern kind)
{
	return m->n[kind];
}

uint32_t pw_module_n_imported(const struct pw_module *m, enum pw_extern kind)
{
	return m->n_imported[kind];
}

const struct pw_func *pw_module_func(const struct pw_module *m, uint32_t idx)
{
	return idx < m->n[PW_EXT_FUNC] ? &m->funcs[idx] : NULL;
}

const struct pw_functype *pw_module_functype(const struct pw_module *m,
					     uint32_t type_idx)
{
	if (type_idx >= m->n_types || m->types[type_idx].kind != COMP_FUNC)
		return NULL;
	return &m->types[type_idx].func;
}

const struct pw_global *pw_module_global(const struct pw_module *m,
					 uint32_t idx)
{
	return idx < m->n[PW_EXT_GLOBAL] ? &m->globals[idx] : NULL;
}

const struct pw_memory *pw_module_memory(const struct pw_module *m,
					 uint32_t idx)
{
	return idx < m->n[PW_EXT_MEMORY] ? &m->memories[idx] : NULL;
}

uint32_t pw_module_n_imports(const struct pw_module *m)
{
	return m->n_imports;
}

const struct pw_import *pw_module_import(const struct pw_module *m, uint32_t i)
{
	return i < m->n_imports ? &m->imports[i] : NULL;
}

uint32_t pw_module_n_exports(const struct pw_module *m)
{
	return m->n_exports;
}

const struct pw_export *pw_module_export(const struct pw_module *m, uint32_t i)
{
	return i < m->n_exports ? &m->exports[i] : NULL;
}

const struct pw_export *pw_module_export_find(const struct pw_module *m,
					      const char *name)
{
	size_t len = strlen(name);

	for (uint32_t i = 0; i < m->n_exports; i++) {
		const struct pw_export *e = &m->exports[i];

		if (e->name.len == len && !memcmp(e->name.s, name, len))
			return e;
	}
	return NULL;
}

uint32_t pw_module_n_sections(const struct pw_module *m)
{
	return m->n_sections;
}

const struct pw_section *pw_module_section(const struct pw_module *m,
					   uint32_t i)
{
	return i < m->n_sections ? &m->sections[i] : NULL;
}

const struct pw_section *pw_module_code_section(const struct pw_module *m)
{
	for (uint32_t i = 0; i < m->n_sections; i++)
		if (m->sections[i].id == 10)
			return &m->sections[i];
	return NULL;
}

bool pw_module_has_start(const struct pw_module *m, uint32_t *func_idx)
{
	if (m->has_start && func_idx)
		*func_idx = m->start;
	return m->has_start;
}

/* Bodies stand in order of their functions. */
bool pw_module_func_at(const struct pw_module *m, uint64_t off,
		       uint32_t *func_idx)
{
	uint32_t lo = m->n_imported[PW_EXT_FUNC], hi = m->n[PW_EXT_FUNC];

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct pw_func *f = &m->funcs[mid];

		if (off < f->body_off) {
			hi = mid;
		} else if (off >= f->body_off + f->body_size) {
			lo = mid + 1;
		} else {
			*func_idx = mid;
			return true;
		}
	}
	return false;
}
