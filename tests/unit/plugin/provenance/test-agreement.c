// SPDX-License-Identifier: GPL-2.0-only
/*
 * Provenance against what Wasmtime itself says (.wasmtime.addrmap): of the
 * instructions (or samples) with a mapping, how many have the same wasm
 * instruction, or a direct operand of it. Figures are printed, a line a
 * module. PERF_WASM_PROVENANCE="MODULE..." has other modules than ours run
 * and sampled; PERF_WASM_PROVENANCE_SHOW shows every instruction.
 */
#include <perfwasm/provenance.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define RUNTIME "wasmtime@50.0.1"
#define SAMPLES 3000

static char box[] = "/tmp/pw-provenance-XXXXXX";
static struct pw_runtime rt;
static struct pw_session *session;

/* --- one module ------------------------------------------------------------------ */

struct subject {
	struct pw_file file, elf;
	struct pw_module *m;
	struct pw_code *code;
	uint64_t *samples; /* text offsets */
	size_t n_samples;
};

static char *in_box(const char *name)
{
	return pw_asprintf("%s/%s", box, name);
}

static void request(struct pw_host_request *req, const char *module)
{
	*req = (struct pw_host_request){
		.module_path = module,
		.empty_imports = "*",
		.cpu_limit_ns = (uint64_t)120 * 1000000000,
		.wall_limit_ns = (uint64_t)240 * 1000000000,
		.memory_limit_bytes = (uint64_t)4 << 30,
		.output_limit_bytes = 1 << 20,
	};
}

