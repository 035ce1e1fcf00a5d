// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a capture lacks of its code: its modules are compiled once more on a
 * runtime that shows what it made, and hot functions with one instruction
 * changed at a time. Nothing is run. Whether the code is that of the capture,
 * plugin/space finds out by its opcodes.
 */
#include "capture-source.h"

#include <perfwasm/provenance.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *make_box(struct pw_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *box = pw_asprintf("%s/perf-wasm-XXXXXX",
				tmp && *tmp == '/' ? tmp : "/tmp");

	if (mkdtemp(box))
		return box;
	pw_err_set(err, errno, "%s: %s", box, strerror(errno));
	free(box);
	return NULL;
}

/* A runtime at work in a folder that it may write to. */
struct workshop {
	struct pw_runtime rt;
	struct pw_session *session;
	char *box;
};

static void workshop_close(struct workshop *w)
{
	pw_session_close(w->session);
	if (w->box)
		pw_remove_tree(w->box, NULL);
	free(w->box);
	pw_runtime_release(&w->rt);
}

static int workshop_open(struct workshop *w, const char *spec,
			 struct pw_err *err)
{
	struct pw_session_opts o = { 0 };
	int ret;

	memset(w, 0, sizeof(*w));
	ret = pw_runtime_find(&w->rt, spec, err);
	if (ret)
		return ret;
	if (!w->rt.shows_code) {
		workshop_close(w);
		return pw_err_set(err, ENOTSUP,
				  "%s does not show the code it makes", spec);
	}
	w->box = make_box(err);
	o.box_dir = w->box;
	if (w->box)
		w->session = pw_session_open(&w->rt, &o, err);
	if (w->session)
		return 0;
	workshop_close(w);
	return -EIO;
}

/* --- artifacts ------------------------------------------------------------------ */

/* Compiles a module; the caller frees the path of its artifact. */
static char *artifact_of(struct source *s, struct workshop *w, int module,
			 struct pw_err *err)
{
	const struct pw_module *m = pw_space_module(s->space, module);
	char *from = pw_asprintf("%s/m%d.wasm", w->box, module);
	char *to = pw_asprintf("%s/m%d.elf", w->box, module);
	const struct pw_host_request req = { .module_path = from,
					     .artifact_path = to,
					     .compile_only = true };
	struct pw_host_reply reply;
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size);
	int ret = pw_file_write(from, bytes, size, err);

	if (!ret)
		ret = pw_session_run(w->session, &req, &reply, err);
	if (!ret && reply.outcome != PW_OUT_OK)
		ret = pw_err_set(err, EINVAL, "it does not compile: %s",
				 reply.message);
	if (ret)
		pw_err_prefix(err, "%s on %s",
			      pw_space_module_name(s->space, module),
			      s->runtime);
	free(from);
	if (!ret)
		return to;
	free(to);
	return NULL;
}

int cmd_source_compile(struct source *s, struct pw_err *err)
{
	uint32_t n = pw_space_n_modules(s->space);
	struct workshop w;
	int ret;

	if (!n)
		return pw_err_set(
			err, ENOENT,
			"there is no module to compile on %s: give it with --wasm",
			s->runtime);
	ret = workshop_open(&w, s->runtime, err);
	if (ret)
		return ret;
	for (uint32_t i = 0; !ret && i < n; i++) {
		char *path = artifact_of(s, &w, (int)i, err);

		ret = path ? pw_space_add_artifact(s->space, path, (int)i, err)
			   : -EINVAL;
		free(path);
	}
	workshop_close(&w);
	return ret;
}

/* --- provenance -------------------------------------------------------------------- */

/* Functions of this share of the samples in wasm code are worth it. */
#define WORTH_IT 0.02

static int find_offsets(struct source *s, struct workshop *w,
			const struct pw_code *code, const struct pw_symbol *sym,
			struct pw_err *err)
{
	const struct pw_code_func *f =
		pw_code_func_find(code, (uint32_t)sym->func_idx);
	const struct pw_provenance_opts o = { .box_dir = w->box };
	struct pw_code_offset *offs;
	struct pw_provenance p;
	struct pw_minsn *insns;
	uint32_t n;
	uint64_t shape;
	int ret;

