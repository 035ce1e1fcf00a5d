// SPDX-License-Identifier: GPL-2.0-only
/*
 * A finished hunt as a bundle: modules, machine codes, samples and the facts
 * that a replay needs. What a fact is named and says is in
 * Kbuild-notes/formats.md.
 */
#include "../steps.h"

#include <perfwasm/bundle.h>

#include <stdlib.h>
#include <string.h>

/* Instructions of wasm shown before and behind the changed one. */
#define NEAR 24

static void set_list(struct pw_bundle *b, const char *key,
		     const char *const *list)
{
	for (; list && *list; list++)
		pw_bundle_set(b, key, "%s", *list);
}

static void set_ratio(struct pw_bundle *b, const char *key,
		      const struct pw_ratio *x)
{
	pw_bundle_set(b, key, "%.6f %.6f %.6f", x->ratio, x->ci.lo, x->ci.hi);
}

static void set_runner(struct pw_bundle *b, const char *role,
		       const struct runner *r)
{
	pw_bundle_set(b, role, "%s", r->rt.spec);
	pw_bundle_set(b, "runtime", "%s %s %s", r->rt.spec, r->rt.kind,
		      r->session ? pw_session_version(r->session)
				 : (r->rt.version ? r->rt.version : "-"));
}

static void set_facts(const struct hunt *h, struct pw_bundle *b)
{
	const struct pw_hunt_opts *o = h->o;
	const struct pw_guest *g = &o->guest;
	const struct runner *ref = hunt_reference(h);
	const char *base = strrchr(o->module_path, '/');

	pw_bundle_set(b, "module", "%s", base ? base + 1 : o->module_path);
	pw_bundle_set(b, "module_bytes", "%zu", h->file.size);
	set_runner(b, "suspect", &h->suspect);
	set_runner(b, "oracle", ref);
	for (size_t i = 0; i < h->n_oracles; i++)
		if (&h->oracles[i] != ref && h->oracles[i].usable)
			set_runner(b, "oracle", &h->oracles[i]);
	if (g->invoke)
		pw_bundle_set(b, "invoke", "%s", g->invoke);
	set_list(b, "arg", g->argv);
	set_list(b, "env", g->env);
	set_list(b, "mount", g->read_only_dirs);
	set_list(b, "mount", g->dirs);
	pw_bundle_set(b, "min_gap", "%.6f", o->min_gap);
	pw_bundle_set(b, "wall_limit_ns", "%llu",
		      (unsigned long long)g->wall_limit_ns);
	pw_bundle_set(b, "memory_limit_bytes", "%llu",
		      (unsigned long long)g->memory_limit_bytes);
	pw_bundle_set(b, "seed", "%llu", (unsigned long long)o->seed);
	if (h->scaled)
		pw_bundle_set(b, "scaled", "%s", h->scaled);
	set_ratio(b, "given_gap", &h->given_gap);
	set_ratio(b, "hunted_gap", &ref->gap);
}

static int put_file(struct pw_bundle *b, const char *name, const char *path,
		    struct pw_err *err)
{
	struct pw_file f = { 0 };
	int ret = pw_file_open(&f, path, err);

	if (!ret)
		pw_bundle_put(b, name, f.data, f.size);
	pw_file_close(&f);
	return ret;
}

static void put_samples(const struct hunt *h, struct pw_bundle *b)
{
	struct pw_buf text = { 0 };

	if (!h->samples.n)
		return;
	pw_buf_printf(&text, "# text offset, share of %llu samples\n",
		      (unsigned long long)h->samples.n_samples);
	for (size_t i = 0; i < h->samples.n; i++)
		pw_buf_printf(&text, "%llx\t%.6f\n",
			      (unsigned long long)h->samples.text_off[i],
			      h->samples.share[i]);
	pw_bundle_put(b, "samples.txt", text.data, text.len);
	pw_buf_release(&text);
}

/* The machine code of a module on the suspect; none where it shows none. */
static int put_code(struct hunt *h, struct pw_bundle *b, const char *name,
		    const char *module_path, struct pw_err *err)
{
	struct image im;
	int ret;

	if (!h->suspect.rt.shows_code)
		return 0;
	ret = hunt_compile(h, module_path, &im, err);
	if (ret)
		return ret;
	if (im.file.size)
		pw_bundle_put(b, name, im.file.data, im.file.size);
	hunt_image_release(&im);
	return 0;
}