static void read_samples(struct subject *s, const char *path)
{
	struct pw_file f;
	struct pw_buf text = { 0 };
	char *line, *save = NULL;

	assert_int_equal(pw_file_open(&f, path, NULL), 0);
	pw_buf_add(&text, f.data, f.size);
	pw_buf_str(&text);
	s->samples = pw_zalloc((f.size / 2 + 1) * sizeof(*s->samples));
	for (line = strtok_r((char *)text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *end;
		uint64_t off = strtoull(line, &end, 16);

		if (end != line)
			s->samples[s->n_samples++] = off;
	}
	pw_buf_release(&text);
	pw_file_close(&f);
}

static void run_subject(struct pw_host_request *req, const char *path)
{
	struct pw_host_reply reply;
	struct pw_err err = { .msg = "" };

	if (pw_session_run(session, req, &reply, &err))
		fail_msg("%s", err.msg);
	if (reply.outcome != PW_OUT_OK && reply.outcome != PW_OUT_EXIT)
		fail_msg("%s: %s", path, reply.message);
	req->sample_period_ns = reply.cpu_ns / SAMPLES;
	if (req->sample_period_ns < 50000)
		req->sample_period_ns = 50000;
}

/* The module is copied into the box and its image read; with `run` it is run
 * twice, to see how long it takes and with samples. */
static void subject_open(struct subject *s, const char *path, bool run)
{
	char *module = in_box("subject.wasm"), *elf = in_box("subject.elf");
	char *samples = in_box("samples");
	struct pw_host_request req;

	memset(s, 0, sizeof(*s));
	assert_int_equal(pw_file_open(&s->file, path, NULL), 0);
	assert_int_equal(pw_file_write(module, s->file.data, s->file.size,
				       NULL),
			 0);
	s->m = pw_module_decode(s->file.data, s->file.size, NULL);
	assert_non_null(s->m);
	request(&req, module);
	req.artifact_path = elf;
	req.compile_only = !run;
	run_subject(&req, path);
	req.artifact_path = NULL;
	req.samples_path = samples;
	if (run) {
		run_subject(&req, path);
		read_samples(s, samples);
	}
	assert_int_equal(pw_file_open(&s->elf, elf, NULL), 0);
	s->code = pw_code_open(s->elf.data, s->elf.size,
			       pw_module_n_imported(s->m, PW_EXT_FUNC), NULL);
	assert_non_null(s->code);
	free(module);
	free(elf);
	free(samples);
}

static void subject_close(struct subject *s)
{
	free(s->samples);
	pw_code_close(s->code);
	pw_file_close(&s->elf);
	pw_module_free(s->m);
	pw_file_close(&s->file);
}

/* --- direct operands ---------------------------------------------------------------- */

#define MAX_OPERANDS 4

struct node {
	uint64_t off;
	uint32_t operand[MAX_OPERANDS]; /* indexes of instructions */
	uint32_t n_operands;
	char text[48];
};

struct graph {
	struct node *v;
	uint32_t n, cap;
	uint32_t *stack, depth, stack_cap; /* who pushed each value */
};

static void graph_push(struct graph *g, uint32_t who)
{
	if (g->depth == g->stack_cap) {
		g->stack_cap = g->stack_cap ? 2 * g->stack_cap : 64;
		g->stack =
			pw_realloc(g->stack, g->stack_cap * sizeof(*g->stack));
	}
	g->stack[g->depth++] = who;
}

static void graph_add(struct graph *g, const struct pw_module *m,
		      const struct pw_insn *insn)
{
	struct pw_buf text = { 0 };
	struct node *n;

	if (g->n == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 256;
		g->v = pw_realloc(g->v, g->cap * sizeof(*g->v));
	}
	n = &g->v[g->n++];
	*n = (struct node){ .off = insn->off };
	pw_insn_print(m, insn, &text);
	snprintf(n->text, sizeof(n->text), "%s", pw_buf_str(&text));
	pw_buf_release(&text);
	for (uint32_t i = 0; i < insn->n_operands && g->depth; i++) {
		g->depth--;
		if (n->n_operands < MAX_OPERANDS)
			n->operand[n->n_operands++] = g->stack[g->depth];
	}
	for (uint32_t i = 0; i < insn->n_results; i++)
		graph_push(g, insn->idx);
}

static void graph_make(struct graph *g, const struct pw_module *m,
		       uint32_t func_idx)
{
	struct pw_walk *w = pw_walk_new(m);
	struct pw_insn insn;

	memset(g, 0, sizeof(*g));
	assert_int_equal(pw_walk_start(w, func_idx, NULL), 0);
	while (pw_walk_next(w, &insn, NULL) > 0)
		graph_add(g, m, &insn);
	pw_walk_free(w);
}

static void graph_free(struct graph *g)
{
	free(g->v);
	free(g->stack);
}

static const struct node *node_at(const struct graph *g, uint64_t off)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (g->v[i].off == off)
			return &g->v[i];
	return NULL;
}

/* --- agreement ------------------------------------------------------------------------ */

struct tally {
	uint64_t mapped, same, operand;
	uint32_t n_funcs, n_mutants;
	double seconds;
};

/* local.tee hands its operand on. */
static bool is_operand(const struct graph *g, const struct node *of,
		       uint64_t off)
{
	for (uint32_t i = 0; of && i < of->n_operands; i++) {
		const struct node *n = &g->v[of->operand[i]];

		if (n->off == off || (!strncmp(n->text, "local.tee", 9) &&
				      n != of && is_operand(g, n, off)))
			return true;
	}
	return false;
}

static void compare(const struct subject *s, const struct graph *g,
		    const struct pw_provenance_insn *p, uint64_t weight,
		    struct tally *t)
{
	uint64_t said = pw_code_wasm_off(s->code, p->text_off);

	if (said == PW_NO_OFF)
		return;
	t->mapped += weight;
	if (p->wasm_off == PW_NO_OFF)
		return;
	if (p->wasm_off == said)
		t->same += weight;
	else if (is_operand(g, node_at(g, said), p->wasm_off))
		t->operand += weight;
}

