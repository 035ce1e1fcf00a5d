// SPDX-License-Identifier: GPL-2.0-only
/*
 * The search: the function's code as it is, then the code of each mutant, and
 * what differs is held against the place of the mutation. The other bodies of
 * the module are emptied when the function's code does not depend on them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

#define PER_SITE 9
#define BUDGET   20000

struct search {
	const struct pw_provenance_compiler *compiler;
	const struct pw_module *m; /* the one given */
	uint32_t func_idx;
	uint32_t per_site, budget;
	struct pw_provenance_code original; /* of the module that is mutated */
	uint64_t text_off; /* of the function in the image of the one given */
	/* the module that is mutated: m, or one with the function alone */
	const struct pw_module *base;
	struct pw_module *lone;
	struct pw_buf lone_bytes;
	struct picks picks;
	struct blame blame;
	struct pw_provenance *out;
};

static void code_release(struct pw_provenance_code *c)
{
	free(c->insns);
	memset(c, 0, sizeof(*c));
}

static int compile(const struct search *s, const uint8_t *module, size_t size,
		   uint64_t known_hash, struct pw_provenance_code *c,
		   struct pw_err *err)
{
	int ret;

	memset(c, 0, sizeof(*c));
	ret = s->compiler->compile(s->compiler->ctx, module, size, s->func_idx,
				   known_hash, c, err);
	if (ret)
		code_release(c);
	/* what the runtime knows of provenance would be cheating */
	for (uint32_t i = 0; c->insns && i < c->n; i++)
		c->insns[i].wasm_off = PW_NO_OFF;
	return ret;
}

static int compile_original(struct search *s, struct pw_err *err)
{
	size_t size;
	const uint8_t *bytes = pw_module_bytes(s->m, &size);

	return compile(s, bytes, size, 0, &s->original, err);
}

/*
 * Mutates the function alone when its code is the same alone; what is shown
 * of it, names of callees too, is then compared with its like.
 */
static int choose_base(struct search *s, struct pw_err *err)
{
	uint64_t hash = s->original.hash;
	struct pw_provenance_code alone;
	int ret;

	s->base = s->m;
	s->text_off = s->original.text_off;
	lone_module(s->m, s->func_idx, &s->lone_bytes);
	s->lone = pw_module_decode(s->lone_bytes.data, s->lone_bytes.len, NULL);
	if (!s->lone)
		return 0;
	ret = compile(s, s->lone_bytes.data, s->lone_bytes.len, 0, &alone, err);
	if (ret == -EINVAL || ret == -ENOENT)
		return 0;
	if (ret)
		return ret;
	s->out->alone = alone.hash == hash && alone.n == s->original.n;
	if (s->out->alone) {
		code_release(&s->original);
		s->original = alone;
		s->base = s->lone;
	} else {
		code_release(&alone);
	}
	return 0;
}

static int pick(struct search *s, struct pw_err *err)
{
	uint32_t per_site = s->per_site;
	int ret = picks_make(&s->picks, s->base, s->func_idx, per_site, err);

	while (!ret && s->picks.n > s->budget && per_site > 1) {
		per_site = per_site > 4 ? per_site / 2 : per_site - 1;
		s->picks.n = 0;
		ret = picks_make(&s->picks, s->base, s->func_idx, per_site,
				 err);
	}
	return ret;
}

static int try_one(struct search *s, const struct pick *p, struct pw_buf *bytes,
		   struct pw_err *err)
{
	struct pw_provenance_code c;
	int ret;

	bytes->len = 0;
	ret = pw_splice_body(s->base, s->func_idx, p->off, p->old_size,
			     p->new_bytes, p->new_size, bytes, err);
	if (!ret)
		ret = compile(s, bytes->data, bytes->len, s->original.hash, &c,
			      err);
	if (ret == -EINVAL || ret == -ENOENT)
		return 0; /* one that this runtime refuses */
	if (ret)
		return ret;
	s->out->n_mutants++;
	if (c.insns) {
		s->out->n_changed++;
		ret = blame_add(&s->blame, p->site, p->kind, &s->original, &c);
	}
	code_release(&c);
	return ret;
}

