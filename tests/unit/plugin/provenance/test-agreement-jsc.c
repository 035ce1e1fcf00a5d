// SPDX-License-Identifier: GPL-2.0-only
/*
 * Provenance on JavaScriptCore against its own listing, which names the wasm
 * instruction of what it compiled. The function under test begins with a
 * trap that no compiler can foresee, so that calling it until it is compiled
 * runs nothing. Every machine instruction in a loop with a wasm instruction in
 * the listing counts once. PERF_WASM_PROVENANCE_JSC="MODULE..." names modules,
 * whose largest function is taken; without it nothing is done.
 */
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
	uint64_t *said; /* per instruction: offset in the body, guard too */
	bool *in_loop;
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

/* --- the listing --------------------------------------------------------------- */

struct listing {
	struct pw_minsn *insns;
	uint64_t *said;
	uint32_t n, cap;
	uint64_t base, last; /* address; the place the last line named */
};

/* Addresses that differ from run to run are cut. */
static void copy_operands(char *to, size_t size, const char *from)
{
	size_t n = 0;

	while (*from && n + 2 < size) {
		if (!strncmp(from, "0x7f", 4) &&
		    strspn(from + 2, "0123456789abcdef") > 9) {
			from += 2 + strspn(from + 2, "0123456789abcdef");
			to[n++] = '@';
			continue;
		}
		to[n++] = *from++;
	}
	to[n] = 0;
}

static void add_asm(struct listing *l, const char *text)
{
	char *rest;
	uint64_t addr = strtoull(text, &rest, 16);
	struct pw_minsn *m;
	size_t len;

	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 256;
		l->insns = pw_realloc(l->insns, l->cap * sizeof(*l->insns));
		l->said = pw_realloc(l->said, l->cap * sizeof(*l->said));
	}
	if (!l->n)
		l->base = addr;
	m = &l->insns[l->n];
	memset(m, 0, sizeof(*m));
	l->said[l->n++] = l->last;
	rest += strspn(rest, ": ");
	len = strcspn(rest, " ");
	snprintf(m->opcode, sizeof(m->opcode), "%.*s", (int)len, rest);
	rest += len;
	rest += strspn(rest, " ");
	m->text_off = addr - l->base;
	m->size_bytes = 1;
	m->wasm_off = m->target = PW_NO_OFF;
	m->is_jump = m->opcode[0] == 'j';
	m->is_cond = m->is_jump && strcmp(m->opcode, "jmp");
	m->is_call = !strncmp(m->opcode, "call", 4);
	if (m->is_jump && !strncmp(rest, "0x", 2))
		m->target = strtoull(rest, NULL, 16) - l->base;
	copy_operands(m->operands, sizeof(m->operands), rest);
}

/* The first function that is listed: nothing else gets hot. */
static void read_listing(struct listing *l, char *text)
{
	char *line, *save = NULL, *at;
	bool inside = false;

	memset(l, 0, sizeof(*l));
	l->last = PW_NO_OFF;
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!strncmp(line, "Generated", 9)) {
			if (inside)
				return;
			inside = strstr(line, "WebAssembly OMG function");
		} else if (inside && !strncmp(line, "b3 ", 3)) {
			at = strstr(line, "location: 0x");
			l->last = at ? strtoull(at + 10, NULL, 16) : PW_NO_OFF;
		} else if (inside && !strncmp(line, "asm ", 4)) {
			add_asm(l, line + 4);
		}
	}
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

static int run_jsc(const struct pw_module *m, uint32_t func_idx,
		   const struct pw_buf *module, struct pw_buf *out)
{
	char *wasm = pw_asprintf("%s/m.wasm", dir);
	char *path = pw_asprintf("%s/m.js", dir);
	char *js = script(m, func_idx, wasm);
	const char *argv[] = { "jsc",
			       "--useConcurrentJIT=0",
			       "--useOMGInlining=0",
			       "--thresholdForBBQOptimizeAfterWarmUp=1",
			       "--thresholdForBBQOptimizeSoon=1",
			       "--thresholdForOMGOptimizeAfterWarmUp=1",
			       "--thresholdForOMGOptimizeSoon=1",
			       "--dumpOMGDisassembly=1",
			       path,
			       NULL };
	int status, ret = pw_file_write(wasm, module->data, module->len, NULL);

	if (!ret)
		ret = pw_file_write(path, js, strlen(js), NULL);
	if (!ret)
		ret = pw_child_run(argv, (uint64_t)10 * 1000000000, out, out,
				   8 << 20, &status, NULL);
	free(js);
	free(path);
	free(wasm);
	return ret;
}

/* The original's code: where jsc says it is from, what is in a loop. */
static void remember(struct jsc *j, const struct listing *l)
{
	struct pw_loop *loops = NULL;
	uint32_t n_loops = 0;

	pw_code_loops(l->insns, l->n, &loops, &n_loops);
	j->said = l->said;
	j->n = l->n;
	j->in_loop = pw_zalloc(l->n + 1);
	for (uint32_t i = 0; i < l->n; i++)
		j->in_loop[i] =
			pw_code_loop_of(loops, n_loops, i) != UINT32_MAX;
	free(loops);
}