/* "N OPCODE WASM_OFFSET": offsets in the hunted module. */
static void set_accused(struct pw_bundle *b, size_t i, const struct evidence *e)
{
	for (uint32_t k = 0; e && k < e->n_accused; k++) {
		const struct pw_minsn *in = &e->slow->insns[e->accused[k].insn];

		pw_bundle_set(b, "accused", "%zu %s %lld", i + 1, in->opcode,
			      in->wasm_off == PW_NO_OFF
				      ? -1LL
				      : (long long)in->wasm_off);
	}
}

/* The changed instruction among its neighbours, as text. */
static void put_neighbours(const struct hunt *h, struct pw_bundle *b, size_t i,
			   const struct pw_mutation *mut)
{
	uint32_t lo = mut->insn_idx > NEAR ? mut->insn_idx - NEAR : 0;
	struct pw_walk *w = pw_walk_new(h->module);
	struct pw_buf text = { 0 };
	struct pw_insn in;
	char name[48];

	if (!pw_walk_start(w, mut->func_idx, NULL))
		while (pw_walk_next(w, &in, NULL) == 1) {
			if (in.idx < lo || in.idx > mut->insn_idx + NEAR)
				continue;
			pw_buf_printf(&text, "%s %6llx  %*s",
				      in.idx == mut->insn_idx ? "=>" : "  ",
				      (unsigned long long)(in.off - h->shift),
				      (int)(2 * in.depth), "");
			pw_insn_print(h->module, &in, &text);
			pw_buf_add_u8(&text, '\n');
		}
	pw_walk_free(w);
	snprintf(name, sizeof(name), "wasm-%zu.txt", i + 1);
	pw_bundle_put(b, name, text.data, text.len);
	pw_buf_release(&text);
}

static int put_finding(struct hunt *h, struct pw_bundle *b, size_t i,
		       struct pw_err *err)
{
	const struct group *g = &h->groups[h->findings[i]];
	const struct pw_mutation *mut = &h->candidates[g->candidate].mut;
	char *path = pw_asprintf("%s/" HUNT_MUTANT, h->box.dir);
	char *notation = hunt_notation(h, mut);
	char name[48];
	int ret = hunt_write_mutant(h, mut, err);

	pw_bundle_set(b, "finding", "%zu %s", i + 1, notation);
	pw_bundle_set(b, "closed", "%zu %.6f %.6f %.6f", i + 1, g->closed,
		      g->closed_ci.lo, g->closed_ci.hi);
	pw_bundle_set(b, "code_func", "%zu %u", i + 1,
		      g->evidence ? g->evidence->func_idx : mut->func_idx);
	set_accused(b, i, g->evidence);
	put_neighbours(h, b, i, mut);
	snprintf(name, sizeof(name), "mutant-%zu.wasm", i + 1);
	if (!ret)
		ret = put_file(b, name, path, err);
	snprintf(name, sizeof(name), "mutant-%zu.elf", i + 1);
	if (!ret)
		ret = put_code(h, b, name, path, err);
	free(notation);
	free(path);
	return ret;
}

int hunt_bundle(struct hunt *h, struct pw_bundle *b, struct pw_err *err)
{
	char *journal = pw_asprintf("%s/journal", h->o->dir);
	int ret = 0;

	set_facts(h, b);
	pw_bundle_put(b, "module.wasm", h->file.data, h->file.size);
	pw_bundle_put(b, "hunted.wasm", h->bytes.data, h->bytes.len);
	put_samples(h, b);
	ret = put_code(h, b, "suspect.elf", h->module_path, err);
	for (size_t i = 0; i < h->n_findings && !ret; i++)
		ret = put_finding(h, b, i, err);
	if (!ret && h->box.stdin_path)
		ret = put_file(b, "stdin", h->box.stdin_path, err);
	if (!ret)
		ret = put_file(b, "journal", journal, err);
	free(journal);
	return ret;
}
