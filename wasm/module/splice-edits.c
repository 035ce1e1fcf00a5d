// SPDX-License-Identifier: GPL-2.0-only
/*
 * Splicing in many places of many bodies at once. Bodies without an edit are
 * copied as they are.
 */
#include "splice.h"

/* Edits i..end belong to one body. */
struct body_edits {
	const struct pw_edit *e;
	size_t n;
};

static int64_t delta_of(const struct body_edits *b)
{
	int64_t delta = 0;

	for (size_t i = 0; i < b->n; i++)
		delta += (int64_t)b->e[i].new_size - b->e[i].old_size;
	return delta;
}

/* The next body's edits, taken off the list. */
static struct body_edits take(const struct pw_func *f, const struct pw_edit **e,
			      size_t *n)
{
	struct body_edits b = { *e, 0 };

	while (b.n < *n &&
	       b.e[b.n].off + b.e[b.n].old_size <= f->body_off + f->body_size &&
	       b.e[b.n].off >= f->body_off)
		b.n++;
	*e += b.n;
	*n -= b.n;
	return b;
}

static void add_body(const struct pw_module *m, const struct pw_func *f,
		     const struct body_edits *b, struct pw_buf *out)
{
	uint64_t at = f->body_off, end = f->body_off + f->body_size;

	splice_add_size(out, (uint32_t)(f->body_size + delta_of(b)),
			(uint32_t)(f->body_off - f->size_off));
	for (size_t i = 0; i < b->n; i++) {
		pw_buf_add(out, m->bytes + at, b->e[i].off - at);
		pw_buf_add(out, b->e[i].new_bytes, b->e[i].new_size);
		at = b->e[i].off + b->e[i].old_size;
	}
	pw_buf_add(out, m->bytes + at, end - at);
}

static int check_order(const struct pw_edit *e, size_t n, struct pw_err *err)
{
	for (size_t i = 1; i < n; i++)
		if (e[i].off < e[i - 1].off + e[i - 1].old_size)
			return pw_err_at(err, EINVAL, e[i].off,
					 "edits overlap or are out of order");
	return 0;
}

/* All bodies, edited, as they follow the section's count. */
static int add_bodies(const struct pw_module *m, const struct pw_section *s,
		      const struct pw_edit *e, size_t n, struct pw_buf *out,
		      struct pw_err *err)
{
	uint64_t at = s->data_off;

	for (uint32_t i = m->n_imported[PW_EXT_FUNC]; i < m->n[PW_EXT_FUNC];
	     i++) {
		const struct pw_func *f = &m->funcs[i];
		struct body_edits b = take(f, &e, &n);

		if (!b.n)
			continue;
		pw_buf_add(out, m->bytes + at, f->size_off - at);
		add_body(m, f, &b, out);
		at = f->body_off + f->body_size;
	}
	pw_buf_add(out, m->bytes + at, s->data_off + s->size - at);
	return n ? pw_err_at(err, EINVAL, e->off,
			     "the bytes to replace are not in one body")
		 : 0;
}

int pw_splice_edits(const struct pw_module *m, const struct pw_edit *e,
		    size_t n, struct pw_buf *out, struct pw_err *err)
{
	const struct pw_section *s = pw_module_code_section(m);
	struct pw_buf code = { 0 };
	int ret = check_order(e, n, err);

	if (!ret && !n) {
		pw_buf_add(out, m->bytes, m->size);
		return 0;
	}
	if (!ret && !s)
		ret = pw_err_at(err, EINVAL, e->off, "there is no code");
	if (!ret)
		ret = add_bodies(m, s, e, n, &code, err);
	if (!ret && (code.len > UINT32_MAX || m->size + code.len > UINT32_MAX))
		ret = pw_err_at(err, EFBIG, s->off,
				"the section would grow beyond 4 GiB");
	if (!ret) {
		uint64_t end = s->data_off + s->size;

		pw_buf_add(out, m->bytes, s->off + 1);
		splice_add_size(out, (uint32_t)code.len,
				(uint32_t)(s->data_off - s->off - 1));
		pw_buf_add(out, code.data, code.len);
		pw_buf_add(out, m->bytes + end, m->size - end);
	}
	pw_buf_release(&code);
	return ret;
}