	if (!f || pw_code_disasm(code, f, &insns, &n, NULL))
		return 0;
	shape = pw_code_shape(insns, n);
	free(insns);
	ret = pw_provenance_function(w->session,
				     pw_space_module(s->space, sym->module),
				     (uint32_t)sym->func_idx, &o, &p, err);
	if (ret)
		return ret == -EINTR ? ret : 0;
	offs = pw_alloc((p.n + 1) * sizeof(*offs));
	for (uint32_t i = 0; i < p.n; i++)
		offs[i] = (struct pw_code_offset){
			p.insns[i].text_off - f->text_off, p.insns[i].wasm_off
		};
	pw_space_add_offsets(s->space, sym->module, (uint32_t)sym->func_idx,
			     shape, offs, p.n);
	free(offs);
	pw_provenance_release(&p);
	return 0;
}

/* Code of the baseline compiler, or all that is not. */
static bool is_baseline(const struct pw_symbol *sym)
{
	return sym->tier == PW_TIER_BASELINE;
}

/* What to find: functions with so many samples, of all tiers or some. */
struct search {
	uint64_t least;
	bool all_tiers, baseline;
};

static bool is_wanted(const struct search *x, const struct pw_function *f,
		      int module, uint32_t event)
{
	return f->sym->kind == PW_PLACE_WASM && f->sym->module == module &&
	       f->sym->func_idx >= 0 && f->self[event].period >= x->least &&
	       (x->all_tiers || is_baseline(f->sym) == x->baseline);
}

static int find_in_module(struct source *s, struct workshop *w, int module,
			  const struct search *x, struct pw_err *err)
{
	char *path = artifact_of(s, w, module, err);
	uint32_t event = pw_profile_main_event(s->profile);
	struct pw_file file = { 0 };
	struct pw_code *code = NULL;
	struct pw_function f;
	int ret = path ? pw_file_open(&file, path, err) : -EINVAL;

	if (!ret)
		code = pw_code_open(
			file.data, file.size,
			pw_module_n_imported(pw_space_module(s->space, module),
					     PW_EXT_FUNC),
			err);
	if (!ret && !code)
		ret = -EINVAL;
	for (uint32_t i = 0; !ret && i < pw_profile_n_functions(s->profile);
	     i++) {
		pw_profile_function(s->profile, i, &f);
		if (is_wanted(x, &f, module, event))
			ret = find_offsets(s, w, code, f.sym, err);
	}
	pw_code_close(code);
	pw_file_close(&file);
	free(path);
	return ret;
}

/* Whether there is anything to find; compiling costs. */
static bool any_wanted(const struct source *s, const struct search *x)
{
	uint32_t event = pw_profile_main_event(s->profile);
	struct pw_function f;

	for (uint32_t i = 0; i < pw_profile_n_functions(s->profile); i++) {
		pw_profile_function(s->profile, i, &f);
		if (f.sym->module >= 0 &&
		    is_wanted(x, &f, f.sym->module, event))
			return true;
	}
	return false;
}

static int find_with(struct source *s, const char *spec, const struct search *x,
		     struct pw_err *err)
{
	struct workshop w;
	int ret;

	if (!any_wanted(s, x))
		return 0;
	ret = workshop_open(&w, spec, err);
	if (ret)
		return ret;
	for (uint32_t i = 0; !ret && i < pw_space_n_modules(s->space); i++)
		ret = find_in_module(s, &w, (int)i, x, err);
	workshop_close(&w);
	return ret;
}

static uint64_t wasm_period(const struct source *s, uint32_t event)
{
	struct pw_function f;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < pw_profile_n_functions(s->profile); i++) {
		pw_profile_function(s->profile, i, &f);
		if (f.sym->kind == PW_PLACE_WASM)
			sum += f.self[event].period;
	}
	return sum;
}

/*
 * A runtime that shows its optimised code unless asked otherwise is asked
 * twice, once for each tier that was sampled. Options that the user gave
 * stand as they are.
 */
int cmd_source_provenance(struct source *s, struct pw_err *err)
{
	uint32_t event = pw_profile_main_event(s->profile);
	struct search x = { 0 };
	struct pw_runtime rt;
	char *baseline;
	int ret;

	if (event == UINT32_MAX)
		return 0;
	ret = pw_runtime_find(&rt, s->runtime, err);
	if (ret)
		return ret;
	x.least = (uint64_t)(WORTH_IT * (double)wasm_period(s, event)) ?: 1;
	x.all_tiers = !rt.baseline || strchr(s->runtime, '?');
	ret = find_with(s, s->runtime, &x, err);
	x.baseline = true;
	if (!ret && !x.all_tiers) {
		baseline = pw_asprintf("%s?%s", s->runtime, rt.baseline);
		ret = find_with(s, baseline, &x, err);
		free(baseline);
	}
	pw_runtime_release(&rt);
	return ret;
}
