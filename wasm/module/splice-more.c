// SPDX-License-Identifier: GPL-2.0-only
/*
 * Splicing in what was not there: globals that count, and code that never
 * runs, which moves the machine code of what comes after it.
 */
#include <stdio.h>
#include <stdlib.h>
#include "splice.h"

#define SECTION_FUNC   3
#define SECTION_GLOBAL 6
#define SECTION_EXPORT 7
#define SECTION_CODE   10

/* Splices entries into a section of a module given as bytes. */
static int extend(struct pw_buf *bytes, uint8_t section,
		  const struct pw_buf *entries, uint32_t n, struct pw_err *err)
{
	struct pw_module *m = pw_module_decode(bytes->data, bytes->len, err);
	struct pw_buf out = { 0 };

	if (!m)
		return -err->code;
	splice_entries(m, section, entries, n, &out);
	pw_module_free(m);
	pw_buf_release(bytes);
	*bytes = out;
	return 0;
}

/* --- counters ------------------------------------------------------------------ */

static void add_global(struct pw_buf *out, uint8_t type)
{
	pw_buf_add_u8(out, type);
	pw_buf_add_u8(out, 1); /* mutable */
	pw_buf_add_u8(out, type == PW_I64 ? 0x42 : 0x41);
	pw_buf_add_u8(out, 0);
	pw_buf_add_u8(out, 0x0b);
}

static int add_name(const struct pw_module *m, uint64_t key, uint32_t idx,
		    struct pw_buf *out, struct pw_err *err)
{
	char name[40];

	snprintf(name, sizeof(name), PW_COUNT_PREFIX "%llx",
		 (unsigned long long)key);
	if (pw_module_export_find(m, name))
		return pw_err_set(err, EEXIST,
				  "the module exports \"%s\" already", name);
	pw_buf_add_uleb(out, strlen(name));
	pw_buf_add(out, name, strlen(name));
	pw_buf_add_u8(out, PW_EXT_GLOBAL);
	pw_buf_add_uleb(out, idx);
	return 0;
}

int pw_splice_counters(const struct pw_module *m, const uint64_t *keys,
		       uint32_t n, struct pw_buf *out, struct pw_err *err)
{
	struct pw_buf globals = { 0 }, exports = { 0 }, bytes = { 0 };
	struct pw_err own;
	int ret = 0;

	err = err ? err : &own;
	for (uint32_t i = 0; i < n && !ret; i++) {
		add_global(&globals, PW_I64);
		ret = add_name(m, keys[i], m->n[PW_EXT_GLOBAL] + i, &exports,
			       err);
	}
	if (!ret) {
		splice_entries(m, SECTION_GLOBAL, &globals, n, &bytes);
		ret = extend(&bytes, SECTION_EXPORT, &exports, n, err);
	}
	if (!ret)
		pw_buf_add(out, bytes.data, bytes.len);
	pw_buf_release(&globals);
	pw_buf_release(&exports);
	pw_buf_release(&bytes);
	return ret;
}

/* --- padding -------------------------------------------------------------------- */

/*
 * if (global) global = ((global * C ^ K1) * C ^ K2) ...: no compiler knows
 * that the global stays 0, and none can fold the chain.
 */
static void add_never(struct pw_buf *out, uint32_t global, uint32_t units)
{
	pw_buf_add_u8(out, 0x23);
	pw_buf_add_uleb(out, global);
	pw_buf_add_u8(out, 0x04); /* if */
	pw_buf_add_u8(out, 0x40);
	pw_buf_add_u8(out, 0x23);
	pw_buf_add_uleb(out, global);
	for (uint32_t i = 0; i < units; i++) {
		pw_buf_add_u8(out, 0x41);
		pw_buf_add_sleb(out, 0x2545f491);
		pw_buf_add_u8(out, 0x6c); /* i32.mul */
		pw_buf_add_u8(out, 0x41);
		pw_buf_add_sleb(out, 0x1b873593 + (int64_t)i);
		pw_buf_add_u8(out, 0x73); /* i32.xor */
	}
	pw_buf_add_u8(out, 0x24);
	pw_buf_add_uleb(out, global);
	pw_buf_add_u8(out, 0x0b);
}

static int pad_front(const struct pw_module *m, uint32_t func,
		     const struct pw_buf *never, struct pw_buf *out,
		     struct pw_err *err)
{
	return pw_splice_body(m, func, m->funcs[func].code_off, 0, never->data,
			      (uint32_t)never->len, out, err);
}