static int jsc_compile(void *ctx, const uint8_t *module, size_t size,
		       uint32_t func_idx, uint64_t known_hash,
		       struct pw_provenance_code *code, struct pw_err *err)
{
	struct pw_module *m = pw_module_decode(module, size, NULL);
	struct pw_buf ready = { 0 }, out = { 0 };
	struct jsc *j = ctx;
	struct listing l = { 0 };
	int ret = m ? prepare(module, size, func_idx, &ready) : -EINVAL;

	(void)known_hash;
	if (!ret)
		ret = run_jsc(m, func_idx, &ready, &out) ? -EINVAL : 0;
	if (!ret) {
		pw_buf_str(&out);
		read_listing(&l, (char *)out.data);
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
	return ret;
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

static uint32_t largest_func(const struct pw_module *m)
{
	uint32_t best = pw_module_n_imported(m, PW_EXT_FUNC);

	for (uint32_t i = best; i < pw_module_n(m, PW_EXT_FUNC); i++)
		if (pw_module_func(m, i)->body_size >
		    pw_module_func(m, best)->body_size)
			best = i;
	return best;
}

struct tally {
	unsigned mapped, same, agree;
};

static void count(struct tally *t, bool same, bool agree)
{
	t->mapped++;
	t->same += same;
	t->agree += agree;
}

static double share(unsigned part, const struct tally *t)
{
	return t->mapped ? 100.0 * part / t->mapped : 0;
}

static void show(const struct tree *t, uint32_t i, uint32_t said, uint32_t ours,
		 bool in_loop)
{
	if (getenv("PERF_WASM_PROVENANCE_SHOW"))
		print_message("%s %3u%s %-26s %s\n",
			      said == UINT32_MAX      ? " "
			      : agrees(t, ours, said) ? "="
						      : "X",
			      i, in_loop ? " loop" : "     ",
			      said == UINT32_MAX ? "" : t->text[said],
			      ours == UINT32_MAX ? "" : t->text[ours]);
}

/* body: where the function's body begins in the module. */
static void compare(const struct tree *t, const struct jsc *j,
		    const struct pw_provenance *p, uint64_t body,
		    struct tally *all, struct tally *loops)
{
	for (uint32_t i = 0; i < p->n && i < j->n; i++) {
		uint32_t ours = index_at(t, p->insns[i].wasm_off);
		uint32_t said = UINT32_MAX;

		if (j->said[i] != PW_NO_OFF)
			said = index_at(t, body + j->said[i] - sizeof(guard));
		show(t, i, said, ours, j->in_loop[i]);
		if (said == UINT32_MAX)
			continue;
		count(all, ours == said, agrees(t, ours, said));
		if (j->in_loop[i])
			count(loops, ours == said, agrees(t, ours, said));
	}
}

/* The largest function of a module; what its loops have is added to *sum. */
static void check(const char *path, struct tally *sum)
{
	struct tree *t = pw_zalloc(sizeof(*t));
	struct jsc j = { 0 };
	struct pw_provenance_compiler compiler = { jsc_compile, &j };
	struct pw_provenance_opts opts = { .box_dir = dir };
	struct tally all = { 0 }, loops = { 0 };
	struct pw_err err = { .msg = "" };
	struct pw_provenance p;
	struct pw_file file;
	struct pw_module *m;
	uint32_t f;

	assert_int_equal(pw_file_open(&file, path, NULL), 0);
	m = pw_module_decode(file.data, file.size, NULL);
	assert_non_null(m);
	f = largest_func(m);
	tree_make(t, m, f);
	if (pw_provenance_search(&compiler, m, f, &opts, &p, &err))
		fail_msg("%s", err.msg);
	compare(t, &j, &p, pw_module_func(m, f)->body_off, &all, &loops);
	print_message(
		"%s on jsc: in loops %.1f%% agree (%.1f%% same) of %u instructions that its listing names, in all %.1f%% of %u; %u mutants\n",
		path, share(loops.agree, &loops), share(loops.same, &loops),
		loops.mapped, share(all.agree, &all), all.mapped, p.n_mutants);
	pw_provenance_release(&p);
	pw_module_free(m);
	pw_file_close(&file);
	free(j.said);
	free(j.in_loop);
	free(t);
	sum->mapped += loops.mapped;
	sum->same += loops.same;
	sum->agree += loops.agree;
}

static void named_modules_agree(void **state)
{
	const char *names = getenv("PERF_WASM_PROVENANCE_JSC");
	char *copy, *rest, *name, *jsc = pw_find_program("jsc");
	struct tally sum = { 0 };

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
			check(name, &sum);
	free(copy);
	print_message("jsc: %.1f%% of %u instructions in loops agree\n",
		      share(sum.agree, &sum), sum.mapped);
	assert_true(sum.mapped > 0 && share(sum.agree, &sum) >= 90);
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
