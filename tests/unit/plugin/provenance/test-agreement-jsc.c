// SPDX-License-Identifier: GPL-2.0-only
/*
 * Provenance on JavaScriptCore against its own listing, which names the wasm
 * instruction of what it compiled. A run of the module's _start under perf
 * says which function is hot and where; then it is compiled, behind a trap
 * that no compiler can foresee, so that calling it until it is compiled runs
 * nothing. PERF_WASM_PROVENANCE_JSC="MODULE..." names modules; without it
 * nothing is done.
 */
#include "jsc-listing.h"

#include <perfwasm/provenance.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define EXPORT "pw:f"

static char dir[] = "/tmp/pw-jsc-XXXXXX";
static const uint8_t guard[] = { 0x3f, 0, 0x04, 0x40, 0x00, 0x0b };

struct jsc {
	const struct listing *ran; /* its code without the guard */
	const double *samples;     /* per instruction of that */
	uint64_t *said; /* per instruction: offset in the body, guard too */
	double *weight;
	uint32_t n;
};

/* --- the module ---------------------------------------------------------------- */

/* Adds an export of the function. */
static void add_export(const struct pw_module *m, uint32_t func_idx,
		       struct pw_buf *out)
{
	size_t size;
	const uint8_t *bytes = pw_module_bytes(m, &size);

	pw_buf_add(out, bytes, 8);
	for (uint32_t i = 0; i < pw_module_n_sections(m); i++) {
		const struct pw_section *s = pw_module_section(m, i);
		struct pw_buf payload = { 0 };
		struct pw_cursor c;

		if (s->id != 7) {
			pw_buf_add(out, bytes + s->off,
				   s->data_off + s->size - s->off);
			continue;
		}
		pw_cursor_init(&c, bytes + s->data_off, s->size, 0, NULL);
		pw_buf_add_uleb(&payload, pw_cursor_uleb32(&c) + 1);
		pw_buf_add(&payload, c.p, pw_cursor_left(&c));
		pw_buf_add_uleb(&payload, strlen(EXPORT));
		pw_buf_add(&payload, EXPORT, strlen(EXPORT));
		pw_buf_add_u8(&payload, 0);
		pw_buf_add_uleb(&payload, func_idx);
		pw_buf_add_u8(out, 7);
		pw_buf_add_uleb(out, payload.len);
		pw_buf_add(out, payload.data, payload.len);
		pw_buf_release(&payload);
	}
}

/* The module with the guard and the export. */
static int prepare(const uint8_t *module, size_t size, uint32_t func_idx,
		   struct pw_buf *out)
{
	struct pw_buf guarded = { 0 };
	struct pw_module *m = pw_module_decode(module, size, NULL), *g = NULL;
	int ret = m ? 0 : -EINVAL;

	if (!ret)
		ret = pw_splice_body(m, func_idx,
				     pw_module_func(m, func_idx)->code_off, 0,
				     guard, sizeof(guard), &guarded, NULL);
	if (!ret)
		g = pw_module_decode(guarded.data, guarded.len, NULL);
	if (g)
		add_export(g, func_idx, out);
	pw_module_free(g);
	pw_module_free(m);
	pw_buf_release(&guarded);
	return g ? 0 : -EINVAL;
}

/* --- compiling --------------------------------------------------------------------- */

static char *script(const struct pw_module *m, uint32_t func_idx,
		    const char *wasm)
{
	const struct pw_functype *t =
		pw_module_functype(m, pw_module_func(m, func_idx)->type_idx);
	struct pw_buf args = { 0 };
	char *js;

	for (uint32_t i = 0; i < t->n_params; i++)
		pw_buf_printf(&args, "%s,",
			      t->params[i] == PW_I64 ? "0n" : "0");
	js = pw_asprintf(
		"const any = new Proxy({}, {get: () => new Proxy({}, {get: () => () => 0})});\n"
		"const i = new WebAssembly.Instance(new WebAssembly.Module(readFile('%s', 'binary')), any);\n"
		"for (let k = 0; k < 50; k++) { try { i.exports['" EXPORT
		"'](%s); } catch (e) { } }\n",
		wasm, pw_buf_str(&args));
	pw_buf_release(&args);
	return js;
}

