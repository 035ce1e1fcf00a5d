// SPDX-License-Identifier: GPL-2.0-only
/* What names of code say: one of every form, and total on any bytes. */
#include <perfwasm/jit.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* "ENGINE KIND TIER INDEX MODULE TEXT", what is not told as "-"; an L behind
 * an index that does not count imports. */
static const struct example {
	enum pw_name_source source;
	const char *name, *want;
} examples[] = {
	{ PW_NAME_JIT, "<wasm function 1>", "Wasmtime wasm - 1 - -" },
	{ PW_NAME_JIT, "wasm[0]::function[1]", "Wasmtime wasm - 1 0 -" },
	{ PW_NAME_JIT, "wasm[3]::function[42]::core::fmt[1]::x",
	  "Wasmtime wasm - 42 3 core::fmt[1]::x" },
	{ PW_NAME_JIT, "wasm[0]::array_to_wasm_trampoline[2]",
	  "Wasmtime trampoline - 2 0 -" },
	{ PW_NAME_JIT, "wasm[0]::native_to_wasm_trampoline[5]",
	  "Wasmtime trampoline - 5 0 -" },
	{ PW_NAME_JIT, "wasm::trampoline[2]", "Wasmtime trampoline - - - -" },
	{ PW_NAME_JIT, "signatures[4]::wasm_to_array_trampoline",
	  "Wasmtime trampoline - - - wasm_to_array_trampoline" },
	{ PW_NAME_JIT, "component-trampolines[2]-lower",
	  "Wasmtime trampoline - - - lower" },
	{ PW_NAME_JIT, "JS:wasm-function[1]-1-turbofan",
	  "V8 wasm optimized 1 - -" },
	{ PW_NAME_JIT, "JS:wasm-function[4]-4-liftoff",
	  "V8 wasm baseline 4 - -" },
	{ PW_NAME_JIT, "JS:float_sum-2-turbofan",
	  "V8 wasm optimized 2 - float_sum" },
	{ PW_NAME_JIT, "JS:a-7-b-12-liftoff", "V8 wasm baseline 12 - a-7-b" },
	{ PW_NAME_JIT, "Function:float_sum-2-turbofan",
	  "V8 wasm optimized 2 - float_sum" },
	{ PW_NAME_JIT, "Function:wasm-function[1]-1-liftoff",
	  "V8 wasm baseline 1 - -" },
	{ PW_NAME_JIT, "JS:wasm-to-js::i-sy-1-turbofan",
	  "V8 trampoline optimized 1 - :i-sy" },
	{ PW_NAME_JIT, "JS:~f file:///a.js:1:2",
	  "V8 script interpreter - - f file:///a.js:1:2" },
	{ PW_NAME_JIT, "JS:^resolve node:path:1217:10",
	  "V8 script baseline - - resolve node:path:1217:10" },
	{ PW_NAME_JIT, "JS:+f", "V8 script middle - - f" },
	{ PW_NAME_JIT, "JS:*f", "V8 script optimized - - f" },
	{ PW_NAME_JIT, "JS:o+f", "V8 script middle - - f" },
	{ PW_NAME_JIT, "JS:o*f", "V8 script loop-entry - - f" },
	{ PW_NAME_JIT, "Function:^f /a.js:1:2",
	  "V8 script baseline - - f /a.js:1:2" },
	{ PW_NAME_JIT, "LazyCompile:*hot /a.js:1",
	  "V8 script optimized - - hot /a.js:1" },
	{ PW_NAME_JIT, "Function:~f", "V8 script interpreter - - f" },
	{ PW_NAME_JIT, "Function:*f", "V8 script optimized - - f" },
	{ PW_NAME_JIT, "Builtin:WasmMemoryGrow",
	  "V8 builtin - - - WasmMemoryGrow" },
	{ PW_NAME_JIT, "BytecodeHandler:Ldar.Wide",
	  "V8 builtin interpreter - - Ldar.Wide" },
	{ PW_NAME_JIT, "JSC-WasmOMG: <?>.wasm-function[int_hash]",
	  "JavaScriptCore wasm optimized - - int_hash" },
	{ PW_NAME_JIT, "JSC-WasmOMG: <?>.wasm-function[3]",
	  "JavaScriptCore wasm optimized 3 - -" },
	{ PW_NAME_JIT, "JSC-WasmBBQ: <?>.wasm-function[]",
	  "JavaScriptCore wasm baseline - - -" },
	{ PW_NAME_JIT, "JSC-WasmBBQ: m.wasm-function[a[i]]",
	  "JavaScriptCore wasm baseline - - a[i]" },
	{ PW_NAME_JIT, "JSC-WasmOMG: .wasm-function[float_sum]#BeQ5dl",
	  "JavaScriptCore wasm optimized - - float_sum" },
	{ PW_NAME_JIT, "JSC-WasmOMG: .wasm-function[7]#BeQ5dl",
	  "JavaScriptCore wasm optimized 7 - -" },
	{ PW_NAME_JIT, "JSC-WasmOMGForOSREntry: <?>.wasm-function[3]",
	  "JavaScriptCore wasm loop-entry 3 - -" },
	{ PW_NAME_JIT, "JSC-WasmIPInt: <?>.wasm-function[3]",
	  "JavaScriptCore wasm interpreter 3 - -" },
	{ PW_NAME_JIT, "JSC-WasmThunk: JSToWasm",
	  "JavaScriptCore trampoline - - - JSToWasm" },
	{ PW_NAME_JIT, "JSC-FTL: hot#AbCdEf",
	  "JavaScriptCore script optimized - - hot#AbCdEf" },
	{ PW_NAME_JIT, "JSC-InlineCache: GetById",
	  "JavaScriptCore builtin - - - GetById" },
	{ PW_NAME_JIT, "Wasm: f", "SpiderMonkey wasm - - - f" },
	{ PW_NAME_JIT, "Wasm: a.js line 3 > WebAssembly.Module:120: Function f",
	  "SpiderMonkey wasm - - - f" },
	{ PW_NAME_JIT, "a.js line 3 > WebAssembly.Module:120: Function f",
	  "SpiderMonkey wasm - - - f" },
	{ PW_NAME_JIT, "WasmTrampoline: f", "SpiderMonkey trampoline - - - f" },
	{ PW_NAME_JIT, "Ion: f", "SpiderMonkey script optimized - - f" },
	{ PW_NAME_JIT, "Baseline: f", "SpiderMonkey script baseline - - f" },
	{ PW_NAME_JIT, "[app.wasm]#aot_func#12",
	  "WAMR wasm optimized 12L - -" },
	{ PW_NAME_JIT, "aot_func#12", "WAMR wasm optimized 12L - -" },
	{ PW_NAME_JIT, "[0/3].float_sum:::::L2",
	  "wazero wasm - 0L - .float_sum" },
	{ PW_NAME_JIT, "[10/33]a]b:::::L2:::::L14",
	  "wazero wasm - 10L - a]b:::::L2" },
	{ PW_NAME_JIT, "[1/2].$2:::::L1", "wazero wasm - 1L - -" },
	{ PW_NAME_JIT, "trampoline:env.f", "wazero trampoline - - - env.f" },
	{ PW_NAME_JIT, "py::f:/a/b:c.py", "CPython script - - - f" },
	{ PW_NAME_ELF, "wasm[0]::function[2]::float_sum",
	  "Wasmtime wasm - 2 0 float_sum" },
	{ PW_NAME_ELF, "_wasm_function_2", "Wasmtime wasm - 2 - -" },
	{ PW_NAME_ELF, "wasmer_function__4", "Wasmer wasm - 4L - -" },
	{ PW_NAME_ELF, "f6", "WasmEdge wasm optimized 6 - -" },
	{ PW_NAME_ELF, "t6", "WasmEdge trampoline - - - -" },
	{ PW_NAME_ELF, "w2c_f12", "wasm2c wasm optimized 12 - -" },
	{ PW_NAME_ELF, "w2c_f12.isra.0", "wasm2c wasm optimized 12 - -" },
	{ PW_NAME_ELF, "w2c_f0.part.e1", "wasm2c wasm optimized 0 - -" },
	{ PW_NAME_ELF, "w2c_float_sum", "wasm2c wasm optimized - - float_sum" },
	{ PW_NAME_ELF, "aot_func#3", "WAMR wasm optimized 3L - -" },
	/* what only looks like one */
	{ PW_NAME_JIT, "f6", "- unknown - - - -" },
	{ PW_NAME_JIT, "float_sum", "- unknown - - - -" },
	{ PW_NAME_JIT, "", "- unknown - - - -" },
	{ PW_NAME_JIT, "wasm[0]::function[]", "- unknown - - - -" },
	{ PW_NAME_JIT, "wasm[0]::function[4294967296]", "- unknown - - - -" },
	{ PW_NAME_JIT, "aot_func#18446744073709551617", "- unknown - - - -" },
	{ PW_NAME_JIT, "wasm[0]::function[1] ", "- unknown - - - -" },
	{ PW_NAME_JIT, "JS:f-x-turbofan", "- unknown - - - -" },
	{ PW_NAME_JIT, "JS:-turbofan", "- unknown - - - -" },
	{ PW_NAME_JIT, "[1/]f:::::L1", "- unknown - - - -" },
	{ PW_NAME_ELF, "f6a", "- unknown - - - -" },
	{ PW_NAME_ELF, "f", "- unknown - - - -" },
	{ PW_NAME_ELF, "main", "- unknown - - - -" },
};