static void show(const struct subject *s, const struct graph *g,
		 const struct pw_code_func *f, const struct pw_provenance *p,
		 const uint64_t *weight)
{
	struct pw_minsn *insns;
	uint32_t n;

	if (!getenv("PERF_WASM_PROVENANCE_SHOW"))
		return;
	assert_int_equal(pw_code_disasm(s->code, f, &insns, &n, NULL), 0);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t said = pw_code_wasm_off(s->code, insns[i].text_off);
		const struct node *a = node_at(g, said);
		const struct node *b = node_at(g, p->insns[i].wasm_off);
		const char *mark = !a                         ? " "
				   : !b                       ? "-"
				   : a == b                   ? "="
				   : is_operand(g, a, b->off) ? "o"
							      : "X";
		print_message("%s %6llu %-10s %-30s %4d %-24s %4d %-24s %.2f\n",
			      mark, (unsigned long long)weight[i],
			      insns[i].opcode, insns[i].operands,
			      a ? (int)(a - g->v) : -1, a ? a->text : "",
			      b ? (int)(b - g->v) : -1, b ? b->text : "",
			      p->insns[i].confidence);
	}
	free(insns);
}

/* Samples of each instruction of a function. */
static uint64_t *weigh(const struct subject *s, const struct pw_provenance *p)
{
	uint64_t *weight = pw_zalloc((p->n + 1) * sizeof(*weight));

	for (size_t i = 0; i < s->n_samples; i++) {
		const struct pw_provenance_insn *at =
			pw_provenance_find(p, s->samples[i]);

		if (at)
			weight[at - p->insns]++;
	}
	return weight;
}

/* weighted: by samples, else every instruction counts once. */
static void check_func(const struct subject *s, const struct pw_code_func *f,
		       bool weighted, struct tally *t)
{
	struct pw_provenance_opts opts = { .box_dir = box };
	struct pw_err err = { .msg = "" };
	uint64_t *weight, start = pw_now_ns();
	struct pw_provenance p;
	struct graph g;

	if (pw_provenance_function(session, s->m, (uint32_t)f->wasm_idx, &opts,
				   &p, &err))
		fail_msg("%s", err.msg);
	assert_true(p.alone);
	t->seconds += (double)(pw_now_ns() - start) / 1e9;
	t->n_mutants += p.n_mutants;
	t->n_funcs++;
	weight = weigh(s, &p);
	graph_make(&g, s->m, (uint32_t)f->wasm_idx);
	for (uint32_t k = 0; k < p.n; k++)
		compare(s, &g, &p.insns[k], weighted ? weight[k] : 1, t);
	show(s, &g, f, &p, weight);
	graph_free(&g);
	free(weight);
	pw_provenance_release(&p);
}

static double percent(uint64_t part, const struct tally *t)
{
	return t->mapped ? 100.0 * (double)part / (double)t->mapped : 0;
}

static void tell(const char *path, const struct tally *t, const char *what)
{
	print_message(
		"%s: %.1f%% agree (%.1f%% same, %.1f%% operand of it) of %llu %s with a mapping; %u functions, %u mutants, %.1f s\n",
		path, percent(t->same + t->operand, t), percent(t->same, t),
		percent(t->operand, t), (unsigned long long)t->mapped, what,
		t->n_funcs, t->n_mutants, t->seconds);
}

static void count_per_func(const struct subject *s, uint64_t *per_func)
{
	for (size_t i = 0; i < s->n_samples; i++) {
		const struct pw_code_func *f =
			pw_code_func_at(s->code, s->samples[i]);

		if (f && f->wasm_idx >= 0)
			per_func[f - pw_code_func(s->code, 0)]++;
	}
}

/* Functions with at least a hundredth of the samples, at most 4. */
static void check_module(const char *path, struct tally *t)
{
	struct subject s;
	uint64_t *per_func;
	uint32_t n;

	subject_open(&s, path, true);
	n = pw_code_n_funcs(s.code);
	per_func = pw_zalloc((n + 1) * sizeof(*per_func));
	count_per_func(&s, per_func);
	for (int round = 0; round < 4; round++) {
		uint32_t best = 0;

		for (uint32_t i = 1; i < n; i++)
			if (per_func[i] > per_func[best])
				best = i;
		if (!per_func[best] || per_func[best] * 100 < s.n_samples)
			break;
		per_func[best] = 0;
		check_func(&s, pw_code_func(s.code, best), true, t);
	}
	tell(path, t, "samples");
	free(per_func);
	subject_close(&s);
}