static const char *const eager[] = {
	"--thresholdForBBQOptimizeAfterWarmUp=1",
	"--thresholdForBBQOptimizeSoon=1",
	"--thresholdForOMGOptimizeAfterWarmUp=1",
	"--thresholdForOMGOptimizeSoon=1",
};

/* Runs a script, under perf when perf_data is given; all it prints. */
static int run_jsc(const char *js, const char *perf_data, struct pw_buf *out)
{
	const char *record[] = { "perf", "record",    "-q", "-F",     "5000",
				 "-e",   "cpu-clock", "-o", perf_data };
	char *path = pw_asprintf("%s/m.js", dir);
	const char *argv[24];
	int status, n = 0, ret = pw_file_write(path, js, strlen(js), NULL);

	for (size_t i = 0; perf_data && i < sizeof(record) / sizeof(*record);
	     i++)
		argv[n++] = record[i];
	argv[n++] = "jsc";
	argv[n++] = "--useConcurrentJIT=0";
	argv[n++] = "--useOMGInlining=0";
	argv[n++] = "--dumpOMGDisassembly=1";
	for (size_t i = 0; !perf_data && i < sizeof(eager) / sizeof(*eager);
	     i++)
		argv[n++] = eager[i];
	argv[n++] = path;
	argv[n] = NULL;
	if (!ret)
		ret = pw_child_run(argv, (uint64_t)60 * 1000000000, out, out,
				   64 << 20, &status, NULL);
	free(path);
	return ret;
}

/* The original's code: where jsc says it is from, and its samples, which the
 * same instructions have in the code that ran. */
static void remember(struct jsc *j, const struct listing *l)
{
	struct pw_code_diff_line *lines;
	uint32_t n_lines;

	j->said = l->said;
	j->n = l->n;
	j->weight = pw_zalloc((l->n + 1) * sizeof(*j->weight));
	assert_int_equal(pw_code_diff(j->ran->insns, j->ran->n, j->samples,
				      l->insns, l->n, &lines, &n_lines),
			 0);
	for (uint32_t i = 0; i < n_lines; i++)
		if (lines[i].side == PW_CODE_DIFF_SAME)
			j->weight[lines[i].fast_idx] =
				j->samples[lines[i].slow_idx];
	free(lines);
}

static int jsc_compile(void *ctx, const uint8_t *module, size_t size,
		       uint32_t func_idx, uint64_t known_hash,
		       struct pw_provenance_code *code, struct pw_err *err)
{
	struct pw_module *m = pw_module_decode(module, size, NULL);
	struct pw_buf ready = { 0 }, out = { 0 };
	char *wasm = pw_asprintf("%s/m.wasm", dir), *js = NULL;
	struct jsc *j = ctx;
	struct listings all = { 0 };
	struct listing l = { 0 };
	int ret = m ? prepare(module, size, func_idx, &ready) : -EINVAL;

	(void)known_hash;
	if (!ret)
		ret = pw_file_write(wasm, ready.data, ready.len, NULL);
	if (!ret) {
		js = script(m, func_idx, wasm);
		ret = run_jsc(js, NULL, &out) ? -EINVAL : 0;
	}
	if (!ret) {
		pw_buf_str(&out);
		read_listings(&all, (char *)out.data);
		if (all.n) { /* nothing else gets hot */
			l = all.fn[0];
			memset(&all.fn[0], 0, sizeof(l));
		}
		listings_release(&all);
		ret = l.n ? 0 : -EINVAL;
	}
	if (ret)
		pw_err_set(err, EINVAL, "jsc lists no code");
	code->insns = l.insns;
	code->n = l.n;
	code->hash = 1;
	for (uint32_t i = 0; i < l.n; i++) {
		code->hash = pw_hash(l.insns[i].opcode,
				     strlen(l.insns[i].opcode), code->hash);
		code->hash = pw_hash(l.insns[i].operands,
				     strlen(l.insns[i].operands), code->hash);
	}
	if (!j->said)
		remember(j, &l);
	else
		free(l.said);
	pw_buf_release(&ready);
	pw_buf_release(&out);
	pw_module_free(m);
	free(wasm);
	free(js);
	return ret;
}