static const char *or_dash(const char *s)
{
	return *s ? s : "-";
}

static void number_of(char *to, size_t size, int64_t v, const char *mark)
{
	if (v < 0)
		snprintf(to, size, "-");
	else
		snprintf(to, size, "%lld%s", (long long)v, mark);
}

static void every_form_has_its_meaning(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		const struct example *x = &examples[i];
		char found[200], idx[24], module[24], tier[24];
		struct pw_jit_name n;
		char *space;

		pw_jit_name_parse(&n, x->name, strlen(x->name), x->source);
		number_of(idx, sizeof(idx), n.func_idx,
			  n.is_local_idx ? "L" : "");
		number_of(module, sizeof(module), n.module_idx, "");
		snprintf(tier, sizeof(tier), "%s",
			 or_dash(pw_jit_tier_name(n.tier)));
		space = strchr(tier, ' ');
		if (space)
			*space = '-';
		snprintf(found, sizeof(found), "%s %s %s %s %s %.*s",
			 or_dash(pw_jit_engine_name(n.engine)),
			 pw_jit_kind_name(n.kind), tier, idx, module,
			 n.text_len ? (int)n.text_len : 1,
			 n.text_len ? n.text : "-");
		if (strcmp(found, x->want))
			fail_msg("%s: %s expected, found %s", x->name, x->want,
				 found);
	}
}

