// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a native ELF file: its functions, looked up by address and by
 * file offset, and their names made readable.
 */
#include <perfwasm/code.h>

#include <stdlib.h>

#define FUNCS_MAX 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct pw_symtab *t, uint64_t off)
{
	uint64_t addr = pw_symtab_addr(t, off);
	struct pw_native_func f;

	if (addr != PW_NO_OFF && pw_symtab_find(t, addr, &f))
		pw_symtab_bytes(t, f.addr, f.size_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_symtab *t = pw_symtab_open_bytes(data, size, NULL);
	struct pw_native_func f;
	uint32_t i;
	size_t n;

	if (!t)
		return 0;
	for (i = 0; i < FUNCS_MAX && pw_symtab_func(t, i, &f); i++) {
		free(pw_demangle(f.name));
		if (pw_symtab_find(t, f.addr, &f))
			pw_symtab_bytes(t, f.addr, f.size_bytes);
	}
	for (n = 0; n < size; n += size / 16 + 1)
		look_up(t, n);
	pw_symtab_build_id(t, &n);
	pw_symtab_has_section(t, ".text");
	pw_symtab_close(t);
	return 0;
}
