// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, origins: which wasm instruction the hot machine
 * instructions came from, on a suspect that does not tell. Found by compiling
 * variants, for so long and no longer.
 */
#include "steps.h"

#include <perfwasm/provenance.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A function with a smaller share of the samples is not worth it. */
#define HOT_SHARE 0.1
/* Compiling may take so long in all, and so many variants for each mutant that
 * the hunt may run; few say little. */
#define SPEND_NS   12000000000ull
#define PER_MUTANT 4
#define BUDGET_MIN 40

static uint32_t budget_of(const struct hunt *h, uint64_t compile_ns)
{
	uint64_t n = SPEND_NS / (compile_ns + 1);
	uint64_t most = (uint64_t)h->o->budget * PER_MUTANT;

	return (uint32_t)(n < most ? n : most);
}

static int search(struct hunt *h, uint32_t func_idx, uint64_t compile_ns,
		  struct pw_buf *out, struct pw_err *err)
{
	struct pw_provenance_opts o = { .box_dir = h->box.dir,
					.budget = budget_of(h, compile_ns) };
	struct pw_provenance p;
	int ret = o.budget < BUDGET_MIN ? -ENOENT
					: hunt_open(h, &h->suspect, err);

	if (!ret)
		ret = pw_provenance_function(h->suspect.session, h->module,
					     func_idx, &o, &p, err);
	if (ret)
		return ret == -EINTR ? ret : 0;
	for (uint32_t i = 0; i < p.n; i++)
		if (p.insns[i].wasm_off != PW_NO_OFF)
			pw_buf_printf(out, " %llx:%llx",
				      (unsigned long long)p.insns[i].text_off,
				      (unsigned long long)p.insns[i].wasm_off);
	pw_provenance_release(&p);
	return 0;
}

static int find(struct hunt *h, struct pw_buf *out, struct pw_err *err)
{
	uint64_t from_ns = pw_now_ns();
	const struct pw_code_func *f;
	struct image im;
	int ret = hunt_compile(h, h->module_path, &im, err);

	if (ret)
		return ret;
	if (im.code && !pw_code_has_map(im.code)) {
		f = hunt_hottest(h, im.code, HOT_SHARE);
		if (f)
			ret = search(h, (uint32_t)f->wasm_idx,
				     pw_now_ns() - from_ns, out, err);
	}
	hunt_image_release(&im);
	return ret;
}

/* " TEXT:WASM TEXT:WASM ...", the journal's form. */
void hunt_origins_parse(struct hunt *h, const char *text)
{
	char *p = (char *)text;

	free(h->origins.v);
	h->origins.n = 0;
	h->origins.v =
		pw_zalloc((strlen(text) / 4 + 1) * sizeof(*h->origins.v));
	while (*p == ' ') {
		struct origin o = { .text_off = strtoull(p, &p, 16) };

		if (*p != ':')
			break;
		o.wasm_off = strtoull(p + 1, &p, 16);
		h->origins.v[h->origins.n++] = o;
	}
}

uint64_t hunt_origin(const struct hunt *h, uint64_t text_off)
{
	for (size_t i = 0; i < h->origins.n; i++)
		if (h->origins.v[i].text_off == text_off)
			return h->origins.v[i].wasm_off;
	return PW_NO_OFF;
}

int hunt_origins(struct hunt *h, struct pw_err *err)
{
	const char *text = pw_journal_find(h->journal, "origins", "hot");
	struct pw_buf found = { 0 };
	int ret = 0;

	if (!h->suspect.rt.shows_code || !h->samples.n)
		return 0;
	if (!text) {
		hunt_progress(h, "origins", 0, 0, 0);
		ret = find(h, &found, err);
		text = pw_buf_str(&found);
		if (!ret)
			ret = pw_journal_add(h->journal, "origins", "hot", err,
					     "%s", text);
	}
	if (!ret)
		hunt_origins_parse(h, text);
	for (size_t i = 0; i < h->samples.n; i++)
		if (h->samples.wasm_off[i] == PW_NO_OFF)
			h->samples.wasm_off[i] =
				hunt_origin(h, h->samples.text_off[i]);
	pw_buf_release(&found);
	return ret;
}