static void imports_are_added_where_they_are_not_counted(void **state)
{
	struct pw_jit_name n;

	(void)state;
	pw_jit_name_parse(&n, "aot_func#12", 11, PW_NAME_JIT);
	assert_int_equal(pw_jit_name_func_idx(&n, 3), 15);
	pw_jit_name_parse(&n, "<wasm function 1>", 17, PW_NAME_JIT);
	assert_int_equal(pw_jit_name_func_idx(&n, 3), 1);
	pw_jit_name_parse(&n, "aot_func#4294967295", 19, PW_NAME_JIT);
	assert_int_equal(pw_jit_name_func_idx(&n, 0), UINT32_MAX);
	assert_int_equal(pw_jit_name_func_idx(&n, 1), -1);
	pw_jit_name_parse(&n, "main", 4, PW_NAME_JIT);
	assert_int_equal(pw_jit_name_func_idx(&n, 3), -1);
}

static void check_sane(const char *name, size_t len, enum pw_name_source s)
{
	struct pw_jit_name n;

	pw_jit_name_parse(&n, name, len, s);
	assert_true(n.engine < PW_N_ENGINES && n.kind < PW_N_KINDS &&
		    n.tier < PW_N_TIERS);
	assert_true(n.func_idx >= -1 && n.func_idx <= UINT32_MAX);
	assert_true(n.engine != PW_ENGINE_NONE || n.kind == PW_KIND_UNKNOWN);
	if (n.text_len)
		assert_true(n.text >= name &&
			    n.text + n.text_len <= name + len);
}

/* Every example cut at every byte and with every byte changed, in a block of
 * its exact size. */
static void any_bytes_can_be_parsed(void **state)
{
	struct pw_rng rng;
	size_t i, k;

	(void)state;
	pw_rng_init(&rng, 3);
	for (i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		size_t len = strlen(examples[i].name);

		for (k = 0; k <= len; k++) {
			char *exact = malloc(k ? k : 1);

			memcpy(exact, examples[i].name, k);
			check_sane(exact, k, PW_NAME_JIT);
			check_sane(exact, k, PW_NAME_ELF);
			if (k)
				exact[pw_rng_below(&rng, k)] =
					(char)pw_rng_u64(&rng);
			check_sane(exact, k, PW_NAME_JIT);
			check_sane(exact, k, PW_NAME_ELF);
			free(exact);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_has_its_meaning),
		cmocka_unit_test(imports_are_added_where_they_are_not_counted),
		cmocka_unit_test(any_bytes_can_be_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
