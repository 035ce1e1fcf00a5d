// SPDX-License-Identifier: GPL-2.0-only
/*
 * explain-pair MODULE SLOW FAST FUNCTION: the explanations of a function's
 * machine code in two images, without samples and without runs: what only the
 * slow code has in a loop is accused. A line each: confidence, pattern, the
 * first evidence.
 */
#include <perfwasm/explain.h>

#include <stdlib.h>
#include <string.h>

struct image {
	struct pw_file file;
	struct pw_explain_side side;
};

static void fail(const char *what, const struct pw_err *err)
{
	fprintf(stderr, "%s: %s\n", what, err->msg);
	exit(1);
}

static void open_image(struct image *im, const char *path, uint32_t func,
		       uint32_t n_imported)
{
	struct pw_err err = { .msg = "no such function" };
	const struct pw_code_func *f;
	struct pw_minsn *insns;
	struct pw_code *code;

	if (pw_file_open(&im->file, path, &err))
		fail(path, &err);
	code = pw_code_open(im->file.data, im->file.size, n_imported, &err);
	f = code ? pw_code_func_find(code, func) : NULL;
	if (!f || pw_code_disasm(code, f, &insns, &im->side.n, &err))
		fail(path, &err);
	im->side.code = code;
	im->side.insns = insns;
}

/* Slow instructions in a loop that the fast code has in none. */
static void accuse(struct pw_explain_input *in)
{
	struct pw_loop *slow, *fast;
	uint32_t n_slow, n_fast, *accused;

	pw_code_loops(in->slow.insns, in->slow.n, &slow, &n_slow);
	pw_code_loops(in->fast.insns, in->fast.n, &fast, &n_fast);
	accused = pw_alloc((in->n_lines + 1) * sizeof(*accused));
	for (uint32_t i = 0; i < in->n_lines; i++) {
		const struct pw_code_diff_line *l = &in->lines[i];

		if (l->side != PW_CODE_DIFF_SLOW ||
		    pw_code_loop_of(slow, n_slow, (uint32_t)l->slow_idx) ==
			    UINT32_MAX)
			continue;
		if (l->moved_to < 0 ||
		    pw_code_loop_of(fast, n_fast, (uint32_t)l->moved_to) ==
			    UINT32_MAX)
			accused[in->n_accused++] = (uint32_t)l->slow_idx;
	}
	in->accused = accused;
	free(slow);
	free(fast);
}

int main(int argc, char **argv)
{
	struct image slow, fast;
	struct pw_explain_input in = { .n_lines = 0 };
	struct pw_code_diff_line *lines;
	struct pw_explanation *list;
	struct pw_err err = { .msg = "" };
	struct pw_file file;
	struct pw_module *m;
	uint32_t n, n_imported;

	if (argc != 5 || pw_file_open(&file, argv[1], &err))
		fail("explain-pair MODULE SLOW FAST FUNCTION", &err);
	m = pw_module_decode(file.data, file.size, &err);
	if (!m)
		fail(argv[1], &err);
	n_imported = pw_module_n_imported(m, PW_EXT_FUNC);
	in.module = m;
	in.func_idx = (uint32_t)atoi(argv[4]);
	open_image(&slow, argv[2], in.func_idx, n_imported);
	open_image(&fast, argv[3], in.func_idx, n_imported);
	in.slow = slow.side;
	in.fast = fast.side;
	pw_code_diff(in.slow.insns, in.slow.n, NULL, in.fast.insns, in.fast.n,
		     &lines, &in.n_lines);
	in.lines = lines;
	accuse(&in);
	if (pw_explain(&in, &list, &n, &err))
		fail("explain", &err);
	for (uint32_t i = 0; i < n; i++)
		printf("%.2f %s %s\n", list[i].confidence,
		       pw_pattern_id(list[i].pattern), list[i].evidence[0]);
	return 0;
}
