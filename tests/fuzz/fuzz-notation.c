// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is text: each of its lines is parsed as a mutation of a small
 * module that has a bit of everything. A line that is accepted must come back
 * from printing; one that is refused must have a reason.
 */
#include <stdlib.h>
#include <string.h>

#include <perfwasm/mutate.h>

/* f0 imported i32->i32; f1 (i32, f64) -> i32 with a local of i64:
 *   (i32.load offset=8 (local.get 0)) (f64.lt (local.get 1)
 *   (f64.const 0.5)) i32.mul, call 0, i64.extend_i32_s, local.tee 2,
 *   i32.wrap_i64 */
static const uint8_t module[] = {
	0, 'a',  's',  'm',  1,    0,    0,    0,    1,    12,   2,    0x60,
	1, 0x7f, 1,    0x7f, 0x60, 2,    0x7f, 0x7c, 1,    0x7f, 2,    7,
	1, 1,    'e',  1,    'f',  0,    0,    3,    2,    1,    1,    5,
	3, 1,    0,    1,    10,   30,   1,    28,   1,    1,    0x7e, 0x20,
	0, 0x28, 2,    8,    0x20, 1,    0x44, 0,    0,    0,    0,    0,
	0, 0xe0, 0x3f, 0x63, 0x6c, 0x10, 0,    0xac, 0x22, 2,    0xa7, 0x0b
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const struct pw_module *m, const char *line)
{
	struct pw_mutation mut, again;
	struct pw_err err = { .msg = "" };
	struct pw_buf text = { 0 };

	if (pw_mutation_parse(m, line, &mut, &err)) {
		if (err.code <= 0 || !err.msg[0])
			abort();
		return;
	}
	pw_mutation_print(m, &mut, &text);
	if (pw_mutation_parse(m, pw_buf_str(&text), &again, &err) ||
	    again.off != mut.off || again.new_op != mut.new_op)
		abort();
	pw_buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_err err = { .msg = "" };
	struct pw_module *m = pw_module_decode(module, sizeof(module), &err);
	char *text = pw_strndup((const char *)data, size), *rest = text, *line;

	if (!m || pw_module_check_bodies(m, &err)) {
		fprintf(stderr, "the target's own module: %s\n", err.msg);
		abort();
	}
	while ((line = strsep(&rest, "\n")))
		check_line(m, line);
	free(text);
	pw_module_free(m);
	return 0;
}