/* --- running ------------------------------------------------------------------------- */

/* Counts the samples of every function's instructions; the hottest. */
static uint32_t count_samples(const struct listings *all, char *ips,
			      double **samples)
{
	double *sum = pw_zalloc((all->n + 1) * sizeof(*sum));
	uint32_t best = 0;

	for (char *ip = strtok(ips, "\n "); ip; ip = strtok(NULL, "\n ")) {
		uint64_t addr = strtoull(ip, NULL, 16);

		for (uint32_t k = 0; k < all->n; k++) {
			const struct listing *l = &all->fn[k];
			uint32_t i = 0;

			if (!l->n || addr < l->base ||
			    addr > l->base + l->insns[l->n - 1].text_off)
				continue;
			while (i + 1 < l->n &&
			       l->insns[i + 1].text_off <= addr - l->base)
				i++;
			samples[k][i]++;
			sum[k]++;
		}
	}
	for (uint32_t k = 0; k < all->n; k++)
		if (sum[k] > sum[best])
			best = k;
	free(sum);
	return best;
}

/* Runs _start a few times: the first call may end in code that was entered in
 * the middle. */
static uint32_t run_sampled(const char *module, struct listings *all,
			    double ***samples)
{
	char *data = pw_asprintf("%s/perf.data", dir);
	char *js = pw_asprintf(
		"const any = new Proxy({}, {get: () => new Proxy({}, {get: () => () => 0})});\n"
		"const m = new WebAssembly.Module(readFile('%s', 'binary'));\n"
		"const i = new WebAssembly.Instance(m, any);\n"
		"for (let k = 0; k < 4; k++) { try { i.exports._start(); } catch (e) { } }\n",
		module);
	const char *argv[] = { "perf", "script", "-F", "ip", "-i", data, NULL };
	struct pw_buf out = { 0 }, ips = { 0 };
	uint32_t best;
	int status;

	assert_int_equal(run_jsc(js, data, &out), 0);
	pw_buf_str(&out);
	read_listings(all, (char *)out.data);
	assert_true(all->n > 0);
	assert_int_equal(pw_child_run(argv, (uint64_t)60 * 1000000000, &ips,
				      NULL, 64 << 20, &status, NULL),
			 0);
	*samples = pw_alloc(all->n * sizeof(**samples));
	for (uint32_t k = 0; k < all->n; k++)
		(*samples)[k] =
			pw_zalloc((all->fn[k].n + 1) * sizeof(***samples));
	pw_buf_str(&ips);
	best = count_samples(all, (char *)ips.data, *samples);
	pw_buf_release(&out);
	pw_buf_release(&ips);
	free(data);
	free(js);
	return best;
}

/* --- agreement ----------------------------------------------------------------------- */

struct tree {
	uint64_t off[20000];
	uint32_t user[20000];
	char text[20000][24];
	uint32_t n, stack[1000], depth;
};

/* Operands by the stack alone; blocks do not matter for what follows. */
static void tree_make(struct tree *t, const struct pw_module *m, uint32_t f)
{
	struct pw_walk *w = pw_walk_new(m);
	struct pw_insn in;
	struct pw_buf text = { 0 };

	assert_int_equal(pw_walk_start(w, f, NULL), 0);
	while (pw_walk_next(w, &in, NULL) > 0 && t->n < 20000) {
		text.len = 0;
		pw_insn_print(m, &in, &text);
		t->off[t->n] = in.off;
		t->user[t->n] = UINT32_MAX;
		snprintf(t->text[t->n], sizeof(t->text[0]), "%.23s",
			 pw_buf_str(&text));
		for (uint32_t i = 0; i < in.n_operands && t->depth; i++)
			t->user[t->stack[--t->depth]] = t->n;
		for (uint32_t i = 0; i < in.n_results && t->depth < 1000; i++)
			t->stack[t->depth++] = t->n;
		t->n++;
	}
	pw_buf_release(&text);
	pw_walk_free(w);
}

static uint32_t index_at(const struct tree *t, uint64_t off)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->off[i] == off)
			return i;
	return UINT32_MAX;
}