/* The call that takes the place of a body. */
static void add_wrapper(const struct pw_module *m, uint32_t func,
			const struct pw_buf *never, struct pw_buf *out)
{
	const struct pw_functype *t =
		pw_module_functype(m, m->funcs[func].type_idx);

	pw_buf_add_u8(out, 0); /* no locals */
	pw_buf_add(out, never->data, never->len);
	for (uint32_t i = 0; i < t->n_params; i++) {
		pw_buf_add_u8(out, 0x20);
		pw_buf_add_uleb(out, i);
	}
	pw_buf_add_u8(out, 0x10);
	pw_buf_add_uleb(out, m->n[PW_EXT_FUNC]);
	pw_buf_add_u8(out, 0x0b);
}

/* Appends the module with one more function at the end. */
static void add_function(const struct pw_module *m, uint32_t type_idx,
			 const uint8_t *body, uint32_t size, struct pw_buf *out)
{
	struct pw_buf type = { 0 }, entry = { 0 }, a = { 0 }, b = { 0 };
	uint64_t code_off = 0;

	for (uint32_t i = 0; i < m->n_sections; i++)
		if (m->sections[i].id == SECTION_CODE)
			code_off = m->sections[i].off;
	pw_buf_add_uleb(&type, type_idx);
	pw_buf_add_uleb(&entry, size);
	pw_buf_add(&entry, body, size);
	splice_entries(m, SECTION_FUNC, &type, 1, &a);
	splice_entries(m, SECTION_CODE, &entry, 1, &b);
	/* the front of one, the code and what follows of the other */
	pw_buf_add(out, a.data, code_off + (a.len - m->size));
	pw_buf_add(out, b.data + code_off, b.len - code_off);
	pw_buf_release(&type);
	pw_buf_release(&entry);
	pw_buf_release(&a);
	pw_buf_release(&b);
}

/* The body goes to a new last function, which the old one calls. */
static int move_behind(const struct pw_module *m, uint32_t func,
		       const struct pw_buf *never, struct pw_buf *out,
		       struct pw_err *err)
{
	const struct pw_func *f = &m->funcs[func];
	struct pw_buf wrapper = { 0 }, bytes = { 0 };
	struct pw_module *wrapped = NULL;
	int ret;

	add_wrapper(m, func, never, &wrapper);
	ret = pw_splice_body(m, func, f->body_off, f->body_size, wrapper.data,
			     (uint32_t)wrapper.len, &bytes, err);
	if (!ret) {
		wrapped = pw_module_decode(bytes.data, bytes.len, err);
		ret = wrapped ? 0 : -err->code;
	}
	if (!ret)
		add_function(wrapped, f->type_idx, m->bytes + f->body_off,
			     f->body_size, out);
	pw_module_free(wrapped);
	pw_buf_release(&wrapper);
	pw_buf_release(&bytes);
	return ret;
}

static int pad(const struct pw_module *m, uint32_t pad_idx, uint32_t func_idx,
	       uint32_t units, struct pw_buf *out, struct pw_err *err)
{
	uint32_t global = m->n[PW_EXT_GLOBAL] - 1;
	struct pw_buf never = { 0 };
	int ret;

	add_never(&never, global, units);
	ret = pad_idx == func_idx ? move_behind(m, func_idx, &never, out, err)
				  : pad_front(m, pad_idx, &never, out, err);
	pw_buf_release(&never);
	return ret;
}

int pw_splice_padding(const struct pw_module *m, uint32_t pad_idx,
		      uint32_t func_idx, uint32_t units, struct pw_buf *out,
		      uint32_t *moved_idx, struct pw_err *err)
{
	struct pw_buf global = { 0 }, bytes = { 0 };
	struct pw_module *more;
	struct pw_err own;
	int ret;

	err = err ? err : &own;
	if (func_idx >= m->n[PW_EXT_FUNC] || pad_idx > func_idx ||
	    pad_idx < m->n_imported[PW_EXT_FUNC])
		return pw_err_set(err, EINVAL,
				  "function %u cannot be padded before %u",
				  pad_idx, func_idx);
	add_global(&global, PW_I32);
	splice_entries(m, SECTION_GLOBAL, &global, 1, &bytes);
	more = pw_module_decode(bytes.data, bytes.len, err);
	ret = more ? pad(more, pad_idx, func_idx, units, out, err) : -err->code;
	if (!ret)
		*moved_idx = pad_idx == func_idx ? m->n[PW_EXT_FUNC] : func_idx;
	pw_module_free(more);
	pw_buf_release(&global);
	pw_buf_release(&bytes);
	return ret;
}
