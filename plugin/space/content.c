// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a piece is made of: its machine code, and the wasm instructions of its
 * function as text. Only asked when a report is made.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "space-impl.h"

/* --- machine code -------------------------------------------------------------------- */

static uint32_t machine_of(const struct pw_space *s)
{
	if (s->machine)
		return s->machine;
#ifdef __aarch64__
	return EM_AARCH64;
#else
	return EM_X86_64;
#endif
}

/* An image of the piece's bytes alone, kept until another is made. */
static const struct pw_code *raw_code(struct pw_space *s, const struct piece *p,
				      struct pw_err *err)
{
	const uint8_t *bytes = NULL;
	uint32_t machine = machine_of(s);

	if (s->raw && s->raw_of == p)
		return s->raw;
	if (p->pub.jit) {
		bytes = p->pub.jit->bytes;
	} else if (p->dso && p->dso->symtab && p->pub.size_bytes) {
		bytes = pw_symtab_bytes(p->dso->symtab, p->pub.addr,
					p->pub.size_bytes);
		machine = pw_symtab_machine(p->dso->symtab);
	}
	if (!bytes) {
		pw_err_set(
			err, ENODATA,
			"the machine code of %s is in no jitdump and no file that is here",
			p->pub.sym->name);
		return NULL;
	}
	pw_code_close(s->raw);
	s->raw_of = p;
	s->raw = pw_code_open_raw(machine, p->pub.sym->name, bytes,
				  p->pub.size_bytes, p->pub.jit, err);
	return s->raw;
}

const struct pw_code *pw_space_code(struct pw_space *s,
				    const struct pw_piece *p,
				    const struct pw_code_func **f,
				    uint64_t *base, struct pw_err *err)
{
	const struct piece *own = (const struct piece *)p;
	const struct pw_code *c;

	*base = 0;
	if (own->artifact >= 0) {
		c = s->artifacts[own->artifact].code;
		*f = pw_code_func_at(c, own->text_off);
		*base = own->text_off;
		if (*f)
			return c;
		*base = 0;
	}
	c = raw_code(s, own, err);
	*f = c ? pw_code_func(c, 0) : NULL;
	return c;
}

/* --- wasm instructions ------------------------------------------------------------------- */

void insns_read(struct pw_space *s, int module, uint32_t func_idx)
{
	const struct pw_module *m = s->modules[module].m;
	struct insn_cache *c = &s->insns;
	struct pw_walk *w = pw_walk_new(m);
	struct pw_insn insn;
	uint32_t cap = 0;

	if (c->module == module && c->func_idx == func_idx)
		goto out;
	free(c->insn);
	c->insn = NULL;
	c->module = module;
	c->func_idx = func_idx;
	c->n = 0;
	c->text.len = 0;
	if (pw_walk_start(w, func_idx, NULL))
		goto out;
	while (pw_walk_next(w, &insn, NULL) > 0) {
		if (c->n == cap) {
			cap = cap ? 2 * cap : 256;
			c->insn = pw_realloc(c->insn, cap * sizeof(*c->insn));
		}
		c->insn[c->n] =
			(struct wasm_insn){ insn.off, (uint64_t)insn.i64,
					    insn.op, (uint32_t)c->text.len };
		c->n++;
		pw_insn_print(m, &insn, &c->text);
		pw_buf_add_u8(&c->text, 0);
	}
out:
	pw_walk_free(w);
}

enum pw_op pw_space_insn(struct pw_space *s, int module, uint64_t wasm_off,
			 char *dst, size_t size)
{
	const struct pw_module *m = pw_space_module(s, module);
	struct insn_cache *c = &s->insns;
	uint32_t func_idx, lo = 0, hi;

	if (size)
		*dst = 0;
	if (!m || !pw_module_func_at(m, wasm_off, &func_idx))
		return PW_N_OPS;
	insns_read(s, module, func_idx);
	for (hi = c->n; lo < hi;) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->insn[mid].off <= wasm_off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return PW_N_OPS;
	snprintf(dst, size, "%s", (char *)c->text.data + c->insn[lo - 1].text);
	return c->insn[lo - 1].op;
}

void content_release(struct pw_space *s)
{
	pw_code_close(s->raw);
	free(s->insns.insn);
	pw_buf_release(&s->insns.text);
}
