// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions to an opened image: functions by place and by index, bytes by
 * address, wasm instructions by text offset. Reads nothing of the ELF file.
 */
#include "image.h"

const char *pw_code_arch(const struct pw_code *c)
{
	return c->arch == CODE_X86_64 ? "x86-64" : "aarch64";
}

uint32_t pw_code_n_funcs(const struct pw_code *c)
{
	return c->n_funcs;
}

const struct pw_code_func *pw_code_func(const struct pw_code *c, uint32_t i)
{
	return i < c->n_funcs ? &c->funcs[i] : NULL;
}

const struct pw_code_func *pw_code_func_at(const struct pw_code *c,
					   uint64_t text_off)
{
	uint32_t lo = 0, hi = c->n_funcs;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->funcs[mid].text_off <= text_off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo ||
	    text_off - c->funcs[lo - 1].text_off >= c->funcs[lo - 1].size_bytes)
		return NULL;
	return &c->funcs[lo - 1];
}

const struct pw_code_func *pw_code_func_find(const struct pw_code *c,
					     uint32_t wasm_idx)
{
	uint32_t lo = 0, hi = c->n_by_idx;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->funcs[c->by_idx[mid]].wasm_idx < wasm_idx)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == c->n_by_idx || c->funcs[c->by_idx[lo]].wasm_idx != wasm_idx)
		return NULL;
	return &c->funcs[c->by_idx[lo]];
}

const uint8_t *pw_code_text(const struct pw_code *c, uint64_t *size_bytes)
{
	*size_bytes = c->text_size;
	return c->text;
}

uint64_t pw_code_wasm_off(const struct pw_code *c, uint64_t text_off)
{
	int64_t i = c->has_map ? addrmap_find(&c->map, text_off) : -1;
	const struct pw_code_func *f;

	if (i < 0 || c->map.entry[i].wasm_off == ADDRMAP_NONE)
		return PW_NO_OFF;
	/* what follows a function has no entry that would end the last one */
	f = pw_code_func_at(c, text_off);
	if (!f || c->map.entry[i].text_off < f->text_off)
		return PW_NO_OFF;
	return c->map.entry[i].wasm_off;
}

bool pw_code_has_map(const struct pw_code *c)
{
	return c->has_map;
}

const char *pw_code_map_fault(const struct pw_code *c)
{
	return c->map_fault.code ? c->map_fault.msg : NULL;
}

const uint8_t *code_bytes_at(const struct pw_code *c, uint64_t text_off,
			     uint64_t n)
{
	uint64_t addr = c->text_addr + text_off;
	uint32_t i;

	if (text_off <= c->text_size && n <= c->text_size - text_off)
		return c->text + text_off;
	for (i = 0; i < c->n_data; i++) {
		const struct code_data *d = &c->data[i];

		if (addr >= d->addr && addr - d->addr <= d->size &&
		    n <= d->size - (addr - d->addr))
			return d->bytes + (addr - d->addr);
	}
	return NULL;
}

const uint8_t *code_reloc_bytes(const struct code_reloc *r, uint64_t end,
				uint64_t n)
{
	/* the addend counts from the operand, which ends before the
	 * instruction does when an immediate follows */
	uint64_t off = r->data_off + (uint64_t)r->addend + (end - r->text_off);

	if (!r->data || off > r->data_size || n > r->data_size - off)
		return NULL;
	return r->data + off;
}

const struct code_reloc *code_reloc_at(const struct pw_code *c,
				       uint64_t text_off, uint64_t n)
{
	uint32_t lo = 0, hi = c->n_reloc;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->reloc[mid].text_off < text_off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == c->n_reloc || c->reloc[lo].text_off - text_off >= n)
		return NULL;
	return &c->reloc[lo];
}
