// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the name of a symbol says about the wasm function behind it. Every
 * runtime writes names of its own, and some count the imported functions and
 * some do not. Knows nothing of ELF.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"

/*
 * The forms: PREFIX, the number, and what must follow it. `*` in a tail is
 * any rest; `local` numbers leave imports out.
 *
 * Seen in: Wasmtime 8, 9, 10 to 50 (the name after :: from 22 on);
 * wasm2c; WasmEdge; Wasmer (dylib engine); WAMR objects.
 * wasm2c names an exported or named function after its name; only fN says
 * the number, so compile with --no-debug-names.
 */
static const struct symbol_form {
	const char *prefix, *tail;
	bool local, data_in_text;
} forms[] = {
	{ "wasm[0]::function[", "]*", false, true },
	{ "_wasm_function_", "", false, true },
	{ "wasm_function_", "", false, true },
	{ "w2c_f", "", false, false },
	{ "f", "", false, false },
	{ "wasmer_function__", "", true, true },
	{ "aot_func#", "", true, false },
};

/* What gcc and clang append to a function that they cloned or split. */
static const char *const clone_tails[] = {
	".isra.", ".part.", ".constprop.", ".cold", ".llvm.", ".lto_priv.",
};

static bool is_clone_tail(const char *s)
{
	size_t i;

	for (i = 0; i < sizeof(clone_tails) / sizeof(*clone_tails); i++)
		if (!strncmp(s, clone_tails[i], strlen(clone_tails[i])))
			return true;
	return false;
}

static const struct symbol_form *form_of(const char *name, uint64_t *number)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const struct symbol_form *f = &forms[i];
		size_t len = strlen(f->prefix), tail;
		const char *digits = name + len;
		char *end;

		if (strncmp(name, f->prefix, len) || *digits < '0' ||
		    *digits > '9')
			continue;
		*number = strtoull(digits, &end, 10);
		tail = strcspn(f->tail, "*");
		if (strncmp(end, f->tail, tail))
			continue;
		end += tail;
		if (!*end || f->tail[tail] == '*' || is_clone_tail(end))
			return f;
	}
	return NULL;
}

int64_t symbol_wasm_idx(const char *name, uint32_t n_imported_funcs)
{
	uint64_t number;
	const struct symbol_form *f = form_of(name, &number);

	/* strtoull() gives the largest number when there are more digits */
	if (!f || number > UINT32_MAX)
		return -1;
	if (f->local)
		number += n_imported_funcs;
	return number > UINT32_MAX ? -1 : (int64_t)number;
}

bool symbol_is_part(const char *name)
{
	return strstr(name, ".cold") || strstr(name, ".part.");
}

bool symbol_has_data_in_text(const char *name)
{
	uint64_t number;
	const struct symbol_form *f = form_of(name, &number);

	return f && f->data_in_text;
}