static bool agrees(const struct tree *t, uint32_t ours, uint32_t said)
{
	uint32_t user = ours;

	if (ours == said)
		return ours != UINT32_MAX;
	while (ours != UINT32_MAX && user != UINT32_MAX) {
		user = t->user[user];
		if (user == said)
			return true;
		/* local.tee hands its operand on */
		if (user == UINT32_MAX ||
		    strncmp(t->text[user], "local.tee", 9))
			return false;
	}
	return false;
}

struct tally {
	double mapped, same, agree; /* samples */
};

static double share(double part, const struct tally *t)
{
	return t->mapped > 0 ? 100 * part / t->mapped : 0;
}

static void show(const struct tree *t, uint32_t i, uint32_t said, uint32_t ours,
		 double weight)
{
	if (getenv("PERF_WASM_PROVENANCE_SHOW"))
		print_message("%s %3u %6.0f %-26s %s\n",
			      said == UINT32_MAX      ? " "
			      : agrees(t, ours, said) ? "="
						      : "X",
			      i, weight,
			      said == UINT32_MAX ? "" : t->text[said],
			      ours == UINT32_MAX ? "" : t->text[ours]);
}

/* body: where the function's body begins in the module. */
static void compare(const struct tree *t, const struct jsc *j,
		    const struct pw_provenance *p, uint64_t body,
		    struct tally *sum)
{
	for (uint32_t i = 0; i < p->n && i < j->n; i++) {
		uint32_t ours = index_at(t, p->insns[i].wasm_off);
		uint32_t said = UINT32_MAX;

		if (j->said[i] != PW_NO_OFF)
			said = index_at(t, body + j->said[i] - sizeof(guard));
		show(t, i, said, ours, j->weight[i]);
		if (said == UINT32_MAX)
			continue;
		sum->mapped += j->weight[i];
		if (ours == said)
			sum->same += j->weight[i];
		if (agrees(t, ours, said))
			sum->agree += j->weight[i];
	}
}

static void check(const char *path)
{
	struct tree *t = pw_zalloc(sizeof(*t));
	struct listings all;
	double **samples;
	uint32_t hot = run_sampled(path, &all, &samples);
	struct jsc j = { .ran = &all.fn[hot], .samples = samples[hot] };
	struct pw_provenance_compiler compiler = { jsc_compile, &j };
	struct pw_provenance_opts opts = { .box_dir = dir };
	struct tally sum = { 0 };
	struct pw_err err = { .msg = "" };
	struct pw_provenance p;
	struct pw_file file;
	struct pw_module *m;
	uint32_t f;

	assert_int_equal(pw_file_open(&file, path, NULL), 0);
	m = pw_module_decode(file.data, file.size, NULL);
	assert_non_null(m);
	f = pw_module_n_imported(m, PW_EXT_FUNC) + j.ran->local_idx;
	tree_make(t, m, f);
	if (pw_provenance_search(&compiler, m, f, &opts, &p, &err))
		fail_msg("%s", err.msg);
	compare(t, &j, &p, pw_module_func(m, f)->body_off, &sum);
	print_message(
		"%s f%u on jsc: %.1f%% agree (%.1f%% same) of %.0f samples whose origin its listing names; %u mutants\n",
		path, f, share(sum.agree, &sum), share(sum.same, &sum),
		sum.mapped, p.n_mutants);
	assert_true(sum.mapped >= 100 && share(sum.agree, &sum) >= 90);
	pw_provenance_release(&p);
	pw_module_free(m);
	pw_file_close(&file);
	for (uint32_t k = 0; k < all.n; k++)
		free(samples[k]);
	free(samples);
	listings_release(&all);
	free(j.said);
	free(j.weight);
	free(t);
}

static void named_modules_agree(void **state)
{
	const char *names = getenv("PERF_WASM_PROVENANCE_JSC");
	char *copy, *rest, *name, *jsc = pw_find_program("jsc");

	(void)state;
	free(jsc);
	if (!names || !jsc) {
		print_message(
			names ? "jsc is not installed\n"
			      : "no modules are named: tests/real/test-provenance.sh names some\n");
		skip();
	}
	copy = rest = pw_strdup(names);
	while ((name = strsep(&rest, " ")))
		if (*name)
			check(name);
	free(copy);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return pw_remove_tree(dir, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named_modules_agree),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
