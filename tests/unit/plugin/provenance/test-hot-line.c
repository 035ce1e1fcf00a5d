// SPDX-License-Identifier: GPL-2.0-only
/*
 * From samples of a run on Wasmtime to lines of the source: Wasmtime's own
 * map leaves gaps, provenance fills them; then nearly all samples of generated
 * code have a wasm instruction, and it is in the lines of the loop that the
 * source has. Shares are compared, not times.
 */
#include <perfwasm/lines.h>
#include <perfwasm/provenance.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define RUNTIME "wasmtime@50.0.1"

static char box[] = "/tmp/pw-hot-line-XXXXXX";
static struct pw_runtime rt;
static struct pw_session *session;

struct tally {
	unsigned in_code, with_map, with_off, in_loop, in_call;
};

/* Line `inner` is in a function that is inlined where `outer` stands; head
 * and step are the loop's own, 0 none. */
struct loop {
	uint32_t inner, outer, head, step;
};

struct subject {
	struct pw_file file, elf;
	struct pw_module *m;
	struct pw_lines *lines;
	struct pw_code *code;
	struct pw_provenance p; /* of the function "sum" */
};

static void run(const char *module, const char *elf, const char *samples)
{
	struct pw_host_request req = {
		.module_path = module,
		.artifact_path = elf,
		.samples_path = samples,
		.sample_period_ns = 200000,
		.cpu_limit_ns = (uint64_t)60 * 1000000000,
		.memory_limit_bytes = (uint64_t)4 << 30,
	};
	struct pw_host_reply reply;
	struct pw_err err = { .msg = "" };

	if (pw_session_run(session, &req, &reply, &err))
		fail_msg("%s", err.msg);
	if (reply.outcome != PW_OUT_OK)
		fail_msg("%s", reply.message);
}

static void subject_open(struct subject *s, const char *path,
			 const char *samples)
{
	char *module = pw_asprintf("%s/m.wasm", box);
	char *elf = pw_asprintf("%s/m.elf", box);
	struct pw_provenance_opts opts = { .box_dir = box };
	struct pw_err err = { .msg = "" };

	memset(s, 0, sizeof(*s));
	assert_int_equal(pw_file_open(&s->file, path, NULL), 0);
	assert_int_equal(pw_file_write(module, s->file.data, s->file.size,
				       NULL),
			 0);
	s->m = pw_module_decode(s->file.data, s->file.size, NULL);
	assert_non_null(s->m);
	s->lines = pw_lines_open(s->m, NULL, &err);
	assert_non_null(s->lines);
	run(module, elf, samples);
	assert_int_equal(pw_file_open(&s->elf, elf, NULL), 0);
	s->code = pw_code_open(s->elf.data, s->elf.size,
			       pw_module_n_imported(s->m, PW_EXT_FUNC), NULL);
	assert_non_null(s->code);
	if (pw_provenance_function(session, s->m,
				   pw_module_export_find(s->m, "sum")->idx,
				   &opts, &s->p, &err))
		fail_msg("%s", err.msg);
	free(module);
	free(elf);
}

static void subject_close(struct subject *s)
{
	pw_provenance_release(&s->p);
	pw_code_close(s->code);
	pw_lines_close(s->lines);
	pw_module_free(s->m);
	pw_file_close(&s->elf);
	pw_file_close(&s->file);
}

static void count_sample(struct tally *t, const struct subject *s,
			 uint64_t text_off, const struct loop *loop)
{
	uint64_t off = pw_code_wasm_off(s->code, text_off);
	const struct pw_provenance_insn *p =
		pw_provenance_find(&s->p, text_off);
	struct pw_line_at at;
	uint32_t line;

	t->in_code++;
	t->with_map += off != PW_NO_OFF;
	if (off == PW_NO_OFF && p)
		off = p->wasm_off;
	if (off == PW_NO_OFF)
		return;
	t->with_off++;
	if (!pw_lines_find(s->lines, off, &at))
		return;
	line = at.frames[0].line;
	t->in_loop += line && (line == loop->inner || line == loop->outer ||
			       line == loop->head || line == loop->step);
	t->in_call += line == loop->inner && at.n_frames == 2 &&
		      at.frames[1].line == loop->outer;
}

static void count_samples(struct tally *t, const struct subject *s,
			  const char *samples, const struct loop *loop)
{
	struct pw_file f;
	struct pw_buf text = { 0 };
	char *line, *save = NULL, *end;

	assert_int_equal(pw_file_open(&f, samples, NULL), 0);
	pw_buf_add(&text, f.data, f.size);
	pw_buf_str(&text);
	for (line = strtok_r((char *)text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		uint64_t off = strtoull(line, &end, 16);

		if (end != line && *line != 'p')
			count_sample(t, s, off, loop);
	}
	pw_buf_release(&text);
	pw_file_close(&f);
}

static void check(const char *path, const struct loop *loop)
{
	char *samples = pw_asprintf("%s/samples", box);
	struct tally t = { 0 };
	struct subject s;

	if (!session) {
		print_message("%s is not there\n", RUNTIME);
		free(samples);
		skip();
	}
	subject_open(&s, path, samples);
	count_samples(&t, &s, samples, loop);
	print_message(
		"%s: %u samples of generated code; wasm offset: %u by the map alone, %u with provenance; %u in the loop's lines, %u of them in the inlined call\n",
		path, t.in_code, t.with_map, t.with_off, t.in_loop, t.in_call);
	assert_true(t.in_code >= 20);
	assert_true(t.with_off * 100 >= t.in_code * 95);
	assert_true(t.in_loop * 100 >= t.in_code * 90);
	assert_true(t.in_call > 0);
	subject_close(&s);
	free(samples);
}

static void samples_of_a_c_module_are_in_the_lines_of_its_loop(void **state)
{
	(void)state;
	check("tests/data/lines/hot-c.wasm",
	      &(struct loop){ .inner = 11, .outer = 20, .head = 19 });
}

static void samples_of_a_rust_module_are_in_the_lines_of_its_loop(void **state)
{
	(void)state;
	check("tests/data/lines/hot-rust.wasm",
	      &(struct loop){
		      .inner = 19, .outer = 10, .head = 9, .step = 11 });
}

static int open_session(void **state)
{
	struct pw_session_opts opts = { .box_dir = box };

	(void)state;
	if (!mkdtemp(box))
		return -1;
	if (!pw_runtime_find(&rt, RUNTIME, NULL))
		session = pw_session_open(&rt, &opts, NULL);
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			samples_of_a_c_module_are_in_the_lines_of_its_loop),
		cmocka_unit_test(
			samples_of_a_rust_module_are_in_the_lines_of_its_loop),
	};

	return cmocka_run_group_tests(tests, open_session, close_session);
}
