// SPDX-License-Identifier: GPL-2.0-only
/*
 * The wasm instruction of each machine instruction: from the artifact's own
 * map, else as somebody told, else inferred. One table a piece, made when it
 * is first asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "infer.h"
#include "space-impl.h"

void pw_space_add_offsets(struct pw_space *s, int module, uint32_t func_idx,
			  uint64_t shape, const struct pw_code_offset *offs,
			  uint32_t n)
{
	struct told_offsets *t;
	uint32_t i;

	s->told = pw_realloc(s->told, (s->n_told + 1) * sizeof(*t));
	t = &s->told[s->n_told++];
	*t = (struct told_offsets){
		.module = module, .func_idx = func_idx, .n = n, .shape = shape
	};
	t->offs = pw_alloc((n + 1) * sizeof(*offs));
	memcpy(t->offs, offs, n * sizeof(*offs));
	/* tables that were made without it are made anew */
	for (i = 0; i < s->pieces.n; i++) {
		free(piece_at(&s->pieces, i)->offsets);
		piece_at(&s->pieces, i)->offsets = NULL;
	}
}

/* --- making a table ------------------------------------------------------------------ */

/* The instructions of a piece and what is known of each. */
struct making {
	const struct piece *piece;
	const struct pw_code *code;
	uint64_t base, shape;
	struct pw_minsn *insns;
	uint64_t *offs;
	bool *is_inferred;
	struct offset_table *table;
	uint32_t n;
};

static bool disassemble(struct pw_space *s, struct making *m)
{
	const struct pw_code_func *f;
	const struct pw_code *c =
		pw_space_code(s, &m->piece->pub, &f, &m->base, NULL);

	if (!c || pw_code_disasm(c, f, &m->insns, &m->n, NULL))
		return false;
	m->code = c;
	m->shape = pw_code_shape(m->insns, m->n);
	return true;
}

static void set(struct making *m, uint32_t i, uint64_t off,
		enum pw_off_source source)
{
	if (off == PW_NO_OFF || m->offs[i] != PW_NO_OFF)
		return;
	m->offs[i] = off;
	m->table->entry[i].source = source;
}

static void from_map(struct making *m)
{
	uint32_t i;

	for (i = 0; i < m->n; i++)
		set(m, i, m->insns[i].wasm_off, PW_OFF_ADDRMAP);
}

static void from_told(struct making *m, const struct told_offsets *t)
{
	const struct pw_symbol *sym = m->piece->pub.sym;
	uint32_t i, k = 0;

	if (t->module != sym->module || t->func_idx != sym->func_idx ||
	    (t->shape && t->shape != m->shape))
		return;
	for (i = 0; i < m->n; i++) {
		while (k < t->n &&
		       t->offs[k].code_off <= m->insns[i].text_off - m->base)
			k++;
		if (k)
			set(m, i, t->offs[k - 1].wasm_off, PW_OFF_PROVENANCE);
	}
}

static void by_inference(struct pw_space *s, struct making *m)
{
	const struct pw_symbol *sym = m->piece->pub.sym;
	struct pw_insn_uses *uses;
	struct infer_op *ops;
	uint32_t i;

	if (sym->module < 0 || sym->func_idx < 0 || m->n > INFER_MAX ||
	    pw_code_uses(m->code, m->insns, m->n, &uses, NULL))
		return;
	insns_read(s, sym->module, (uint32_t)sym->func_idx);
	ops = pw_alloc((s->insns.n + 1) * sizeof(*ops));
	for (i = 0; i < s->insns.n; i++)
		ops[i] = (struct infer_op){ s->insns.insn[i].off,
					    s->insns.insn[i].op,
					    s->insns.insn[i].constant };
	infer_offsets(m->insns, uses, m->n, ops, s->insns.n, m->offs,
		      m->is_inferred);
	for (i = 0; i < m->n; i++)
		if (m->is_inferred[i])
			m->table->entry[i].source = PW_OFF_INFERRED;
	free(ops);
	free(uses);
}

static void fill(struct pw_space *s, struct making *m)
{
	uint32_t i;

	m->offs = pw_alloc((m->n + 1) * sizeof(*m->offs));
	m->is_inferred = pw_zalloc(m->n + 1);
	for (i = 0; i < m->n; i++)
		m->offs[i] = PW_NO_OFF;
	from_map(m);
	for (i = s->n_told; i-- > 0;)
		from_told(m, &s->told[i]);
	by_inference(s, m);
	for (i = 0; i < m->n; i++) {
		m->table->entry[i].code_off = m->insns[i].text_off - m->base;
		m->table->entry[i].wasm_off = m->offs[i];
	}
	m->table->n = m->n;
	free(m->offs);
	free(m->is_inferred);
}

static const struct offset_table *table_of(struct pw_space *s, struct piece *p)
{
	struct making m = { .piece = p };

	if (p->offsets)
		return p->offsets;
	/* nothing to begin with: nothing to disassemble for */
	if ((p->artifact >= 0 || s->n_told) && disassemble(s, &m)) {
		p->offsets = pw_zalloc(sizeof(*p->offsets) +
				       m.n * sizeof(*p->offsets->entry));
		m.table = p->offsets;
		fill(s, &m);
		free(m.insns);
	} else {
		p->offsets = pw_zalloc(sizeof(*p->offsets));
	}
	return p->offsets;
}

/* --- asking --------------------------------------------------------------------------- */

uint64_t pw_space_wasm_off(struct pw_space *s, const struct pw_piece *p,
			   uint64_t off, enum pw_off_source *source)
{
	/* the table of a piece is a cache: the piece is as it was */
	const struct offset_table *t = table_of(s, (struct piece *)p);
	uint32_t lo = 0, hi = t->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->entry[mid].code_off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (source)
		*source = lo ? t->entry[lo - 1].source : PW_OFF_NONE;
	return lo ? t->entry[lo - 1].wasm_off : PW_NO_OFF;
}

void offsets_release(struct pw_space *s)
{
	uint32_t i;

	for (i = 0; i < s->n_told; i++)
		free(s->told[i].offs);
	free(s->told);
}
