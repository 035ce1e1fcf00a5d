// SPDX-License-Identifier: GPL-2.0-only
/*
 * After a call: the digest of what the guest left in its exported memories
 * and mutable globals, in the order of its exports; its counters; and where
 * the shared object's .text lies for the samples.
 */
#include "w2c-run.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

/* --- digest --------------------------------------------------------------------- */

static void add_value(struct pw_host_digest *d, const char *name, uint32_t type,
		      uint64_t bits)
{
	if (type == PW_I32 || type == PW_F32)
		pw_host_digest_add(d, name, &bits, 4);
	else if (type == PW_I64 || type == PW_F64)
		pw_host_digest_add(d, name, &bits, 8);
}

static void add_global(struct w2c_guest *g, struct pw_host_digest *d,
		       const char *name, uint32_t k)
{
	const struct pw_global *global =
		pw_module_global(g->module,
				 pw_module_export(g->module, k)->idx);

	if (global->mutable_)
		add_value(d, name, global->type, g->code.global(k));
}

static void add_result(struct w2c_guest *g, struct pw_host_digest *d)
{
	const struct pw_export *e = pw_module_export(g->module, g->invoke);
	const struct pw_functype *t =
		pw_module_functype(g->module,
				   pw_module_func(g->module, e->idx)->type_idx);

	add_value(d, "result", t->results[0], g->code.result());
}

void w2c_digest(struct w2c_guest *g)
{
	struct pw_host_digest d;

	pw_host_digest_init(&d);
	for (uint32_t k = 0; k < pw_module_n_exports(g->module); k++) {
		const struct pw_export *e = pw_module_export(g->module, k);
		const uint8_t *data;
		uint64_t size;
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)e->name.len,
			 e->name.s);
		if (e->kind == PW_EXT_MEMORY) {
			data = g->code.memory(k, &size);
			pw_host_digest_add(&d, name, data, size);
		} else if (e->kind == PW_EXT_GLOBAL) {
			add_global(g, &d, name, k);
		}
	}
	if (g->has_result && g->run->reply.outcome == PW_OUT_OK)
		add_result(g, &d);
	pw_host_digest_end(&d, g->run);
}

/* --- counters --------------------------------------------------------------------- */

static uint64_t counter(void *ctx, uint32_t i)
{
	const struct w2c_guest *g = ctx;

	return g->code.global(i);
}

void w2c_counts(struct w2c_guest *g)
{
	struct pw_err err;

	if (pw_host_counts_write(g->run->req, g->module, counter, g, &err))
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED, "%s", err.msg);
}

/* --- samples ---------------------------------------------------------------------- */

static const Elf64_Shdr *section(const struct pw_file *so, size_t i)
{
	const Elf64_Ehdr *h = (const void *)so->data;
	uint64_t off = h->e_shoff + i * sizeof(Elf64_Shdr);

	if (i >= h->e_shnum || off > so->size ||
	    so->size - off < sizeof(Elf64_Shdr))
		return NULL;
	return (const void *)(so->data + off);
}

static const Elf64_Shdr *find_text(const struct pw_file *so)
{
	const Elf64_Ehdr *h = (const void *)so->data;
	const Elf64_Shdr *names, *s;

	if (so->size < sizeof(*h) || !(names = section(so, h->e_shstrndx)))
		return NULL;
	for (size_t i = 0; (s = section(so, i)); i++) {
		uint64_t off = names->sh_offset + s->sh_name;

		if (off < so->size && so->size - off >= sizeof(".text") &&
		    !strcmp((const char *)so->data + off, ".text"))
			return s;
	}
	return NULL;
}

void w2c_keep_samples(struct w2c_guest *g)
{
	const Elf64_Shdr *text = find_text(&g->so);
	struct link_map *map;
	uint64_t addr = 0, size = 0;
	struct pw_err err;

	if (text && !dlinfo(g->handle, RTLD_DI_LINKMAP, &map)) {
		addr = map->l_addr + text->sh_addr;
		size = text->sh_size;
	}
	if (pw_host_samples_write(g->run, addr, size, &err))
		pw_host_fail(g->run, PW_OUT_UNSUPPORTED, "%s", err.msg);
}