static int try_all(struct search *s, struct pw_err *err)
{
	struct pw_buf bytes = { 0 };
	int ret = 0;

	blame_init(&s->blame, s->original.n);
	for (uint32_t i = 0; i < s->picks.n && !ret; i++) {
		const struct pick *p = &s->picks.v[i];

		ret = pw_measure_interrupted()
			      ? pw_err_set(err, EINTR, "interrupted")
			      : try_one(s, p, &bytes, err);
	}
	pw_buf_release(&bytes);
	return ret;
}

static double share_of(const struct candidates *c, uint32_t site)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->v[i].site == site)
			return c->v[i].share;
	return 0;
}

static int decide(struct search *s, struct pw_err *err)
{
	uint32_t n = s->original.n;
	struct candidates *c = pw_zalloc((n + 1) * sizeof(*c));
	uint32_t *site = pw_alloc((n + 1) * sizeof(*site));
	struct sites sites = { 0 };
	int ret = sites_read(&sites, s->m, s->func_idx, err);

	if (!ret) {
		blame_decide(&s->blame, s->original.insns, &sites, c);
		path_returns(s->original.insns, n, &sites, c);
		path_choose(s->original.insns, n, c, site);
		s->out->n = n;
		s->out->n_sites = sites.n;
		s->out->insns = pw_zalloc((n + 1) * sizeof(*s->out->insns));
	}
	for (uint32_t i = 0; i < n && !ret; i++)
		s->out->insns[i] = (struct pw_provenance_insn){
			.text_off = s->text_off +
				    s->original.insns[i].text_off -
				    s->original.text_off,
			.wasm_off = site[i] < sites.n ? sites.v[site[i]].off
						      : PW_NO_OFF,
			.confidence = share_of(&c[i], site[i]),
		};
	if (n && !ret)
		s->out->end_off = s->out->insns[n - 1].text_off +
				  s->original.insns[n - 1].size_bytes;
	free(sites.v);
	free(site);
	free(c);
	return ret;
}

static void search_release(struct search *s)
{
	blame_release(&s->blame);
	free(s->picks.v);
	code_release(&s->original);
	pw_module_free(s->lone);
	pw_buf_release(&s->lone_bytes);
}

int pw_provenance_search(const struct pw_provenance_compiler *compiler,
			 const struct pw_module *m, uint32_t func_idx,
			 const struct pw_provenance_opts *opts,
			 struct pw_provenance *out, struct pw_err *err)
{
	struct search s = {
		.compiler = compiler,
		.m = m,
		.func_idx = func_idx,
		.per_site = opts->per_site ?: PER_SITE,
		.budget = opts->budget ?: BUDGET,
		.out = out,
	};
	int ret;

	memset(out, 0, sizeof(*out));
	if (func_idx < pw_module_n_imported(m, PW_EXT_FUNC) ||
	    func_idx >= pw_module_n(m, PW_EXT_FUNC))
		return pw_err_set(err, ENOENT, "function %u has no body",
				  func_idx);
	ret = compile_original(&s, err);
	if (!ret)
		ret = choose_base(&s, err);
	if (!ret)
		ret = pick(&s, err);
	if (!ret)
		ret = try_all(&s, err);
	if (!ret)
		ret = decide(&s, err);
	search_release(&s);
	if (ret)
		pw_provenance_release(out);
	return ret;
}

int pw_provenance_function(struct pw_session *session,
			   const struct pw_module *m, uint32_t func_idx,
			   const struct pw_provenance_opts *opts,
			   struct pw_provenance *out, struct pw_err *err)
{
	struct session_compiler sc = {
		.session = session,
		.box_dir = opts->box_dir,
		.n_imported = pw_module_n_imported(m, PW_EXT_FUNC),
	};
	struct pw_provenance_compiler compiler = { session_compile, &sc };

	return pw_provenance_search(&compiler, m, func_idx, opts, out, err);
}

void pw_provenance_release(struct pw_provenance *p)
{
	free(p->insns);
	memset(p, 0, sizeof(*p));
}

const struct pw_provenance_insn *
pw_provenance_find(const struct pw_provenance *p, uint64_t text_off)
{
	uint32_t lo = 0, hi = p->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (p->insns[mid].text_off <= text_off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && text_off < p->end_off ? &p->insns[lo - 1] : NULL;
}
