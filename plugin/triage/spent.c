// SPDX-License-Identifier: GPL-2.0-only
/* What code a function is part of: spent.def's kinds, and runtime-code.def. */
#include "triage-impl.h"

#include <string.h>

static const struct {
	const char *name, *label;
} kinds[] = {
#define PW_SPENT(id, name, label, is_host) { name, label },
#include <perfwasm/spent.def>
#undef PW_SPENT
};

static const struct {
	const char *pattern;
	enum pw_spent spent;
} runtime_code[] = {
#define PW_RUNTIME_CODE(pattern, spent) { pattern, PW_SPENT_##spent },
#include "runtime-code.def"
#undef PW_RUNTIME_CODE
};

const char *pw_spent_name(enum pw_spent s)
{
	return (unsigned)s < PW_N_SPENT ? kinds[s].name : "?";
}

const char *pw_spent_label(enum pw_spent s)
{
	return (unsigned)s < PW_N_SPENT ? kinds[s].label : "?";
}

static enum pw_spent of_runtime(const struct pw_symbol *sym)
{
	for (size_t i = 0; i < sizeof(runtime_code) / sizeof(*runtime_code);
	     i++)
		if (strstr(sym->name, runtime_code[i].pattern))
			return runtime_code[i].spent;
	return PW_SPENT_RUNTIME;
}

enum pw_spent spent_of(const struct pw_symbol *sym)
{
	switch (sym->kind) {
	case PW_PLACE_WASM:
		return PW_SPENT_CODE;
	case PW_PLACE_TRAMPOLINE:
		return of_runtime(sym) == PW_SPENT_BUILTIN ? PW_SPENT_BUILTIN
							   : PW_SPENT_CODE;
	case PW_PLACE_KERNEL:
	case PW_PLACE_HYPERVISOR:
		return PW_SPENT_KERNEL;
	case PW_PLACE_UNKNOWN:
		return PW_SPENT_OTHER;
	default:
		return of_runtime(sym);
	}
}
