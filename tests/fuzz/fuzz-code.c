// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is an ELF image of machine code. A refused one has a reason; of
 * an accepted one every function is disassembled in order and without
 * overlap, its loops lie within it, and its hash is the same twice.
 */
#include <stdlib.h>

#include <perfwasm/code.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_loops(const struct pw_minsn *insns, uint32_t n)
{
	struct pw_loop *loops;
	uint32_t n_loops, i;

	pw_code_loops(insns, n, &loops, &n_loops);
	for (i = 0; i < n_loops; i++)
		if (loops[i].first > loops[i].head ||
		    loops[i].head > loops[i].last || loops[i].last >= n ||
		    !loops[i].depth ||
		    (loops[i].parent != UINT32_MAX && loops[i].parent >= i))
			abort();
	free(loops);
}

static void check_uses(const struct pw_code *c, const struct pw_minsn *insns,
		       uint32_t n)
{
	struct pw_insn_uses *uses;

	if (pw_code_uses(c, insns, n, &uses, NULL))
		abort();
	for (uint32_t i = 0; i < n; i++)
		if (uses[i].merges & ~uses[i].reads)
			abort();
	free(uses);
}

static void check_func(const struct pw_code *c, const struct pw_code_func *f)
{
	struct pw_minsn *insns;
	uint64_t at = f->text_off, end = f->text_off + f->size_bytes;
	uint32_t n, i;

	if (pw_code_disasm(c, f, &insns, &n, NULL))
		abort();
	for (i = 0; i < n; i++) {
		if (insns[i].text_off < at || !insns[i].size_bytes ||
		    !insns[i].opcode[0])
			abort();
		at = insns[i].text_off + insns[i].size_bytes;
		if (at > end)
			abort();
	}
	check_loops(insns, n);
	check_uses(c, insns, n);
	free(insns);
	if (pw_code_func_hash(c, f) != pw_code_func_hash(c, f))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_err err = { .msg = "" };
	struct pw_code *c = pw_code_open(data, size, 1, &err);
	uint32_t i;

	if (!c) {
		if (err.code <= 0 || !err.msg[0])
			abort();
		return 0;
	}
	for (i = 0; i < pw_code_n_funcs(c); i++)
		check_func(c, pw_code_func(c, i));
	pw_code_hash(c);
	pw_code_close(c);
	return 0;
}
