// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench-walk [--print] MODULE: decodes a module and walks every body with
 * types, once; --print also prints every instruction as text to standard
 * output. tests/bench-run takes the CPU time of the whole process, to hold
 * it against wasm-validate and wasm-objdump.
 */
#include <perfwasm/module.h>

#include <string.h>

static int print_func(const struct pw_module *m, struct pw_walk *w, uint32_t f,
		      struct pw_err *err)
{
	struct pw_buf text = { 0 };
	struct pw_insn insn;
	int r = pw_walk_start(w, f, err);

	while (!r && (r = pw_walk_next(w, &insn, err)) > 0) {
		pw_insn_print(m, &insn, &text);
		pw_buf_add_u8(&text, '\n');
		r = 0;
	}
	fwrite(text.data, 1, text.len, stdout);
	pw_buf_release(&text);
	return r;
}

static int print_all(const struct pw_module *m, struct pw_err *err)
{
	struct pw_walk *w = pw_walk_new(m);
	uint32_t n = pw_module_n(m, PW_EXT_FUNC), f;
	int r = 0;

	for (f = pw_module_n_imported(m, PW_EXT_FUNC); !r && f < n; f++)
		r = print_func(m, w, f, err);
	pw_walk_free(w);
	return r;
}

static int bench(const char *path, bool print, struct pw_err *err)
{
	struct pw_file file = { 0 };
	struct pw_module *m = NULL;
	int r = pw_file_open(&file, path, err);

	if (r)
		return r;
	m = pw_module_decode(file.data, file.size, err);
	if (!m)
		r = -err->code;
	else if (print)
		r = print_all(m, err);
	else
		r = pw_module_check_bodies(m, err);
	pw_module_free(m);
	pw_file_close(&file);
	return r;
}

int main(int argc, char **argv)
{
	bool print = argc == 3 && !strcmp(argv[1], "--print");
	struct pw_err err = { 0 };

	if (argc != 2 + print) {
		fprintf(stderr, "usage: bench-walk [--print] MODULE\n");
		return 2;
	}
	if (!bench(argv[1 + print], print, &err))
		return 0;
	fprintf(stderr, "bench-walk: %s: %s\n", argv[1 + print], err.msg);
	return 1;
}
