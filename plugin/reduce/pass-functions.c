// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whole functions go: a body becomes one that returns zero. What is never
 * called may do so, and often what is called, too.
 */
#include "passes.h"

#include <string.h>

/* The default of a type; unreachable where it has none that is short. */
static void add_default(struct pw_buf *b, uint32_t type)
{
	static const uint8_t zeros[16];

	switch (type) {
	case PW_I32:
		pw_buf_add(b, "\x41\0", 2);
		break;
	case PW_I64:
		pw_buf_add(b, "\x42\0", 2);
		break;
	case PW_F32:
		pw_buf_add_u8(b, 0x43);
		pw_buf_add(b, zeros, 4);
		break;
	case PW_F64:
		pw_buf_add_u8(b, 0x44);
		pw_buf_add(b, zeros, 8);
		break;
	case PW_V128:
		pw_buf_add(b, "\xfd\x0c", 2);
		pw_buf_add(b, zeros, 16);
		break;
	default:
		pw_buf_add_u8(b, 0x00);
		break;
	}
}

static void stub_of(const struct pw_module *m, const struct pw_func *f,
		    struct pw_buf *stub)
{
	const struct pw_functype *t = pw_module_functype(m, f->type_idx);

	stub->len = 0;
	pw_buf_add_u8(stub, 0); /* locals */
	for (uint32_t i = 0; t && i < t->n_results; i++)
		add_default(stub, t->results[i]);
	pw_buf_add_u8(stub, 0x0b);
}

int pass_functions(struct reduce *r, struct pw_err *err)
{
	uint32_t n = pw_module_n(r->m, PW_EXT_FUNC), gone = 0;
	struct pw_buf stub = { 0 };
	struct items it = { 0 };
	int ret;

	for (uint32_t i = pw_module_n_imported(r->m, PW_EXT_FUNC); i < n; i++) {
		const struct pw_func *f = pw_module_func(r->m, i);

		stub_of(r->m, f, &stub);
		if (f->body_size <= stub.len)
			continue;
		items_begin(&it, hot_func_share(&r->here, i));
		items_edit(&it, f->body_off, f->body_size, stub.data,
			   (uint32_t)stub.len);
	}
	ret = halve(r, &it, &gone, err);
	items_release(&it);
	pw_buf_release(&stub);
	return ret;
}