static void need_session(void)
{
	if (session)
		return;
	print_message("%s is not there\n", RUNTIME);
	skip();
}

/*
 * Nine tenths of the samples on five modules or more, and four fifths on what
 * more there is: where samples land is the processor's, and of one instruction
 * made of two (an addition folded into a comparison) an eighth of all may lie.
 */
static void named_modules_agree(void **state)
{
	char *copy, *rest, *name;
	unsigned int n = 0, n_good = 0;
	bool bad = false;

	(void)state;
	need_session();
	copy = rest = pw_strdup(getenv("PERF_WASM_PROVENANCE"));
	while ((name = strsep(&rest, " "))) {
		struct tally t = { 0 };

		if (!*name)
			continue;
		check_module(name, &t);
		n++;
		n_good += percent(t.same + t.operand, &t) >= 90;
		bad |= percent(t.same + t.operand, &t) < 80;
	}
	free(copy);
	assert_false(bad);
	assert_true(n_good >= (n < 5 ? n : 5));
}

/* Nothing is run, every instruction counts. */
static void all_instructions_agree(const char *path, double at_least)
{
	struct tally t = { 0 };
	struct subject s;

	need_session();
	subject_open(&s, path, false);
	for (uint32_t i = 0; i < pw_code_n_funcs(s.code); i++)
		if (pw_code_func(s.code, i)->wasm_idx >= 0)
			check_func(&s, pw_code_func(s.code, i), false, &t);
	tell(path, &t, "instructions");
	assert_true(percent(t.same + t.operand, &t) >= at_least);
	assert_true(t.mapped > 10);
	subject_close(&s);
}

static void a_module_from_c_agrees(void **state)
{
	(void)state;
	all_instructions_agree("tests/data/lines/hot-c.wasm", 80);
}

static void a_module_of_calls_and_memory_agrees(void **state)
{
	(void)state;
	all_instructions_agree("tests/data/artifacts/mix.wasm", 80);
}

static void a_function_without_a_body_is_refused(void **state)
{
	struct pw_provenance_opts opts = { .box_dir = box };
	struct pw_err err = { .msg = "" };
	struct pw_provenance p;
	struct subject s;

	(void)state;
	need_session();
	subject_open(&s, "tests/data/artifacts/mix.wasm", false);
	assert_int_equal(pw_provenance_function(session, s.m, 0, &opts, &p,
						&err),
			 -ENOENT);
	assert_int_equal(pw_provenance_function(session, s.m, 1000000, &opts,
						&p, &err),
			 -ENOENT);
	assert_int_equal(err.code, ENOENT);
	subject_close(&s);
}

static int open_session(void **state)
{
	struct pw_session_opts opts = { .box_dir = box };
	struct pw_err err = { .msg = "" };

	(void)state;
	if (!mkdtemp(box))
		return -1;
	if (pw_runtime_find(&rt, RUNTIME, &err)) {
		print_message("%s\n", err.msg);
		return 0;
	}
	session = pw_session_open(&rt, &opts, &err);
	if (!session)
		print_message("%s\n", err.msg);
	return 0;
}

static int close_session(void **state)
{
	(void)state;
	pw_session_close(session);
	pw_runtime_release(&rt);
	return pw_remove_tree(box, NULL);
}

int main(void)
{
	const struct CMUnitTest ours[] = {
		cmocka_unit_test(a_module_from_c_agrees),
		cmocka_unit_test(a_module_of_calls_and_memory_agrees),
		cmocka_unit_test(a_function_without_a_body_is_refused),
	};
	const struct CMUnitTest named[] = {
		cmocka_unit_test(named_modules_agree),
	};

	if (getenv("PERF_WASM_PROVENANCE"))
		return cmocka_run_group_tests(named, open_session,
					      close_session);
	return cmocka_run_group_tests(ours, open_session, close_session);
}
